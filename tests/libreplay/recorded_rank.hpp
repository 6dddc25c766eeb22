#pragma once

#include <coroutine>
#include <map>
#include <utility>
#include <vector>

#include "commgauge/trace/events/trace.hpp"
#include "simulated_rank.hpp"

namespace random_program {

namespace event = commgauge::trace::event;

/// A rank of a simulation that writes down what it does.
class RecordedRank {
 public:
  using Request = SimulatedRank::Request;
  using Event = commgauge::trace::Event;

  RecordedRank(SimulatedRank& rank, commgauge::trace::Rank& record)
      : own{rank.own}, ranks{rank.ranks}, rank_{rank}, record_{record} {}

  void compute(int microseconds) {
    rank_.compute(microseconds);
    record_.events.emplace_back(event::Sleep{static_cast<std::uint64_t>(microseconds) * 1000});
  }
  void note_task(int worker, int task) { rank_.note_task(worker, task); }
  [[nodiscard]] int noted_task(int master) const { return rank_.noted_task(master); }

  Request start_send(int to, int bytes, int tag, bool synchronous = false) {
    const Request request = rank_.start_send(to, bytes, tag, synchronous);
    const bool waits = request->mode == commgauge::simulate::Mode::synchronous;
    return write(request, event::Send{.request = next_,
                                      .peer = or_any(request->peer),
                                      .tag = or_any(request->tag),
                                      .bytes = request->capacity,
                                      .mode = waits ? commgauge::trace::Mode::synchronous
                                                    : commgauge::trace::Mode::standard});
  }
  Request start_receive(int from, int bytes, int tag) {
    const Request request = rank_.start_receive(from, bytes, tag);
    return write(request, event::Receive{.request = next_,
                                         .peer = or_any(request->peer),
                                         .tag = or_any(request->tag),
                                         .bytes = request->capacity});
  }
  auto wait_all(std::vector<Request> requests) {
    return Then{rank_.wait_all(requests), [this, requests] { write_wait(requests); }};
  }
  auto send(int to, int bytes, int tag, bool synchronous) {
    return wait_all({start_send(to, bytes, tag, synchronous)});
  }
  auto receive(int from, int bytes, int tag) {
    const Request request = start_receive(from, bytes, tag);
    return Then{rank_.wait_all({request}), [this, request] {
                  write_wait({request});
                  return request->source;
                }};
  }
  auto probe(int from, int tag) {
    return Then{rank_.probe(from, tag), [this, from, tag](int source) {
                  write_probe(from, tag, source);
                  return source;
                }};
  }
  auto try_probe(int from, int tag) {
    return Then{rank_.try_probe(from, tag), [this, from, tag](int source) {
                  if (source == nobody) {
                    ++in_vain_;
                  } else {
                    write_probe(from, tag, source);
                  }
                  return source;
                }};
  }
  auto test(Request request) {
    return Then{rank_.test(request), [this, request](bool is_over) {
                  if (is_over) {
                    write_poll(request);
                  } else {
                    ++in_vain_;
                  }
                  return is_over;
                }};
  }
  auto wait_any(std::vector<Request> requests) {
    return Then{rank_.wait_any(requests), [this, requests](SimulatedRank::Found found) {
                  write_wait({requests[static_cast<std::size_t>(found.index)]});
                  return found;
                }};
  }
  auto wait_some(std::vector<Request> requests) {
    return Then{rank_.wait_some(requests), [this, requests](std::vector<SimulatedRank::Found> all) {
                  std::vector<Request> over;
                  for (const auto& found : all) {
                    over.push_back(requests[static_cast<std::size_t>(found.index)]);
                  }
                  write_wait(over);
                  return all;
                }};
  }

  int own;
  int ranks;

 private:
  /// Awaits the first, then does the second with its answer.
  template <class Answer, class After>
  struct Then {
    Answer answer;
    After after;
    bool await_ready() { return answer.await_ready(); }
    void await_suspend(std::coroutine_handle<> self) { answer.await_suspend(self); }
    auto await_resume() {
      if constexpr (std::is_void_v<decltype(answer.await_resume())>) {
        answer.await_resume();
        return after();
      } else {
        return after(answer.await_resume());
      }
    }
  };
  template <class Answer, class After>
  Then(Answer, After) -> Then<Answer, After>;

  static std::int32_t or_any(int value) {
    return value == commgauge::simulate::wildcard ? commgauge::trace::any : value;
  }

  Request write(Request request, const Event& start) {
    if (in_vain_ > 0) {
      record_.events.emplace_back(event::UnsuccessfulPolls{std::exchange(in_vain_, 0)});
    }
    written_[request] = {record_.events.size(), next_++};
    record_.events.push_back(start);
    return request;
  }
  /// @return where they stand in the rank's list
  std::uint32_t list_of(const std::vector<Request>& requests) {
    const auto list = static_cast<std::uint32_t>(record_.requests.size());
    for (const Request request : requests) {
      const auto [place, number] = written_.at(request);
      record_.requests.push_back(number);
      auto* const receive = record_.events[place].as<event::Receive>();
      if (receive == nullptr) continue;
      receive->found = {request->source, request->found_tag, request->bytes};
    }
    return list;
  }
  void write_wait(const std::vector<Request>& requests) {
    in_vain_ = 0;
    const auto count = static_cast<std::uint32_t>(requests.size());
    record_.events.emplace_back(event::Wait{list_of(requests), count});
  }
  void write_poll(Request request) {
    record_.events.emplace_back(event::Poll{list_of({request}), 1, std::exchange(in_vain_, 0)});
  }
  void write_probe(int from, int tag, int source) {
    record_.events.emplace_back(event::Probe{.peer = from == any ? commgauge::trace::any : from,
                                             .tag = tag,
                                             .found = {.peer = source, .tag = tag},
                                             .attempts = std::exchange(in_vain_, 0)});
  }

  struct Written {
    std::size_t place;
    std::uint32_t number;
  };
  SimulatedRank& rank_;
  commgauge::trace::Rank& record_;
  std::map<Request, Written> written_;
  std::uint32_t next_{};
  std::uint64_t in_vain_{};
};

}  // namespace random_program
