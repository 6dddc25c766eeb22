#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/spread.hpp"
#include "fit/logp/logp_rows.hpp"
#include "fit/time_table.hpp"

namespace commgauge {

/// A model, or the reason why the measurements can't determine it.
template <class Parameters>
struct Estimation {
  std::optional<Fitted<Parameters>> fitted;
  std::string undetermined;
};

/// Sizes at or below the limit, above it; without a limit all sizes are eager.
enum class Regime { eager, rendezvous };

/// A line for every ordered pair through its round trips (M, 0) at the regime's sizes:
/// alpha = intercept − T(0)/2, beta = slope. Weights 1/T².
[[nodiscard]] Estimation<HockneyParameters> estimate_hockney(const TimeTable& table, Regime regime,
                                                             std::optional<Bytes> eager_limit);

/// LOM as Lastovetsky, Rychkov, O'Flynn (2008) estimate it, at the size of the one-to-twos.
/// The larger of the two round trips in a one-to-two is that of the peer served last, which was
/// chosen before, by other measurements: a maximum of the measured times would be biased.
[[nodiscard]] Estimation<AdditiveParameters> estimate_lom(const TimeTable& table);

/// LMO by differences of one-to-twos and round trips, see AdditiveSolver.
[[nodiscard]] Estimation<AdditiveParameters> estimate_lmo(const TimeTable& table);

/// Per-byte times that don't add, from the bulk experiments.
[[nodiscard]] Estimation<BottleneckParameters> estimate_bottleneck(const TimeTable& table);

/// Overheads of ranks 0 and 1 against the number of processes: within a launch that measured them
/// at several, and over launches of different size. The other models' measurements are not needed.
[[nodiscard]] Estimation<OverheadGrowth> estimate_overhead_growth(const Measurements& measurements,
                                                                  double confidence);

/// What ranks of a host share, from pairs at once: the time per byte of the most pairs by their
/// number where it is clearly above one pair's, else only a bound. @param hosts  of each rank
[[nodiscard]] Estimation<HostLinks> estimate_host_links(const TimeTable& table,
                                                        std::span<const std::string> hosts);

/// By how much single messages are late or early: the median of what the blocks of round trips
/// between hosts, or else of all, scatter, sd·√(block length/2). One pass is a replicate.
/// @param hosts  of each rank
[[nodiscard]] Estimation<MessageJitter> estimate_jitter(const Measurements& measurements,
                                                        std::span<const std::string> hosts,
                                                        double confidence);

/// How far two messages that meet share what they pass, (first − alone) / (all − alone): the median
/// of the pairs and ranks that were tried; of those whose messages take nothing of each other none.
[[nodiscard]] Estimation<FairSharing> estimate_sharing(const TimeTable& table,
                                                       std::optional<Bytes> eager_limit);

/// A line for every ordered pair through its one-way times at all sizes, T(m) = round trip (m, 0)
/// less half an empty one, by fit_start_up().
[[nodiscard]] Estimation<StartUpParameters> estimate_start_up(const TimeTable& table);

/// What the estimators of the LogP family agree about.
struct LogPSettings {
  std::optional<Bytes> eager_limit;
  Kind receive{Kind::receive_overhead};  ///< whose times are o_r
  double clock_cost{};                   ///< of one reading [s]
};

/// s of LogGPS: where the gap of the whole machine changes its slope.
struct PacketSize {
  Estimate size{std::nan(""), std::nan(""), std::nan("")};  ///< [bytes]; NaN: there is none
  std::vector<Bytes> sizes;  ///< among which two lines meet at s; none where s is a jump
  [[nodiscard]] bool is_jump() const { return !std::isnan(size.value) && sizes.empty(); }
  std::vector<Diagnostic> warnings;
};

/// A break of the floods' gap against the size, by segmented regression of the mean over pairs and
/// launches: among the sizes up to the eager limit, or else above it, or else at it. Its interval
/// is the break's. There is none where one line might do. @pre !launches.empty()
[[nodiscard]] PacketSize find_packet_size(std::span<const TimeTable> launches,
                                          const LogPSettings& settings);
/// Where the lines meet in these times, so that the uncertainty of s is part of the other
/// parameters'. A jump stays where it is.
/// @pre `pairs` have floods of packet.sizes; central: the table's times
[[nodiscard]] double packet_size_in(const std::vector<LogPRows>& pairs, const PacketSize& packet,
                                    std::span<const double> central, std::span<const double> times);

/// L, o and g at the smallest size that has all of them.
[[nodiscard]] Estimation<LogPParameters> estimate_logp(const TimeTable& table,
                                                       const LogPSettings& settings);
/// The same, and G as the slope of one line through the gaps of all sizes, see relative_weights().
[[nodiscard]] Estimation<LogGpParameters> estimate_loggp(const TimeTable& table,
                                                         const LogPSettings& settings);
/// o′ + O·k by lines up to the eager limit, g, G′ and G by a line with a kink at s, or a line on
/// each side of a jump (weights: see relative_weights()), L = (empty round trip − the four o′ of
/// both directions) / 2.
[[nodiscard]] Estimation<LogGpsParameters> estimate_loggps(const TimeTable& table,
                                                           const LogPSettings& settings,
                                                           const PacketSize& packet);
/// Value and interval of s are the break's, of all launches together.
void set_packet_size(Fitted<LogGpsParameters>& fitted, const PacketSize& packet);

/// All sizes of round trips that some pair of some launch has, up to the largest that all have.
[[nodiscard]] std::vector<Bytes> plogp_sizes(std::span<const TimeTable> launches,
                                             const LogPSettings& settings);
/// g(m) = T(m) − T(0) + g(0), L = T(0)/2 − g(0), T the round trips (m, 0), g(0) from floods. A
/// curve that lacks one of the sizes is read between its own. @param sizes  see plogp_sizes
[[nodiscard]] Estimation<PLogPParameters> estimate_plogp(const TimeTable& table,
                                                         const LogPSettings& settings,
                                                         const std::vector<Bytes>& sizes);

/// Whether all pairs of a launch have round trips of so many sizes that curves tell something that
/// lines don't.
[[nodiscard]] bool have_curve_sizes(std::span<const TimeTable> launches);
/// Where the curves of all pairs bend, by segmented regression of the one-way times on each side of
/// the eager limit: of each pass the mean over the pairs, each relative to its own mean. Where two
/// lines meet between their observations the curve bends there, elsewhere at both observations
/// beside the break; and at further sizes, one by one, as long as BIC says so. Up to the largest
/// size that all pairs have. Empty: no pair has an empty round trip and another size.
[[nodiscard]] std::vector<Bytes> curve_sizes(std::span<const TimeTable> launches,
                                             std::optional<Bytes> eager_limit);
/// Of each ordered pair the times at these sizes of the curve that is nearest to its one-way times,
/// T(m) = round trip (m, 0) less half an empty one: weights 1/T², continuous on each side of the
/// limit. Where times fall with the size, neighbours share their mean.
/// @param sizes  see curve_sizes()
[[nodiscard]] Estimation<CurvesParameters> estimate_curves(const TimeTable& table,
                                                           std::optional<Bytes> eager_limit,
                                                           const std::vector<Bytes>& sizes);

/// Size of the messages out of the one-to-two experiments, the largest when there are several.
[[nodiscard]] std::optional<Bytes> one_to_two_size(const TimeTable& table);

/// Mean over both directions of the round trips (M, 0) of each pair, checks left out; NaN where
/// there are none.
[[nodiscard]] Matrix round_trips(const TimeTable& table, Bytes size, std::span<const double> times);

/// Rows of round trips i→j (M, 0) of one ordered pair, ascending in size, checks left out.
struct PairSweep {
  std::vector<std::size_t> rows;
  std::vector<double> sizes;
};
/// Indexed by i·n + j. @param keep  which sizes.
template <class Keep>
[[nodiscard]] std::vector<PairSweep> pair_sweeps(const TimeTable& table, Keep&& keep) {
  const auto n = static_cast<std::size_t>(table.ranks());
  std::vector<PairSweep> sweeps(n * n);
  for (std::size_t row = 0; row < table.experiments().size(); ++row) {
    const Experiment& e = table.experiments()[row];
    if (e.kind != Kind::round_trip || e.check || e.back.value != 0 || e.out.value == 0) continue;
    if (!keep(e.out)) continue;
    PairSweep& sweep =
        sweeps[static_cast<std::size_t>(e.root) * n + static_cast<std::size_t>(e.peers.front())];
    sweep.rows.push_back(row);
    sweep.sizes.push_back(static_cast<double>(e.out.value));
  }
  return sweeps;
}

/// Replicates as they are about their centre, but so far apart that their interval is as wide as
/// `half_width` says. Those that are all alike stay so.
[[nodiscard]] std::vector<double> apart(std::vector<double> replicates, double centre,
                                        double half_width, const SpreadRule& rule);

/// Relative residual beyond which a fit is warned of.
inline constexpr double poor_fit = 0.05;

/// That some of the pairs were not measured.
[[nodiscard]] Diagnostic missing_pairs(long measured, long expected);
/// That some launches can't determine what others do.
[[nodiscard]] Diagnostic launches_left_out(long count);

/// Relative residual of a fit: √(sum / (observations − parameters)); NaN with nothing to spare.
[[nodiscard]] double residual_of(double squares, long observations, long parameters);

}  // namespace commgauge
