#include "commgauge/bench/calibrate/calibrate.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "base/activity.hpp"
#include "base/requirements.hpp"
#include "calibrate/memory.hpp"
#include "calibrate/survey.hpp"
#include "campaign/campaign.hpp"
#include "campaign/checkpoint.hpp"
#include "campaign/harness.hpp"
#include "campaign/steps/fabric.hpp"
#include "campaign/steps/overhead_growth.hpp"
#include "campaign/steps/warm_up.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/bench/calibrate/for_communicator.hpp"
#include "commgauge/bench/clock/clock.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "commgauge/plan/logp_plan.hpp"
#include "messages/quiet.hpp"
#include "ranks/provenance.hpp"
#include "ranks/rank0.hpp"
#include "ranks/row_gathering.hpp"
#include "ranks/stop_call.hpp"

namespace commgauge::bench {

namespace {

std::vector<int> share(const Communicator& all, const std::vector<int>& ranks) {
  std::vector<std::uint64_t> numbers(ranks.begin(), ranks.end());
  numbers = broadcast(all, std::move(numbers));
  return {numbers.begin(), numbers.end()};
}

void add_elapsed(Measurements& measurements, Seconds before) {
  for (Launch& launch : measurements.launches) launch.elapsed_s += before.value;
}

/// When so much time has gone by: with what is left of the budget.
Options after(Options options, Seconds elapsed) {
  if (options.time_budget) {
    options.time_budget = Seconds{std::max(1e-3, options.time_budget->value - elapsed.value)};
  }
  if (options.keep) {
    options.keep = [elapsed, keep = std::move(options.keep)](Measurements so_far) {
      add_elapsed(so_far, elapsed);
      return keep(so_far);
    };
  }
  return options;
}

/// With the classes and places that rank 0 was given.
Options with_given_places(const Communicator& all, Options options) {
  std::string text;
  on_rank_0(all, [&] {
    const auto given = std::ssize(options.places);
    require(given == 0 || given == all.size(),
            "the classes are given of " + std::to_string(given) + " ranks, there are " +
                std::to_string(all.size()) + ": give a line for each");
    text = options.classes == Classes::none ? "none\n" : "auto\n";
    for (const GivenPlace& place : options.places) text += place.host + "\n" + place.kind + "\n";
  });
  std::istringstream lines(broadcast(all, std::move(text)));
  std::string word;
  std::getline(lines, word);
  options.classes = word == "none" ? Classes::none : Classes::automatic;
  options.places.clear();
  for (GivenPlace place; std::getline(lines, place.host) && std::getline(lines, place.kind);) {
    options.places.push_back(place);
  }
  return options;
}

/// Does `work` on a sample of the ranks, with options of their own; the others sleep, and may
/// cancel it.
void on_sample(const Communicator& all, const std::vector<int>& sample, Options options,
               const std::function<void(MPI_Comm, const Options&)>& work) {
  const SubCommunicator part(all,
                             std::ranges::binary_search(sample, all.rank()) ? 0 : MPI_UNDEFINED);
  std::vector<GivenPlace> places;
  for (const int rank : sample) {
    if (!options.places.empty()) places.push_back(options.places[static_cast<std::size_t>(rank)]);
  }
  options.places = std::move(places);
  options.memory = false;  // what all ranks of these hosts share, they don't tell
  std::optional<Asleep> asleep;
  if (!part.has_me()) asleep.emplace();
  StopCall call(all, options.cancelled);
  options.cancelled = [&call] { return call.is_heard(); };
  const auto measure_or_sleep = [&] {
    if (part.has_me()) work(part.get(), options);
  };
  const auto listen = [&] {
    if (!part.has_me()) call.call_if_cancelled();
  };
  try {
    each_by_itself(all, measure_or_sleep, listen);
  } catch (const InputError&) {
    call.end();
    throw;
  } catch (const FitError&) {
    call.end();
    throw;
  }
  call.end();
}

/// Does `campaign` on a sample of the ranks. @return on rank 0 what it returned.
/// @param survey  rank 0's counts.
Measurements of_sample(const Communicator& all, const Survey& survey, Options options,
                       const std::function<Measurements(MPI_Comm, const Options&)>& campaign) {
  if (options.keep) {
    options.keep = [&survey, keep = std::move(options.keep)](Measurements so_far) {
      so_far.survey = survey;
      return keep(so_far);
    };
  }
  Measurements measurements;
  on_sample(all, share(all, survey.sample), std::move(options),
            [&](MPI_Comm part, const Options& own) { measurements = campaign(part, own); });
  if (all.rank() == 0) measurements.survey = survey;
  return measurements;
}

constexpr double fabric_parts = 8;  ///< of the time budget: one is for shared links

/// A host's name, and the first of its ranks.
struct FirstRank {
  std::string host;
  int rank{};
};

/// Of each host, in the order of these ranks; none where shared links aren't looked for.
std::vector<FirstRank> first_ranks(const Communicator& all, const Options& options) {
  if (!options.fabric || all.size() < least_fabric_hosts) return {};
  std::vector<std::string> names;
  for (const RankPlace& place : find_places(all).ranks) names.push_back(place.host);
  for (std::size_t rank = 0; rank < options.places.size(); ++rank) {
    names[rank] = options.places[rank].host;
  }
  std::vector<FirstRank> firsts;
  for (const std::vector<int>& ranks : ranks_of_hosts(names)) {
    firsts.push_back({names[static_cast<std::size_t>(ranks.front())], ranks.front()});
  }
  return std::ssize(firsts) < least_fabric_hosts ? std::vector<FirstRank>{} : firsts;
}

/// Does `work` with a harness of the hosts' first ranks, which know one another.
void among_hosts(const Communicator& all, const std::vector<FirstRank>& firsts, Options options,
                 const std::function<void(Harness&)>& work) {
  std::vector<int> ranks;
  for (const FirstRank& first : firsts) ranks.push_back(first.rank);
  options.models = {"hockney"};
  options.sweeps.enabled = false;
  options.keep = nullptr;
  options.size.reset();
  options.sizes = {Bytes{1 << 16}};
  options.time_budget.reset();
  on_sample(all, ranks, options, [&](MPI_Comm hosts, const Options& own) {
    Harness harness(hosts, own);
    warm_up(harness);
    harness.watch.learn(harness.comm);
    work(harness);
  });
}

Seconds fabric_budget(const Options& options) {
  constexpr Seconds without_budget{120};
  return options.time_budget ? *options.time_budget / fabric_parts : without_budget;
}

/// @return on rank 0, where it was to be looked for.
std::vector<FabricRun> fabric_of(const Communicator& all, const std::vector<FirstRank>& firsts,
                                 const Options& options) {
  if (firsts.empty()) return {};
  std::vector<std::string> names;
  for (const FirstRank& first : firsts) names.push_back(first.host);
  std::vector<FabricRun> runs;
  among_hosts(all, firsts, options, [&](Harness& harness) {
    FabricRun run = measure_fabric(harness, names, fabric_budget(options));
    if (harness.comm.rank() == 0) runs.push_back(std::move(run));
  });
  return runs;
}

/// On rank 0; a size of 0 where it isn't looked for.
FabricPlan fabric_plan_of(const Communicator& all, const Options& options) {
  FabricPlan plan;
  const std::vector<FirstRank> firsts = first_ranks(all, options);
  if (firsts.empty()) return plan;
  among_hosts(all, firsts, options,
              [&](Harness& harness) { plan = plan_fabric(harness, fabric_budget(options)); });
  return plan;
}

/// Of the ranks of a sample; a time of 0 where it isn't measured by itself.
Seconds memory_plan_of(const Communicator& all, const std::vector<int>& sample,
                       const Options& options) {
  const bool is_measured = options.memory && has_memory_to_measure(all, sample, options);
  return is_measured ? most_time_for_memory(options) : Seconds{0};
}

PlanSummary with_fabric(PlanSummary summary, const FabricPlan& plan) {
  if (plan.size.value == 0) return summary;
  summary.fabric_size = plan.size;
  summary.fabric_expected = plan.expected;
  summary.fabric_fits = plan.fits;
  if (plan.fits) summary.expected = summary.expected + plan.expected;
  return summary;
}

/// What was measured of the whole machine.
struct OfMachine {
  std::vector<FabricRun> fabric;
  MemoryRun memory;

  void give(Measurements& measurements) const {
    measurements.fabric = fabric;
    measurements.memory = memory;
  }
};

/// Whatever is kept has it, too.
Options keeping(Options options, const OfMachine& found) {
  if (!options.keep) return options;
  options.keep = [&found, keep = std::move(options.keep)](Measurements so_far) {
    found.give(so_far);
    return keep(so_far);
  };
  return options;
}

Measurements resume_all(MPI_Comm comm, Measurements checkpoint, const Options& options) {
  {
    const Communicator own(comm);
    checkpoint = share_checkpoint(own, std::move(checkpoint));
  }
  const Options all = options_to_resume(checkpoint, options);
  return Campaign(comm, all, std::move(checkpoint)).run();
}

void require_ranks_of(const Survey& survey, int ranks) {
  const auto had = std::ssize(survey.ranks);
  require(survey.sample.empty() || had == ranks,
          "it was begun with " + std::to_string(had) + " ranks, there are " +
              std::to_string(ranks) + " (a sample stands for all of them): start as many");
}

using Growth = std::optional<std::vector<Observation>>;

Measurements measure_all(MPI_Comm comm, const Options& options, Growth growth) {
  Campaign campaign(comm, options, std::move(growth));
  campaign.prepare();
  return campaign.run();
}

/// How overheads grow with the number of connected ranks: before anything else connects them.
/// @return on rank 0 all rows, elsewhere none; nothing where no model takes it.
Growth growth_of(const Communicator& all, const Options& options) {
  if (!wants_logp(options.models)) return std::nullopt;
  Harness harness(all.get(), options);
  return gather_rows(harness.comm, measure_overhead_growth(harness));
}

}  // namespace

Measurements measure(MPI_Comm comm, const Options& asked) {
  const Communicator all(comm);
  const Options options = with_given_places(all, asked);
  const bool surveys = wants_survey(options, all.size());
  const std::vector<FirstRank> firsts = first_ranks(all, options);
  if (!surveys && firsts.empty()) return measure_all(comm, options, std::nullopt);
  const double begin = Clock::now();
  Growth growth = growth_of(all, options);
  const Survey survey = surveys ? take_survey(all, options) : Survey{};
  const int sampled = agree_quietly(all.get(), static_cast<int>(survey.sample.size()));
  const bool is_part = surveys && sampled != all.size();
  OfMachine machine{fabric_of(all, firsts, options), {}};
  if (is_part && options.memory)
    machine.memory = measure_memory(all, share(all, survey.sample), options);
  const Seconds elapsed{Clock::now() - begin};
  const Options left = keeping(after(options, elapsed), machine);
  const auto measure_them = [&](MPI_Comm of_part, const Options& own) {
    return measure_all(of_part, own, std::move(growth));
  };
  Measurements measurements =
      is_part ? of_sample(all, survey, left, measure_them) : measure_them(comm, left);
  add_elapsed(measurements, elapsed);
  machine.give(measurements);
  return measurements;
}

Measurements resume(MPI_Comm comm, Measurements checkpoint, const Options& asked) {
  const Communicator all(comm);
  const Survey survey = checkpoint.survey.value_or(Survey{});
  const OfMachine machine{checkpoint.fabric, checkpoint.memory};
  on_rank_0(all, [&] { require_ranks_of(survey, all.size()); });
  Options options = keeping(asked, machine);
  options.places.clear();  // as the survey has them
  const auto go_on = [&](MPI_Comm of_part, const Options& own) {
    return resume_all(of_part, std::move(checkpoint), own);
  };
  const int sampled = agree_quietly(all.get(), static_cast<int>(survey.sample.size()));
  Measurements measurements =
      sampled == 0 ? go_on(comm, options) : of_sample(all, survey, options, go_on);
  if (all.rank() == 0) machine.give(measurements);
  return measurements;
}

Measurements measure_thresholds(MPI_Comm comm, const Options& options) {
  Options own = options;
  own.models.clear();
  own.size.reset();
  own.sizes = {std::max(options.sweeps.plan.last, largest_size({}))};
  own.sweeps.enabled = true;
  return Campaign(comm, own).run_sweeps();
}

PlanSummary plan(MPI_Comm comm, const Options& asked) {
  const auto plan_all = [](MPI_Comm of_part, const Options& options) {
    Campaign campaign(of_part, options);
    campaign.prepare();
    return campaign.summary();
  };
  const Communicator all(comm);
  const Options options = with_given_places(all, asked);
  const FabricPlan fabric = fabric_plan_of(all, options);
  if (!wants_survey(options, all.size())) return with_fabric(plan_all(comm, options), fabric);
  const std::vector<int> sample = share(all, take_survey(all, options).sample);
  if (std::ssize(sample) == all.size()) return with_fabric(plan_all(comm, options), fabric);
  PlanSummary summary;
  on_sample(all, sample, options,
            [&](MPI_Comm part, const Options& own) { summary = plan_all(part, own); });
  summary.sampled = static_cast<int>(sample.size());
  summary.memory_at_most = memory_plan_of(all, sample, options);
  return with_fabric(std::move(summary), fabric);
}

Measurements measure_experiments(MPI_Comm comm, const std::vector<Experiment>& experiments,
                                 const Options& options) {
  Campaign campaign(comm, options);
  campaign.prepare(experiments);
  return campaign.run();
}

Model calibrate(MPI_Comm comm, const Options& options) {
  const Measurements measurements = measure(comm, options);
  const Communicator own(comm);
  Model model;
  on_rank_0(own, [&] { model = fit(measurements, {options.models, options.confidence}); });
  if (options.result == Result::root_only) return model;
  return model_of_rank_0(model, own.get());
}

}  // namespace commgauge::bench
