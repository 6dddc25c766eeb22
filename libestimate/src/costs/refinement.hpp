#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/base/pair_classes.hpp"
#include "commgauge/model/model.hpp"
#include "costs/host_effects.hpp"

namespace commgauge {

/// A kind of ranks of the new machine: one of before, on hosts of one group.
struct KindAndGroup {
  int before;
  int group;
  auto operator<=>(const KindAndGroup&) const = default;
};

/// A model's classes with some of its kinds divided.
struct DividedKinds {
  MachineClasses classes;
  std::vector<KindAndGroup> kinds;
};
/// Ranks of one kind whose hosts are of different groups are of two kinds.
/// @param group_of_rank  by rank
/// @param suffix_of  what a kind's name ends with, by its first rank
/// @pre model.classes
[[nodiscard]] DividedKinds divided_kinds(const Model& model, const std::vector<int>& group_of_rank,
                                         const std::function<std::string(int rank)>& suffix_of);

/// By what parameters are multiplied: those of pairs, and those of ranks.
struct Effects {
  std::vector<HostEffect> of_classes;  ///< PairClasses::class_of of the new machine
  std::vector<HostEffect> of_kinds;    ///< of the new machine
};

template <class Parameters>
std::vector<const std::vector<Matrix>*> curves_of(const Parameters& parameters) {
  std::vector<const std::vector<Matrix>*> curves;
  visit_fields(parameters, [&](const FieldFacts&, const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, std::vector<Matrix>>) {
      curves.push_back(&field);
    }
  });
  return curves;
}

/// Brings parameters by classes to divided kinds, each multiplied by its effect.
class Refinement {
 public:
  Refinement(std::shared_ptr<const PairClasses> before, std::shared_ptr<const PairClasses> after,
             std::vector<KindAndGroup> kinds)
      : before_{std::move(before)}, after_{std::move(after)}, kinds_{std::move(kinds)} {}

  /// @param central  the parameters that these are the ends of, or themselves
  template <class Parameters>
  void operator()(Parameters& parameters, const Parameters& central, const Effects& effects) const {
    const std::vector<const std::vector<Matrix>*> curves = curves_of(central);
    std::size_t next = 0;
    visit_fields(parameters, [&](const FieldFacts& facts, auto& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      const double HostEffect::*part =
          facts.unit == Unit::seconds_per_byte ? &HostEffect::per_byte : &HostEffect::fixed;
      if constexpr (std::is_same_v<Field, Matrix>) {
        if (field.size() > 0) field = refined(field, effects.of_classes, part);
      } else if constexpr (std::is_same_v<Field, std::vector<Matrix>>) {
        field = refined(field, *curves[next++], effects.of_classes);
      } else if constexpr (std::is_same_v<Field, std::vector<double>>) {
        for (std::size_t rank = 0; rank < field.size(); ++rank) {
          field[rank] *= effects.of_kinds[at(after_->of(static_cast<int>(rank)).kind)].*part;
        }
      }
    });
  }

  /// Calls use(class before, class after, kind from, kind to) for each class; kinds of the new
  /// machine.
  template <class Use>
  void for_each_class(Use&& use) const {
    for (const bool is_within : {false, true}) {
      for (int from = 0; from < after_->kinds(); ++from) {
        for (int to = 0; to < after_->kinds(); ++to) {
          use(at(before_->class_of_kinds(kinds_[at(from)].before, kinds_[at(to)].before,
                                         is_within)),
              at(after_->class_of_kinds(from, to, is_within)), from, to);
        }
      }
    }
  }

 private:
  [[nodiscard]] Matrix refined(const Matrix& matrix, const std::vector<HostEffect>& effects,
                               const double HostEffect::*part) const {
    Matrix result(after_);
    for_each_class([&](std::size_t before, std::size_t after, int, int) {
      result.values()[after] = effects[after].*part * matrix.values()[before];
    });
    return result;
  }

  /// Of each size. @param central  tells which share of it is what bytes add
  [[nodiscard]] std::vector<Matrix> refined(const std::vector<Matrix>& curve,
                                            const std::vector<Matrix>& central,
                                            const std::vector<HostEffect>& effects) const {
    std::vector<Matrix> result(curve.size(), Matrix(after_));
    for_each_class([&](std::size_t before, std::size_t after, int, int) {
      const double first = central.front().values()[before];
      for (std::size_t k = 0; k < curve.size(); ++k) {
        result[k].values()[after] = factor_at(first, central[k].values()[before], effects[after]) *
                                    curve[k].values()[before];
      }
    });
    return result;
  }

  /// What a size takes beyond the first one is what bytes add. Where it takes less the factor is
  /// one of the two.
  [[nodiscard]] static double factor_at(double first, double here, const HostEffect& effect) {
    const double factor = (effect.fixed * first + effect.per_byte * (here - first)) / here;
    if (!std::isfinite(factor)) return std::isnan(first) ? effect.per_byte : effect.fixed;
    return std::clamp(factor, std::min(effect.fixed, effect.per_byte),
                      std::max(effect.fixed, effect.per_byte));
  }

  std::shared_ptr<const PairClasses> before_;
  std::shared_ptr<const PairClasses> after_;
  std::vector<KindAndGroup> kinds_;
};

/// Which part of a spread replicates of a kind take: predictions widen what draws differ by, which
/// is that of the mean of all passes, to that of one.
[[nodiscard]] double share_of_spread(const Model& model, ReplicateKind kind);

}  // namespace commgauge
