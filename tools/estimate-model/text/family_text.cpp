#include "estimate-model/text/family_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <type_traits>

#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

/// A row of the table: a parameter by the names of the models' fields.
struct Parameter {
  const char* title;
  const char* field;
  double scale;
};
constexpr std::array<Parameter, 10> parameters{{
    {"L [µs]", "mean_L", micro},
    {"o [µs]", "mean_o", micro},
    {"o' sending [µs]", "mean_o_prime_s", micro},
    {"O sending [ns/B]", "mean_O_s", nano},
    {"o' receiving [µs]", "mean_o_prime_r", micro},
    {"O receiving [ns/B]", "mean_O_r", nano},
    {"g [µs]", "mean_g", micro},
    {"G' [ns/B]", "mean_G_prime", nano},
    {"G [ns/B]", "mean_G", nano},
    {"s [B]", "s", 1},
}};

template <class Parameters>
std::map<std::string, double> numbers(const Parameters& p) {
  std::map<std::string, double> found;
  visit_fields(p, [&](const FieldFacts& facts, const auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, double>) found[facts.name] = field;
  });
  return found;
}

/// Its interval has no middle.
std::string packet_size_cell(double value, double low, double high) {
  if (std::isnan(value)) return "-";
  return number(value) + " (" + number(low) + " to " + number(high) + ")";
}

/// Values with intervals by name of field.
template <class Parameters>
std::map<std::string, std::string> cells(const Fitted<Parameters>& fitted) {
  const auto values = numbers(fitted.value);
  const auto low = numbers(fitted.low);
  const auto high = numbers(fitted.high);
  std::map<std::string, std::string> found;
  for (const Parameter& p : parameters) {
    if (!values.contains(p.field)) continue;
    if (std::string_view{p.field} == "s") {
      found[p.field] = packet_size_cell(values.at("s"), low.at("s"), high.at("s"));
      continue;
    }
    found[p.field] = with_interval(values.at(p.field), low.at(p.field), high.at(p.field), p.scale);
  }
  return found;
}

struct FamilyColumn {
  std::string model;
  std::map<std::string, std::string> cells;
};

template <class Parameters>
void add_column(std::vector<FamilyColumn>& columns, const std::string& model,
                const std::optional<Fitted<Parameters>>& fitted) {
  if (fitted) columns.push_back({model, cells(*fitted)});
}

std::string table_text(const std::vector<FamilyColumn>& columns) {
  std::vector<std::string> header{"mean over the pairs"};
  for (const FamilyColumn& column : columns) header.push_back(column.model);
  Table table{header};
  for (const Parameter& p : parameters) {
    const auto has = [&](const FamilyColumn& column) { return column.cells.contains(p.field); };
    if (std::ranges::none_of(columns, has)) continue;
    std::vector<std::string> row{p.title};
    for (const FamilyColumn& column : columns)
      row.push_back(has(column) ? column.cells.at(p.field) : "-");
    table.add(row);
  }
  return table.text();
}

std::string growth_text(const Fitted<OverheadGrowth>& growth) {
  Table table{{"o' = o'_a + o'_b P", "o'_a [µs]", "o'_b [µs]"}};
  const auto add = [&](const std::string& title, double OverheadGrowth::*a,
                       double OverheadGrowth::*b) {
    table.add({title, with_interval(growth.value.*a, growth.low.*a, growth.high.*a, micro),
               with_interval(growth.value.*b, growth.low.*b, growth.high.*b, micro)});
  };
  add("sending", &OverheadGrowth::o_prime_a_s, &OverheadGrowth::o_prime_b_s);
  add("receiving", &OverheadGrowth::o_prime_a_r, &OverheadGrowth::o_prime_b_r);
  add("mean of both", &OverheadGrowth::o_prime_a, &OverheadGrowth::o_prime_b);
  return table.text();
}

std::string plogp_text(const PLogPParameters& p) {
  return "  plogp: curves of " + counted(std::ssize(p.sizes), "size") + " from " +
         to_text(p.sizes.front()) + " to " + to_text(p.sizes.back()) +
         ", see `predict --model plogp`\n";
}

}  // namespace

std::string family_text(const Model& model) {
  std::vector<FamilyColumn> columns;
  add_column(columns, "logp", model.logp);
  add_column(columns, "loggp", model.loggp);
  add_column(columns, "loggps", model.loggps);
  std::string text;
  if (!columns.empty()) text += table_text(columns);
  if (model.overhead_growth) text += growth_text(*model.overhead_growth);
  if (model.plogp) text += plogp_text(model.plogp->value);
  if (text.empty()) return "";
  const std::string waiting =
      model.receive_wait.empty() ? "" : " (while receivers wait: " + model.receive_wait + ")";
  return "\nLogP family" + waiting + "\n" + text;
}

}  // namespace commgauge::tools
