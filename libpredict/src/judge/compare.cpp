#include "commgauge/judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/model/flatten.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

namespace {

/// One number of a model with its interval and its name.
struct Number {
  std::string family;  ///< the name without its rank or pair
  std::string name;
  double value;
  double below;  ///< from the value to the interval's ends
  double above;
};

bool is_symmetric(const Matrix& m) {
  for (int i = 0; i < m.size(); ++i) {
    for (int j = i + 1; j < m.size(); ++j) {
      if (m(i, j) != m(j, i)) return false;
    }
  }
  return true;
}

std::string place(int i) { return "[" + std::to_string(i) + "]"; }

std::string place(const std::string& name) { return "[" + name + "]"; }

/// The first rank of its kind.
bool stands_for_kind(const PairClasses& classes, int rank) {
  for (int other = 0; other < rank; ++other) {
    if (classes.of(other).kind == classes.of(rank).kind) return false;
  }
  return true;
}

/// To the byte where two sizes beside one another would be the same in words.
std::string text_of(const std::vector<Bytes>& sizes, std::size_t k) {
  const std::string text = to_text(sizes[k]);
  const bool is_last = k + 1 == sizes.size();
  const bool is_alike =
      (k > 0 && to_text(sizes[k - 1]) == text) || (!is_last && to_text(sizes[k + 1]) == text);
  return is_alike ? std::to_string(sizes[k].value) + " B" : text;
}

/// All numbers that have a value and an interval; of symmetric matrices the upper triangle.
/// @param classes  null: of each pair and rank
template <class Parameters>
std::vector<Number> numbers_of(const Fitted<Parameters>& fitted, const std::string& prefix,
                               const MachineClasses* classes) {
  std::vector<Number> numbers;
  const std::vector<double> low = flatten(fitted.low);
  const std::vector<double> high = flatten(fitted.high);
  auto next_low = low.begin();
  auto next_high = high.begin();
  const auto add = [&](const std::string& name, const std::string& where, double value) {
    const double below = value - *next_low++;
    const double above = *next_high++ - value;
    if (std::isnan(below + above)) return;
    numbers.push_back({prefix + name, prefix + name + where, value, below, above});
  };
  const auto add_matrix = [&](const std::string& name, const Matrix& field) {
    if (field.classes()) {
      int of_pairs = 0;
      for (const double value : field.values()) {
        add(name, place(classes->name_of_class(of_pairs++)), value);
      }
      return;
    }
    const bool symmetric = is_symmetric(field);
    for (int i = 0; i < field.size(); ++i) {
      for (int j = 0; j < field.size(); ++j) {
        const bool repeated = symmetric && j < i;
        add(name, place(i) + place(j), repeated ? std::nan("") : field(i, j));
      }
    }
  };
  visit_fields(fitted.value, [&](const FieldFacts& facts, const auto& field) {
    const std::string name = facts.name;
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, double>) {
      add(name, "", field);
    } else if constexpr (std::is_same_v<Field, Matrix>) {
      add_matrix(name, field);
    } else if constexpr (std::is_same_v<Field, std::vector<Matrix>>) {
      for (std::size_t k = 0; k < field.size(); ++k) {
        add_matrix(name + "(" + text_of(fitted.value.sizes, k) + ")", field[k]);
      }
    } else {
      for (std::size_t i = 0; i < field.size(); ++i) {
        const int rank = static_cast<int>(i);
        if (classes == nullptr) {
          add(name, place(rank), field[i]);
        } else {
          const int kind = classes->pairs->of(rank).kind;
          const bool is_shown = stands_for_kind(*classes->pairs, rank);
          add(name, place("kind " + classes->kinds[static_cast<std::size_t>(kind)].name),
              is_shown ? field[i] : std::nan(""));
        }
      }
    }
  });
  return numbers;
}

template <class Parameters>
bool has_launches(const Fitted<Parameters>& fitted) {
  return fitted.replicate_kind == ReplicateKind::launches;
}

/// Of an interval of the mean of launches, where the other file is one more launch: its deviation
/// is √(n + 1) times the mean's.
template <class Parameters>
double widening(const Fitted<Parameters>& fitted, const Fitted<Parameters>& other) {
  if (!has_launches(fitted) || has_launches(other)) return 1;
  return std::sqrt(static_cast<double>(fitted.replicates.size()) + 1);
}

/// Those of the files; null where one has none.
struct Classes {
  const MachineClasses* of_old;
  const MachineClasses* of_new;
};

const MachineClasses* classes_of(const Model& model) {
  return model.classes ? &*model.classes : nullptr;
}

template <class Parameters>
void compare(const std::string& model, const std::string& prefix,
             const std::optional<Fitted<Parameters>>& old_fit,
             const std::optional<Fitted<Parameters>>& new_fit, const Classes& classes,
             std::vector<Drift>& drifts) {
  if (!old_fit || !new_fit) return;
  const double old_widening = widening(*old_fit, *new_fit);
  const double new_widening = widening(*new_fit, *old_fit);
  const bool holds_launches = has_launches(*old_fit) || has_launches(*new_fit);
  const std::vector<Number> before = numbers_of(*old_fit, prefix, classes.of_old);
  const std::vector<Number> after = numbers_of(*new_fit, prefix, classes.of_new);
  auto next = after.begin();
  for (const Number& number : before) {
    const auto same = std::find_if(next, after.end(),
                                   [&](const Number& other) { return other.name == number.name; });
    if (same == after.end()) continue;
    next = same;
    // Of each interval the side on which the other value lies.
    const bool grew = same->value > number.value;
    const double old_side = old_widening * (grew ? number.above : number.below);
    const double new_side = new_widening * (grew ? same->below : same->above);
    drifts.push_back({model, number.family, number.name, number.value, same->value,
                      std::hypot(old_side, new_side), holds_launches});
  }
}

double agreeing_share(const std::vector<Drift>& drifts) {
  const auto agreeing =
      std::ranges::count_if(drifts, [](const Drift& drift) { return !drift.significant(); });
  return static_cast<double>(agreeing) / static_cast<double>(drifts.size());
}

/// The best of the old file that the new one has, too.
std::string common_model(const Model& old_model, const Model& new_model) {
  for (const std::string& name : old_model.names()) {
    if (new_model.has(name)) return name;
  }
  return "";
}

/// Of all fits of a file.
Bytes largest_size(const Model& model) {
  Bytes largest{0};
  const auto look_at = [&](const FitFacts& facts, const auto& fitted) {
    if (fitted && facts.predicts) largest = std::max(largest, fitted->last);
  };
  for_each_fit(look_at, model);
  return largest;
}

/// Calls use(from, to, count) for every ordered pair; where both models have the same classes for
/// one of each, with how many there are.
template <class Use>
void for_each_pair(const Model& old_model, const Model& new_model, Use&& use) {
  if (old_model.classes && new_model.classes &&
      *old_model.classes->pairs == *new_model.classes->pairs) {
    const std::vector<PairClasses::Pair> examples = old_model.classes->pairs->examples();
    const std::vector<std::int64_t> counts = old_model.classes->pairs->pair_counts();
    for (std::size_t k = 0; k < examples.size(); ++k) {
      if (counts[k] > 0) use(examples[k].from, examples[k].to, counts[k]);
    }
    return;
  }
  for (int i = 0; i < old_model.ranks; ++i) {
    for (int j = 0; j < old_model.ranks; ++j) {
      if (i != j) use(i, j, 1);
    }
  }
}

/// Of all pairs that both models have, how many times as long, or as short, a message takes.
std::vector<double> time_ratios(const Model& old_model, const Model& new_model,
                                const std::string& name, Bytes size) {
  std::vector<double> ratios;
  for_each_pair(old_model, new_model, [&](int from, int to, std::int64_t count) {
    const Query query{name, Operation::p2p, from, to, size};
    const auto before = predict_time_if_measured(old_model, query);
    const auto after = predict_time_if_measured(new_model, query);
    if (!before || !after) return;
    const double ratio = *after / *before;
    if (ratio > 0)
      ratios.insert(ratios.end(), static_cast<std::size_t>(count), std::max(ratio, 1 / ratio));
  });
  return ratios;
}

bool is_beyond_launches(const std::vector<double>& ratios) {
  const auto beyond =
      std::ranges::count_if(ratios, [](double ratio) { return ratio > beyond_launches; });
  return static_cast<double>(beyond) > (1 - enough_agree) * static_cast<double>(ratios.size());
}

/// Times that links are judged by: one number for each ordered pair, with its interval.
struct LinkTimes {
  std::string parameter;
  std::string fit;
  FieldFacts field;
  const Matrix& value;
  const Matrix& low;
};

std::vector<double> row_medians(const Matrix& values) {
  std::vector<double> medians;
  for (int i = 0; i < values.size(); ++i) {
    std::vector<double> of_rank;
    for (int j = 0; j < values.size(); ++j) {
      for (const double value : {values(i, j), values(j, i)}) {
        if (i != j && !std::isnan(value)) of_rank.push_back(value);
      }
    }
    medians.push_back(of_rank.empty() ? std::nan("") : median(of_rank));
  }
  return medians;
}

std::string name_of(const Model& model, int rank) {
  return model.host(rank) + " (rank " + std::to_string(rank) + ")";
}

std::string link_name(const Model& model, int from, int to) {
  return "link " + name_of(model, from) + " to " + name_of(model, to);
}

void find_outliers(const Model& model, const LinkTimes& times, double factor,
                   std::vector<Outlier>& found) {
  const std::vector<double> of_rank = row_medians(times.value);
  const std::vector<double> lows = row_medians(times.low);
  std::vector<double> known;
  std::ranges::copy_if(of_rank, std::back_inserter(known),
                       [](double value) { return !std::isnan(value); });
  if (known.size() < 3) return;
  const double typical = median(known);
  if (typical <= 0) return;
  for (int i = 0; i < model.ranks; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (of_rank[k] > factor * typical && lows[k] > typical) {
      found.push_back({"host " + name_of(model, i), times.parameter, times.fit, times.field.name,
                       times.field.unit, of_rank[k], typical, lows[k], i});
    }
  }
  // A slow rank explains its links; what is beyond that is the link's own.
  const auto explained = [&](int i, int j) {
    return std::max(
        {of_rank[static_cast<std::size_t>(i)], of_rank[static_cast<std::size_t>(j)], typical});
  };
  const auto stands_out = [&](int i, int j) {
    return times.value(i, j) > factor * explained(i, j) && times.low(i, j) > explained(i, j);
  };
  for (int i = 0; i < model.ranks; ++i) {
    for (int j = i + 1; j < model.ranks; ++j) {
      const bool there = stands_out(i, j);
      const bool back = stands_out(j, i);
      if (!there && !back) continue;
      const bool both = there && back;
      const bool back_is_worse = back && !(there && times.value(i, j) >= times.value(j, i));
      const auto [from, to] = back_is_worse ? std::pair(j, i) : std::pair(i, j);
      Outlier link{link_name(model, from, to),
                   times.parameter,
                   times.fit,
                   times.field.name,
                   times.field.unit,
                   times.value(from, to),
                   explained(i, j),
                   times.low(from, to),
                   from,
                   to,
                   both};
      if (both) link.what = link_name(model, i, j) + " and back";
      found.push_back(std::move(link));
    }
  }
}

/// Its parameters of the pairs, in the order of files.
std::vector<std::pair<FieldFacts, const Matrix*>> matrices_of(const HockneyParameters& p) {
  std::vector<std::pair<FieldFacts, const Matrix*>> all;
  visit_fields(p, [&](const FieldFacts& facts, const auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Matrix>) {
      all.emplace_back(facts, &field);
    }
  });
  return all;
}

}  // namespace

bool Drift::significant() const { return std::abs(new_value - old_value) > combined_half_width; }

std::vector<Drift> compare(const Model& old_model, const Model& new_model) {
  if (old_model.ranks != new_model.ranks) {
    throw InputError("the models have " + std::to_string(old_model.ranks) + " and " +
                     std::to_string(new_model.ranks) +
                     " ranks (their parameters don't correspond): compare models of one machine");
  }
  std::vector<Drift> drifts;
  const Classes classes{classes_of(old_model), classes_of(new_model)};
  const auto compare_fits = [&](const FitFacts& facts, const auto& old_fit, const auto& new_fit) {
    const std::string part = facts.is_model() ? "" : std::string{facts.part} + ".";
    compare(std::string{facts.model}, part, old_fit, new_fit, classes, drifts);
  };
  for_each_fit(compare_fits, old_model, new_model);
  if (drifts.empty()) {
    throw InputError("the files have no model in common: fit both with the same --models");
  }
  return drifts;
}

ChangeFound find_change(const Model& old_model, const Model& new_model,
                        const std::vector<Drift>& drifts) {
  std::vector<Drift> judged;
  std::ranges::copy_if(drifts, std::back_inserter(judged), &Drift::holds_launches);
  const bool holds_launches = !judged.empty();
  if (!holds_launches) judged = drifts;
  ChangeFound found{Change::none, judged.empty() ? 1 : agreeing_share(judged), ""};
  const bool agree = found.agreeing >= enough_agree;
  for (const Model* const one : {&old_model, &new_model}) {
    // Wide intervals of times that can't be trusted agree with everything.
    const Quietness found_then = quietness(one->launches);
    const bool busy = found_then == Quietness::busy && !holds_launches && !agree;
    if (!busy && found_then != Quietness::too_busy) continue;
    found.change = Change::not_certain;
    found.reason = "when one was measured, " + busy_line(one->launches);
    return found;
  }
  if (agree) return found;
  found.change = Change::certain;
  found.reason = "beyond what launches differ by";
  if (holds_launches) return found;
  const std::string name = common_model(old_model, new_model);
  const std::vector<double> empty = time_ratios(old_model, new_model, name, Bytes{0});
  const std::vector<double> full = time_ratios(old_model, new_model, name, largest_size(old_model));
  if (is_beyond_launches(empty) || is_beyond_launches(full)) {
    found.reason = "messages take more than " + two_digits(beyond_launches) +
                   " times as long or as short, which is beyond what launches differ by";
    return found;
  }
  found.change = Change::not_certain;
  found.reason =
      "each file holds one launch, and their intervals don't hold what differs between launches";
  return found;
}

std::vector<Deviation> slow_deviations(const Model& model, double factor) {
  std::vector<Deviation> found;
  if (!model.classes) return found;
  const auto is_slow = [factor](const Estimate& ratio) {
    return ratio.value >= factor && !(ratio.low <= 1);
  };
  std::ranges::copy_if(model.classes->deviations, std::back_inserter(found),
                       [&](const Deviation& deviation) {
                         return is_slow(deviation.fixed) || is_slow(deviation.per_byte);
                       });
  return found;
}

std::vector<Outlier> outliers(const Model& model, double factor) {
  std::vector<Outlier> found;
  if (model.classes) return found;
  const auto judge = [&](const std::string& fit,
                         const std::optional<Fitted<HockneyParameters>>& fitted,
                         const std::string& regime) {
    if (!fitted) return;
    const auto lows = matrices_of(fitted->low);
    auto low = lows.begin();
    for (const auto& [facts, values] : matrices_of(fitted->value)) {
      const char* name = facts.unit == Unit::seconds_per_byte ? "time per byte" : "latency";
      find_outliers(model, {name + regime, fit, facts, *values, *low++->second}, factor, found);
    }
  };
  judge("hockney", model.hockney, model.hockney_rendezvous ? " of small messages" : "");
  judge("hockney_rendezvous", model.hockney_rendezvous, " of large messages");
  std::ranges::stable_sort(found, [](const Outlier& one, const Outlier& other) {
    return std::pair(one.peer >= 0, -one.ratio()) < std::pair(other.peer >= 0, -other.ratio());
  });
  return found;
}

}  // namespace commgauge
