#include <cmath>
#include <cstdio>
#include <utility>

#include "commgauge/model/model_list.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

struct Row {
  std::string parameter;
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
void collect(std::vector<Row>& rows, const std::string& name, const Matrix& field) {
  for (int i = 0; i < field.size(); ++i) {
    for (int j = 0; j < field.size(); ++j) {
      if (i != j) rows.push_back({.parameter = name, .from = i, .to = j, .value = field(i, j)});
    }
  }
}

/// Every number of a model, in the same order for value, low and high.
template <class Parameters>
std::vector<Row> rows_of(const Parameters& p) {
  std::vector<Row> rows;
  visit_fields(p, [&](const FieldFacts& facts, const auto& field) {
    const std::string name = facts.name;
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
         const std::optional<Fitted<Parameters>>& fitted) {
  if (!fitted) return;
  const std::vector<Row> values = rows_of(fitted->value);
  const std::vector<Row> low = rows_of(fitted->low);
  const std::vector<Row> high = rows_of(fitted->high);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Row& row = values[k];
    // Neither a value nor a bound: not measured.
    if (std::isnan(row.value) && std::isnan(high[k].value)) continue;
    csv += model + "," + row.parameter + "," + cell(row.from) + "," + cell(row.to) + "," +
           (row.has_size ? std::to_string(row.size.value) : "") + "," + cell(row.value) + "," +
           cell(low[k].value) + "," + cell(high[k].value) + "\n";
  }
}

}  // namespace

Exported export_csv(const Model& model) {
  Exported result;
  result.text = "model,parameter,from,to,size_bytes,value,low,high\n";
  const auto write = [&](const FitFacts& facts, const auto& fitted) {
    add(result.text, std::string{facts.name}, fitted);
  };
  for_each_fit(write, model);
  return result;
}

}  // namespace commgauge
