#include "campaign/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "base/requirements.hpp"
#include "campaign/rounds.hpp"
#include "commgauge/bench/base/request.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/plan/logp_plan.hpp"
#include "ranks/provenance.hpp"
#include "ranks/rank0.hpp"

namespace commgauge::bench {

namespace {

/// Of a request, beside what was asked for.
constexpr const char* first_pass = "first-pass";
constexpr const char* by_models = "by models";

constexpr const char* begin_anew = ": begin anew, with another file for --measurements";

void require_same(const std::string& what, const std::string& here, const std::string& there) {
  if (here == there) return;
  require(false, what + " " + (here.empty() ? "nothing" : here) + " here, and was " +
                     (there.empty() ? "nothing" : there) +
                     " (times of both don't belong together): resume where it was begun");
}

/// Variables that say how messages travel; others differ from job to job.
std::map<std::string, std::string> routes(std::map<std::string, std::string> environment) {
  constexpr std::array prefixes{"UCX_",          "MPIR_CVAR_",   "FI_",         "OMPI_MCA_btl",
                                "OMPI_MCA_coll", "OMPI_MCA_mtl", "OMPI_MCA_pml"};
  std::erase_if(environment, [&](const auto& entry) {
    return std::ranges::none_of(
        prefixes, [&](const char* prefix) { return entry.first.starts_with(prefix); });
  });
  return environment;
}

void require_same_environment(const Launch& here, const Launch& there) {
  auto now = routes(here.environment);
  auto then = routes(there.environment);
  for (const auto& [name, value] : std::map(now)) require_same(name + " is", value, then[name]);
  for (const auto& [name, value] : then) require_same(name + " is", now[name], value);
}

void require_same_machine(const Launch& here, const Launch& there) {
  require_same("the number of ranks is", std::to_string(here.ranks.size()),
               std::to_string(there.ranks.size()));
  for (std::size_t rank = 0; rank < here.ranks.size(); ++rank) {
    require_same("rank " + std::to_string(rank) + " is on", here.ranks[rank].host,
                 there.ranks[rank].host);
  }
  require_same("the MPI library is", here.mpi_library, there.mpi_library);
  require_same("commgauge is of version", here.commgauge_version, there.commgauge_version);
  require_same_environment(here, there);
}

using Place = std::pair<int, Experiment>;  ///< pass, and what was measured in it

/// Of the first `done` rounds, and those given, sorted.
std::vector<Place> places_in(std::vector<Round> rounds, std::uint64_t seed, bool is_thin, long done,
                             std::vector<Place> places) {
  for (int pass = 0; done > 0; ++pass) {
    put_in_order_of_pass(rounds, seed, pass, is_thin);
    for (auto round = rounds.begin(); round != rounds.end() && done > 0; ++round, --done) {
      for (const Group& group : *round) {
        for (const Experiment& experiment : group.experiments)
          places.emplace_back(pass, experiment);
      }
    }
  }
  std::ranges::sort(places);
  return places;
}

/// What was measured before the passes.
std::vector<Place> growth_places(const Options& asked, int ranks) {
  std::vector<Place> places;
  const std::vector<int> steps = growth_steps(ranks);
  if (!wants_logp(asked.models) || steps.size() < 2) return places;
  for (const int processes : steps) {
    for (const Experiment& experiment : growth_experiments(processes, asked.receive_progress)) {
      for (int pass = 0; pass < asked.passes; ++pass) places.emplace_back(pass, experiment);
    }
  }
  return places;
}

std::vector<Place> places_of(const std::vector<Observation>& rows) {
  std::vector<Place> places;
  for (const Observation& row : rows) places.emplace_back(row.pass, row.experiment);
  std::ranges::sort(places);
  return places;
}

void require_rows_of_plan(const Measurements& checkpoint) {
  const std::vector<Round> rounds = rounds_of(*checkpoint.plan);
  const Launch& launch = checkpoint.launches.front();
  const Options asked = options_of(checkpoint.plan->request);
  const int grown =
      checkpoint.survey ? static_cast<int>(checkpoint.survey->ranks.size()) : checkpoint.ranks();
  for (const PlannedExperiment& planned : checkpoint.plan->experiments) {
    require_sound(planned.experiment, checkpoint.ranks());
  }
  const bool can_be = !rounds.empty() && launch.rounds <= asked.passes * std::ssize(rounds);
  require(can_be && places_in(rounds, asked.seed, is_thin(*checkpoint.plan), launch.rounds,
                              growth_places(asked, grown)) == places_of(checkpoint.observations),
          "the experiments are not those that " + std::to_string(launch.rounds) +
              " rounds of the plan have (the file was changed)" + begin_anew);
}

void require_unfinished(const Measurements& checkpoint) {
  require(checkpoint.launches.size() == 1,
          std::string{"it has more than one launch (only one can be gone on with)"} + begin_anew);
  require(!checkpoint.launches.front().complete,
          "it is complete (nothing is left to measure): fit it");
  require(checkpoint.plan.has_value(),
          std::string{"it has no plan (it isn't a calibration's, or of an older version)"} +
              begin_anew);
}

Measurements without_rows_and_rounds(const Measurements& checkpoint) {
  Measurements head;
  head.launches = checkpoint.launches;
  head.plan = LaunchPlan{checkpoint.plan->request, {}};
  return head;
}

}  // namespace

void mark_thin(LaunchPlan& plan) { plan.request[first_pass] = by_models; }

bool is_thin(const LaunchPlan& plan) { return plan.request.contains(first_pass); }

LaunchPlan plan_of(const std::vector<Round>& rounds, const Options& options) {
  LaunchPlan plan{request_of(options), {}};
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (std::size_t group = 0; group < rounds[round].size(); ++group) {
      for (const Experiment& experiment : rounds[round][group].experiments) {
        plan.experiments.push_back({experiment, static_cast<int>(round), static_cast<int>(group)});
      }
    }
  }
  return plan;
}

std::vector<Round> rounds_of(const LaunchPlan& plan) {
  std::vector<Round> rounds;
  const PlannedExperiment* last = nullptr;
  for (const PlannedExperiment& planned : plan.experiments) {
    if (last == nullptr || planned.round != last->round) {
      rounds.emplace_back();
      last = nullptr;
    }
    if (last == nullptr || planned.group != last->group) rounds.back().emplace_back();
    Group& group = rounds.back().back();
    std::ranges::copy(group_of(planned.experiment).ranks, std::back_inserter(group.ranks));
    std::ranges::sort(group.ranks);
    group.ranks.erase(std::ranges::unique(group.ranks).begin(), group.ranks.end());
    group.experiments.push_back(planned.experiment);
    last = &planned;
  }
  return rounds;
}

Measurements share_checkpoint(const Communicator& comm, Measurements checkpoint) {
  Launch here = describe_process();
  here.ranks = find_places(comm).ranks;
  std::string head;
  on_rank_0(comm, [&] {
    require_unfinished(checkpoint);
    require_same_machine(here, checkpoint.launches.front());
    require_rows_of_plan(checkpoint);
    head = to_json(without_rows_and_rounds(checkpoint));
  });
  head = broadcast(comm, std::move(head));
  return comm.rank() == 0 ? std::move(checkpoint) : measurements_from_json(head, "rank 0's launch");
}

Options options_to_resume(const Measurements& checkpoint, const Options& own) {
  Options options = options_of(checkpoint.plan->request);
  options.wait = checkpoint.launches.front().wait == "yield" ? Wait::yield : Wait::blocking;
  options.time_budget = own.time_budget;
  options.result = own.result;
  options.progress = own.progress;
  options.keep = own.keep;
  options.cancelled = own.cancelled;
  return options;
}

Disturbance without_rows(const Measurements& checkpoint) {
  Disturbance all = checkpoint.launches.front().disturbance.value_or(Disturbance{});
  Disturbance of_rows;
  count_blocks(checkpoint.observations, of_rows);
  all.blocks = std::max(0L, all.blocks - of_rows.blocks);
  all.lost_blocks = std::max(0L, all.lost_blocks - of_rows.lost_blocks);
  return all;
}

Launch gone_on(Launch launch, const Launch& now) {
  const Disturbance before = launch.disturbance.value_or(Disturbance{});
  launch.disturbance = now.disturbance;
  launch.disturbance->stolen_share = std::max(before.stolen_share, now.disturbance->stolen_share);
  launch.disturbance->remeasured_rows += before.remeasured_rows;
  if (!before.not_watched.empty()) launch.disturbance->not_watched = before.not_watched;
  launch.clock_resolution_s = std::max(launch.clock_resolution_s, now.clock_resolution_s);
  launch.clock_cost_s = std::max(launch.clock_cost_s, now.clock_cost_s);
  launch.passes = now.passes;
  launch.rounds = now.rounds;
  launch.elapsed_s += now.elapsed_s;
  launch.timed_s += now.timed_s;
  launch.complete = now.complete;
  launch.incomplete_reason = now.incomplete_reason;
  ++launch.resumed;
  return launch;
}

}  // namespace commgauge::bench
