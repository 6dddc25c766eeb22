#include "timing/sweeper.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>

#include "commgauge/base/error.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/thresholds/sweep_plan.hpp"
#include "messages/quiet.hpp"
#include "messages/tags.hpp"
#include "ranks/rank0.hpp"

namespace commgauge::bench {

namespace {

constexpr double slice = 0.1;               ///< [s] between two looks at whether to go on
constexpr double synchronise_every = 0.05;  ///< [s] 50 ppm of it are 2.5 us
constexpr double synchronise_share = 0.1;   ///< of the time, at most
constexpr int most_late = 10;               ///< repetitions in a row that are thrown away
constexpr int most_lost = 3;                ///< in a row, because a rank lost its core
constexpr double long_repetition = 50e-3;   ///< [s]
constexpr double very_long_repetition = 1;  ///< [s]
constexpr std::size_t enough_if_long = 5;
constexpr std::size_t enough_if_very_long = 3;
constexpr int most_repeats = 2;  ///< of a sweep whose escalations are uncertain

double half_of_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) /
         2;
}

/// At most `most` of them, spread evenly.
std::vector<Bytes> thin_out(const std::vector<Bytes>& sizes, std::size_t most) {
  if (sizes.size() <= most) return sizes;
  std::vector<Bytes> kept;
  for (std::size_t i = 0; i < most; ++i) {
    kept.push_back(sizes[(2 * i + 1) * sizes.size() / (2 * most)]);
  }
  return kept;
}

}  // namespace

/// The sizes that are measured together, on the root.
struct Sweeper::Round {
  std::vector<Bytes> sizes;
  std::vector<std::vector<double>> times;  ///< of each size [s]
  std::vector<std::size_t> left;           ///< of the pass: indices of sizes
  int pass{-1};                            ///< 0 doesn't count
};

std::vector<std::string> sweep_kinds(Algorithms algorithms) {
  switch (algorithms) {
    case Algorithms::flat:
      return {"scatter", "gather"};
    case Algorithms::library:
      return {"scatter_library", "gather_library"};
    case Algorithms::both:
      break;
  }
  return {"scatter", "gather", "scatter_library", "gather_library"};
}

Sweeper::Sweeper(const Communicator& comm, const Transport& transport, MessageBuffers& buffers,
                 CollectiveTimer& timer, const Clock& clock, Settings settings)
    : comm_{comm},
      transport_{transport},
      buffers_{buffers},
      timer_{timer},
      clock_{clock},
      settings_{std::move(settings)},
      is_root_{comm.rank() == settings_.options.root},
      random_{settings_.seed} {
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank != settings_.options.root) peers_.push_back(rank);
  }
}

std::vector<Sweeper::Task> Sweeper::tasks() const {
  std::vector<Task> tasks;
  for (const std::string& kind : sweep_kinds(settings_.options.algorithms)) {
    Collective collective;
    collective.kind = kind.starts_with("scatter") ? Kind::scatter : Kind::gather;
    collective.root = settings_.options.root;
    collective.peers = peers_;
    collective.timing = settings_.options.timing;
    collective.algorithms = kind.ends_with("_library") ? Algorithms::library : Algorithms::flat;
    tasks.push_back({kind, collective});
  }
  return tasks;
}

bool Sweeper::fits_on_machine(double message) const {
  const auto root = static_cast<std::size_t>(settings_.options.root);
  const auto me = static_cast<std::size_t>(comm_.rank());
  double messages = 0;
  for (std::size_t rank = 0; rank < peers_.size() + 1; ++rank) {
    const auto& places = settings_.places;
    if (!places.empty() && places[rank].host != places[me].host) continue;
    messages += rank == root ? static_cast<double>(peers_.size()) + 1 : 1;
  }
  return 2 * message * messages <= settings_.memory.value_or(half_of_memory());
}

bool Sweeper::reserved(Bytes largest) {
  // Flat, each message starts on a page of its own.
  bool fits = fits_on_machine(static_cast<double>(largest.value) + page);
  // No rank takes memory unless all machines have it.
  if (agree_quietly(comm_.get(), fits ? 0 : 1) != 0) return false;
  try {
    buffers_.reserve((largest.value + page) * (is_root_ ? peers_.size() + 1 : 1));
  } catch (const std::bad_alloc&) {
    fits = false;
  }
  return agree_quietly(comm_.get(), fits ? 0 : 1) == 0;
}

bool Sweeper::reserve_memory() {
  SweepPlan& plan = settings_.options.plan;
  if (reserved(plan.last)) return true;
  const std::string asked = to_text(plan.last);
  if (settings_.too_large == Settings::TooLarge::refuse) {
    throw InputError("scatter and gather of " + asked + " for each of " +
                     std::to_string(comm_.size()) +
                     " ranks do not fit (the root has them all in memory, twice, and each rank its "
                     "own): give a smaller largest size");
  }
  while (plan.last.value / 2 > plan.first.value) {
    plan.last.value /= 2;
    if (!reserved(plan.last)) continue;
    limited_ = {.kind = "sweeps_cut_short",
                .problem = "stop at " + to_text(plan.last) + " instead of " + asked,
                .reason = "larger messages of all ranks take more than half of a machine's memory",
                .advice = "start fewer ranks on a machine, or be content"};
    return true;
  }
  limited_ = {.kind = "sweeps_left_out",
              .problem = "are left out",
              .reason = "messages of all ranks take more than half of a machine's memory",
              .advice = "start fewer ranks on a machine"};
  return false;
}

std::vector<Sweep> Sweeper::measure() {
  // A plan that is none is refused before memory is taken for it.
  on_rank_0(comm_, [&] { (void)first_sizes(settings_.options.plan); });
  if (!reserve_memory()) return {};
  std::vector<Sweep> sweeps;
  bool goes_on = true;
  for (const Task& task : tasks()) {
    if (!goes_on) break;
    Sweep sweep{task.kind, settings_.options.root, 0, {}};
    goes_on = measure_sweep(task, sweep);
    if (!sweep.points.empty()) sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

bool Sweeper::measure_sweep(const Task& task, Sweep& sweep) {
  const auto kinds = static_cast<double>(sweep_kinds(settings_.options.algorithms).size());
  deadline_ = Clock::now() + settings_.enough.value / kinds;
  repeats_ = 0;
  for (;;) {
    const std::vector<Bytes> sizes = next_round(sweep);
    if (sizes.empty()) return true;
    if (!measure_round(task, sizes, sweep)) return false;
  }
}

std::vector<Bytes> Sweeper::sizes_of_round(const Sweep& sweep) {
  const SweepPlan& plan = settings_.options.plan;
  const auto most = static_cast<std::size_t>(plan.most_sizes);
  std::vector<Bytes> sizes;
  if (sweep.points.empty()) return first_sizes(plan);
  const bool has_time = Clock::now() < deadline_;
  if (has_time && sweep.points.size() < most) {
    sizes = thin_out(settings_.refine(sweep, plan), most - sweep.points.size());
  }
  const int repeats = has_time ? most_repeats : 1;
  if (sizes.empty() && repeats_ < repeats && settings_.is_uncertain(sweep)) {
    ++repeats_;
    for (const SweepPoint& point : sweep.points) sizes.push_back(point.size);
  }
  return sizes;
}

std::vector<Bytes> Sweeper::next_round(const Sweep& sweep) {
  std::vector<Bytes> sizes;
  on_rank_0(comm_, [&] { sizes = sizes_of_round(sweep); });
  return broadcast(comm_, sizes);
}

bool Sweeper::measure_round(const Task& task, const std::vector<Bytes>& sizes, Sweep& sweep) {
  Round round{sizes, std::vector<std::vector<double>>(sizes.size()), {}, -1};
  bool goes_on = true;
  for (bool more = true; more && goes_on;) {
    settings_.report(task.kind + " sweep");
    if (transport_.yielding()) sleep_briefly();
    more = is_root_ ? drive(task, round) : follow(task);
    goes_on = settings_.may_go_on();
  }
  hand_over(round, sweep);
  return goes_on;
}

void Sweeper::hand_over(Round& round, Sweep& sweep) {
  std::vector<double> numbers;
  if (is_root_) {
    for (const long count : {late_, timed_, lost_}) numbers.push_back(static_cast<double>(count));
    for (const std::vector<double>& times : round.times) {
      numbers.push_back(static_cast<double>(times.size()));
      numbers.insert(numbers.end(), times.begin(), times.end());
    }
  }
  numbers = broadcast(comm_, std::move(numbers), settings_.options.root);
  const double* at = numbers.data();
  for (long* const count : {&late_, &timed_, &lost_}) *count = static_cast<long>(*at++);
  if (comm_.rank() != 0) return;
  const int first_pass = next_pass(sweep);
  for (const Bytes size : round.sizes) {
    const auto count = static_cast<std::size_t>(*at++);
    // From the first pass on, without a gap.
    std::vector<int> passes(count);
    std::iota(passes.begin(), passes.end(), first_pass);
    if (count > 0) add_times(sweep, size, {at, count}, passes);
    at += count;
  }
}

bool Sweeper::drive(const Task& task, Round& round) {
  const double end = Clock::now() + slice;
  while (Clock::now() < end) {
    if (round.left.empty() && !begin_pass(round)) {
      announce({Action::finish, 0});
      return false;
    }
    const std::size_t i = round.left.back();
    round.left.pop_back();
    const Timed timed = repeat(task, round.sizes[i]);
    if (round.pass == 0) continue;
    round.times[i].push_back(timed.time_s);
    if (timed.late) ++late_;
  }
  announce({Action::pause, 0});
  return true;
}

bool Sweeper::begin_pass(Round& round) {
  ++round.pass;
  for (std::size_t i = 0; i < round.sizes.size(); ++i) {
    if (round.pass == 0 || round.times[i].size() < wanted(round.times[i])) round.left.push_back(i);
  }
  shuffle(std::span{round.left}, random_);
  return !round.left.empty();
}

std::size_t Sweeper::wanted(const std::vector<double>& times) const {
  const auto all = static_cast<std::size_t>(settings_.options.reps);
  if (times.empty()) return all;
  // The quickest one: an escalation is no reason to look less often.
  const double time = std::ranges::min(times);
  const bool hurries = Clock::now() > deadline_;
  if (time > (hurries ? long_repetition : very_long_repetition)) {
    return std::min(all, enough_if_very_long);
  }
  return hurries || time > long_repetition ? std::min(all, enough_if_long) : all;
}

void Sweeper::synchronise() {
  const double start = Clock::now();
  announce({Action::synchronise, 0});
  timer_.synchronise_as_root(peers_);
  const double end = Clock::now();
  synchronise_at_ = end + std::max(synchronise_every, (end - start) / synchronise_share);
}

Sweeper::Timed Sweeper::repeat(const Task& task, Bytes size) {
  Collective collective = task.collective;
  collective.size = size;
  const bool on_clocks = collective.timing == Timing::global;
  if (on_clocks && Clock::now() >= synchronise_at_) synchronise();
  int lost = 0;
  for (int late = 0;;) {
    announce({Action::repeat, size.value});
    const double time = timer_.time_as_root(collective, late == most_late);
    if (std::isnan(time)) {
      ++late;
      continue;
    }
    ++timed_;
    if (is_lost(timer_.lost())) {
      ++lost_;
      if (++lost <= most_lost) continue;
    }
    // What is shorter than the clock's step has taken a step at most.
    return {std::max(time, clock_.resolution().value), late == most_late && on_clocks};
  }
}

bool Sweeper::follow(const Task& task) {
  Collective collective = task.collective;
  for (;;) {
    const auto order = transport_.receive_value<Order>(collective.root, control_tag);
    collective.size = {order.size};
    switch (order.action) {
      case Action::synchronise:
        timer_.synchronise_as_peer(collective.root);
        break;
      case Action::repeat:
        timer_.join_as_peer(collective);
        break;
      case Action::pause:
        return true;
      case Action::finish:
        return false;
    }
  }
}

void Sweeper::announce(const Order& order) const {
  for (const int peer : peers_) transport_.send_value(order, peer, control_tag);
}

}  // namespace commgauge::bench
