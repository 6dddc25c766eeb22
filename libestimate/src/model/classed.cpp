#include "commgauge/model/classed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/model/spread.hpp"
#include "model/arrays.hpp"

namespace commgauge {

namespace {

/// The parameters of pairs and of ranks, each in the order of visit_fields.
struct Parts {
  std::vector<Matrix*> of_pairs;
  std::vector<std::vector<double>*> of_ranks;
};

template <class Parameters>
Parts parts_of(Parameters& parameters) {
  Parts parts;
  for_each_array(parameters, [&](const FieldFacts&, auto& array) {
    if constexpr (std::is_same_v<decltype(array), Matrix&>) {
      parts.of_pairs.push_back(&array);
    } else {
      parts.of_ranks.push_back(&array);
    }
  });
  return parts;
}

/// Numbers, and of which class each of them is.
struct Grouping {
  struct Member {
    std::uint32_t place;
    std::uint32_t group;
  };
  std::vector<Member> members;
  std::size_t groups;
};

Grouping by_kind(const PairClasses& classes) {
  Grouping result{{}, at(classes.kinds())};
  for (int rank = 0; rank < classes.ranks(); ++rank) {
    result.members.push_back(
        {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(classes.of(rank).kind)});
  }
  return result;
}

/// Both directions of a pair follow one another: what is the same in both has the same mean.
Grouping by_class(const PairClasses& classes) {
  Grouping result{{}, at(classes.classes())};
  const int n = classes.ranks();
  const auto add = [&](int from, int to) {
    result.members.push_back({static_cast<std::uint32_t>(from * n + to),
                              static_cast<std::uint32_t>(classes.class_of(from, to))});
  };
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      add(i, j);
      add(j, i);
    }
  }
  return result;
}

/// A parameter: its value, its ends, and that of each replicate.
struct Column {
  std::vector<double>* value;
  std::vector<double>* low;
  std::vector<double>* high;
  std::vector<std::vector<double>*> replicates;
};

/// Means of the members of each group.
class Means {
 public:
  explicit Means(std::size_t groups) : sums_(groups), counts_(groups) {}
  void add(std::size_t group, double number) {
    sums_[group] += number;
    ++counts_[group];
  }
  [[nodiscard]] long count(std::size_t group) const { return counts_[group]; }
  /// NaN of none.
  [[nodiscard]] double operator()(std::size_t group) const {
    return counts_[group] > 0 ? sums_[group] / static_cast<double>(counts_[group]) : unknown_value;
  }
  [[nodiscard]] std::vector<double> all() const {
    std::vector<double> means;
    for (std::size_t group = 0; group < sums_.size(); ++group) means.push_back((*this)(group));
    return means;
  }

 private:
  std::vector<double> sums_;
  std::vector<long> counts_;
};

/// Of the numbers that have a value, and not a bound only.
std::vector<double> means_of(const std::vector<double>& replicate, const std::vector<double>& value,
                             const Grouping& grouping) {
  Means means(grouping.groups);
  for (const auto [place, group] : grouping.members) {
    if (!std::isnan(value[place]) && !std::isnan(replicate[place])) {
      means.add(group, replicate[place]);
    }
  }
  return means.all();
}

/// Value and, of groups that are bounded, the bound.
struct Central {
  std::vector<double> value;
  std::vector<double> bound;
};

Central central_of(const Column& column, const Grouping& grouping) {
  Means known(grouping.groups);
  Means bounded(grouping.groups);
  Means all(grouping.groups);
  for (const auto [place, group] : grouping.members) {
    const double value = (*column.value)[place];
    const double bound = (*column.high)[place];
    if (std::isnan(value) && std::isnan(bound)) continue;
    (std::isnan(value) ? bounded : known).add(group, std::isnan(value) ? bound : value);
    all.add(group, std::isnan(value) ? bound : value);
  }
  Central central{known.all(), std::vector<double>(grouping.groups, unknown_value)};
  for (std::size_t group = 0; group < grouping.groups; ++group) {
    if (bounded.count(group) <= known.count(group)) continue;
    central.value[group] = unknown_value;
    central.bound[group] = all(group);
  }
  return central;
}

void pool(const Column& column, const Grouping& grouping, const SpreadRule& spread_of) {
  Central central = central_of(column, grouping);
  std::vector<std::vector<double>> replicates;
  for (const auto* one : column.replicates) {
    replicates.push_back(means_of(*one, *column.value, grouping));
  }
  std::vector<double> low(grouping.groups);
  std::vector<double> high(grouping.groups);
  std::vector<double> of_group(replicates.size());
  for (std::size_t group = 0; group < grouping.groups; ++group) {
    for (std::size_t r = 0; r < replicates.size(); ++r) {
      if (std::isnan(central.value[group])) replicates[r][group] = unknown_value;
      of_group[r] = replicates[r][group];
    }
    const double half = spread_of(of_group).mean_half_width;
    const double value = central.value[group];
    low[group] = value - half;
    high[group] = std::isnan(value) ? central.bound[group] : value + half;
  }
  *column.value = std::move(central.value);
  *column.low = std::move(low);
  *column.high = std::move(high);
  for (std::size_t r = 0; r < replicates.size(); ++r) {
    *column.replicates[r] = std::move(replicates[r]);
  }
}

std::vector<double> spread_out(const std::vector<double>& of_kinds, const PairClasses& classes) {
  std::vector<double> of_ranks;
  for (int rank = 0; rank < classes.ranks(); ++rank) {
    of_ranks.push_back(of_kinds[at(classes.of(rank).kind)]);
  }
  return of_ranks;
}

/// Value, low, high and replicates of the k-th parameter of one shape.
template <class Parameter>
using Copies = std::vector<Parameter*>;

template <class Parameters>
std::vector<Parts> all_parts(Fitted<Parameters>& fitted) {
  std::vector<Parts> all{parts_of(fitted.value), parts_of(fitted.low), parts_of(fitted.high)};
  for (Parameters& replicate : fitted.replicates) all.push_back(parts_of(replicate));
  return all;
}

template <class Parameter>
Copies<Parameter> copies_of(const std::vector<Parts>& all, std::vector<Parameter*> Parts::*shape,
                            std::size_t k) {
  Copies<Parameter> copies;
  for (const Parts& parts : all) copies.push_back((parts.*shape)[k]);
  return copies;
}

Column column_of(const Copies<std::vector<double>>& copies) {
  return {copies[0], copies[1], copies[2], {copies.begin() + 3, copies.end()}};
}

class Pooling {
 public:
  explicit Pooling(std::shared_ptr<const PairClasses> classes)
      : classes_{std::move(classes)}, kinds_{by_kind(*classes_)}, pairs_{by_class(*classes_)} {}

  template <class Parameters>
  void operator()(Fitted<Parameters>& fitted, double confidence) const {
    const SpreadRule spread_of(fitted.replicate_kind, fitted.replicates.size(), confidence);
    const std::vector<Parts> all = all_parts(fitted);
    for (std::size_t k = 0; k < all.front().of_ranks.size(); ++k) {
      pool_ranks(copies_of(all, &Parts::of_ranks, k), spread_of);
    }
    for (std::size_t k = 0; k < all.front().of_pairs.size(); ++k) {
      pool_pairs(copies_of(all, &Parts::of_pairs, k), spread_of);
    }
  }

 private:
  void pool_ranks(const Copies<std::vector<double>>& lists, const SpreadRule& spread_of) const {
    pool(column_of(lists), kinds_, spread_of);
    for (std::vector<double>* list : lists) *list = spread_out(*list, *classes_);
  }

  void pool_pairs(const Copies<Matrix>& matrices, const SpreadRule& spread_of) const {
    Copies<std::vector<double>> lists;
    for (Matrix* matrix : matrices) lists.push_back(&matrix->values());
    pool(column_of(lists), pairs_, spread_of);
    for (Matrix* matrix : matrices) {
      Matrix by_classes(classes_);
      by_classes.values() = std::move(matrix->values());
      *matrix = std::move(by_classes);
    }
  }

  std::shared_ptr<const PairClasses> classes_;
  Grouping kinds_;
  Grouping pairs_;
};

/// Which rank stands for each kind; -1: there is none of it.
std::vector<int> first_of_kinds(const PairClasses& classes) {
  std::vector<int> first(at(classes.kinds()), -1);
  for (int rank = classes.ranks() - 1; rank >= 0; --rank) first[at(classes.of(rank).kind)] = rank;
  return first;
}

std::vector<double> of_kinds(const std::vector<double>& of_ranks, const PairClasses& classes) {
  std::vector<double> values;
  for (const int rank : first_of_kinds(classes)) {
    values.push_back(rank < 0 ? unknown_value : of_ranks[at(rank)]);
  }
  return values;
}

void lay_out(const Parts& parts, const PairClasses& before,
             const std::shared_ptr<const PairClasses>& after) {
  for (Matrix* matrix : parts.of_pairs) *matrix = matrix->laid_out(after);
  for (std::vector<double>* list : parts.of_ranks) {
    *list = spread_out(of_kinds(*list, before), *after);
  }
}

/// Which of the others each rank of the model is, or is like; -1: there is none of its kind.
std::vector<int> places_of_ranks(const PairClasses& before, const MachineClasses& after) {
  if (after.sample.size() == at(before.ranks())) return after.sample;
  const std::vector<int> first = first_of_kinds(*after.pairs);
  std::vector<int> places;
  for (int rank = 0; rank < before.ranks(); ++rank) {
    places.push_back(first[at(before.of(rank).kind)]);
  }
  return places;
}

/// Those that measured it, by their new numbers. Checks whose two ranks are like one go.
void rename_ranks(Model& model, const std::vector<int>& places) {
  for (Check& check : model.checks) {
    check.from = places[at(check.from)];
    if (check.to >= 0) check.to = places[at(check.to)];
  }
  std::erase_if(model.checks,
                [](const Check& check) { return check.from < 0 || check.from == check.to; });
  for (auto& [name, kappas] : model.kappas) kappas.root = std::max(0, places[at(kappas.root)]);
}

void require_others(const Model& classed, const MachineClasses& others, std::size_t places) {
  if (!classed.classes) {
    throw InputError("the model has no classes (each pair has its own values): pool it first");
  }
  if (classed.classes->pairs->kinds() == others.pairs->kinds() &&
      places == at(others.pairs->ranks())) {
    return;
  }
  throw InputError("a model of " + std::to_string(classed.classes->pairs->kinds()) +
                   " kinds of ranks is laid out for " + std::to_string(others.pairs->ranks()) +
                   " ranks of " + std::to_string(others.pairs->kinds()) + " kinds at " +
                   std::to_string(places) + " places: give as many");
}

}  // namespace

Model pooled(Model dense, const MachineClasses& of_its_ranks) {
  if (of_its_ranks.pairs->ranks() != dense.ranks) {
    throw InputError("the classes are of " + std::to_string(of_its_ranks.pairs->ranks()) +
                     " ranks, the model has " + std::to_string(dense.ranks) +
                     " (each has to be of a kind): give those of its ranks");
  }
  const Pooling pool(of_its_ranks.pairs);
  for_each_fit(
      [&](const FitFacts&, auto& fitted) {
        if (fitted) pool(*fitted, dense.confidence);
      },
      dense);
  dense.classes = of_its_ranks;
  return dense;
}

Model laid_out(const Model& classed, MachineClasses others, std::vector<RankPlace> places) {
  require_others(classed, others, places.size());
  const PairClasses& before = *classed.classes->pairs;
  Model model = classed;
  for_each_fit(
      [&](const FitFacts&, auto& fitted) {
        if (!fitted) return;
        for (const Parts& parts : all_parts(*fitted)) lay_out(parts, before, others.pairs);
      },
      model);
  rename_ranks(model, places_of_ranks(before, others));
  model.ranks = others.pairs->ranks();
  for (Launch& launch : model.launches) {
    const bool is_largest = launch.ranks.size() == at(before.ranks());
    const std::size_t count = is_largest ? places.size() : launch.ranks.size();
    launch.ranks.assign(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(
                                                             std::min(count, places.size())));
  }
  model.classes = std::move(others);
  return model;
}

}  // namespace commgauge
