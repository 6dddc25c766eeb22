#include "campaign/steps/eager_limit.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/requirements.hpp"
#include "campaign/stop_rules.hpp"
#include "messages/quiet.hpp"
#include "timing/eager_probe.hpp"

namespace commgauge::bench {

namespace {

/// The probe between rank 0 and another one, while the others wait quietly.
class PairProbe {
 public:
  PairProbe(Harness& harness, int receiver)
      : harness_{harness},
        receiver_{receiver},
        takes_part_{harness.comm.rank() == 0 || harness.comm.rank() == receiver},
        largest_{largest_size(harness.options)} {}

  /// The same on every rank. Collective.
  [[nodiscard]] std::optional<Bytes> run() {
    time_round_trips();
    std::uint64_t limit = 0;
    int found = 0;
    if (takes_part_) {
      const auto result = probe_eager_limit(harness_.comm.get(), 0, receiver_, largest_,
                                            [this](Bytes size) { return guess_one_way(size); });
      found = result.has_value();
      limit = result.value_or(Bytes{0}).value;
    }
    found = agree_quietly(harness_.comm.get(), found);
    check(MPI_Bcast(&limit, 1, MPI_UINT64_T, 0, harness_.comm.get()), "MPI_Bcast");
    return found ? std::optional(Bytes{limit}) : std::nullopt;
  }

 private:
  /// Both ranks of the pair need the delay, so both need about the same guess of a message's time;
  /// it only has to be generous.
  void time_round_trips() {
    if (takes_part_) {
      const Group group{{0, receiver_},
                        {round_trip(0, receiver_, Bytes{0}, Bytes{0}),
                         round_trip(0, receiver_, largest_, Bytes{0})}};
      const std::vector<Observation> rows =
          harness_.runner.run(group, quick_rule(harness_.options), 0);
      if (harness_.comm.rank() == 0) round_trips_ = {rows[0].time_s, rows[1].time_s};
    }
    (void)agree_quietly(harness_.comm.get(), 0);
    check(MPI_Bcast(round_trips_.data(), 2, MPI_DOUBLE, 0, harness_.comm.get()), "MPI_Bcast");
  }

  [[nodiscard]] Seconds guess_one_way(Bytes size) const {
    const double share = static_cast<double>(size.value) / static_cast<double>(largest_.value);
    return {round_trips_[0] + share * round_trips_[1]};
  }

  Harness& harness_;
  int receiver_;
  bool takes_part_;
  Bytes largest_;
  std::vector<double> round_trips_{0, 0};  ///< of an empty message and of the largest [s]
};

}  // namespace

EagerLimit find_eager_limit(Harness& harness) {
  const Options& options = harness.options;
  if (options.eager_limit || !options.probe_eager_limit) return {options.eager_limit, {}};
  harness.progress.report("eager limit");
  // The limit between machines differs from that inside one: the smaller is safe for both.
  EagerLimit found{PairProbe(harness, 1).run(), largest_size(options)};
  const std::vector<RankPlace>& ranks = harness.places.ranks;
  const auto other = std::ranges::find_if(
      ranks, [&](const RankPlace& place) { return place.host != ranks.front().host; });
  if (other == ranks.end() || ranks[1].host != ranks[0].host) return found;
  const auto between_hosts = PairProbe(harness, static_cast<int>(other - ranks.begin())).run();
  if (between_hosts && (!found.limit || *between_hosts < *found.limit)) {
    found.limit = between_hosts;
  }
  return found;
}

}  // namespace commgauge::bench
