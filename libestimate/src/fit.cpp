#include "commgauge/fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "commgauge/error.hpp"
#include "commgauge/predict.hpp"
#include "commgauge/statistics.hpp"
#include "estimators.hpp"
#include "text.hpp"
#include "time_table.hpp"

namespace commgauge {

namespace {

std::optional<Bytes> eager_limit_of(const Measurements& measurements, Model& model) {
  std::optional<Bytes> limit;
  bool differ = false;
  for (const Launch& launch : measurements.launches) {
    if (!launch.eager_limit_bytes) continue;
    const Bytes found{*launch.eager_limit_bytes};
    differ = differ || (limit && *limit != found);
    if (!limit || found < *limit) limit = found;
  }
  if (differ) {
    model.warnings.push_back("the launches disagree about the eager limit: the smallest is used");
  }
  return limit;
}

/// Puts a model into its place, or notes why it isn't there.
template <class Parameters>
void take(Estimate<Parameters> estimate, const std::string& name, const FitOptions& options,
          std::optional<Fitted<Parameters>>& place, Model& model) {
  const bool named = std::ranges::find(options.models, name) != options.models.end();
  if (!options.models.empty() && !named) return;
  place = std::move(estimate.fitted);
  if (place) return;
  const std::string reason = name + ": " + estimate.undetermined;
  if (named) {
    throw FitError(reason + " (the measurements can't determine it): measure what is missing, or "
                            "leave the model out");
  }
  model.not_determined += (model.not_determined.empty() ? "" : "; ") + reason;
}

/// One-way times that no fit saw.
std::vector<Check> checks_of(const TimeTable& table) {
  std::vector<Check> checks;
  const Matrix empty = round_trips(table, Bytes{0}, table.times());
  for (std::size_t row = 0; row < table.experiments().size(); ++row) {
    const Experiment& e = table.experiments()[row];
    if (!e.check) continue;
    Check check;
    check.from = e.root;
    check.measured_s = table.times()[row];
    if (e.kind == Kind::round_trip && e.back.value == 0) {
      check.operation = "p2p";
      check.to = e.peers.front();
      check.size = e.out;
      check.measured_s -= empty(e.root, check.to) / 2;
    } else if (e.kind == Kind::scatter || e.kind == Kind::gather) {
      check.operation = to_text(e.kind);
      check.size = e.kind == Kind::scatter ? e.out : e.back;
    } else {
      continue;
    }
    if (check.measured_s > 0) checks.push_back(std::move(check));
  }
  return checks;
}

void judge(const TimeTable& table, Model& model) {
  for (const Check& measured : checks_of(table)) {
    for (const std::string& name : model_names()) {
      if (!model.has(name)) continue;
      if (name == "hockney" && !model.hockney) continue;
      Check check = measured;
      check.model = name;
      const Prediction prediction =
          predict(model, {name, parse_operation(check.operation), check.from, check.to, check.size});
      check.predicted_s = prediction.time.value;
      check.extrapolated = prediction.extrapolated;
      model.checks.push_back(std::move(check));
    }
  }
}

void rank(Model& model) {
  std::map<std::string, std::map<std::string, std::vector<double>>> errors;
  for (const Check& check : model.checks) {
    errors[check.model][check.operation].push_back(std::abs(check.relative_error()));
  }
  for (const auto& [name, operations] : errors) {
    Ranking ranking{name, 0, {}};
    for (const auto& [operation, values] : operations) {
      ranking.operations.emplace_back(operation, median(values));
      ranking.error += ranking.operations.back().second / static_cast<double>(operations.size());
    }
    model.ranking.push_back(std::move(ranking));
  }
  std::ranges::stable_sort(model.ranking, {}, &Ranking::error);
}

void warn(const Measurements& measurements, const TimeTable& table, Model& model) {
  const auto rows = measurements.observations.size();
  const auto open = std::ranges::count(measurements.observations, false, &Observation::converged);
  if (open > 0) {
    model.warnings.push_back(std::to_string(open) + " of " + std::to_string(rows) +
                             " measurements did not reach the asked precision");
  }
  for (const Launch& launch : measurements.launches) {
    if (!launch.complete) {
      model.warnings.push_back("a launch is incomplete (" + launch.incomplete_reason +
                               "): what is there was used");
    }
  }
  if (table.replicate_kind() == ReplicateKind::draws) {
    model.warnings.push_back(
        "there are fewer than three passes: intervals come from the spread within them and miss "
        "what varies between passes and launches");
  } else if (measurements.launches.size() == 1) {
    model.warnings.push_back(
        "one launch is one sample of placement and memory layout: merge the measurements of five "
        "launches for intervals that hold for the next one");
  } else if (measurements.launches.size() < 4) {
    model.warnings.push_back("with " + std::to_string(measurements.launches.size()) +
                             " launches the intervals are honest but wide: merge five or more");
  }
}

}  // namespace

Model fit(const Measurements& measurements, const FitOptions& options) {
  for (const std::string& name : options.models) {
    if (std::ranges::find(model_names(), name) == model_names().end()) {
      throw InputError("unknown model '" + name +
                       "' (known: hockney, lom, lmo, bottleneck): give some of them");
    }
  }
  if (measurements.observations.empty()) {
    throw FitError("there are no measurements (nothing was observed): calibrate again");
  }
  const TimeTable table(measurements, options.confidence);
  Model model;
  model.launches = measurements.launches;
  model.confidence = options.confidence;
  model.ranks = measurements.ranks();
  model.eager_limit = eager_limit_of(measurements, model);

  auto eager = estimate_hockney(table, Regime::eager, model.eager_limit);
  auto rendezvous = model.eager_limit
                        ? estimate_hockney(table, Regime::rendezvous, model.eager_limit)
                        : Estimate<HockneyParameters>{};
  // With sizes on one side only, that side is the model.
  if (!eager.fitted && rendezvous.fitted) std::swap(eager, rendezvous);
  take(std::move(eager), "hockney", options, model.hockney, model);
  if (model.hockney) model.hockney_rendezvous = std::move(rendezvous.fitted);
  take(estimate_lom(table), "lom", options, model.lom, model);
  take(estimate_lmo(table), "lmo", options, model.lmo, model);
  take(estimate_bottleneck(table), "bottleneck", options, model.bottleneck, model);
  if (std::ranges::none_of(model_names(),
                           [&](const std::string& name) { return model.has(name); })) {
    throw FitError("no model can be determined (" + model.not_determined +
                   "): measure more ranks, or for longer");
  }
  judge(table, model);
  rank(model);
  warn(measurements, table, model);
  return model;
}

}  // namespace commgauge
