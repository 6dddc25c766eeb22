#include "experiment_runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/statistics.hpp"
#include "quiet.hpp"

namespace commgauge::bench {

namespace {

constexpr int data_tag = 1;
constexpr int control_tag = 2;
constexpr int clock_tag = 3;
constexpr int clock_pings = 12;
constexpr double block_target = 100e-6;  ///< [s] a block lasts at least about this long
constexpr double longest_lead = 2e-3;    ///< [s] from announcing a start to the start, for 8 peers
constexpr double long_repetition = 20e-3;  ///< [s] beyond it a few repetitions must do
constexpr int few_blocks = 3;

bool is_one_way(Kind kind) { return kind == Kind::scatter || kind == Kind::gather; }

bool is_concurrent(Kind kind) {
  return kind == Kind::one_to_k_concurrent || kind == Kind::k_to_one_concurrent;
}

bool is_precise(const std::vector<double>& blocks, const StopRule& rule) {
  const LocationInterval interval = median_interval(blocks, rule.confidence);
  return interval.half_width() <= rule.precision * interval.value;
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
  result.converged = is_precise(blocks, rule);
  if (rule.raw) result.block_means_s = blocks;
  return result;
}

}  // namespace

ExperimentRunner::ExperimentRunner(const Transport& transport, MessageBuffers& buffers,
                                   const Clock& clock, int rank, int widest_experiment)
    : transport_{transport}, buffers_{buffers}, clock_{clock}, rank_{rank} {
  requests_.reserve(2 * static_cast<std::size_t>(widest_experiment));
  offsets_.reserve(static_cast<std::size_t>(widest_experiment));
  blocks_.reserve(1024);
}

std::vector<Observation> ExperimentRunner::run(const Group& group, const StopRule& rule, int pass) {
  std::vector<Observation> observations;
  for (const Experiment& experiment : group.experiments) {
    const bool is_root = experiment.root == rank_;
    const bool is_peer = std::ranges::find(experiment.peers, rank_) != experiment.peers.end();
    // Whoever wakes up is put on an idle core if there is one. Ranks that go on polling stay
    // together on one core for seconds, and every pass would find another arrangement.
    if (transport_.yielding() && (is_root || is_peer)) sleep_briefly();
    if (is_root) {
      observations.push_back(run_as_root(experiment, rule));
      observations.back().pass = pass;
    } else if (is_peer) {
      run_as_peer(experiment);
    }
  }
  return observations;
}

Observation ExperimentRunner::run_as_root(const Experiment& experiment, StopRule rule) {
  // What only judges the models needs less.
  if (experiment.check) {
    rule.max_blocks = std::min(rule.max_blocks, 3 * rule.min_blocks);
    rule.precision *= 2;
  }
  blocks_.clear();
  int length = 1;
  bool in_time = true;
  if (is_one_way(experiment.kind)) {
    announce(experiment, {1});
    synchronise_as_root(experiment);
    in_time = time_one_way_blocks(experiment, rule);
  } else {
    length = time_blocks(experiment, rule);
  }
  announce(experiment, {0});
  Observation row = observe(experiment, blocks_, length, rule);
  row.converged = row.converged && in_time;
  return row;
}

int ExperimentRunner::time_blocks(const Experiment& experiment, const StopRule& rule) {
  const double first = time_batch(experiment, 1, 1, true);
  const bool is_long = first > long_repetition;
  const int length = is_long ? 1 : choose_block_length(experiment, first);
  const int enough = is_long ? std::min(rule.min_blocks, few_blocks) : rule.min_blocks;
  // A long repetition is too dear to be thrown away.
  if (!is_long) blocks_.clear();
  for (;;) {
    const int have = static_cast<int>(blocks_.size());
    if (have >= enough && is_precise(blocks_, rule)) return length;
    if (have >= rule.max_blocks) return length;
    // Half as many again at each look: few looks keep the interval's promise, too.
    const int wanted = std::max(enough - have, is_long ? 1 : have / 2);
    (void)time_batch(experiment, std::min(wanted, rule.max_blocks - have), length, !is_long);
  }
}

bool ExperimentRunner::time_one_way_blocks(const Experiment& experiment, const StopRule& rule) {
  int retries = rule.max_blocks;
  int enough = rule.min_blocks;
  while (static_cast<int>(blocks_.size()) < rule.max_blocks) {
    const double time = time_one_way(experiment, retries == 0);
    if (std::isnan(time)) {
      --retries;
      continue;
    }
    blocks_.push_back(time);
    if (time > long_repetition) enough = std::min(enough, few_blocks);
    if (static_cast<int>(blocks_.size()) >= enough && is_precise(blocks_, rule)) break;
  }
  return retries > 0;
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
    for (int i = 0; i < order.repetitions; ++i) repeat_as_peer(experiment);
  }
}

double ExperimentRunner::time_batch(const Experiment& experiment, int blocks, int length,
                                    bool warm_up) {
  announce(experiment, {blocks * length + (warm_up ? 1 : 0)});
  if (warm_up) repeat_as_root(experiment);
  const double start = Clock::now();
  double last = start;
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i < length; ++i) repeat_as_root(experiment);
    const double now = Clock::now();
    blocks_.push_back((now - last - clock_.cost().value) / length);
    last = now;
  }
  timed_ += last - start;
  return blocks_.back();
}

int ExperimentRunner::choose_block_length(const Experiment& experiment, double first) {
  const double target = std::max(block_target, clock_.shortest_block().value);
  constexpr int longest = 1 << 20;
  double repetition = first;
  for (int length = 1;; repetition = time_batch(experiment, 1, length, true)) {
    const double elapsed = repetition * length;
    if (elapsed >= 0.7 * target || length == longest) return length;
    const double wanted = elapsed > 0 ? length * target / elapsed : 16.0 * length;
    length = static_cast<int>(std::clamp(std::ceil(wanted), length + 1.0, 16.0 * length));
    length = std::min(length, longest);
  }
}

void ExperimentRunner::repeat_as_root(const Experiment& experiment) {
  buffers_.begin_repetition();
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
  buffers_.begin_repetition();
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
  longest_lead_ = std::max(
      {longest_lead, 4 * lead_, longest_lead / 8 * static_cast<double>(experiment.peers.size())});
}

void ExperimentRunner::synchronise_as_peer(const Experiment& experiment) const {
  for (int i = 0; i < clock_pings; ++i) {
    (void)transport_.receive_value<double>(experiment.root, clock_tag);
    transport_.send_value(Clock::now(), experiment.root, clock_tag);
  }
}

double ExperimentRunner::time_one_way(const Experiment& experiment, bool accept_late) {
  announce(experiment, {1});
  buffers_.begin_repetition();
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
  if (late && !accept_late) {
    lead_ = std::min(1.5 * lead_, longest_lead_);
    return std::numeric_limits<double>::quiet_NaN();
  }
  timed_ += end - start;
  return end - start;
}

void ExperimentRunner::join_one_way(const Experiment& experiment) {
  buffers_.begin_repetition();
  const double start = transport_.receive_value<double>(experiment.root, clock_tag);
  const bool late = Clock::now() > start;
  wait_until(start, transport_.yielding());
  if (experiment.kind == Kind::scatter) {
    transport_.receive(buffers_.next_receive(experiment.out.value), experiment.out, experiment.root,
                       data_tag);
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
