#include "survey.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "campaign/harness.hpp"
#include "campaign/rounds.hpp"
#include "campaign/steps/pilot.hpp"
#include "campaign/steps/schedule.hpp"
#include "campaign/steps/warm_up.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/bench/error.hpp"
#include "commgauge/classes/find_classes.hpp"
#include "processor_speed.hpp"
#include "provenance.hpp"
#include "quiet.hpp"
#include "rank0.hpp"
#include "requirements.hpp"
#include "row_gathering.hpp"

namespace commgauge::bench {

namespace {

constexpr int all_pairs_up_to = 8;  ///< ranks: all are measured

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Ranks by host, in the order of their first ranks. The same on every rank.
struct Hosts {
  std::vector<std::vector<int>> ranks;
  std::vector<int> host_of;

  explicit Hosts(const std::vector<RankPlace>& places) {
    std::map<std::string, int> known;
    for (const RankPlace& place : places) {
      const auto host = known.emplace(place.host, static_cast<int>(ranks.size())).first->second;
      if (at(host) == ranks.size()) ranks.emplace_back();
      ranks[at(host)].push_back(static_cast<int>(host_of.size()));
      host_of.push_back(host);
    }
  }
  [[nodiscard]] const std::vector<int>& beside(int rank) const {
    return ranks[at(host_of[at(rank)])];
  }
};

/// What a survey asks of a harness: round trips, no models.
Options options_of_survey(const Options& asked) {
  Options options = asked;
  options.models = {"hockney"};
  options.sweeps.enabled = false;
  options.keep = nullptr;
  return options;
}

SurveyedTrip trip_of(const Observation& row) {
  return {row.experiment.root, row.experiment.peers.front(), row.experiment.out, row.time_s};
}

/// The first ranks of any two hosts. @return on the first of them
std::vector<SurveyedTrip> between_hosts(MPI_Comm comm, const Options& options) {
  Harness harness(comm, options);
  if (harness.comm.size() < 2) return {};
  warm_up(harness);
  harness.watch.learn(harness.comm);
  harness.progress.report("survey");
  const CampaignSizes sizes{{}, largest_size(options), {largest_size(options)}, {}};
  const bool serial = choose_schedule(harness, sizes.one_to_two).serial;
  const Pilot pilot = run_pilot(harness, sizes, serial).pilot;
  std::vector<SurveyedTrip> trips;
  for (int i = 0; harness.comm.rank() == 0 && i < harness.comm.size(); ++i) {
    for (int j = 0; j < harness.comm.size(); ++j) {
      if (i == j) continue;
      trips.push_back({i, j, Bytes{0}, pilot.empty(i, j)});
      trips.push_back({i, j, largest_size(options), pilot.bulk(i, j)});
    }
  }
  return trips;
}

/// A host's first rank with its others, one after the other. @return on the first
std::vector<SurveyedTrip> within_host(MPI_Comm comm, const Options& options) {
  Harness harness(comm, options);
  const Bytes large = largest_size(options);
  std::vector<Observation> mine;
  for (int other = 1; other < harness.comm.size(); ++other) {
    const Group group = group_of(
        Pair{0, other},
        {round_trip(0, other, Bytes{0}, Bytes{0}), round_trip(other, 0, Bytes{0}, Bytes{0}),
         round_trip(0, other, large, Bytes{0}), round_trip(other, 0, large, Bytes{0})});
    (void)harness.run_round({group}, warm_up_rule(options));
    std::ranges::move(harness.run_round({group}, quick_rule(options)), std::back_inserter(mine));
  }
  std::vector<SurveyedTrip> trips;
  for (const Observation& row : gather_rows(harness.comm, mine)) trips.push_back(trip_of(row));
  return trips;
}

/// Those of all ranks on rank 0. Collective.
std::vector<SurveyedTrip> gather_trips(const Communicator& all,
                                       const std::vector<SurveyedTrip>& mine) {
  std::vector<Observation> rows;
  for (const SurveyedTrip& trip : mine) {
    Observation row;
    row.experiment = round_trip(trip.from, trip.to, trip.size, Bytes{0});
    row.time_s = trip.time_s;
    rows.push_back(row);
  }
  std::vector<SurveyedTrip> trips;
  for (const Observation& row : gather_rows(all, rows)) trips.push_back(trip_of(row));
  return trips;
}

void name_hosts(const std::vector<GivenPlace>& given, Survey& survey) {
  if (given.empty()) return;
  require(given.size() == survey.ranks.size(),
          "the classes are given of " + std::to_string(given.size()) + " ranks, there are " +
              std::to_string(survey.ranks.size()) + ": give a line for each");
  for (std::size_t rank = 0; rank < given.size(); ++rank) {
    survey.ranks[rank].host = given[rank].host;
    survey.kinds.push_back(given[rank].kind);
  }
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
  name_hosts(options.places, survey);
  const Hosts hosts(survey.ranks);
  const std::vector<int>& beside = hosts.beside(all.rank());
  const Part here(all, hosts.host_of[at(all.rank())]);
  const Part firsts(all, beside.front() == all.rank() ? 0 : MPI_UNDEFINED);
  std::vector<SurveyedTrip> mine;
  const auto take = [&](const std::vector<SurveyedTrip>& trips, auto rank_of) {
    for (const SurveyedTrip& trip : trips) {
      mine.push_back({rank_of(trip.from), rank_of(trip.to), trip.size, trip.time_s});
    }
  };
  each_by_itself(all, [&] {
    if (!firsts.has_me()) return;
    take(between_hosts(firsts.get(), options),
         [&](int host) { return hosts.ranks[at(host)].front(); });
  });
  each_by_itself(all, [&] {
    if (beside.size() < 2) return;
    take(within_host(here.get(), options), [&](int place) { return beside[at(place)]; });
  });
  survey.trips = gather_trips(all, mine);
  on_rank_0(all, [&] { survey.sample = choose_sample(survey, find_classes(survey)); });
  return all.rank() == 0 ? std::move(survey) : Survey{};
}

Part::Part(const Communicator& all, int color) {
  check(MPI_Comm_split(all.get(), color, all.rank(), &comm_), "MPI_Comm_split");
}

Part::~Part() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

namespace {

/// In the order of what counts most, where ranks threw different things.
enum class Thrown { nothing, fit, input, mpi };

}  // namespace

void each_by_itself(const Communicator& all, const std::function<void()>& work) {
  Thrown thrown{};
  std::string text;
  const auto keep = [&](Thrown what, const std::exception& error) {
    thrown = what;
    text = error.what();
  };
  try {
    work();
  } catch (const InputError& error) {
    keep(Thrown::input, error);
  } catch (const MpiError& error) {
    keep(Thrown::mpi, error);
  } catch (const std::exception& error) {
    keep(Thrown::fit, error);
  }
  const int worst = agree_quietly(all.get(), static_cast<int>(thrown));
  if (worst == 0) return;
  const bool is_mine = worst == static_cast<int>(thrown);
  const int speaker = agree_quietly(all.get(), is_mine ? all.rank() : -1);
  text = broadcast(all, std::move(text), speaker);
  if (worst == static_cast<int>(Thrown::input)) throw InputError(text);
  if (worst == static_cast<int>(Thrown::mpi)) throw MpiError(text);
  throw FitError(text);
}

}  // namespace commgauge::bench
