#include "campaign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/bench/error.hpp"
#include "commgauge/plan/remeasure.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "eager_probe.hpp"
#include "processor_speed.hpp"
#include "quiet.hpp"
#include "rank0.hpp"
#include "requirements.hpp"
#include "role.hpp"
#include "round_codec.hpp"
#include "row_gathering.hpp"

namespace commgauge::bench {

namespace {

constexpr int contention_samples = 9;
constexpr int contention_pairs = 4;
constexpr double contention_confidence = 0.9;  ///< leaves out the two extreme samples
constexpr double contention_limit = 1.2;       ///< together may take this much longer than alone
// The sweeps before a calibration only have to show where one-to-twos may be measured, and kappas:
// about half a second a rank, more only where messages are slow.
constexpr int calibration_sweep_reps = 7;
constexpr int calibration_sweep_sizes = 24;
constexpr Seconds calibration_sweep_time_of_rank{0.5};  ///< then the sizes chosen so far must do
constexpr Seconds unlimited{std::numeric_limits<double>::infinity()};
constexpr double interpolation_tolerance = 0.05;  ///< of a round trip's time between two sizes
constexpr std::size_t most_round_trips = 32;      ///< sizes of the LogP family
constexpr int most_flooding = 128;                ///< messages
constexpr double settled = 0.05;                  ///< a gap's change when a flood doubles
constexpr int most_times_again = 2;               ///< what stands out is measured
constexpr int full_design_up_to = 8;              ///< ranks: 168 one-to-twos of each size

std::string to_text(Timing timing) {
  switch (timing) {
    case Timing::global:
      return "global";
    case Timing::root:
      return "root";
    case Timing::longest:
      break;
  }
  return "longest";
}

std::string to_text(Algorithms algorithms) {
  switch (algorithms) {
    case Algorithms::flat:
      return "flat";
    case Algorithms::library:
      return "library";
    case Algorithms::both:
      break;
  }
  return "both";
}

/// Those of rank 0.
std::vector<Bytes> share_sizes(const Communicator& comm, const std::vector<Bytes>& sizes) {
  std::vector<std::uint64_t> numbers;
  for (const Bytes size : sizes) numbers.push_back(size.value);
  std::vector<Bytes> shared;
  for (const std::uint64_t number : broadcast(comm, std::move(numbers))) shared.push_back({number});
  return shared;
}

Group alone(const Experiment& experiment) {
  Group group{experiment.peers, {experiment}};
  group.ranks.push_back(experiment.root);
  std::ranges::sort(group.ranks);
  return group;
}

std::string join(const std::vector<Bytes>& sizes) {
  std::string text;
  for (const Bytes size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size.value);
  return text;
}

}  // namespace

Campaign::Campaign(MPI_Comm comm, const Options& options)
    : options_{options},
      comm_{comm},
      places_{find_places(comm_)},
      start_{Clock::now()},
      wait_{decide_wait(options.wait, places_.cores_are_shared())},
      transport_{comm_.get(), wait_},
      stolen_{places_.ranks[static_cast<std::size_t>(comm_.rank())].cores} {
  validate(options_);
  require(comm_.size() >= 2,
          "one rank can't communicate: start at least two, as `mpiexec -n 4 estimate-model …`");
  for (const std::string& name : options_.models) {
    if (comm_.size() < 3 && needs_three_ranks(name)) {
      throw FitError("model " + name +
                     " takes at least three ranks: start more, or ask for hockney");
    }
  }
  require(!sweeps_wanted() || options_.sweeps.root < comm_.size(),
          "a sweep's root is rank " + std::to_string(options_.sweeps.root) + " (there are " +
              std::to_string(comm_.size()) + " ranks): give one from 0 up, below that");
  const int neighbours = places_.ranks_on_host_of(comm_.rank());
  buffers_ = std::make_unique<MessageBuffers>(options_.buffers, largest_size(options_).value,
                                              cache_share(neighbours));
  collectives_ = std::make_unique<CollectiveTimer>(transport_, *buffers_, watch_, comm_.size());
  runner_ = std::make_unique<ExperimentRunner>(transport_, *buffers_, *collectives_, clock_, watch_,
                                               comm_.rank(), comm_.size());
  if (wants_logp(options_.models)) measure_growth();
  measure_processor_speeds(comm_, places_);
  warm_up();
  watch_.learn(comm_);
}

/// The precision is asked of the mean over all passes, whose errors average out: one pass owes
/// √passes of it.
StopRule Campaign::stop_rule() const {
  return {options_.precision * std::sqrt(options_.passes), options_.confidence, options_.min_reps,
          options_.max_reps, options_.raw};
}

StopRule Campaign::quick_rule() const { return {0.1, options_.confidence, 3, 5, false}; }

void Campaign::measure_growth() {
  const std::vector<int> steps = growth_steps(comm_.size());
  if (steps.size() < 2) return;
  for (const int processes : steps) {
    report("overhead among " + std::to_string(processes) + " ranks");
    connect(processes);
    watch_.learn(comm_);
    const Group group{{0, 1}, growth_experiments(processes, options_.receive_progress)};
    for (int pass = 0; pass < options_.passes; ++pass) {
      std::ranges::move(run_round({group}, stop_rule(), pass), std::back_inserter(rows_));
    }
  }
}

void Campaign::connect(int processes) {
  for (int other = 2; other < processes; ++other) {
    for (const int rank : {0, 1}) {
      const Group group{{rank, other}, {round_trip(rank, other, Bytes{1}, Bytes{1})}};
      (void)run_round({group}, {1.0, options_.confidence, 2, 2, false}, 0);
    }
  }
  const Group group{{0, 1}, growth_experiments(processes, options_.receive_progress)};
  (void)run_round({group}, {1.0, options_.confidence, 2, 2, false}, 0);
}

void Campaign::warm_up() {
  report("warm-up");
  for (const auto& pairs : pair_rounds(comm_.size())) {
    Round round;
    for (const auto& [i, j] : pairs) {
      round.push_back({{std::min(i, j), std::max(i, j)},
                       {round_trip(i, j, Bytes{1}, Bytes{1}),
                        round_trip(i, j, largest_size(options_), Bytes{0}),
                        round_trip(j, i, largest_size(options_), Bytes{0})}});
    }
    (void)run_round(round, {1.0, options_.confidence, 2, 2, false}, 0);
  }
}

void Campaign::probe() {
  if (options_.eager_limit || !options_.probe_eager_limit) {
    eager_limit_ = options_.eager_limit;
    return;
  }
  report("eager limit");
  eager_probed_ = largest_size(options_);
  // The limit between machines differs from that inside one: the smaller is safe for both.
  eager_limit_ = probe_with(1);
  const auto& ranks = places_.ranks;
  const auto other = std::ranges::find_if(
      ranks, [&](const RankPlace& place) { return place.host != ranks.front().host; });
  if (other == ranks.end() || ranks[1].host != ranks[0].host) return;
  const auto between_hosts = probe_with(static_cast<int>(other - ranks.begin()));
  if (between_hosts && (!eager_limit_ || *between_hosts < *eager_limit_)) {
    eager_limit_ = between_hosts;
  }
}

std::optional<Bytes> Campaign::probe_with(int receiver) {
  // Both ranks of the pair need the delay, so both need about the same guess of a message's time;
  // it only has to be generous.
  const Bytes largest = largest_size(options_);
  const bool takes_part = comm_.rank() == 0 || comm_.rank() == receiver;
  std::vector<double> guess{0, 0};
  if (takes_part) {
    const Group group{
        {0, receiver},
        {round_trip(0, receiver, Bytes{0}, Bytes{0}), round_trip(0, receiver, largest, Bytes{0})}};
    const std::vector<Observation> rows = runner_->run(group, quick_rule(), 0);
    if (comm_.rank() == 0) guess = {rows[0].time_s, rows[1].time_s};
  }
  (void)agree_quietly(comm_.get(), 0);
  check(MPI_Bcast(guess.data(), 2, MPI_DOUBLE, 0, comm_.get()), "MPI_Bcast");
  std::uint64_t limit = 0;
  int found = 0;
  if (takes_part) {
    const auto one_way = [&](Bytes size) {
      const double share = static_cast<double>(size.value) / static_cast<double>(largest.value);
      return Seconds{guess[0] + share * guess[1]};
    };
    const auto result = probe_eager_limit(comm_.get(), 0, receiver, largest, one_way);
    found = result.has_value();
    limit = result.value_or(Bytes{0}).value;
  }
  found = agree_quietly(comm_.get(), found);
  check(MPI_Bcast(&limit, 1, MPI_UINT64_T, 0, comm_.get()), "MPI_Bcast");
  return found ? std::optional(Bytes{limit}) : std::nullopt;
}

void Campaign::prepare() {
  require(largest_size(options_).value > 0,
          "all messages are of 0 bytes (nothing tells a time per byte then): give sizes above 0, "
          "too");
  probe();
  // Before the sweeps: what can't be measured is refused at once.
  const std::vector<Bytes> sweep =
      options_.sizes.empty() ? default_sweep(eager_limit_, options_.largest) : options_.sizes;
  sizes_ = choose_sizes(eager_limit_, sweep, options_.size);
  if (sweeps_wanted()) {
    const Seconds share = options_.time_budget ? *options_.time_budget / 8 : unlimited;
    measure_sweeps(sweep_of_calibration(),
                   std::min(comm_.size() * calibration_sweep_time_of_rank, share));
    require_going_on();
    sizes_ = choose_sizes(eager_limit_, sweep, options_.size, advice_of_sweeps());
  }
  if (wants_logp(options_.models)) plan_logp_family();
  measure_contention();
  const double before = Clock::now();
  const Pilot pilot = run_pilot();
  const double pilot_time = Clock::now() - before;

  const bool sparse = options_.design == Design::sparse ||
                      (options_.design == Design::automatic && comm_.size() > full_design_up_to);
  CampaignOptions plan_options{options_.models,
                               sparse,
                               options_.triplets,
                               options_.checks,
                               options_.seed,
                               logp_,
                               logp_pairs(comm_.size(), options_.logp_pairs)};
  std::vector<Round> planned;
  if (comm_.rank() == 0) planned = plan_campaign(comm_.size(), pilot, sizes_, plan_options);
  set_rounds(std::move(planned));

  long experiments = 0;
  for (const Round& round : rounds_) {
    for (const Group& group : round) experiments += static_cast<long>(group.experiments.size());
  }
  const double piloted = 3.0 * comm_.size() * (comm_.size() - 1);
  pilot_pass_s_ = pilot_time * static_cast<double>(experiments) / piloted * options_.min_reps / 3;
}

void Campaign::prepare(const std::vector<Experiment>& experiments) {
  std::vector<Round> planned;
  serial_ = true;
  for (const Experiment& experiment : experiments) {
    require_sound(experiment, comm_.size());
    planned.push_back({alone(experiment)});
  }
  set_rounds(std::move(planned));
}

void Campaign::set_rounds(std::vector<Round> planned) {
  rounds_ = share(serial_ ? serialised(planned) : std::move(planned));
  buffers_->reserve(bytes_at_once());
}

std::vector<Round> Campaign::share(std::vector<Round> planned) const {
  std::vector<std::int64_t> numbers = encode(planned);
  auto length = static_cast<std::int64_t>(numbers.size());
  (void)agree_quietly(comm_.get(), 0);
  check(MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm_.get()), "MPI_Bcast");
  require(length <= INT_MAX,
          "the plan is too large for one message: take a sparse design, fewer sizes or models");
  numbers.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(numbers.data(), static_cast<int>(length), MPI_INT64_T, 0, comm_.get()),
        "MPI_Bcast");
  return decode(numbers);
}

std::size_t Campaign::bytes_at_once() const {
  std::size_t most = 0;
  for (const Round& round : rounds_) {
    for (const Group& group : round) {
      for (const Experiment& experiment : group.experiments) {
        const bool is_root = experiment.root == comm_.rank();
        if (!is_root && !std::ranges::binary_search(group.ranks, comm_.rank())) continue;
        if (has_roles(experiment.kind)) {
          most = std::max(most, role_of(experiment, comm_.rank()).data.value);
          continue;
        }
        // Each message starts on a page of its own, and one more may not fit at the end.
        const std::size_t message = std::max(experiment.out, experiment.back).value + 4096;
        most = std::max(most, message * (is_root ? experiment.peers.size() + 1 : 1));
      }
    }
  }
  return most;
}

/// What is chosen here is measured afresh: the choice doesn't bias the fits.
void Campaign::plan_logp_family() {
  report("sizes of the LogP family");
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;
  for (const auto& [size, time] : time_family_round_trips()) {
    if (size.value == 0) continue;
    sizes.push_back(size);
    times.push_back(time);
  }
  std::vector<Bytes> affordable;
  if (!sizes.empty()) affordable = {affordable_size(sizes, times)};
  logp_ =
      plan_logp(share_sizes(comm_, sizes), eager_limit_, share_sizes(comm_, affordable).front());
  logp_.progress = options_.receive_progress;
  settle_flood();
}

std::vector<Seconds> Campaign::pilot_times(const std::vector<Experiment>& experiments) {
  std::vector<Seconds> times;
  for (const Observation& row : run_round({{{0, 1}, experiments}}, quick_rule(), 0)) {
    times.push_back({row.time_s});
  }
  return times;
}

/// Those given, or those that a line between neighbours needs. Empty but on rank 0.
std::map<Bytes, Seconds> Campaign::time_family_round_trips() {
  std::map<Bytes, Seconds> timed;
  std::vector<Bytes> next = options_.sizes.empty()
                                ? first_round_trips(eager_limit_, largest_size(options_))
                                : sizes_.sweep;
  next.insert(next.begin(), Bytes{0});
  while (!next.empty()) {
    std::vector<Experiment> trips;
    for (const Bytes size : next) trips.push_back(round_trip(0, 1, size, {}));
    const std::vector<Seconds> times = pilot_times(trips);
    for (std::size_t k = 0; k < times.size(); ++k) timed[next[k]] = times[k];
    if (!options_.sizes.empty()) break;
    next = share_sizes(comm_, next_round_trips(timed));
  }
  return timed;
}

std::vector<Bytes> Campaign::next_round_trips(const std::map<Bytes, Seconds>& timed) const {
  if (timed.size() >= most_round_trips) return {};
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;
  for (const auto& [size, time] : timed) {
    sizes.push_back(size);
    times.push_back(time);
  }
  std::vector<Bytes> next = refine_round_trips(sizes, times, eager_limit_, interpolation_tolerance,
                                               most_round_trips - timed.size());
  std::erase_if(next, [&](Bytes size) {
    return std::ranges::find(sizes_.checks, size) != sizes_.checks.end();
  });
  return next;
}

/// Doubles the flood of empty messages until the gap between them settles (Kielmann).
void Campaign::settle_flood() {
  std::vector<std::uint64_t> found{static_cast<std::uint64_t>(logp_.flood_messages)};
  double gap = 0;
  bool going_on = true;
  for (int messages = logp_.flood_messages; going_on && messages <= most_flooding; messages *= 2) {
    const std::vector<Seconds> times =
        pilot_times({round_trip(0, 1, {}, {}), flood(0, 1, messages, {}, {})});
    if (comm_.rank() == 0) {
      logp_.delay = times[0];
      const double last = std::exchange(gap, (times[1] - times[0]).value / (messages - 1));
      found.front() = static_cast<std::uint64_t>(messages);
      going_on = std::abs(gap - last) > settled * gap;
    }
    going_on = agree_quietly(comm_.get(), comm_.rank() == 0 && going_on) != 0;
  }
  logp_.flood_messages = static_cast<int>(broadcast(comm_, std::move(found)).front());
}

void Campaign::measure_contention() {
  serial_ = options_.schedule == Schedule::serial;
  if (options_.schedule != Schedule::automatic || comm_.size() < 4) return;
  report("contention");
  Round together;
  const std::vector<Pair> pairs = pair_rounds(comm_.size()).front();
  for (const auto& [i, j] : pairs) {
    together.push_back(
        {{std::min(i, j), std::max(i, j)},
         {round_trip(i, j, Bytes{0}, Bytes{0}), round_trip(i, j, sizes_.bulk.front(), Bytes{0})}});
  }
  // All pairs at once, but only some of them alone: spread over the round.
  const std::size_t step = std::max<std::size_t>(1, together.size() / contention_pairs);
  std::vector<double> ratios;
  for (int sample = 0; sample < contention_samples; ++sample) {
    double alone = 0;
    Round sampled;
    for (std::size_t k = 0; k < together.size(); k += step) {
      sampled.push_back(together[k]);
      alone += time_round({together[k]}, {together[k]});
    }
    ratios.push_back(time_round(together, sampled) / alone);
  }
  const LocationInterval ratio = median_interval(ratios, contention_confidence);
  contention_ = {true, ratio.value, ratio.low, ratio.high};
  // In doubt one at a time: that only takes longer. Ranks that share cores always contend.
  int serial = places_.cores_are_shared() || ratio.high > contention_limit;
  check(MPI_Bcast(&serial, 1, MPI_INT, 0, comm_.get()), "MPI_Bcast");
  serial_ = serial != 0;
}

double Campaign::time_round(const Round& round, const Round& counted) {
  double mine = 0;
  for (const Observation& row : run_round(round, quick_rule(), 0)) {
    const auto counts = [&](const Group& group) {
      return std::ranges::binary_search(group.ranks, row.experiment.root);
    };
    if (std::ranges::any_of(counted, counts)) mine += row.time_s;
  }
  double sum = 0;
  check(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_.get()), "MPI_Allreduce");
  return sum;
}

Pilot Campaign::run_pilot() {
  report("pilot");
  return {pilot_round_trips(Bytes{0}), pilot_round_trips(sizes_.one_to_two),
          pilot_round_trips(sizes_.bulk.back())};
}

Matrix Campaign::pilot_round_trips(Bytes size) {
  std::vector<Observation> mine;
  for (const auto& pairs : pair_rounds(comm_.size())) {
    Round round;
    for (const auto& [i, j] : pairs) {
      round.push_back({{std::min(i, j), std::max(i, j)},
                       {round_trip(i, j, size, Bytes{0}), round_trip(j, i, size, Bytes{0})}});
    }
    for (const Round& part : serial_ ? serialised({round}) : std::vector<Round>{round}) {
      std::ranges::move(run_round(part, quick_rule(), 0), std::back_inserter(mine));
    }
  }
  return share_on_all(mine);
}

Matrix Campaign::share_on_all(const std::vector<Observation>& mine) const {
  Matrix all(comm_.size(), 0.0);
  for (int i = 0; i < comm_.size(); ++i) all(i, i) = 0;
  for (const Observation& row : mine) {
    all(row.experiment.root, row.experiment.peers.front()) = row.time_s;
  }
  check(MPI_Allreduce(MPI_IN_PLACE, all.values().data(), static_cast<int>(all.values().size()),
                      MPI_DOUBLE, MPI_SUM, comm_.get()),
        "MPI_Allreduce");
  return all;
}

std::vector<Observation> Campaign::run_round(const Round& round, const StopRule& rule, int pass) {
  std::vector<Observation> rows;
  for (const Group& group : round) {
    if (std::ranges::binary_search(group.ranks, comm_.rank())) {
      rows = runner_->run(group, rule, pass);
    }
  }
  verdict_ = agree(verdict_of_rank());
  require_going_on();
  return rows;
}

void Campaign::require_going_on() const {
  if (verdict_ == Verdict::go_on) return;
  throw FitError(
      std::string(verdict_ == Verdict::cancelled ? "cancelled" : "the time budget ran out") +
      " before anything was measured (warm-up and pilot come first): give it more time");
}

Campaign::Verdict Campaign::verdict_of_rank() const {
  if (options_.cancelled && options_.cancelled()) return Verdict::cancelled;
  const bool is_late =
      comm_.rank() == 0 && options_.time_budget && elapsed() > options_.time_budget->value;
  return is_late ? Verdict::out_of_time : Verdict::go_on;
}

Campaign::Verdict Campaign::agree(Verdict mine) {
  return static_cast<Verdict>(agree_quietly(comm_.get(), static_cast<int>(mine)));
}

/// In a new random order each time: what is measured first, on pages that are new to the machine,
/// takes longer.
void Campaign::run_pass(int pass) {
  buffers_->renew();
  std::mt19937_64 random(options_.seed + static_cast<std::uint64_t>(pass));
  shuffle(std::span{rounds_}, random);
  for (Round& round : rounds_) {
    for (Group& group : round) shuffle(std::span{group.experiments}, random);
  }
  for (const Round& round : rounds_) {
    for (const Group& group : round) {
      if (!std::ranges::binary_search(group.ranks, comm_.rank())) continue;
      const auto is_behind = [this](double part) {
        return pace_.is_behind({elapsed()}, static_cast<double>(rounds_done_) + part);
      };
      std::ranges::move(runner_->run(group, stop_rule(), pass, is_behind),
                        std::back_inserter(rows_));
    }
    verdict_ = agree(verdict_of_rank());
    if (verdict_ != Verdict::go_on) return;
    ++rounds_done_;
    report("measuring");
  }
}

bool Campaign::another_pass_fits(int done) const {
  int fits = pace_.fits_another({elapsed()}, done);
  check(MPI_Bcast(&fits, 1, MPI_INT, 0, comm_.get()), "MPI_Bcast");
  return fits != 0;
}

void Campaign::measure_again(std::vector<Observation>& rows) {
  std::set<std::size_t> remeasured;
  for (int time = 0; time < most_times_again; ++time) {
    std::vector<std::size_t> odd;
    std::vector<Round> rounds;
    on_rank_0(comm_, [&] {
      odd = rows_that_stand_out(rows);
      for (const std::size_t row : odd) rounds.push_back({alone(rows[row].experiment)});
    });
    rounds = share(std::move(rounds));
    if (rounds.empty()) break;
    for (const Observation& again : measure_once(rounds)) {
      const std::size_t row = odd[static_cast<std::size_t>(again.pass)];
      remeasured.insert(row);
      (void)replace_row(rows, row, again);
    }
  }
  remeasured_ = std::ssize(remeasured);
}

std::vector<Observation> Campaign::measure_once(const std::vector<Round>& rounds) {
  std::vector<Observation> mine;
  buffers_->renew();
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    report("measuring again what stands out");
    const Group& group = rounds[k].front();
    if (std::ranges::binary_search(group.ranks, comm_.rank())) {
      std::ranges::move(runner_->run(group, stop_rule(), static_cast<int>(k)),
                        std::back_inserter(mine));
    }
    if (agree(verdict_of_rank()) != Verdict::go_on) break;
  }
  return gather_rows(comm_, mine);
}

Measurements Campaign::run() {
  pace_ = {options_.time_budget.value_or(unlimited),
           {elapsed()},
           static_cast<double>(rounds_.size()),
           options_.passes};
  int pass = 0;
  std::string incomplete;
  while (pass < options_.passes && verdict_ == Verdict::go_on) {
    if (!another_pass_fits(pass)) {
      verdict_ = Verdict::out_of_time;
      incomplete = "the time budget was enough for " + std::to_string(pass) + " of " +
                   std::to_string(options_.passes) + " passes";
      break;
    }
    run_pass(pass);
    ++pass;
  }
  Measurements all;
  all.observations = gather_rows(comm_, rows_);
  if (verdict_ == Verdict::go_on) measure_again(all.observations);
  Launch launch = describe(pass, all);
  if (verdict_ == Verdict::out_of_time) {
    launch.incomplete_reason = !incomplete.empty()
                                   ? incomplete
                                   : "the time budget ended it in pass " + std::to_string(pass) +
                                         " of " + std::to_string(options_.passes);
  }
  launch.options.merge(described_options());
  if (comm_.rank() != 0) return all;
  all.launches.push_back(std::move(launch));
  all.sweeps = std::move(sweeps_);
  return all;
}

Measurements Campaign::run_sweeps() {
  serial_ = true;
  probe();
  if (comm_.size() >= 3) measure_sweeps(options_.sweeps, unlimited);
  Measurements all;
  Launch launch = describe(0, all);
  if (verdict_ == Verdict::out_of_time) {
    launch.incomplete_reason = "the time budget ended it during the sweeps";
  }
  if (comm_.rank() != 0) return all;
  all.launches.push_back(std::move(launch));
  all.sweeps = std::move(sweeps_);
  return all;
}

bool Campaign::sweeps_wanted() const { return options_.sweeps.enabled && comm_.size() >= 3; }

SweepOptions Campaign::sweep_of_calibration() const {
  SweepOptions sweep = options_.sweeps;
  sweep.reps = std::min(sweep.reps, calibration_sweep_reps);
  sweep.plan.most_sizes = std::min(sweep.plan.most_sizes, calibration_sweep_sizes);
  sweep.plan.last = std::min(sweep.plan.last, largest_size(options_));
  sweep.plan.first = std::min(sweep.plan.first, Bytes{sweep.plan.last.value / 2});
  return sweep;
}

void Campaign::measure_sweeps(const SweepOptions& sweep, Seconds enough) {
  Sweeper::Settings settings;
  settings.options = sweep;
  settings.seed = options_.seed;
  settings.enough = enough;
  settings.places = places_.ranks;
  // What a calibration can do without leaves it time, even where that is short.
  const double stop_at = Clock::now() + 2 * enough.value;
  const bool may_be_stopped = enough < unlimited && options_.time_budget;
  if (enough < unlimited) settings.too_large = Sweeper::Settings::TooLarge::leave_out;
  bool stopped = false;
  settings.may_go_on = [&, this] {
    verdict_ = agree(verdict_of_rank());
    if (verdict_ != Verdict::go_on) return false;
    if (!may_be_stopped) return true;
    stopped = agree_quietly(comm_.get(), comm_.rank() == 0 && Clock::now() > stop_at) != 0;
    return !stopped;
  };
  settings.report = [this](const std::string& phase) { report(phase); };
  Sweeper sweeper(comm_, transport_, *buffers_, *collectives_, clock_, std::move(settings));
  sweeps_ = sweeper.measure();
  sweep_blocks_ = sweeper.timed();
  lost_sweep_blocks_ = sweeper.lost();
  sweep_options_ = {{"timing", to_text(sweep.timing)},
                    {"algorithms", to_text(sweep.algorithms)},
                    {"sweep_reps", std::to_string(sweep.reps)},
                    {"sweep_first", std::to_string(sweep.plan.first.value)},
                    {"sweep_last", std::to_string(sweeper.last().value)},
                    {"sweep_root", std::to_string(sweep.root)},
                    {"sweep_late", std::to_string(sweeper.late())}};
  if (!sweeper.limited().empty()) sweep_options_.emplace("sweep_limited", sweeper.limited());
  if (stopped) sweep_options_.emplace("sweep_stopped", "its share of the time budget was over");
}

SizeAdvice Campaign::advice_of_sweeps() const {
  std::vector<Bytes> scatter_break;
  std::vector<Bytes> escalating;
  on_rank_0(comm_, [&] {
    if (sweeps_.empty()) return;
    ThresholdOptions options;
    options.segmentation.confidence = options_.confidence;
    const Thresholds thresholds = find_thresholds(sweeps_, options);
    const auto scatter = decisive_scatter_break(thresholds, sizes_.one_to_two);
    if (scatter) scatter_break = {*scatter};
    const auto found = escalating_sizes(thresholds);
    if (found) escalating = {found->above};
    if (found && found->regular_from) escalating.push_back(*found->regular_from);
  });
  scatter_break = share_sizes(comm_, scatter_break);
  escalating = share_sizes(comm_, escalating);
  SizeAdvice advice;
  if (!scatter_break.empty()) advice.scatter_break = scatter_break.front();
  if (!escalating.empty()) advice.escalate_above = escalating.front();
  if (escalating.size() > 1) advice.regular_from = escalating.back();
  return advice;
}

Disturbance Campaign::disturbance_of(const Measurements& all) const {
  Disturbance result;
  result.not_watched = watch_.why_not();
  double stolen = stolen_.share();
  check(MPI_Allreduce(MPI_IN_PLACE, &stolen, 1, MPI_DOUBLE, MPI_MAX, comm_.get()), "MPI_Allreduce");
  result.stolen_share = stolen;
  result.remeasured_rows = remeasured_;
  result.blocks = sweep_blocks_;
  result.lost_blocks = lost_sweep_blocks_;
  count_blocks(all.observations, result);
  return result;
}

Launch Campaign::describe(int passes, const Measurements& all) const {
  double timed = (runner_->timed() + collectives_->timed()).value;
  double most = timed;
  double sum = timed;
  check(MPI_Allreduce(&timed, &most, 1, MPI_DOUBLE, MPI_MAX, comm_.get()), "MPI_Allreduce");
  check(MPI_Allreduce(&timed, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_.get()), "MPI_Allreduce");
  Launch launch = describe_process();
  launch.ranks = places_.ranks;
  launch.seed = options_.seed;
  launch.confidence = options_.confidence;
  launch.precision = options_.precision;
  launch.clock_resolution_s = clock_.resolution().value;
  launch.clock_cost_s = clock_.cost().value;
  launch.wait = wait_ == WaitMode::yield ? "yield" : "blocking";
  launch.buffers = options_.buffers == Buffers::rotating ? "rotating" : "same";
  launch.schedule = serial_ ? "serial" : "parallel";
  launch.contention = contention_;
  if (eager_limit_) launch.eager_limit_bytes = eager_limit_->value;
  launch.eager_probed_bytes = eager_probed_.value;
  launch.passes = passes;
  launch.rounds = rounds_done_;
  launch.elapsed_s = elapsed();
  // Alone on the network, the ranks' times add up; side by side, the longest counts.
  launch.timed_s = serial_ ? sum : most;
  launch.disturbance = disturbance_of(all);
  launch.complete = verdict_ == Verdict::go_on;
  if (verdict_ == Verdict::cancelled) launch.incomplete_reason = "cancelled";
  launch.options = sweep_options_;
  return launch;
}

std::map<std::string, std::string> Campaign::described_options() const {
  return {{"sizes", join(sizes_.sweep)},
          {"one_to_two_size", std::to_string(sizes_.one_to_two.value)},
          {"bulk_sizes", join(sizes_.bulk)},
          {"check_sizes", join(sizes_.checks)},
          {"min_reps", std::to_string(options_.min_reps)},
          {"max_reps", std::to_string(options_.max_reps)},
          {"passes", std::to_string(options_.passes)},
          {"receive_progress", options_.receive_progress ? "yes" : "no"},
          {"precision_of_a_pass", std::to_string(stop_rule().precision)}};
}

PlanSummary Campaign::summary() const {
  PlanSummary summary;
  for (const Round& round : rounds_) {
    for (const Group& group : round) {
      summary.experiments += static_cast<long>(group.experiments.size());
    }
  }
  summary.rounds = static_cast<long>(rounds_.size());
  summary.lower_bound_rounds = lower_bound_rounds(rounds_, comm_.size());
  summary.passes = options_.passes;
  summary.expected = std::min(Seconds{elapsed() + pilot_pass_s_ * options_.passes},
                              options_.time_budget.value_or(unlimited));
  summary.sizes = sizes_.sweep;
  summary.one_to_two_size = sizes_.one_to_two;
  summary.eager_limit = eager_limit_;
  summary.schedule = serial_ ? "serial" : "parallel";
  summary.wait = wait_ == WaitMode::yield ? "yield" : "blocking";
  return summary;
}

void Campaign::report(const std::string& phase) {
  if (comm_.rank() != 0 || !options_.progress) return;
  Progress progress{phase,
                    rounds_done_,
                    static_cast<long>(rounds_.size()) * options_.passes,
                    {elapsed()},
                    pace_.remaining({elapsed()}, static_cast<double>(rounds_done_))};
  options_.progress(progress);
}

}  // namespace commgauge::bench
