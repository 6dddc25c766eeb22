#include "campaign.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <numeric>
#include <random>

#include "commgauge/bench/error.hpp"
#include "commgauge/error.hpp"
#include "commgauge/model.hpp"
#include "commgauge/statistics.hpp"
#include "eager_probe.hpp"
#include "quiet.hpp"
#include "round_codec.hpp"

namespace commgauge::bench {

namespace {

constexpr Bytes largest_default{1 << 20};
constexpr int contention_samples = 9;
constexpr int contention_pairs = 4;
constexpr double contention_confidence = 0.9;  ///< leaves out the two extreme samples
constexpr double contention_limit = 1.2;       ///< together may take this much longer than alone
constexpr int full_design_up_to = 8;           ///< ranks: 168 one-to-twos of each size

Bytes largest_size(const Options& options) {
  Bytes largest = options.sizes.empty() ? largest_default : std::ranges::max(options.sizes);
  if (options.size) largest = std::max(largest, *options.size);
  return largest;
}

void require(bool condition, const std::string& message) {
  if (!condition) throw InputError(message);
}

void require_int(Bytes size) {
  require(size.value <= INT_MAX, "a message size of " + std::to_string(size.value) +
                                     " bytes is above " + std::to_string(INT_MAX) +
                                     " (MPI counts are of type int): give a smaller size");
}

/// What experiments given from outside must be to be carried out.
void require_sound(const Experiment& e, int ranks) {
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < ranks; };
  std::vector<int> served = e.peers;
  std::vector<int> answering = e.reply_order;
  std::ranges::sort(served);
  std::ranges::sort(answering);
  require(is_rank(e.root) && !e.peers.empty() && std::ranges::all_of(e.peers, is_rank) &&
              std::ranges::find(e.peers, e.root) == e.peers.end() &&
              std::ranges::adjacent_find(served) == served.end() && served == answering,
          "an experiment names ranks that are not there, twice, or not alike in peers and "
          "reply_order: give each peer once in both");
  require_int(std::max(e.out, e.back));
}

WaitMode decide_wait(Wait asked, const Places& places) {
  if (asked == Wait::blocking) return WaitMode::blocking;
  if (asked == Wait::yield) return WaitMode::yield;
  return places.cores_are_shared() ? WaitMode::yield : WaitMode::blocking;
}

std::string join(const std::vector<Bytes>& sizes) {
  std::string text;
  for (const Bytes size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size.value);
  return text;
}

/// Portable: std::shuffle differs between libraries.
void shuffle(std::vector<Round>& rounds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = rounds.size(); left > 1; --left) {
    std::swap(rounds[left - 1], rounds[random() % left]);
  }
}

}  // namespace

void validate(const Options& options) {
  require(options.precision > 0 && options.precision < 1,
          "precision is out of range (a relative half width): give a number between 0 and 1");
  require(options.confidence > 0 && options.confidence < 1,
          "confidence is out of range: give a number between 0 and 1, as 0.95");
  require(options.min_reps >= 2, "min-reps is below 2 (one value has no spread): give more");
  require(options.max_reps >= options.min_reps, "max-reps is below min-reps: give more");
  require(options.passes >= 1, "passes is below 1: give at least 1, better 5 or more");
  require(options.triplets >= 1, "triplets is below 1: give at least 1, better 3 or more");
  require(!options.time_budget || options.time_budget->value > 0,
          "the time budget is not positive: give a duration, as 60s");
  require_int(largest_size(options));
  for (const std::string& name : options.models) {
    require(
        std::ranges::find(model_names(), name) != model_names().end(),
        "unknown model '" + name + "' (known: hockney, lom, lmo, bottleneck): give some of them");
  }
}

Campaign::Campaign(MPI_Comm comm, const Options& options)
    : options_{options},
      comm_{comm},
      places_{find_places(comm_)},
      start_{Clock::now()},
      wait_{decide_wait(options.wait, places_)},
      transport_{comm_.get(), wait_} {
  validate(options_);
  require(comm_.size() >= 2,
          "one rank can't communicate: start at least two, as `mpiexec -n 4 estimate-model …`");
  for (const std::string& name : options_.models) {
    if (comm_.size() < 3 && name != "hockney") {
      throw FitError("model " + name +
                     " takes at least three ranks: start more, or ask for hockney");
    }
  }
  const int neighbours = places_.ranks_on_host_of(comm_.rank());
  buffers_ = std::make_unique<MessageBuffers>(options_.buffers, largest_size(options_).value,
                                              cache_share(neighbours));
  runner_ =
      std::make_unique<ExperimentRunner>(transport_, *buffers_, clock_, comm_.rank(), comm_.size());
  warm_up();
}

/// The precision is asked of the mean over all passes, whose errors average out: one pass owes
/// √passes of it.
StopRule Campaign::stop_rule() const {
  return {options_.precision * std::sqrt(options_.passes), options_.confidence, options_.min_reps,
          options_.max_reps, options_.raw};
}

StopRule Campaign::quick_rule() const { return {0.1, options_.confidence, 3, 5, false}; }

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
  probe();
  sizes_ = choose_sizes(eager_limit_, options_.sizes, options_.size);
  measure_contention();
  const double before = Clock::now();
  const Pilot pilot = run_pilot();
  const double pilot_time = Clock::now() - before;

  const bool sparse = options_.design == Design::sparse ||
                      (options_.design == Design::automatic && comm_.size() > full_design_up_to);
  CampaignOptions plan_options{options_.models, sparse, options_.triplets, options_.checks,
                               options_.seed};
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
    Group group{experiment.peers, {experiment}};
    group.ranks.push_back(experiment.root);
    std::ranges::sort(group.ranks);
    planned.push_back({std::move(group)});
  }
  set_rounds(std::move(planned));
}

void Campaign::set_rounds(std::vector<Round> planned) {
  if (serial_) planned = serialised(planned);
  std::vector<std::int64_t> numbers = encode(planned);
  auto length = static_cast<std::int64_t>(numbers.size());
  (void)agree_quietly(comm_.get(), 0);
  check(MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm_.get()), "MPI_Bcast");
  require(length <= INT_MAX,
          "the plan is too large for one message: take a sparse design, fewer sizes or models");
  numbers.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(numbers.data(), static_cast<int>(length), MPI_INT64_T, 0, comm_.get()),
        "MPI_Bcast");
  rounds_ = decode(numbers);
  buffers_->reserve(bytes_at_once());
}

std::size_t Campaign::bytes_at_once() const {
  std::size_t most = 0;
  for (const Round& round : rounds_) {
    for (const Group& group : round) {
      for (const Experiment& experiment : group.experiments) {
        const bool is_root = experiment.root == comm_.rank();
        if (!is_root && !std::ranges::binary_search(group.ranks, comm_.rank())) continue;
        // Each message starts on a page of its own, and one more may not fit at the end.
        const std::size_t message = std::max(experiment.out, experiment.back).value + 4096;
        most = std::max(most, message * (is_root ? experiment.peers.size() + 1 : 1));
      }
    }
  }
  return most;
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
  const Verdict all = agree(verdict_of_rank());
  if (all == Verdict::go_on) return rows;
  throw FitError(std::string(all == Verdict::cancelled ? "cancelled" : "the time budget ran out") +
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

Campaign::Verdict Campaign::run_pass(int pass) {
  buffers_->renew();
  shuffle(rounds_, options_.seed + static_cast<std::uint64_t>(pass));
  for (const Round& round : rounds_) {
    for (const Group& group : round) {
      if (!std::ranges::binary_search(group.ranks, comm_.rank())) continue;
      std::ranges::move(runner_->run(group, stop_rule(), pass), std::back_inserter(rows_));
    }
    const Verdict all = agree(verdict_of_rank());
    if (all != Verdict::go_on) return all;
    ++rounds_done_;
    report("measuring");
  }
  return Verdict::go_on;
}

bool Campaign::another_pass_fits(int done) {
  int fits = 1;
  if (comm_.rank() == 0 && options_.time_budget && done > 0) {
    fits = elapsed() * (done + 1) / done <= options_.time_budget->value;
  }
  check(MPI_Bcast(&fits, 1, MPI_INT, 0, comm_.get()), "MPI_Bcast");
  return fits != 0;
}

Measurements Campaign::run() {
  Verdict verdict = Verdict::go_on;
  int pass = 0;
  while (pass < options_.passes && verdict == Verdict::go_on) {
    if (!another_pass_fits(pass)) {
      verdict = Verdict::out_of_time;
      break;
    }
    verdict = run_pass(pass);
    ++pass;
  }
  Measurements all;
  all.observations = gather_rows();
  const Launch launch = describe(verdict, pass);
  if (comm_.rank() == 0) all.launches.push_back(launch);
  return all;
}

Launch Campaign::describe(Verdict verdict, int passes) const {
  double timed = runner_->timed().value;
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
  launch.passes = passes;
  launch.rounds = rounds_done_;
  launch.elapsed_s = elapsed();
  // Alone on the network, the ranks' times add up; side by side, the longest counts.
  launch.timed_s = serial_ ? sum : most;
  launch.complete = verdict == Verdict::go_on;
  if (verdict == Verdict::out_of_time) {
    launch.incomplete_reason = "the time budget ended it in pass " + std::to_string(passes) +
                               " of " + std::to_string(options_.passes);
  }
  if (verdict == Verdict::cancelled) launch.incomplete_reason = "cancelled";
  launch.options = {{"sizes", join(sizes_.sweep)},
                    {"one_to_two_size", std::to_string(sizes_.one_to_two.value)},
                    {"bulk_sizes", join(sizes_.bulk)},
                    {"check_sizes", join(sizes_.checks)},
                    {"min_reps", std::to_string(options_.min_reps)},
                    {"max_reps", std::to_string(options_.max_reps)},
                    {"passes", std::to_string(options_.passes)},
                    {"precision_of_a_pass", std::to_string(stop_rule().precision)}};
  return launch;
}

std::vector<Observation> Campaign::gather_rows() const {
  // The experiment travels as the numbers of a one-experiment round, the rest beside it.
  std::vector<Round> mine;
  std::vector<double> values;
  for (const Observation& row : rows_) {
    mine.push_back({{{}, {row.experiment}}});
    values.insert(values.end(), {static_cast<double>(row.pass), row.time_s, row.low_s, row.high_s,
                                 row.sd_s, row.level, static_cast<double>(row.blocks),
                                 static_cast<double>(row.block_length), row.converged ? 1.0 : 0.0,
                                 static_cast<double>(row.block_means_s.size())});
    values.insert(values.end(), row.block_means_s.begin(), row.block_means_s.end());
  }
  const auto gather = [&]<class T>(const std::vector<T>& part, MPI_Datatype type) {
    const int count = static_cast<int>(part.size());
    std::vector<int> counts(static_cast<std::size_t>(comm_.size()));
    check(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_.get()), "MPI_Gather");
    std::vector<int> starts(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
    std::vector<T> whole(comm_.rank() == 0 ? static_cast<std::size_t>(starts.back() + counts.back())
                                           : 0);
    check(MPI_Gatherv(part.data(), count, type, whole.data(), counts.data(), starts.data(), type, 0,
                      comm_.get()),
          "MPI_Gatherv");
    std::vector<std::span<const T>> parts;
    for (std::size_t i = 0; comm_.rank() == 0 && i < counts.size(); ++i) {
      parts.push_back(std::span<const T>(whole).subspan(static_cast<std::size_t>(starts[i]),
                                                        static_cast<std::size_t>(counts[i])));
    }
    return std::pair{std::move(whole), std::move(parts)};
  };
  const auto [all_numbers, numbers] = gather(encode(mine), MPI_INT64_T);
  const auto [all_values, value_parts] = gather(values, MPI_DOUBLE);

  std::vector<Observation> rows;
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
    const double* v = value_parts[rank].data();
    for (Round& round : decode(numbers[rank])) {
      Observation row;
      row.experiment = std::move(round.front().experiments.front());
      row.pass = static_cast<int>(v[0]);
      row.time_s = v[1];
      row.low_s = v[2];
      row.high_s = v[3];
      row.sd_s = v[4];
      row.level = v[5];
      row.blocks = static_cast<int>(v[6]);
      row.block_length = static_cast<int>(v[7]);
      row.converged = v[8] != 0;
      const auto kept = static_cast<std::size_t>(v[9]);
      row.block_means_s.assign(v + 10, v + 10 + kept);
      v += 10 + kept;
      rows.push_back(std::move(row));
    }
  }
  std::ranges::stable_sort(
      rows, {}, [](const Observation& row) { return std::tuple(row.pass, row.experiment); });
  return rows;
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
  summary.expected_s = elapsed() + pilot_pass_s_ * options_.passes;
  summary.sizes = sizes_.sweep;
  summary.one_to_two_size = sizes_.one_to_two;
  if (eager_limit_) summary.eager_limit_bytes = eager_limit_->value;
  summary.schedule = serial_ ? "serial" : "parallel";
  summary.wait = wait_ == WaitMode::yield ? "yield" : "blocking";
  return summary;
}

void Campaign::report(const std::string& phase) {
  if (comm_.rank() != 0 || !options_.progress) return;
  Progress progress{phase, rounds_done_, static_cast<long>(rounds_.size()) * options_.passes,
                    elapsed(), -1};
  if (rounds_done_ > 0) {
    progress.remaining_s = progress.elapsed_s *
                           static_cast<double>(progress.total - progress.done) /
                           static_cast<double>(progress.done);
  }
  options_.progress(progress);
}

}  // namespace commgauge::bench
