#include "commgauge/bench/calibrate/refresh.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/requirements.hpp"
#include "campaign/harness.hpp"
#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/judge/refreshed.hpp"
#include "commgauge/judge/telling_pairs.hpp"
#include "messages/quiet.hpp"
#include "ranks/provenance.hpp"
#include "ranks/rank0.hpp"
#include "ranks/row_gathering.hpp"

namespace commgauge::bench {

namespace {

constexpr int most_cycles = 9;
constexpr double trips_of_pair = 12;  ///< about as many in a cycle, warm-up and both sizes

Options options_to_refresh(const Model& job, Bytes large, const RefreshOptions& asked) {
  Options options;
  options.models = {"hockney"};
  options.sizes = {large};
  options.probe_eager_limit = false;
  options.sweeps.enabled = false;
  options.wait = asked.wait;
  options.seed = asked.seed;
  if (job.launches.empty()) return options;
  const Launch& launch = job.launches.front();
  options.buffers = launch.buffers == "same" ? Buffers::same : Buffers::rotating;
  if (asked.wait == Wait::automatic && !launch.wait.empty()) {
    options.wait = launch.wait == "yield" ? Wait::yield : Wait::blocking;
  }
  return options;
}

/// Whether one pair is measured at a time: as the model was, or since ranks share cores.
bool is_serial(const Model& job, const Communicator& comm) {
  const bool was_serial = !job.launches.empty() && job.launches.front().schedule == "serial";
  return was_serial || find_places(comm).cores_are_shared();
}

double count_in_turn(const std::vector<std::vector<Pair>>& rounds, bool serial) {
  std::size_t count = 0;
  for (const std::vector<Pair>& pairs : rounds) count += serial ? pairs.size() : 1;
  return static_cast<double>(std::max<std::size_t>(1, count));
}

/// @param cycle  an even one goes from the pair's first rank to the second, an odd one back
Round round_of(const std::vector<Pair>& pairs, Bytes large, int cycle) {
  Round round;
  for (const Pair& pair : pairs) {
    const int from = pair[cycle % 2 == 0 ? 0 : 1];
    const int to = pair[cycle % 2 == 0 ? 1 : 0];
    round.push_back(group_of(
        pair, {round_trip(from, to, Bytes{0}, Bytes{0}), round_trip(from, to, large, Bytes{0})}));
  }
  return round;
}

/// Looks at pairs again and again.
class Looking {
 public:
  Looking(Harness& harness, Bytes large, bool serial)
      : harness_{harness}, large_{large}, serial_{serial} {}

  /// Collective. What comes first costs more: connections, and pages that are new.
  void warm_up(const std::vector<std::vector<Pair>>& rounds) {
    for (const Round& round : cycle(rounds, 0)) {
      (void)harness_.run_round(round, warm_up_rule(harness_.options));
    }
    harness_.watch.learn(harness_.comm);
  }

  /// Collective: until the time is over. The first round is done in any case.
  void look(const std::vector<std::vector<Pair>>& rounds, Seconds time) {
    const double stop_at = Clock::now() + time.value;
    for (int number = 0; number < most_cycles; ++number) {
      for (const Round& round : cycle(rounds, number)) {
        std::ranges::move(harness_.run_round(round, quick_rule(harness_.options)),
                          std::back_inserter(mine_));
        const bool is_over = harness_.comm.rank() == 0 && Clock::now() >= stop_at;
        if (agree_quietly(harness_.comm.get(), is_over ? 1 : 0) != 0) return;
      }
    }
  }

  /// All that were seen so far, on every rank. Collective.
  [[nodiscard]] std::vector<SurveyedTrip> trips() const {
    std::vector<double> numbers;
    for (const Observation& row : gather_rows(harness_.comm, mine_)) {
      const Experiment& e = row.experiment;
      numbers.insert(numbers.end(), {static_cast<double>(e.root), static_cast<double>(e.peers[0]),
                                     static_cast<double>(e.out.value), row.time_s});
    }
    numbers = broadcast(harness_.comm, std::move(numbers));
    std::vector<SurveyedTrip> all;
    for (std::size_t k = 0; k + 3 < numbers.size(); k += 4) {
      all.push_back({static_cast<int>(numbers[k]), static_cast<int>(numbers[k + 1]),
                     Bytes{static_cast<std::uint64_t>(numbers[k + 2])}, numbers[k + 3]});
    }
    return all;
  }

 private:
  [[nodiscard]] std::vector<Round> cycle(const std::vector<std::vector<Pair>>& rounds,
                                         int number) const {
    std::vector<Round> all;
    for (const std::vector<Pair>& pairs : rounds) all.push_back(round_of(pairs, large_, number));
    return serial_ ? serialised(all) : all;
  }

  Harness& harness_;
  Bytes large_;
  bool serial_;
  std::vector<Observation> mine_;
};

/// Rank 0's, on every rank: it alone decides what is measured.
std::vector<std::vector<Pair>> shared_pairs(const Communicator& comm,
                                            const std::vector<std::vector<Pair>>& rounds) {
  std::vector<Round> shared;
  for (const std::vector<Pair>& pairs : rounds) shared.push_back(round_of(pairs, Bytes{0}, 0));
  std::vector<std::vector<Pair>> all;
  for (const Round& round : share_rounds(comm, shared)) {
    std::vector<Pair>& pairs = all.emplace_back();
    for (const Group& group : round) pairs.push_back({group.ranks[0], group.ranks[1]});
  }
  return all;
}

}  // namespace

Refreshed refresh(const Model& job, MPI_Comm comm, const RefreshOptions& options) {
  const double begin = Clock::now();
  const Communicator own(comm);
  require(job.ranks == own.size(),
          "the model has " + std::to_string(job.ranks) + " ranks, the communicator " +
              std::to_string(own.size()) +
              " (rank i must be the model's rank i): give the model that "
              "commgauge_for_communicator() or for_communicator() returns");
  require(options.time.value > 0,
          "no time to look at the job's pairs (a round trip takes some): give more than 0 s");
  if (own.size() < 2) return {job, {}, 0, {Clock::now() - begin}};
  // Rank 0's, on every rank: processors may round differently.
  const auto rounds = shared_pairs(own, pairs_that_tell(job, options.seed));
  const bool serial = is_serial(job, own);
  const Seconds longest = options.time / (trips_of_pair * count_in_turn(rounds, serial));
  const Bytes large =
      broadcast(own, std::vector<Bytes>{size_that_tells(job, rounds, longest)}).front();
  Harness harness(own.get(), options_to_refresh(job, large, options));
  Looking looking(harness, large, serial);
  looking.warm_up(rounds);
  looking.look(rounds, options.time);
  std::vector<SurveyedTrip> trips = looking.trips();
  Freshness found = freshness(job, trips);
  const auto again = shared_pairs(own, pairs_that_confirm(job, found));
  if (!again.empty()) {
    looking.warm_up(again);
    looking.look(again, options.time);
    trips = looking.trips();
    found = freshness(job, trips);
  }
  Model model = refreshed(job, found);
  return {std::move(model), std::move(found), std::ssize(trips), {Clock::now() - begin}};
}

}  // namespace commgauge::bench
