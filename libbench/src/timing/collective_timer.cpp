#include "timing/collective_timer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/bench/clock/clock.hpp"
#include "messages/tags.hpp"

namespace commgauge::bench {

namespace {

constexpr int clock_pings = 12;
constexpr double longest_lead_for_eight = 2e-3;  ///< [s] with 8 peers; in proportion with others

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

}  // namespace

CollectiveTimer::CollectiveTimer(const Transport& transport, MessageBuffers& buffers,
                                 CoreWatch& watch, int ranks)
    : transport_{transport},
      buffers_{buffers},
      watch_{watch},
      ranks_{index(ranks)},
      clocks_(index(ranks)) {
  uses_.reserve(ranks_);
  pings_.reserve(clock_pings);
  requests_.reserve(2);
}

void CollectiveTimer::synchronise_as_root(std::span<const int> peers) {
  double least = 0;
  for (const int peer : peers) {
    pings_.clear();
    for (int i = 0; i < clock_pings; ++i) {
      ClockSync::Ping ping;
      ping.sent = Clock::now();
      transport_.send_value(ping.sent, peer, clock_tag);
      ping.there = transport_.receive_value<double>(peer, clock_tag);
      ping.back = Clock::now();
      pings_.push_back(ping);
    }
    least += 3 * clocks_[index(peer)].synchronise(pings_);
  }
  longest_lead_ = std::max(
      {longest_lead_, 4 * least, longest_lead_for_eight / 8 * static_cast<double>(peers.size())});
  // A lead that grew because ranks were late may shrink again.
  lead_ = std::max(least, lead_ / 2);
}

void CollectiveTimer::synchronise_as_peer(int root) const {
  for (int i = 0; i < clock_pings; ++i) {
    (void)transport_.receive_value<double>(root, clock_tag);
    transport_.send_value(Clock::now(), root, clock_tag);
  }
}

double CollectiveTimer::time_as_root(const Collective& collective, bool accept_late) {
  buffers_.begin_repetition();
  uses_.clear();
  watch_.open();
  const double time = collective.timing == Timing::global
                          ? time_from_common_start(collective, accept_late)
                          : time_after_barrier(collective);
  if (!std::isnan(time)) timed_ += time;
  return time;
}

void CollectiveTimer::join_as_peer(const Collective& collective) {
  buffers_.begin_repetition();
  if (collective.timing == Timing::global) {
    join_common_start(collective);
  } else {
    join_after_barrier(collective);
  }
}

double CollectiveTimer::time_from_common_start(const Collective& collective, bool accept_late) {
  const double start = Clock::now() + lead_;
  for (const int peer : collective.peers) {
    transport_.send_value(clocks_[index(peer)].there_at(start), peer, clock_tag);
  }
  bool late = Clock::now() > start;
  wait_until(start, transport_.yielding());
  perform_as_root(collective);
  double end = Clock::now();
  uses_.push_back(watch_.close());
  for (const int peer : collective.peers) {
    const auto [there, use] = transport_.receive_value<Part>(peer, clock_tag);
    uses_.push_back(use);
    late = late || there < 0;
    // A gather has ended when the root has everything.
    if (!ends_at_root(collective.kind)) {
      end = std::max(end, clocks_[index(peer)].here_at(std::abs(there)));
    }
  }
  if (late && !accept_late) {
    lead_ = std::min(1.5 * lead_, longest_lead_);
    return std::numeric_limits<double>::quiet_NaN();
  }
  return end - start;
}

void CollectiveTimer::join_common_start(const Collective& collective) {
  const double start = transport_.receive_value<double>(collective.root, clock_tag);
  watch_.open();
  const bool late = Clock::now() > start;
  wait_until(start, transport_.yielding());
  perform_as_peer(collective);
  // A negative time says that this rank heard of the start too late.
  const double end = Clock::now();
  transport_.send_value(Part{late ? -end : end, watch_.close()}, collective.root, clock_tag);
}

double CollectiveTimer::time_after_barrier(const Collective& collective) {
  transport_.barrier();
  const double start = Clock::now();
  perform_as_root(collective);
  double longest = Clock::now() - start;
  uses_.push_back(watch_.close());
  if (collective.timing == Timing::root) return longest;
  for (const int peer : collective.peers) {
    const auto [took, use] = transport_.receive_value<Part>(peer, clock_tag);
    uses_.push_back(use);
    longest = std::max(longest, took);
  }
  return longest;
}

void CollectiveTimer::join_after_barrier(const Collective& collective) {
  watch_.open();
  transport_.barrier();
  const double start = Clock::now();
  perform_as_peer(collective);
  const double took = Clock::now() - start;
  if (collective.timing == Timing::longest) {
    transport_.send_value(Part{took, watch_.close()}, collective.root, clock_tag);
  }
}

void CollectiveTimer::perform_at_once(const Role& role) {
  requests_.clear();
  for (const auto& [is_sent, peer, offset, size] : role.steps) {
    requests_.push_back(
        is_sent
            ? transport_.start_send(buffers_.next_send(size.value), size, peer, data_tag)
            : transport_.start_receive(buffers_.next_receive(size.value), size, peer, data_tag));
  }
  transport_.wait_all(requests_);
}

void CollectiveTimer::perform(const Role& role) {
  if (role.is_at_once) return perform_at_once(role);
  std::byte* const data = role.steps.front().is_sent ? buffers_.next_send(role.data.value)
                                                     : buffers_.next_receive(role.data.value);
  for (const Step& step : role.steps) {
    std::byte* const place = data + step.offset;
    if (step.is_sent) {
      transport_.send(place, step.size, step.peer, data_tag);
    } else {
      transport_.receive(place, step.size, step.peer, data_tag);
    }
  }
}

void CollectiveTimer::perform_as_root(const Collective& collective) {
  if (collective.role) return perform(*collective.role);
  const auto [kind, root, peers, size, timing, algorithms, role] = collective;
  if (algorithms == Algorithms::library) {
    const std::size_t whole = ranks_ * size.value;
    if (kind == Kind::scatter) {
      transport_.scatter(buffers_.next_send(whole), nullptr, size, root);
    } else {
      transport_.gather(nullptr, buffers_.next_receive(whole), size, root);
    }
    return;
  }
  if (kind == Kind::scatter) {
    for (const int peer : peers) {
      transport_.send(buffers_.next_send(size.value), size, peer, data_tag);
    }
    return;
  }
  // In turn: the root pays the receive overhead of each message after the other, and above the
  // eager limit each sender waits for its turn.
  for (const int peer : peers) {
    transport_.receive(buffers_.next_receive(size.value), size, peer, data_tag);
  }
}

void CollectiveTimer::perform_as_peer(const Collective& collective) {
  if (collective.role) return perform(*collective.role);
  const auto [kind, root, peers, size, timing, algorithms, role] = collective;
  const bool library = algorithms == Algorithms::library;
  if (kind == Kind::scatter) {
    std::byte* const buffer = buffers_.next_receive(size.value);
    if (library) {
      transport_.scatter(nullptr, buffer, size, root);
    } else {
      transport_.receive(buffer, size, root, data_tag);
    }
  } else {
    const std::byte* const buffer = buffers_.next_send(size.value);
    if (library) {
      transport_.gather(buffer, nullptr, size, root);
    } else {
      transport_.send(buffer, size, root, data_tag);
    }
  }
}

}  // namespace commgauge::bench
