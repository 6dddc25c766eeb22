#include "timing/experiment_runner.hpp"

#include <algorithm>
#include <cmath>

#include "base/activity.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/plan/budget.hpp"
#include "messages/quiet.hpp"
#include "messages/tags.hpp"

namespace commgauge::bench {

namespace {

constexpr int tries_of_a_block = 4;  ///< of one from which the blocks' length is chosen
// Only a part of such a repetition is inside the clock's readings.
constexpr double overhead_block = 100e-6;  ///< [s] whole repetitions last about this long together
constexpr int most_overheads = 20;         ///< in a block

bool is_concurrent(Kind kind) {
  return kind == Kind::one_to_k_concurrent || kind == Kind::k_to_one_concurrent;
}

/// Whether the clock is read within each repetition.
bool is_timed_inside(Kind kind) { return is_overhead(kind) || times_a_meeting(kind); }

/// @param repetition  how long a whole one takes [s]
int overheads_in_block(double repetition) {
  return std::clamp(static_cast<int>(overhead_block / repetition), 1, most_overheads);
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

StopRule StopRule::hurried(int blocks) const {
  StopRule rule = *this;
  rule.min_blocks = rule.max_blocks = std::min(min_blocks, blocks);
  rule.most_lost = 1;
  return rule;
}

ExperimentRunner::ExperimentRunner(const Transport& transport, MessageBuffers& buffers,
                                   CollectiveTimer& collectives, const Clock& clock,
                                   CoreWatch& watch, int rank, int widest_experiment)
    : transport_{transport},
      buffers_{buffers},
      collectives_{collectives},
      clock_{clock},
      watch_{watch},
      overheads_{transport, buffers, clock},
      meetings_{transport, buffers, clock},
      rank_{rank} {
  requests_.reserve(2 * static_cast<std::size_t>(widest_experiment));
  blocks_.reserve(1024);
  lost_.reserve(1024);
  uses_.reserve(1024);
}

std::vector<Observation> ExperimentRunner::run(const Group& group, const StopRule& rule, int pass,
                                               const std::function<bool(double part)>& is_behind) {
  std::vector<Observation> observations;
  double done = 0;
  for (const Experiment& experiment : group.experiments) {
    const bool is_root = experiment.root == rank_;
    const bool is_peer = std::ranges::find(experiment.peers, rank_) != experiment.peers.end();
    // The kernel puts a thread that wakes up on an idle core if there is one. Ranks that poll all
    // the time may share one core for seconds, and times would depend on which ranks do so in a
    // pass.
    if (transport_.yielding() && (is_root || is_peer)) sleep_briefly();
    if (is_root) {
      const bool hurries = is_behind(done / static_cast<double>(group.experiments.size()));
      observations.push_back(run_as_root(experiment, hurries ? rule.hurried(few_blocks) : rule));
      observations.back().pass = pass;
    } else if (is_peer) {
      run_as_peer(experiment);
    }
    ++done;
  }
  return observations;
}

Observation ExperimentRunner::run_as_root(const Experiment& experiment, StopRule rule) {
  const ExperimentUnderWay under_way{experiment};
  // What only judges the models needs less.
  if (experiment.check) {
    rule.max_blocks = std::min(rule.max_blocks, 3 * rule.min_blocks);
    rule.precision *= 2;
  }
  blocks_.clear();
  lost_.clear();
  int length = 1;
  bool in_time = true;
  if (is_collective(experiment.kind)) {
    take_role(experiment);
    announce(experiment, {1});
    collectives_.synchronise_as_root(experiment.peers);
    in_time = time_one_way_blocks(experiment, rule);
  } else {
    if (is_overhead(experiment.kind)) {
      announce(experiment, {1});
      overheads_.settle_as_root(experiment);
    }
    length = time_blocks(experiment, rule);
  }
  announce(experiment, {0});
  const auto lost = static_cast<int>(lost_.size());
  const int kept = take_least_disturbed(std::min(enough_, lost + static_cast<int>(blocks_.size())));
  Observation row = observe(experiment, blocks_, length, rule);
  row.lost_blocks = lost;
  row.repeated_blocks = lost - kept;
  row.converged = row.converged && in_time && kept == 0;
  return row;
}

void ExperimentRunner::keep(double mean_s, double lost_share) {
  if (is_lost(lost_share)) {
    lost_.push_back({lost_share, mean_s});
  } else {
    blocks_.push_back(mean_s);
  }
}

bool ExperimentRunner::may_not_repeat(int wanted, const StopRule& rule) const {
  return static_cast<int>(lost_.size()) >= rule.most_lost * wanted;
}

int ExperimentRunner::take_least_disturbed(int wanted) {
  std::ranges::sort(lost_, {}, &LostBlock::share);
  int taken = 0;
  for (; static_cast<int>(blocks_.size()) < wanted; ++taken) {
    blocks_.push_back(lost_[static_cast<std::size_t>(taken)].mean_s);
  }
  return taken;
}

int ExperimentRunner::time_blocks(const Experiment& experiment, const StopRule& rule) {
  const double start = Clock::now();
  const Batch one = time_batch(experiment, 1, 1, true);
  double whole = (Clock::now() - start) / 2;
  double first = one.last_s;
  if (one.lost) {
    const double again = Clock::now();
    first = std::min(first, try_block(experiment, 1));
    whole = std::min(whole, (Clock::now() - again) / 2);
  }
  // Most of such a repetition may be outside the clock's readings. Of others that would be the
  // peers' waking up, which says nothing of how long they take.
  const bool inside = is_timed_inside(experiment.kind);
  const double repetition = inside ? std::max(first, whole) : first;
  const bool is_long = repetition > long_repetition.value;
  const bool is_dear = repetition > dear_repetition.value;
  const int length = is_long  ? 1
                     : inside ? overheads_in_block(whole)
                              : choose_block_length(experiment, first);
  enough_ = is_long ? std::min(rule.min_blocks, few_blocks) : rule.min_blocks;
  if (!is_dear) {
    blocks_.clear();
    lost_.clear();
  }
  for (;;) {
    const int have = static_cast<int>(blocks_.size());
    if (have >= enough_ && is_precise(blocks_, rule)) return length;
    if (have >= rule.max_blocks || may_not_repeat(std::max(have, enough_), rule)) return length;
    // Half as many again before each test of precision: the more often one stops as soon as an
    // interval is narrow, the less often it has the confidence it claims.
    const int wanted = std::max(enough_ - have, is_long ? 1 : have / 2);
    (void)time_batch(experiment, std::min(wanted, rule.max_blocks - have), length, !is_dear);
  }
}

bool ExperimentRunner::time_one_way_blocks(const Experiment& experiment, const StopRule& rule) {
  int retries = rule.max_blocks;
  enough_ = rule.min_blocks;
  while (static_cast<int>(blocks_.size()) < rule.max_blocks) {
    note_step();
    announce(experiment, {1});
    const double time = collectives_.time_as_root(one_way(experiment), retries == 0);
    if (std::isnan(time)) {
      --retries;
      continue;
    }
    keep(time, collectives_.lost());
    const int have = static_cast<int>(blocks_.size());
    if (may_not_repeat(std::max(have, enough_), rule)) break;
    if (have == 0) continue;
    if (blocks_.back() > long_repetition.value) enough_ = std::min(enough_, few_blocks);
    if (have >= enough_ && is_precise(blocks_, rule)) break;
  }
  return retries > 0;
}

void ExperimentRunner::take_role(const Experiment& experiment) {
  role_ = has_roles(experiment.kind) ? std::optional{role_of(experiment, rank_)} : std::nullopt;
}

Collective ExperimentRunner::one_way(const Experiment& e) const {
  const bool inwards = ends_at_root(e.kind);
  return {.kind = e.kind,
          .root = e.root,
          .peers = inwards ? e.reply_order : e.peers,
          .size = inwards ? e.back : e.out,
          .role = role_ ? &*role_ : nullptr};
}

void ExperimentRunner::run_as_peer(const Experiment& experiment) {
  const ExperimentUnderWay under_way{experiment};
  const bool goes_one_way = is_collective(experiment.kind);
  if (goes_one_way) {
    take_role(experiment);
    (void)transport_.receive_value<Order>(experiment.root, control_tag);
    collectives_.synchronise_as_peer(experiment.root);
  } else if (is_overhead(experiment.kind)) {
    (void)transport_.receive_value<Order>(experiment.root, control_tag);
    overheads_.settle_as_peer(experiment);
  }
  for (;;) {
    const auto order = transport_.receive_value<Order>(experiment.root, control_tag);
    if (order.blocks == 0) return;
    note_step();
    if (goes_one_way) {
      collectives_.join_as_peer(one_way(experiment));
    } else {
      join_batch(experiment, order);
    }
  }
}

void ExperimentRunner::join_batch(const Experiment& experiment, const Order& order) {
  for (int i = 0; i < order.warm_up; ++i) repeat_as_peer(experiment);
  uses_.clear();
  watch_.begin_batch();
  watch_.open();
  const double start = Clock::now();
  for (int block = 0; block < order.blocks; ++block) {
    for (int i = 0; i < order.length; ++i) repeat_as_peer(experiment);
    uses_.push_back(watch_.close());
    note_step();
  }
  if (!is_timed_inside(experiment.kind)) joined_ += Clock::now() - start;
  watch_.end_batch(static_cast<long>(order.blocks) * order.length);
  tell_losses(experiment);
}

ExperimentRunner::Batch ExperimentRunner::time_batch(const Experiment& experiment, int blocks,
                                                     int length, bool warm_up) {
  announce(experiment, {blocks, length, warm_up ? 1 : 0});
  if (warm_up) repeat_as_root(experiment);
  means_.clear();
  uses_.clear();
  watch_.begin_batch();
  watch_.open();
  for (int block = 0; block < blocks; ++block) {
    means_.push_back(time_block(experiment, length));
    uses_.push_back(watch_.close());
    timed_ += means_.back() * length;
    note_step();
  }
  watch_.end_batch(static_cast<long>(blocks) * length);
  const std::vector<double> losses = gather_losses(experiment);
  for (std::size_t block = 0; block < means_.size(); ++block) keep(means_[block], losses[block]);
  return {means_.back(), std::ranges::any_of(losses, is_lost)};
}

double ExperimentRunner::try_block(const Experiment& experiment, int length) {
  Batch batch = time_batch(experiment, 1, length, true);
  double quickest = batch.last_s;
  for (int tries = 1; batch.lost && tries < tries_of_a_block; ++tries) {
    batch = time_batch(experiment, 1, length, true);
    quickest = std::min(quickest, batch.last_s);
  }
  return quickest;
}

std::vector<double> ExperimentRunner::gather_losses(const Experiment& experiment) {
  std::vector<double> losses(uses_.size(), 0.0);
  if (!watch_.watching()) return losses;
  std::vector<std::vector<CoreUse>> of_rank{uses_};
  for (const int peer : experiment.peers) {
    of_rank.emplace_back(uses_.size());
    transport_.receive_values(std::span{of_rank.back()}, peer, control_tag);
  }
  std::vector<CoreUse> of_block(of_rank.size());
  for (std::size_t block = 0; block < losses.size(); ++block) {
    for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
      of_block[rank] = of_rank[rank][block];
    }
    losses[block] = lost_share(of_block);
  }
  return losses;
}

void ExperimentRunner::tell_losses(const Experiment& experiment) const {
  if (!watch_.watching()) return;
  transport_.send_values(std::span{uses_}, experiment.root, control_tag);
}

double ExperimentRunner::time_block(const Experiment& experiment, int length) {
  if (is_timed_inside(experiment.kind)) {
    double sum = 0;
    for (int i = 0; i < length; ++i) {
      sum += is_overhead(experiment.kind) ? overheads_.time_as_root(experiment)
                                          : meetings_.time_as_root(experiment);
    }
    return sum / length;
  }
  const double start = Clock::now();
  for (int i = 0; i < length; ++i) repeat_as_root(experiment);
  return (Clock::now() - start - clock_.cost().value) / length;
}

int ExperimentRunner::choose_block_length(const Experiment& experiment, double first) {
  const double target = std::max(block_target.value, clock_.shortest_block().value);
  constexpr int longest = 1 << 20;
  double repetition = first;
  for (int length = 1;; repetition = try_block(experiment, length)) {
    const double elapsed = repetition * length;
    if (elapsed >= 0.7 * target || length == longest) return length;
    const double wanted = elapsed > 0 ? length * target / elapsed : 16.0 * length;
    length = static_cast<int>(std::clamp(std::ceil(wanted), length + 1.0, 16.0 * length));
    length = std::min(length, longest);
  }
}

void ExperimentRunner::repeat_as_root(const Experiment& experiment) {
  buffers_.begin_repetition();
  if (is_overhead(experiment.kind)) {
    (void)overheads_.time_as_root(experiment);
  } else if (times_a_meeting(experiment.kind)) {
    (void)meetings_.time_as_root(experiment);
  } else if (experiment.kind == Kind::flood) {
    flood_peer(experiment);
  } else if (experiment.kind == Kind::pairs_at_once) {
    lead_pairs(experiment);
  } else if (is_concurrent(experiment.kind)) {
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
    transport_.receive(buffers_.next_reply_receive(experiment.back.value), experiment.back, peer,
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

void ExperimentRunner::lead_pairs(const Experiment& experiment) {
  const std::vector<int>& peers = experiment.peers;
  requests_.clear();
  for (std::size_t k = 0; k < peers.size(); k += 2) {
    requests_.push_back(transport_.start_receive(buffers_.next_receive(experiment.back.value),
                                                 experiment.back, peers[k], data_tag));
  }
  for (std::size_t k = 1; k < peers.size(); k += 2) {
    transport_.send(buffers_.next_send(0), Bytes{0}, peers[k], data_tag);
  }
  requests_.push_back(transport_.start_send(buffers_.next_send(experiment.out.value),
                                            experiment.out, peers.front(), data_tag));
  transport_.wait_all(requests_);
}

void ExperimentRunner::join_pairs(const Experiment& experiment) {
  const std::vector<int>& peers = experiment.peers;
  const auto place = static_cast<std::size_t>(std::ranges::find(peers, rank_) - peers.begin());
  if (place % 2 == 1) {
    transport_.receive(buffers_.next_receive(0), Bytes{0}, experiment.root, data_tag);
    transport_.send(buffers_.next_reply_send(experiment.out.value), experiment.out,
                    peers[place + 1], data_tag);
    return;
  }
  const int sender = place == 0 ? experiment.root : peers[place - 1];
  transport_.receive(buffers_.next_receive(experiment.out.value), experiment.out, sender, data_tag);
  transport_.send(buffers_.next_reply_send(experiment.back.value), experiment.back, experiment.root,
                  data_tag);
}

void ExperimentRunner::flood_peer(const Experiment& experiment) {
  const int peer = experiment.peers.front();
  for (int message = 0; message < experiment.messages; ++message) {
    if (message > 0 && experiment.delay.value > 0) {
      // Half a reading lies before the start and one, on the average, beyond the end.
      wait_until(Clock::now() + experiment.delay.value - 1.5 * clock_.cost().value, false);
    }
    transport_.send(buffers_.next_send(experiment.out.value), experiment.out, peer, data_tag);
  }
  transport_.receive(buffers_.next_receive(experiment.back.value), experiment.back, peer, data_tag);
}

void ExperimentRunner::repeat_as_peer(const Experiment& experiment) {
  if (is_overhead(experiment.kind)) {
    overheads_.join_as_peer(experiment);
    return;
  }
  if (times_a_meeting(experiment.kind)) {
    meetings_.join_as_peer(experiment);
    return;
  }
  buffers_.begin_repetition();
  if (experiment.kind == Kind::pairs_at_once) {
    join_pairs(experiment);
    return;
  }
  for (int message = 0; message < experiment.messages; ++message) {
    transport_.receive(buffers_.next_receive(experiment.out.value), experiment.out, experiment.root,
                       data_tag);
  }
  transport_.send(buffers_.next_reply_send(experiment.back.value), experiment.back, experiment.root,
                  data_tag);
}

void ExperimentRunner::announce(const Experiment& experiment, const Order& order) const {
  for (const int peer : experiment.peers) transport_.send_value(order, peer, control_tag);
}

}  // namespace commgauge::bench
