#pragma once

#include <string_view>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// What is known of a fit beside its parameters, whose shapes visit_fields() shows.
struct FitFacts {
  std::string_view name;        ///< alone: in CSV files, for Python
  std::string_view label;       ///< for people
  std::string_view model;       ///< in whose object of a model file it stands
  std::string_view part;        ///< as which member of that; empty: it is the model
  bool predicts{true};          ///< is a model, or part of one
  int least_ranks{2};           ///< of a calibration: three for experiments with two peers
  std::string_view optional{};  ///< a parameter that a file may leave out

  [[nodiscard]] bool is_model() const { return part.empty(); }
};

/// The list of models: calls visit(facts, model.fit...) for every fit that a model file can have,
/// in the order of files and tables, a model before its parts. Of several files (compare) the same
/// fit of each. A new model is a struct, its visit_fields(), a member of Model, and a line here.
template <class Visit, class... Models>
void for_each_fit(Visit&& visit, Models&... files) {
  const auto model = [](std::string_view name, int least_ranks = 2,
                        std::string_view optional = {}) {
    return FitFacts{name, name, name, {}, true, least_ranks, optional};
  };
  visit(model("hockney"), files.hockney...);
  visit(FitFacts{"hockney_rendezvous", "hockney above the eager limit", "hockney", "rendezvous"},
        files.hockney_rendezvous...);
  visit(model("lom", 3, "L"), files.lom...);
  visit(model("lmo", 3), files.lmo...);
  visit(model("bottleneck", 3), files.bottleneck...);
  visit(model("logp"), files.logp...);
  visit(model("loggp"), files.loggp...);
  visit(model("loggps"), files.loggps...);
  visit(model("plogp"), files.plogp...);
  visit(model("start_up"), files.start_up...);
  visit(FitFacts{"overhead_growth", "overhead_growth", "loggps", "overhead_growth", false},
        files.overhead_growth...);
}

}  // namespace commgauge
