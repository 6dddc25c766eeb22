#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "commgauge/simulate/process/task.hpp"

/// Random programs of point-to-point messages: matched, and correct if every send waited for its
/// receive. A third of the receives are from any source. All ranks draw the same numbers, so that
/// they agree on what happens; each does its own part. The same program runs as a coroutine in one
/// thread, and on live processes, where what it awaits blocks
/// (tests/libemulate/random_programs.cpp).
namespace random_program {

using commgauge::simulate::Task;
using Random = std::mt19937_64;
inline constexpr int any = -1;     ///< source
inline constexpr int nobody = -2;  ///< source

inline int draw(Random& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(most + 1));
}

enum class SendMode { blocking, synchronous, waited, tested };
enum class ReceiveMode { blocking, probed, probed_in_vain, posted };

/// @tparam Rank  own, ranks, compute(us), and, each to be awaited: send(to, bytes, tag,
/// synchronous), receive(from, bytes, tag) -> source, probe(from, tag) -> source, try_probe(from,
/// tag) -> source or nobody, test(request) -> bool, wait_all(requests), wait_any(requests) and
/// wait_some(requests) -> (index, source) of each; start_send(), start_receive() -> request
template <class Rank>
class Program {
 public:
  Program(Rank& rank, std::uint64_t seed) : rank_{rank}, seed_{seed}, random_{seed} {}

  Task run() {
    const int steps = 3 + draw(random_, 9);
    // Ranks may be a program ahead of others.
    tag_ = 100 * static_cast<int>(seed_ % 100);
    for (const int end = tag_ + steps; tag_ < end; ++tag_) {
      const int computing = draw(random_, ranks() - 1);
      const int microseconds = draw(random_, 200);
      if (computing == own()) rank_.compute(microseconds);
      switch (draw(random_, 6)) {
        case 0:
        case 1:
          co_await one_message();
          break;
        case 2:
          co_await ring();
          break;
        case 3:
          co_await from_anyone();
          break;
        case 4:
          co_await in_any_order();
          break;
        case 5:
          co_await behind_another();
          break;
        default:
          co_await hand_out_tasks();
      }
    }
  }

 private:
  using Requests = std::vector<typename Rank::Request>;

  [[nodiscard]] int own() const { return rank_.own; }
  [[nodiscard]] int ranks() const { return rank_.ranks; }

  Task send(int to, int size, SendMode mode) {
    if (mode == SendMode::blocking || mode == SendMode::synchronous) {
      co_await rank_.send(to, size, tag_, mode == SendMode::synchronous);
      co_return;
    }
    auto request = rank_.start_send(to, size, tag_);
    if (mode == SendMode::waited) {
      const Requests only(1, request);
      co_await rank_.wait_all(only);
      co_return;
    }
    while (!co_await rank_.test(request)) {
    }
  }

  Task receive(int from, int size, ReceiveMode mode, int& source) {
    if (mode == ReceiveMode::blocking) {
      source = co_await rank_.receive(from, size, tag_);
    } else if (mode == ReceiveMode::probed) {
      source = co_await rank_.probe(from, tag_);
      source = co_await rank_.receive(source, size, tag_);
    } else if (mode == ReceiveMode::probed_in_vain) {
      source = nobody;
      while (source == nobody) source = co_await rank_.try_probe(from, tag_);
      source = co_await rank_.receive(source, size, tag_);
    } else {
      auto request = rank_.start_receive(from, size, tag_);
      rank_.compute(5);
      const Requests only(1, request);
      const auto found = co_await rank_.wait_any(only);
      source = found.source;
    }
  }

  Task one_message() {
    const int from = draw(random_, ranks() - 1);
    const int to = (from + 1 + draw(random_, ranks() - 2)) % ranks();
    const int size = draw(random_, 1000);
    const int send_mode = draw(random_, 3);
    const int receive_mode = draw(random_, 3);
    int source = 0;
    if (own() == from) co_await send(to, size, static_cast<SendMode>(send_mode));
    if (own() == to) {
      co_await receive(from, size, static_cast<ReceiveMode>(receive_mode), source);
    }
  }

  Task ring() {
    const int size = draw(random_, 1000);
    const int distance = 1 + draw(random_, ranks() - 2);
    Requests both;
    both.push_back(rank_.start_receive((own() - distance + ranks()) % ranks(), size, tag_));
    both.push_back(rank_.start_send((own() + distance) % ranks(), size, tag_));
    co_await rank_.wait_all(both);
  }

  Task from_anyone() {
    const int to = draw(random_, ranks() - 1);
    const int size = draw(random_, 1000);
    const int modes = draw(random_, 15);
    const int delay = draw(random_, 100);
    if (own() != to) {
      rank_.compute(delay * own() / ranks());
      co_await send(to, size, static_cast<SendMode>(modes % 4));
      co_return;
    }
    for (int i = 1; i < ranks(); ++i) {
      int source = 0;
      co_await receive(any, size, static_cast<ReceiveMode>(modes / 4), source);
      rank_.compute(3 * source);
    }
  }

  /// Posted at once, some from any source, taken as they come.
  Task in_any_order() {
    const int to = draw(random_, ranks() - 1);
    const int size = draw(random_, 600);
    const bool anyone = draw(random_, 1) == 0;
    const bool some = draw(random_, 1) == 0;
    if (own() != to) {
      rank_.compute(10 * ((own() * 7) % ranks()));
      co_await send(to, size, static_cast<SendMode>(own() % 4));
      co_return;
    }
    Requests requests;
    for (int from = 0; from < ranks(); ++from) {
      if (from != own()) requests.push_back(rank_.start_receive(anyone ? any : from, size, tag_));
    }
    for (std::size_t left = requests.size(); left > 0;) {
      if (some) {
        const auto found = co_await rank_.wait_some(requests);
        for (const auto& one : found) rank_.compute(2 * one.source + one.index);
        left -= found.size();
      } else {
        const auto one = co_await rank_.wait_any(requests);
        rank_.compute(2 * one.source + one.index);
        --left;
      }
    }
  }

  /// Short messages after a long one that is still to be matched, under way, or over.
  Task behind_another() {
    const int from = draw(random_, ranks() - 1);
    const int long_to = (from + 1 + draw(random_, ranks() - 2)) % ranks();
    const int size = draw(random_, 100'000);
    const int before = draw(random_, 200);
    const int between = draw(random_, 100);
    const bool anyone = draw(random_, 1) == 0;
    const bool to_oneself = draw(random_, 1) == 0;
    const int long_ones = 1 + draw(random_, 2);
    const int short_size = size % 3 == 0 ? size / 2 : 8;
    if (own() == from) {
      Requests requests;
      for (int i = 0; i < long_ones; ++i) {
        requests.push_back(rank_.start_send(long_to, size, tag_));
      }
      for (int to = 0; to < ranks(); ++to) {
        rank_.compute(between);
        if (to != from) {
          co_await send(to, short_size, static_cast<SendMode>((to + size) % 4));
        } else if (to_oneself) {
          auto request = rank_.start_receive(from, 8, tag_);
          co_await rank_.send(from, 8, tag_, false);
          const Requests only(1, request);
          co_await rank_.wait_all(only);
        }
      }
      co_await rank_.wait_all(requests);
      co_return;
    }
    if (own() == long_to) {
      for (int i = 0; i < long_ones; ++i) {
        rank_.compute(before);
        co_await rank_.receive(anyone ? any : from, size, tag_);
      }
    }
    co_await rank_.receive(anyone ? any : from, short_size, tag_);
  }

  /// Who asks gets one, until there are none.
  Task hand_out_tasks() {
    const int master = draw(random_, ranks() - 1);
    int tasks = draw(random_, 3 * ranks());
    const int cost = 5 + draw(random_, 40);
    if (own() == master) {
      for (int busy = ranks() - 1; busy > 0;) {
        const int worker = co_await rank_.receive(any, sizeof(int), tag_);
        const int task = tasks > 0 ? tasks-- : -1;
        if (task < 0) --busy;
        rank_.note_task(worker, task);
        co_await rank_.send(worker, sizeof(int), tag_, false);
      }
      co_return;
    }
    for (int task = 0; task >= 0;) {
      co_await rank_.send(master, sizeof(int), tag_, false);
      co_await rank_.receive(master, sizeof(int), tag_);
      task = rank_.noted_task(master);
      if (task > 0) rank_.compute(cost + (task * 13 + own() * 5) % 30);
    }
  }

  Rank& rank_;
  std::uint64_t seed_;
  Random random_;
  int tag_{};
};

}  // namespace random_program
