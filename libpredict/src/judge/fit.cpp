#include "commgauge/judge/fit.hpp"

#include <utility>
#include <vector>

#include "commgauge/classes/whole_machine.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/judge/ranking.hpp"

namespace commgauge {

namespace {

/// The models against what no fit saw.
void judge_models(const std::vector<OneWayTime>& times, Model& model) {
  const std::vector<Comparison> comparisons = against_predictions(model, times).all;
  for (const auto& [name, measured, prediction] : comparisons) {
    model.checks.push_back({name, measured.operation, measured.size, measured.from, measured.to,
                            measured.time_s, prediction.time.value, prediction.extrapolated});
  }
  model.ranking = ranking_of(comparisons);
  model.judgements = judge(model, times, Occasion::same_launches);
}

}  // namespace

Model fit(const Measurements& measurements, const FitOptions& options) {
  auto [model, checks] = estimate(measurements, options);
  judge_models(checks, model);
  if (measurements.survey) return of_whole_machine(std::move(model), *measurements.survey);
  return std::move(model);
}

}  // namespace commgauge
