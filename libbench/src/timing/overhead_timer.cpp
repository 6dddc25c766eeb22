#include "timing/overhead_timer.hpp"

#include <algorithm>

#include "messages/tags.hpp"

namespace commgauge::bench {

namespace {

constexpr int settling_trips = 5;  ///< the first, which may open a connection, doesn't count
constexpr int long_settling_trips = 2;
/// From here on fewer trips settle: one takes as long as all of the others.
constexpr Bytes long_message{32 << 10};
/// Round trips after which a message that was asked for has arrived for certain (Culler, Liu,
/// Martin, Yoshikawa 1996).
constexpr double certain_arrival = 1.2;
constexpr double shortest_wait = 5e-6;  ///< [s]

int trips_to_settle(const Experiment& experiment) {
  return experiment.back > long_message ? long_settling_trips : settling_trips;
}

}  // namespace

void OverheadTimer::settle_as_root(const Experiment& experiment) {
  if (experiment.kind == Kind::send_overhead) return;
  arrival_ = shortest_wait;
  for (int trip = 0; trip < trips_to_settle(experiment); ++trip) {
    buffers_.begin_repetition();
    const double start = Clock::now();
    ask(experiment);
    transport_.receive(buffers_.next_receive(experiment.back.value), experiment.back,
                       experiment.peers.front(), data_tag);
    if (trip > 0) arrival_ = std::max(arrival_, certain_arrival * (Clock::now() - start));
  }
}

void OverheadTimer::settle_as_peer(const Experiment& experiment) {
  if (experiment.kind == Kind::send_overhead) return;
  for (int trip = 0; trip < trips_to_settle(experiment); ++trip) join_as_peer(experiment);
}

double OverheadTimer::time_as_root(const Experiment& experiment) {
  buffers_.begin_repetition();
  const double time =
      experiment.kind == Kind::send_overhead ? time_send(experiment) : time_receive(experiment);
  return time - clock_.cost().value;
}

void OverheadTimer::join_as_peer(const Experiment& experiment) {
  buffers_.begin_repetition();
  if (experiment.kind == Kind::send_overhead) {
    MPI_Request request = transport_.start_receive(buffers_.next_receive(experiment.out.value),
                                                   experiment.out, experiment.root, data_tag);
    transport_.send(nullptr, Bytes{0}, experiment.root, ready_tag);
    transport_.wait(request);
    return;
  }
  transport_.receive(nullptr, Bytes{0}, experiment.root, ready_tag);
  transport_.send(buffers_.next_send(experiment.back.value), experiment.back, experiment.root,
                  data_tag);
}

double OverheadTimer::time_send(const Experiment& experiment) {
  const int peer = experiment.peers.front();
  transport_.receive(nullptr, Bytes{0}, peer, ready_tag);
  const std::byte* const message = buffers_.next_send(experiment.out.value);
  const double start = Clock::now();
  transport_.send(message, experiment.out, peer, data_tag);
  return Clock::now() - start;
}

double OverheadTimer::time_receive(const Experiment& experiment) {
  ask(experiment);
  wait_for_arrival(experiment);
  std::byte* const message = buffers_.next_receive(experiment.back.value);
  const double start = Clock::now();
  transport_.receive(message, experiment.back, experiment.peers.front(), data_tag);
  return Clock::now() - start;
}

void OverheadTimer::ask(const Experiment& experiment) const {
  transport_.send(nullptr, Bytes{0}, experiment.peers.front(), ready_tag);
}

void OverheadTimer::wait_for_arrival(const Experiment& experiment) const {
  const double end = Clock::now() + arrival_;
  if (experiment.kind == Kind::receive_overhead) {
    wait_until(end, transport_.yielding());
    return;
  }
  do {
    transport_.make_progress(experiment.peers.front());
  } while (Clock::now() < end);
}

}  // namespace commgauge::bench
