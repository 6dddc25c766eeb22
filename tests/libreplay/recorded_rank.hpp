#pragma once

#include <coroutine>
#include <map>
#include <utility>
#include <vector>

#include "commgauge/trace/events/trace.hpp"
#include "simulated_rank.hpp"

namespace random_program {

/// A rank of a simulation that writes down what it does.
class RecordedRank {
 public:
  using Request = SimulatedRank::Request;
  using Event = commgauge::trace::Event;

  RecordedRank(SimulatedRank& rank, commgauge::trace::Rank& record)
      : own{rank.own}, ranks{rank.ranks}, rank_{rank}, record_{record} {}

  void compute(int microseconds) {
    rank_.compute(microseconds);
    Event event;
    event.kind = Event::Kind::sleep;
    event.bytes = static_cast<std::uint64_t>(microseconds) * 1000;
    record_.events.push_back(event);
  }
  void note_task(int worker, int task) { rank_.note_task(worker, task); }
  [[nodiscard]] int noted_task(int master) const { return rank_.noted_task(master); }

  Request start_send(int to, int bytes, int tag, bool synchronous = false) {
    return write(Event::Kind::send, rank_.start_send(to, bytes, tag, synchronous));
  }
  Request start_receive(int from, int bytes, int tag) {
    return write(Event::Kind::receive, rank_.start_receive(from, bytes, tag));
  }
  auto wait_all(std::vector<Request> requests) {
    return Then{rank_.wait_all(requests),
                [this, requests] { write_end(Event::Kind::wait, requests); }};
  }
  auto send(int to, int bytes, int tag, bool synchronous) {
    return wait_all({start_send(to, bytes, tag, synchronous)});
  }
  auto receive(int from, int bytes, int tag) {
    const Request request = start_receive(from, bytes, tag);
    return Then{rank_.wait_all({request}), [this, request] {
                  write_end(Event::Kind::wait, {request});
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
                    write_end(Event::Kind::poll, {request});
                  } else {
                    ++in_vain_;
                  }
                  return is_over;
                }};
  }
  auto wait_any(std::vector<Request> requests) {
    return Then{rank_.wait_any(requests), [this, requests](SimulatedRank::Found found) {
                  write_end(Event::Kind::wait, {requests[static_cast<std::size_t>(found.index)]});
                  return found;
                }};
  }
  auto wait_some(std::vector<Request> requests) {
    return Then{rank_.wait_some(requests), [this, requests](std::vector<SimulatedRank::Found> all) {
                  std::vector<Request> over;
                  for (const auto& found : all) {
                    over.push_back(requests[static_cast<std::size_t>(found.index)]);
                  }
                  write_end(Event::Kind::wait, over);
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

  Request write(Event::Kind kind, Request request) {
    if (in_vain_ > 0) {
      Event polls;
      polls.kind = Event::Kind::polls_in_vain;
      polls.attempts = std::exchange(in_vain_, 0);
      record_.events.push_back(polls);
    }
    Event event;
    event.kind = kind;
    event.mode = request->mode == commgauge::simulate::Mode::synchronous
                     ? commgauge::trace::Mode::synchronous
                     : commgauge::trace::Mode::standard;
    event.peer = or_any(request->peer);
    event.tag = or_any(request->tag);
    event.bytes = request->capacity;
    event.request = next_++;
    written_[request] = {record_.events.size(), event.request};
    record_.events.push_back(event);
    return request;
  }
  void write_end(Event::Kind kind, const std::vector<Request>& requests) {
    Event event;
    event.kind = kind;
    event.list = static_cast<std::uint32_t>(record_.requests.size());
    event.count = static_cast<std::uint32_t>(requests.size());
    event.attempts = std::exchange(in_vain_, 0);
    for (const Request request : requests) {
      const auto [place, number] = written_.at(request);
      record_.requests.push_back(number);
      Event& start = record_.events[place];
      if (start.kind != Event::Kind::receive) continue;
      start.found_peer = request->source;
      start.found_tag = request->found_tag;
      start.found_bytes = request->bytes;
    }
    record_.events.push_back(event);
  }
  void write_probe(int from, int tag, int source) {
    Event event;
    event.kind = Event::Kind::probe;
    event.peer = from == any ? commgauge::trace::any : from;
    event.tag = event.found_tag = tag;
    event.found_peer = source;
    event.attempts = std::exchange(in_vain_, 0);
    record_.events.push_back(event);
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
