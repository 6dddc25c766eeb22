#include "timing/meeting_timer.hpp"

#include "messages/tags.hpp"

namespace commgauge::bench {

/// For the message that stops the clock.
void MeetingTimer::wait(const Experiment& experiment) {
  if (experiment.kind == Kind::first_of_messages) {
    transport_.wait_any(awaited_);
  } else {
    transport_.wait_all(awaited_);
  }
}

double MeetingTimer::time_as_root(const Experiment& experiment) {
  const Bytes size = experiment.back;
  buffers_.begin_repetition();
  awaited_.clear();
  asking_.clear();
  for (const int peer : experiment.peers) {
    for (int message = 0; message < experiment.messages; ++message) {
      awaited_.push_back(
          transport_.start_receive(buffers_.next_receive(size.value), size, peer, data_tag));
    }
  }
  for (const int peer : experiment.peers) transport_.receive(nullptr, Bytes{0}, peer, ready_tag);
  const double start = Clock::now();
  for (const int peer : experiment.peers) {
    asking_.push_back(transport_.start_send(buffers_.next_send(experiment.out.value),
                                            experiment.out, peer, ready_tag));
  }
  wait(experiment);
  const double time = Clock::now() - start;
  transport_.wait_all(awaited_);
  transport_.wait_all(asking_);
  return time - clock_.cost().value;
}

void MeetingTimer::join_as_peer(const Experiment& experiment) {
  const Bytes size = experiment.back;
  buffers_.begin_repetition();
  awaited_.clear();
  MPI_Request asked = transport_.start_receive(buffers_.next_receive(experiment.out.value),
                                               experiment.out, experiment.root, ready_tag);
  transport_.send(nullptr, Bytes{0}, experiment.root, ready_tag);
  transport_.wait(asked);
  for (int message = 0; message < experiment.messages; ++message) {
    awaited_.push_back(
        transport_.start_send(buffers_.next_send(size.value), size, experiment.root, data_tag));
  }
  transport_.wait_all(awaited_);
}

}  // namespace commgauge::bench
