#include "estimate-model/text/classes_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

constexpr std::size_t most_deviations_shown = 20;
constexpr std::size_t most_rows_shown = 32;

/// One column: a parameter, by place of its numbers.
template <class Values>
struct ClassColumn {
  FieldFacts facts;
  const Values* value;
  const Values* low;
  const Values* high;
};

template <class Values, class Parameters>
std::vector<std::pair<FieldFacts, const Values*>> shown_fields(const Parameters& p) {
  std::vector<std::pair<FieldFacts, const Values*>> fields;
  visit_fields(p, [&](const FieldFacts& facts, const auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Values>) {
      if (facts.is_shown && field.size() > 0) fields.emplace_back(facts, &field);
    }
  });
  return fields;
}

template <class Values, class Parameters>
std::vector<ClassColumn<Values>> columns_of(const Fitted<Parameters>& fitted) {
  const auto low = shown_fields<Values>(fitted.low);
  const auto high = shown_fields<Values>(fitted.high);
  std::vector<ClassColumn<Values>> columns;
  for (const auto& [facts, value] : shown_fields<Values>(fitted.value)) {
    const std::size_t k = columns.size();
    columns.push_back({facts, value, low[k].second, high[k].second});
  }
  return columns;
}

bool is_per_byte(const FieldFacts& facts) { return facts.unit == Unit::seconds_per_byte; }

std::string title_of(const FieldFacts& facts) {
  return std::string{facts.symbol} + (is_per_byte(facts) ? " [ns/B]" : " [µs]");
}

std::string cell(const FieldFacts& facts, double value, double low, double high) {
  return with_interval(value, low, high, is_per_byte(facts) ? nano : micro);
}

/// Those that have pairs, most of them first.
std::vector<int> classes_by_pairs(const std::vector<std::int64_t>& counts) {
  std::vector<int> places(counts.size());
  std::iota(places.begin(), places.end(), 0);
  std::erase_if(places, [&](int place) { return counts[at(place)] == 0; });
  std::ranges::stable_sort(places, std::greater{}, [&](int place) { return counts[at(place)]; });
  return places;
}

/// What tables of one model show, and say if that isn't all.
class Rows {
 public:
  Rows(const MachineClasses& classes, Extent extent)
      : classes_{classes},
        counts_{classes.pairs->pair_counts()},
        places_{classes_by_pairs(counts_)} {
    all_ = places_.size();
    if (extent == Extent::worst && all_ > most_rows_shown) places_.resize(most_rows_shown);
    const int first = std::max(1, classes.pairs->kinds());
    kinds_ = extent == Extent::worst ? std::min(first, static_cast<int>(most_rows_shown)) : first;
  }

  template <class Parameters>
  [[nodiscard]] std::string of_pairs(const Fitted<Parameters>& fitted) const {
    const auto columns = columns_of<Matrix>(fitted);
    if (columns.empty()) return "";
    std::vector<std::string> header{"messages", "pairs"};
    for (const auto& column : columns) header.push_back(title_of(column.facts));
    Table table{header};
    for (const int place : places_) {
      std::vector<std::string> row{classes_.name_of_class(place),
                                   std::to_string(counts_[at(place)])};
      for (const auto& column : columns) {
        row.push_back(cell(column.facts, column.value->values()[at(place)],
                           column.low->values()[at(place)], column.high->values()[at(place)]));
      }
      table.add(row);
    }
    return table.text() + left_out(places_.size(), all_, "those of most pairs");
  }

  template <class Parameters>
  [[nodiscard]] std::string of_ranks(const Fitted<Parameters>& fitted) const {
    const auto columns = columns_of<std::vector<double>>(fitted);
    if (columns.empty()) return "";
    std::vector<std::string> header{"ranks"};
    for (const auto& column : columns) header.push_back(title_of(column.facts));
    Table table{header};
    for (int kind = 0; kind < kinds_; ++kind) {
      const int rank = first_of(kind);
      if (rank < 0) continue;
      std::vector<std::string> row{"of kind " + classes_.kinds[at(kind)].name};
      for (const auto& column : columns) {
        row.push_back(cell(column.facts, (*column.value)[at(rank)], (*column.low)[at(rank)],
                           (*column.high)[at(rank)]));
      }
      table.add(row);
    }
    return table.text() + left_out(at(kinds_), classes_.kinds.size(), "the first");
  }

  [[nodiscard]] std::string kinds() const {
    Table table{{"kind of ranks", "hosts", "ranks", "hosts differ, fixed", "per byte"}};
    for (int kind = 0; kind < kinds_; ++kind) {
      const RankKind& one = classes_.kinds[at(kind)];
      table.add({one.name, std::to_string(one.hosts), std::to_string(ranks_of(kind)),
                 spread(one.spread_fixed), spread(one.spread_per_byte)});
    }
    return table.text() + left_out(at(kinds_), classes_.kinds.size(), "the first");
  }

 private:
  static std::string spread(double share) { return std::isnan(share) ? "-" : percent(share); }
  static std::string left_out(std::size_t shown, std::size_t all, const std::string& which) {
    if (shown >= all) return "";
    return "  (" + which + ", " + std::to_string(shown) + " of " + std::to_string(all) +
           "; --all shows the others)\n";
  }
  [[nodiscard]] int first_of(int kind) const {
    for (int rank = 0; rank < classes_.pairs->ranks(); ++rank) {
      if (classes_.pairs->of(rank).kind == kind) return rank;
    }
    return -1;
  }
  [[nodiscard]] int ranks_of(int kind) const {
    int count = 0;
    for (int rank = 0; rank < classes_.pairs->ranks(); ++rank) {
      count += classes_.pairs->of(rank).kind == kind;
    }
    return count;
  }

  const MachineClasses& classes_;
  std::vector<std::int64_t> counts_;
  std::vector<int> places_;
  std::size_t all_{};
  int kinds_{};
};

}  // namespace

std::string deviations_text(const MachineClasses& classes, Extent extent) {
  if (classes.deviations.empty()) return "";
  std::string text = "\nWhat isn't like its kind\n";
  const std::size_t all = classes.deviations.size();
  const std::size_t shown =
      extent == Extent::everything ? all : std::min(all, most_deviations_shown);
  for (std::size_t k = 0; k < shown; ++k) {
    text += indented(classes.deviations[k].sentence());
  }
  if (shown == all) return text;
  return text + "  the first " + std::to_string(shown) + " of " + std::to_string(all) +
         " (--all shows the others)\n";
}

std::string classes_text(const Model& model, Extent extent) {
  const Rows rows(*model.classes, extent);
  std::string text =
      "\n" + one_line("Ranks and pairs by classes (found by " + model.classes->found + ")") + "\n";
  text += rows.kinds();
  for_each_fit(
      [&](const FitFacts& facts, const auto& fitted) {
        if (!fitted) return;
        const std::string tables = rows.of_ranks(*fitted) + rows.of_pairs(*fitted);
        if (!tables.empty()) text += "\n" + std::string{facts.title} + "\n" + tables;
      },
      model);
  return text;
}

}  // namespace commgauge::tools
