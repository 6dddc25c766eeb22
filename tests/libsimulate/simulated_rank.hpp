#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "commgauge/simulate/run/simulation.hpp"
#include "random_program.hpp"

namespace random_program {

/// A rank of a simulation, as Program wants it.
class SimulatedRank {
 public:
  using Request = commgauge::simulate::Request*;
  struct Found {
    int index;
    int source;
  };

  /// @param notes  tasks by worker: what messages would hold
  SimulatedRank(commgauge::simulate::CoroutineProcess& process, std::vector<int>& notes)
      : own{process.rank()}, ranks{process.machine().ranks}, process_{process}, notes_{notes} {}

  void compute(int microseconds) {
    process_.sleep(static_cast<double>(microseconds * 1000L) * 1e-9);
  }
  void note_task(int worker, int task) { notes_[static_cast<std::size_t>(worker)] = task; }
  [[nodiscard]] int noted_task(int) const { return notes_[static_cast<std::size_t>(own)]; }

  Request start_send(int to, int bytes, int tag, bool synchronous = false) {
    Request request = &requests_.emplace_back();
    process_.describe_send(
        *request, to, static_cast<std::uint64_t>(bytes), tag,
        synchronous ? commgauge::simulate::Mode::synchronous : commgauge::simulate::Mode::standard);
    process_.start(*request);
    return request;
  }
  Request start_receive(int from, int bytes, int tag) {
    Request request = &requests_.emplace_back();
    process_.describe_receive(*request, source(from), static_cast<std::uint64_t>(bytes), tag);
    process_.start(*request);
    return request;
  }

  auto send(int to, int bytes, int tag, bool synchronous) {
    return process_.one(*start_send(to, bytes, tag, synchronous));
  }
  auto receive(int from, int bytes, int tag) {
    Request request = start_receive(from, bytes, tag);
    return process_.until([this, request]() -> std::optional<int> {
      if (!process_.wait(std::span(&request, 1), true)) return std::nullopt;
      return request->source;
    });
  }
  auto probe(int from, int tag) {
    return process_.until([this, from, tag]() -> std::optional<int> {
      const auto found = process_.probe({0, source(from), tag});
      if (!found) return std::nullopt;
      return process_.message(*found).envelope.source;
    });
  }
  auto try_probe(int from, int tag) {
    return process_.until([this, from, tag]() -> std::optional<int> {
      const auto found = process_.probe_now({0, source(from), tag});
      if (!found) return std::nullopt;
      return *found == 0 ? nobody : process_.message(*found).envelope.source;
    });
  }
  auto test(Request request) {
    return process_.until([this, request]() -> std::optional<bool> {
      const auto is_over = process_.test_all(std::span(&request, 1));
      if (is_over && !*is_over) process_.poll_unsuccessfully();
      return is_over;
    });
  }
  auto wait_all(std::vector<Request> requests) {
    return process_.until(
        [this, requests = std::move(requests)] { return process_.wait(requests, true); });
  }
  /// Takes them out of `requests`, as MPI does.
  auto wait_any(std::vector<Request> requests) {
    return process_.until([this, requests = std::move(requests)]() -> std::optional<Found> {
      if (!process_.wait(open(requests), false)) return std::nullopt;
      return taken(requests).front();
    });
  }
  auto wait_some(std::vector<Request> requests) {
    return process_.until([this, requests = std::move(requests),
                           now = -1.0]() mutable -> std::optional<std::vector<Found>> {
      const std::vector<Request> waited = open(requests);
      if (now < 0) now = process_.clock();
      if (!process_.wait(waited, false)) return std::nullopt;
      if (!process_.test_some(waited, now)) return std::nullopt;
      std::vector<Found> found;
      for (std::size_t i = 0; i < requests.size(); ++i) {
        if (requests[i]->done && !is_taken(requests[i])) found.push_back(take(requests, i));
      }
      return found;
    });
  }

  int own;
  int ranks;

 private:
  static int source(int from) { return from == any ? commgauge::simulate::wildcard : from; }
  [[nodiscard]] static bool is_taken(const commgauge::simulate::Request* request) {
    return !request->active;
  }
  /// Those that the program has not been told of.
  static std::vector<Request> open(const std::vector<Request>& requests) {
    std::vector<Request> active;
    for (Request request : requests) {
      if (!is_taken(request)) active.push_back(request);
    }
    return active;
  }
  static Found take(const std::vector<Request>& requests, std::size_t i) {
    requests[i]->active = false;
    return {static_cast<int>(i), requests[i]->source};
  }
  static std::vector<Found> taken(const std::vector<Request>& requests) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (requests[i]->done && !is_taken(requests[i])) return {take(requests, i)};
    }
    return {};
  }

  commgauge::simulate::CoroutineProcess& process_;
  std::vector<int>& notes_;
  std::deque<commgauge::simulate::Request> requests_;
};

}  // namespace random_program
