#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

struct Row {
  std::string parameter;
  std::string where{};  ///< of pairs by classes
  int from{-1};
  int to{-1};
  Bytes size{};  ///< of a curve
  double value{};
  bool has_size{};
};

void collect(std::vector<Row>& rows, const std::string& name, double field) {
  rows.push_back({.parameter = name, .value = field});
}
void collect(std::vector<Row>& rows, const std::string& name, const std::vector<double>& field) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    rows.push_back({.parameter = name, .from = static_cast<int>(i), .value = field[i]});
  }
}
void collect_classes(std::vector<Row>& rows, const std::string& name, const Matrix& field) {
  const PairClasses& classes = *field.classes();
  for (const bool is_within : {false, true}) {
    for (int from = 0; from < classes.kinds(); ++from) {
      for (int to = 0; to < classes.kinds(); ++to) {
        const int place = classes.class_of_kinds(from, to, is_within);
        rows.push_back({.parameter = name,
                        .where = is_within ? "within_host" : "between_hosts",
                        .from = from,
                        .to = to,
                        .value = field.values()[static_cast<std::size_t>(place)]});
      }
    }
  }
}
void collect(std::vector<Row>& rows, const std::string& name, const Matrix& field) {
  if (field.classes()) return collect_classes(rows, name, field);
  for (int i = 0; i < field.size(); ++i) {
    for (int j = 0; j < field.size(); ++j) {
      if (i != j) rows.push_back({.parameter = name, .from = i, .to = j, .value = field(i, j)});
    }
  }
}

/// The first rank of each kind stands for it.
std::vector<double> by_kind(const std::vector<double>& of_ranks, const PairClasses& classes) {
  std::vector<double> of_kinds(static_cast<std::size_t>(classes.kinds()), std::nan(""));
  for (int rank = classes.ranks() - 1; rank >= 0; --rank) {
    of_kinds[static_cast<std::size_t>(classes.of(rank).kind)] =
        of_ranks[static_cast<std::size_t>(rank)];
  }
  return of_kinds;
}

/// Every number of a model, in the same order for value, low and high.
/// @param classes  null: of each rank and pair
template <class Parameters>
std::vector<Row> rows_of(const Parameters& p, const PairClasses* classes) {
  std::vector<Row> rows;
  visit_fields(p, [&](const FieldFacts& facts, const auto& field) {
    const std::string name = facts.name;
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::vector<double>>) {
      if (classes != nullptr) return collect(rows, name, by_kind(field, *classes));
    }
    if constexpr (requires { collect(rows, name, field); }) {
      collect(rows, name, field);
    } else {
      for (std::size_t k = 0; k < field.size(); ++k) {
        const std::size_t before = rows.size();
        collect(rows, name, field[k]);
        for (std::size_t row = before; row < rows.size(); ++row) {
          rows[row].size = p.sizes[k];
          rows[row].has_size = true;
        }
      }
    }
  });
  return rows;
}

std::string cell(int rank) { return rank < 0 ? "" : std::to_string(rank); }
std::string cell(double value) { return std::isnan(value) ? "" : exact(value); }

template <class Parameters>
void add(std::string& csv, const std::string& model,
         const std::optional<Fitted<Parameters>>& fitted, const PairClasses* classes) {
  if (!fitted) return;
  const std::vector<Row> values = rows_of(fitted->value, classes);
  const std::vector<Row> low = rows_of(fitted->low, classes);
  const std::vector<Row> high = rows_of(fitted->high, classes);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Row& row = values[k];
    // Neither a value nor a bound: not measured.
    if (std::isnan(row.value) && std::isnan(high[k].value)) continue;
    csv += model + "," + row.parameter + (classes != nullptr ? "," + row.where : "") + "," +
           cell(row.from) + "," + cell(row.to) + "," +
           (row.has_size ? std::to_string(row.size.value) : "") + "," + cell(row.value) + "," +
           cell(low[k].value) + "," + cell(high[k].value) + "\n";
  }
}

}  // namespace

Exported export_csv(const Model& model) {
  Exported result;
  const PairClasses* const classes = model.classes ? model.classes->pairs.get() : nullptr;
  result.text = classes != nullptr
                    ? "model,parameter,where,from_kind,to_kind,size_bytes,value,low,high\n"
                    : "model,parameter,from,to,size_bytes,value,low,high\n";
  const auto write = [&](const FitFacts& facts, const auto& fitted) {
    add(result.text, std::string{facts.name}, fitted, classes);
  };
  for_each_fit(write, model);
  return result;
}

}  // namespace commgauge
