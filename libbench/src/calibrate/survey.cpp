#include "calibrate/survey.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/requirements.hpp"
#include "campaign/harness.hpp"
#include "campaign/rounds.hpp"
#include "campaign/steps/pilot.hpp"
#include "campaign/steps/schedule.hpp"
#include "campaign/steps/warm_up.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/classes/find_classes.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "messages/quiet.hpp"
#include "ranks/provenance.hpp"
#include "ranks/rank0.hpp"
#include "ranks/row_gathering.hpp"
#include "speed/processor_speed.hpp"

namespace commgauge::bench {

namespace {

constexpr int all_pairs_up_to = 8;  ///< ranks: all are measured

/// What a survey asks of a harness: round trips, no models.
Options options_of_survey(const Options& asked) {
  Options options = asked;
  options.models = {"hockney"};
  options.sweeps.enabled = false;
  options.places.clear();
  options.keep = nullptr;
  return options;
}

SurveyedTrip trip_of(const Observation& row) {
  return {row.experiment.root, row.experiment.peers.front(), row.experiment.out, row.time_s};
}

Observation row_of(int from, int to, Bytes size, double time_s) {
  Observation row;
  row.experiment = round_trip(from, to, size, Bytes{0});
  row.time_s = time_s;
  return row;
}

/// The hosts' first ranks, each with each. @return on the first of them
std::vector<Observation> between_hosts(MPI_Comm comm, const std::vector<int>& ranks,
                                       const Options& options) {
  Harness harness(comm, options);
  warm_up(harness);
  harness.watch.learn(harness.comm);
  harness.progress.report("survey");
  const Bytes large = largest_size(options);
  const bool serial = choose_schedule(harness, large).serial;
  std::vector<Observation> rows;
  for (const Bytes size : {Bytes{0}, large}) {
    const Matrix times = time_round_trips(harness, size, serial);
    for (int i = 0; harness.comm.rank() == 0 && i < times.size(); ++i) {
      for (int j = 0; j < times.size(); ++j) {
        if (i != j) rows.push_back(row_of(ranks[at(i)], ranks[at(j)], size, times(i, j)));
      }
    }
  }
  return rows;
}

/// A host's first rank with its others, one after the other. @return those that began here
std::vector<Observation> within_host(MPI_Comm comm, const std::vector<int>& ranks,
                                     const Options& options) {
  Harness harness(comm, options);
  const Bytes large = largest_size(options);
  std::vector<Observation> rows;
  for (int other = 1; other < harness.comm.size(); ++other) {
    const Group group = group_of(
        Pair{0, other},
        {round_trip(0, other, Bytes{0}, Bytes{0}), round_trip(other, 0, Bytes{0}, Bytes{0}),
         round_trip(0, other, large, Bytes{0}), round_trip(other, 0, large, Bytes{0})});
    (void)harness.run_round({group}, warm_up_rule(options));
    for (const Observation& row : harness.run_round({group}, quick_rule(options))) {
      const Experiment& e = row.experiment;
      rows.push_back(row_of(ranks[at(e.root)], ranks[at(e.peers.front())], e.out, row.time_s));
    }
  }
  return rows;
}

/// @pre of each rank, or none
void name_hosts(const std::vector<GivenPlace>& given, Survey& survey) {
  for (std::size_t rank = 0; rank < given.size(); ++rank) {
    survey.ranks[rank].host = given[rank].host;
    survey.kinds.push_back(given[rank].kind);
  }
}

std::vector<std::string> host_names(const std::vector<RankPlace>& places) {
  std::vector<std::string> names;
  for (const RankPlace& place : places) names.push_back(place.host);
  return names;
}

bool holds(const std::vector<int>& ranks, int rank) {
  return std::ranges::binary_search(ranks, rank);
}

std::vector<int> firsts_of(const std::vector<std::vector<int>>& hosts) {
  std::vector<int> firsts;
  for (const std::vector<int>& ranks : hosts) firsts.push_back(ranks.front());
  return firsts;
}

}  // namespace

bool wants_survey(const Options& options, int ranks) {
  if (options.classes == Classes::none) return false;
  return ranks > all_pairs_up_to || !options.places.empty();
}

Survey take_survey(const Communicator& all, const Options& asked) {
  const Options options = options_of_survey(asked);
  Places places = find_places(all);
  measure_processor_speeds(all, places);
  Survey survey{places.ranks, {}, {}, {}};
  name_hosts(asked.places, survey);
  const std::vector<std::vector<int>> hosts = ranks_of_hosts(host_names(survey.ranks));
  const auto own = static_cast<int>(
      std::ranges::find_if(hosts, [&](const auto& ranks) { return holds(ranks, all.rank()); }) -
      hosts.begin());
  const std::vector<int>& beside = hosts[at(own)];
  const SubCommunicator here(all, own);
  const SubCommunicator firsts(all, beside.front() == all.rank() ? 0 : MPI_UNDEFINED);
  std::vector<Observation> mine;
  each_by_itself(all, [&] {
    if (!firsts.has_me() || hosts.size() < 2) return;
    mine = between_hosts(firsts.get(), firsts_of(hosts), options);
  });
  each_by_itself(all, [&] {
    if (beside.size() < 2) return;
    std::ranges::move(within_host(here.get(), beside, options), std::back_inserter(mine));
  });
  for (const Observation& row : gather_rows(all, mine)) survey.trips.push_back(trip_of(row));
  on_rank_0(all, [&] { survey.sample = choose_sample(survey, find_classes(survey)); });
  return all.rank() == 0 ? std::move(survey) : Survey{};
}

SubCommunicator::SubCommunicator(const Communicator& all, int color) {
  check(MPI_Comm_split(all.get(), color, all.rank(), &comm_), "MPI_Comm_split");
}

SubCommunicator::~SubCommunicator() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

void each_by_itself(const Communicator& all, const std::function<void()>& work,
                    const std::function<void()>& meanwhile) {
  enum Thrown { nothing, fit, input };
  Thrown thrown = nothing;
  std::string text;
  try {
    work();
  } catch (const InputError& error) {
    thrown = input;
    text = error.what();
  } catch (const FitError& error) {
    thrown = fit;
    text = error.what();
  }
  const int worst = agree_quietly(all.get(), thrown, meanwhile);
  if (worst == nothing) return;
  const int speaker = agree_quietly(all.get(), worst == thrown ? all.rank() : -1);
  text = broadcast(all, std::move(text), speaker);
  if (worst == input) throw InputError(text);
  throw FitError(text);
}

}  // namespace commgauge::bench
