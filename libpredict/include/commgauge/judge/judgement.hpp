#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commgauge/assemble/one_way.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

/// When the times that a model is judged by were measured.
enum class Occasion {
  same_launches,  ///< by the launches that the model is made of
  fresh_launch    ///< by another one, which may differ from them as launches do
};

/// Judges every model of the file by operation, algorithm and size; what a model says nothing of
/// does not count. The rule, see docs/models.md:
///
/// - noise: two passes of n differ by |a − b|/t; 1/√(2n) of the median of that over all times of
///   the operation and size and all pairs of passes. A perfect model's median error would be about
///   as large. Of several launches these take the passes' place. Of a single pass it is what the
///   intervals within it say.
/// - bias: the interval joins how the median over the times varies from pass to pass with how their
///   predictions vary between the parameters' replicates.
[[nodiscard]] std::vector<Judgement> judge(const Model& model, const std::vector<OneWayTime>& times,
                                           Occasion occasion);

/// A model's error at most this many times the noise is as good as the machine is quiet, and more
/// than this many times it is beyond noise.
inline constexpr double most_quiet = 1.5;
inline constexpr double least_beyond_noise = 2;
/// A bias this many times its interval's half width is surely to one side: 99 % where that is 95 %.
inline constexpr double sure_side = 1.5;

/// @param judgement  all but its verdict is read
/// @param parameter_noise  what the scatter of the parameters makes of the error; joins the noise
[[nodiscard]] Verdict verdict_of(const Judgement& judgement, double parameter_noise,
                                 bool launches_may_differ);

/// "gathers of 23 KiB are predicted at 0.4 of what they take: the model leaves something out"
[[nodiscard]] std::string in_words(const Judgement& judgement);
/// A line for each; those that are quiet share one. Extrapolated ones are left out.
[[nodiscard]] std::vector<std::string> in_words(const std::vector<Judgement>& judgements);
/// "beyond lmo's intervals: gathers of 23 KiB are predicted at 0.4 of what they take: the model
/// leaves something out"; what is surely off by more than noise: the intervals of a model's
/// predictions hold what the parameters leave open, not what the model leaves out. By size,
/// ascending.
/// @param algorithm  not looked at where it is no collective
[[nodiscard]] std::vector<std::string> beyond_intervals(const Model& model, std::string_view name,
                                                        Operation operation, Algorithm algorithm);
/// "gathers of 23 KiB"
[[nodiscard]] std::string subject_of(const Judgement& judgement);
/// Of one model, in their order.
[[nodiscard]] std::vector<Judgement> judgements_of(const std::vector<Judgement>& all,
                                                   std::string_view model);

/// How far two validations of one machine are apart: no model can be told to be better than that.
struct Disagreement {
  Operation operation{};
  Algorithm algorithm{Algorithm::flat};  ///< without meaning where it is no collective
  Bytes size;
  long times{};    ///< that both have
  double value{};  ///< median of |a - b| / their mean
};
/// Of what both have measured; by operation, algorithm and size.
[[nodiscard]] std::vector<Disagreement> disagreements(const std::vector<OneWayTime>& first,
                                                      const std::vector<OneWayTime>& second);
/// An error at most this many times the disagreement may be the machine's.
inline constexpr double may_be_noise = 1.5;

/// The noise of an operation, or of all, as the ranking counts errors: averaged over sizes, then
/// over operations. NaN: unknown.
[[nodiscard]] double noise_of(const Model& model, Operation operation);
[[nodiscard]] double noise_of(const Model& model);

}  // namespace commgauge
