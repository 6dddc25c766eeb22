#include "commgauge/classes/whole_machine.hpp"

#include <memory>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/classes/find_classes.hpp"
#include "commgauge/model/classed.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "model/arrays.hpp"

namespace commgauge {

namespace {

MachineClasses classes_of_sample(const MachineClasses& all) {
  std::vector<PairClasses::Rank> ranks;
  for (const int rank : all.sample) ranks.push_back(all.pairs->of(rank));
  MachineClasses sampled = all;
  sampled.pairs = std::make_shared<const PairClasses>(std::move(ranks), all.pairs->kinds());
  sampled.sample.clear();
  return sampled;
}

/// Multiplies a set of parameters by classes.
class Bringing {
 public:
  Bringing(const PairClasses& pairs, const ClassFactors& factors)
      : pairs_{pairs}, factors_{factors} {}

  template <class Parameters>
  void operator()(Parameters& parameters) const {
    for_each_array(parameters, [&](const FieldFacts& facts, auto& array) {
      if (facts.part == Part::none) return;
      multiply(array, facts.unit == Unit::seconds_per_byte ? factors_.per_byte : factors_.fixed);
    });
  }

 private:
  static void multiply(Matrix& matrix, const std::vector<double>& by) {
    for (std::size_t one = 0; one < matrix.values().size(); ++one) matrix.values()[one] *= by[one];
  }
  /// A rank's own by what its kind does among itself.
  void multiply(std::vector<double>& of_ranks, const std::vector<double>& by) const {
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      const int kind = pairs_.of(static_cast<int>(rank)).kind;
      of_ranks[rank] *= by[at(pairs_.class_of_kinds(kind, kind, false))];
    }
  }

  const PairClasses& pairs_;
  const ClassFactors& factors_;
};

void bring_to_mean(Model& model, const ClassFactors& factors) {
  const Bringing bring(*model.classes->pairs, factors);
  for_each_fit(
      [&](const FitFacts& facts, auto& fitted) {
        if (!fitted || !facts.predicts) return;
        for (auto* one : {&fitted->value, &fitted->low, &fitted->high}) bring(*one);
        for (auto& replicate : fitted->replicates) bring(replicate);
      },
      model);
}

}  // namespace

Model of_whole_machine(Model sampled, const Survey& survey) {
  if (static_cast<int>(survey.sample.size()) != sampled.ranks) {
    throw InputError("the survey's sample has " + std::to_string(survey.sample.size()) +
                     " ranks, " + std::to_string(sampled.ranks) +
                     " were measured: calibrate again");
  }
  MachineClasses all = find_classes(survey);
  Model model = pooled(std::move(sampled), classes_of_sample(all));
  bring_to_mean(model, class_factors(survey, all));
  return laid_out(model, std::move(all), survey.ranks);
}

}  // namespace commgauge
