#include "experiment_runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/statistics.hpp"

namespace commgauge::bench {

namespace {

constexpr int data_tag = 1;
constexpr int control_tag = 2;
constexpr int clock_tag = 3;
constexpr int clock_pings = 12;
constexpr double block_target = 100e-6;    ///< [s] a block lasts at least about this long
constexpr double longest_lead = 2e-3;      ///< [s] from announcing a start to the start
constexpr double long_repetition = 20e-3;  ///< [s] beyond it a few repetitions must do
constexpr int few_blocks = 3;

bool is_one_way(Kind kind) { return kind == Kind::scatter || kind == Kind::gather; }

bool is_concurrent(Kind kind) {
  return kind == Kind::one_to_k_concurrent || kind == Kind::k_to_one_concurrent;
}

/// The observation that a row of block means amounts to.
Observation observe(const Experiment& experiment, const std::vector<double>& blocks, int length,
                    const StopRule& rule) {
  const LocationInterval interval = median_interval(blocks, rule.confidence);
  Observation result;
  result.experiment = experiment;
  result.time_s = interval.value;
  result.low_s = interval.low;
  result.high_s = interval.high;
  result.level = interval.level;
  result.sd_s = std::sqrt(variance(blocks));
  result.blocks = static_cast<int>(blocks.size());
  result.block_length = length;
  result.converged = interval.half_width() <= rule.precision * interval.value;
  if (rule.raw) result.block_means_s = blocks;
  return result;
}

}  // namespace

ExperimentRunner::ExperimentRunner(const Transport& transport, MessageBuffers& buffers,
                                   const Clock& clock, int rank, int widest_experiment)
    : transport_{transport}, buffers_{buffers}, clock_{clock}, rank_{rank} {
  requests_.reserve(2 * static_cast<std::size_t>(widest_experiment));
  offsets_.reserve(static_cast<std::size_t>(widest_experiment));
}

std::vector<Observation> ExperimentRunner::run(const Group& group, const StopRule& rule,
                                               int pass) {
  std::vector<Observation> observations;
  for (const Experiment& experiment : group.experiments) {
    if (experiment.root == rank_) {
      observations.push_back(run_as_root(experiment, rule));
      observations.back().pass = pass;
    } else if (std::ranges::find(experiment.peers, rank_) != experiment.peers.end()) {
      run_as_peer(experiment);
    }
  }
  return observations;
}

Observation ExperimentRunner::run_as_root(const Experiment& experiment, const StopRule& rule) {
  const bool one_way = is_one_way(experiment.kind);
  last_repetition_ = 0;
  std::vector<double> blocks;
  blocks.reserve(static_cast<std::size_t>(rule.max_blocks));
  int length = 1;
  if (one_way) {
    announce(experiment, {1, 0});
    synchronise_as_root(experiment);
  } else {
    const double first = time_block(experiment, 1);
    // A long repetition is too dear to be thrown away.
    if (first > long_repetition) {
      blocks.push_back(first);
    } else {
      length = choose_block_length(experiment, first);
    }
  }
  const auto block = [&] {
    return one_way ? time_one_way(experiment) : time_block(experiment, length);
  };
  int enough = blocks.empty() ? rule.min_blocks : std::min(rule.min_blocks, few_blocks);
  int retries = rule.max_blocks;
  while (static_cast<int>(blocks.size()) < rule.max_blocks) {
    accept_late_ = retries == 0;
    const double mean_time = block();
    if (std::isnan(mean_time)) {
      --retries;
      continue;
    }
    blocks.push_back(mean_time);
    if (one_way && mean_time > long_repetition) enough = std::min(enough, few_blocks);
    if (static_cast<int>(blocks.size()) < enough) continue;
    if (observe(experiment, blocks, length, rule).converged) break;
  }
  announce(experiment, {0, 0});
  return observe(experiment, blocks, length, rule);
}

void ExperimentRunner::run_as_peer(const Experiment& experiment) {
  const bool one_way = is_one_way(experiment.kind);
  if (one_way) {
    (void)transport_.receive_value<Order>(experiment.root, control_tag);
    synchronise_as_peer(experiment);
  }
  for (;;) {
    const auto order = transport_.receive_value<Order>(experiment.root, control_tag);
    if (order.repetitions == 0) return;
    if (one_way) {
      join_one_way(experiment);
      continue;
    }
    for (int i = 0; i < order.warm_up + order.repetitions; ++i) repeat_as_peer(experiment);
  }
}

double ExperimentRunner::time_block(const Experiment& experiment, int repetitions) {
  // Beside a long repetition the first one's disturbance is nothing.
  const int warm_up = last_repetition_ > long_repetition ? 0 : 1;
  announce(experiment, {repetitions, warm_up});
  for (int i = 0; i < warm_up; ++i) repeat_as_root(experiment);
  const double start = Clock::now();
  for (int i = 0; i < repetitions; ++i) repeat_as_root(experiment);
  const double elapsed = Clock::now() - start;
  timed_ += elapsed;
  last_repetition_ = (elapsed - clock_.cost().value) / repetitions;
  return last_repetition_;
}

int ExperimentRunner::choose_block_length(const Experiment& experiment, double first) {
  const double target = std::max(block_target, clock_.shortest_block().value);
  constexpr int longest = 1 << 20;
  double repetition = first;
  for (int length = 1;; repetition = time_block(experiment, length)) {
    const double elapsed = repetition * length;
    if (elapsed >= 0.7 * target || length == longest) return length;
    const double wanted = elapsed > 0 ? length * target / elapsed : 16.0 * length;
    length = static_cast<int>(std::clamp(std::ceil(wanted), length + 1.0, 16.0 * length));
    length = std::min(length, longest);
  }
}

void ExperimentRunner::repeat_as_root(const Experiment& experiment) {
  if (is_concurrent(experiment.kind)) {
    serve_at_once(experiment);
  } else {
    serve_in_turn(experiment);
  }
}

void ExperimentRunner::serve_in_turn(const Experiment& experiment) {
  for (const int peer : experiment.peers) {
    transport_.send(buffers_.next_send(experiment.out.value), experiment.out, peer, data_tag);
  }
  for (const int peer : experiment.reply_order) {
    transport_.receive(buffers_.next_receive(experiment.back.value), experiment.back, peer,
                       data_tag);
  }
}

void ExperimentRunner::serve_at_once(const Experiment& experiment) {
  requests_.clear();
  for (const int peer : experiment.reply_order) {
    requests_.push_back(transport_.start_receive(buffers_.next_receive(experiment.back.value),
                                                 experiment.back, peer, data_tag));
  }
  for (const int peer : experiment.peers) {
    requests_.push_back(transport_.start_send(buffers_.next_send(experiment.out.value),
                                              experiment.out, peer, data_tag));
  }
  transport_.wait_all(requests_);
}

void ExperimentRunner::repeat_as_peer(const Experiment& experiment) {
  transport_.receive(buffers_.next_receive(experiment.out.value), experiment.out, experiment.root,
                     data_tag);
  transport_.send(buffers_.next_send(experiment.back.value), experiment.back, experiment.root,
                  data_tag);
}

void ExperimentRunner::synchronise_as_root(const Experiment& experiment) {
  offsets_.clear();
  lead_ = 0;
  for (const int peer : experiment.peers) {
    double shortest = std::numeric_limits<double>::infinity();
    double offset = 0;
    for (int i = 0; i < clock_pings; ++i) {
      const double sent = Clock::now();
      transport_.send_value(sent, peer, clock_tag);
      const double there = transport_.receive_value<double>(peer, clock_tag);
      const double round_trip = Clock::now() - sent;
      if (round_trip >= shortest) continue;
      shortest = round_trip;
      offset = there - (sent + round_trip / 2);
    }
    offsets_.push_back(offset);
    lead_ += 3 * shortest;
  }
  lead_ = std::min(lead_, longest_lead);
}

void ExperimentRunner::synchronise_as_peer(const Experiment& experiment) const {
  for (int i = 0; i < clock_pings; ++i) {
    (void)transport_.receive_value<double>(experiment.root, clock_tag);
    transport_.send_value(Clock::now(), experiment.root, clock_tag);
  }
}

double ExperimentRunner::time_one_way(const Experiment& experiment) {
  announce(experiment, {1, 0});
  const double start = Clock::now() + lead_;
  for (std::size_t i = 0; i < experiment.peers.size(); ++i) {
    transport_.send_value(start + offsets_[i], experiment.peers[i], clock_tag);
  }
  bool late = Clock::now() > start;
  wait_until(start, transport_.yielding());
  if (experiment.kind == Kind::scatter) {
    for (const int peer : experiment.peers) {
      transport_.send(buffers_.next_send(experiment.out.value), experiment.out, peer, data_tag);
    }
  } else {
    requests_.clear();
    for (const int peer : experiment.reply_order) {
      requests_.push_back(transport_.start_receive(buffers_.next_receive(experiment.back.value),
                                                   experiment.back, peer, data_tag));
    }
    // One after the other: what taking in a message costs the root is paid for each.
    for (MPI_Request& request : requests_) transport_.wait(request);
  }
  double end = Clock::now();
  for (std::size_t i = 0; i < experiment.peers.size(); ++i) {
    const double there = transport_.receive_value<double>(experiment.peers[i], clock_tag);
    late = late || there < 0;
    if (experiment.kind == Kind::scatter) end = std::max(end, std::abs(there) - offsets_[i]);
  }
  if (late && !accept_late_) {
    lead_ = std::min(1.5 * lead_, longest_lead);
    return std::numeric_limits<double>::quiet_NaN();
  }
  timed_ += end - start;
  return end - start;
}

void ExperimentRunner::join_one_way(const Experiment& experiment) {
  const double start = transport_.receive_value<double>(experiment.root, clock_tag);
  const bool late = Clock::now() > start;
  wait_until(start, transport_.yielding());
  if (experiment.kind == Kind::scatter) {
    transport_.receive(buffers_.next_receive(experiment.out.value), experiment.out,
                       experiment.root, data_tag);
  } else {
    transport_.send(buffers_.next_send(experiment.back.value), experiment.back, experiment.root,
                    data_tag);
  }
  // A negative time says that this rank heard of the start too late.
  const double end = Clock::now();
  transport_.send_value(late ? -end : end, experiment.root, clock_tag);
}

void ExperimentRunner::announce(const Experiment& experiment, const Order& order) const {
  for (const int peer : experiment.peers) transport_.send_value(order, peer, control_tag);
}

}  // namespace commgauge::bench
