#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/tasks/measured_tasks.hpp"

namespace commgauge::tasks {

/// Tasks in an order in which the first n, for any n, are a random sample that is spread evenly:
/// halve the box of all tasks again and again, each time across its longest side; of the first n of
/// a box each half has its share, and which one has the odd one is drawn by the seed. Each task is
/// equally likely to be among the first n, whatever the others are, so what they say of all is
/// without bias, and the halves make it surer the smoother the times are. Nothing is kept: O(n log
/// N)
///
/// @return the first n, ascending. @pre n <= shape.size()
[[nodiscard]] std::vector<std::uint64_t> first_of_sample(const Shape& shape, std::uint64_t seed,
                                                         std::uint64_t n);

/// How many of the first ones were all measured. O(m log m log N), m tasks measured
[[nodiscard]] std::uint64_t measured_of_sample(const MeasuredTasks& measured, std::uint64_t seed);

/// What a sample says of all tasks.
struct SampleTotal {
  Estimate total;  ///< [s]
  /// Of the total as it would be drawn again. Intervals hold as often as they say where it is small
  /// (Cochran 1977: at most 0.2); where a few long tasks decide it isn't.
  double skewness{};
};
inline constexpr double most_skewness = 0.2;

/// The sum over all tasks by the first n of the sample: strata are boxes with at least four of
/// them. The interval is Student's, its degrees of freedom Satterthwaite's, and wider by a factor
/// for being looked at after each round (docs/method.md). It doesn't hold kinds of tasks of which
/// the sample has none: rarest_seen().
/// @pre the first n were measured, at least two
[[nodiscard]] SampleTotal total_of_sample(const MeasuredTasks& measured, std::uint64_t seed,
                                          std::uint64_t n, double confidence);

/// Of how many tasks one must be of a kind for a sample of n to have one with that confidence.
[[nodiscard]] double rarest_seen(std::uint64_t n, double confidence);

/// For each task which of the measured ones stands for it, itself or one of its stratum: each as
/// often as the others, in an order drawn by `draw`. Places in `measured`. O(tasks)
[[nodiscard]] std::vector<std::uint32_t> stand_ins(const MeasuredTasks& measured,
                                                   std::uint64_t seed, std::uint64_t n,
                                                   std::uint64_t draw);

struct PlanOptions {
  double precision{0.02};  ///< half width of the total's interval, relative
  double confidence{0.95};
  std::uint64_t seed{1};
  std::optional<std::uint64_t> most{};  ///< of the sample to run in all; nothing: all tasks
};

/// A task whose time alone leaves open more than the others do together.
struct Doubtful {
  std::uint64_t number{};
  double time_s{};
  double others_s{};  ///< median of those of its stratum
};

struct Plan {
  std::vector<std::uint64_t> next;  ///< tasks to run, ascending; empty: nothing is left to do
  std::uint64_t run{};              ///< the first so many of the sample were
  std::optional<Estimate> total;    ///< of all tasks [s], as far as they were run
  double skewness{};                ///< SampleTotal::skewness
  /// The interval is as narrow as asked and can be trusted, or all tasks were run.
  bool is_precise{};
  std::optional<Doubtful> doubtful;  ///< why it isn't, perhaps: something else ran, too
};

/// Which tasks to run next: a first round of 256, then as many as the interval's width asks for, by
/// a quarter more each time at least, and twice as many at most.
/// @param measured  what was run so far; nothing: none. Tasks that aren't of the sample don't
/// count.
[[nodiscard]] Plan plan(const Shape& shape, const std::optional<MeasuredTasks>& measured,
                        const PlanOptions& options = {});

}  // namespace commgauge::tasks
