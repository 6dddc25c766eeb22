#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <map>
#include <memory>
#include <ranges>
#include <utility>
#include <variant>

#include "base/diagnostic_json.hpp"
#include "base/json_lines.hpp"
#include "base/json_reader.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "measurements/launch_json.hpp"
#include "model/classes_json.hpp"
#include "model/fabric_json.hpp"
#include "thresholds/threshold_json.hpp"

namespace commgauge {
namespace {

using detail::OrderedJson;
using detail::Reader;

constexpr std::string_view model_schema = "commgauge.model/1";
/// Of models by classes: one number for each of these, or for each kind, in place of n × n, or n.
constexpr std::string_view schema_by_classes = "commgauge.model/2";

/// A parameter of any model: a scalar, one per rank, one per pair, or one per pair and size.
using Field = std::variant<double*, std::vector<double>*, Matrix*, std::vector<Matrix>*>;
using ConstField = std::variant<const double*, const std::vector<double>*, const Matrix*,
                                const std::vector<Matrix>*>;

/// Whose numbers are read: of so many ranks, by classes or each for itself.
struct Shape {
  int ranks;
  std::shared_ptr<const PairClasses> classes;

  [[nodiscard]] int kind_of(int rank) const { return classes ? classes->of(rank).kind : rank; }
};

struct Named {
  std::string_view name;
  Field field;
};
struct ConstNamed {
  std::string_view name;
  ConstField field;
};

template <class P>
std::vector<Named> fields_of(P& parameters) {
  std::vector<Named> result;
  visit_fields(parameters, [&](const FieldFacts& facts, auto& field) {
    result.push_back({facts.name, &field});
  });
  return result;
}

template <class P>
std::vector<ConstNamed> fields_of(const P& parameters) {
  std::vector<ConstNamed> result;
  visit_fields(parameters, [&](const FieldFacts& facts, const auto& field) {
    result.push_back({facts.name, &field});
  });
  return result;
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Of classes no half is left out.
bool is_symmetric(const Matrix& m) {
  if (m.classes()) return false;
  for (int i = 0; i < m.size(); ++i) {
    for (int j = 0; j < i; ++j) {
      if (!same_bits(m(i, j), m(j, i))) return false;
    }
  }
  return true;
}

bool is_symmetric(const ConstField& field) {
  if (const auto* const matrix = std::get_if<const Matrix*>(&field)) return is_symmetric(**matrix);
  const auto* const list = std::get_if<const std::vector<Matrix>*>(&field);
  return list != nullptr &&
         std::ranges::all_of(**list, [](const Matrix& m) { return is_symmetric(m); });
}

bool is_empty_matrix(const ConstField& field) {
  const auto* const matrix = std::get_if<const Matrix*>(&field);
  return matrix != nullptr && (*matrix)->size() == 0;
}

OrderedJson rows_to_json(const Matrix& m, bool symmetric) {
  OrderedJson rows = OrderedJson::array();
  for (int i = 0; i < m.size(); ++i) {
    OrderedJson row = OrderedJson::array();
    for (int j = symmetric ? i : 0; j < m.size(); ++j)
      row.push_back(i == j ? unknown_value : m(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Row by row, or the number of each class.
OrderedJson pairs_to_json(const Matrix& m, bool symmetric) {
  return m.classes() ? OrderedJson(m.values()) : rows_to_json(m, symmetric);
}

/// Of each kind that of its first rank; null where there is none.
std::vector<double> by_kind(const std::vector<double>& of_ranks, const PairClasses& classes) {
  std::vector<double> of_kinds(static_cast<std::size_t>(classes.kinds()), unknown_value);
  for (int rank = classes.ranks() - 1; rank >= 0; --rank) {
    of_kinds[static_cast<std::size_t>(classes.of(rank).kind)] =
        of_ranks[static_cast<std::size_t>(rank)];
  }
  return of_kinds;
}

/// @param classes  null: each rank for itself
OrderedJson as_json(const ConstField& field, bool symmetric, const PairClasses* classes) {
  if (const auto* scalar = std::get_if<const double*>(&field)) return **scalar;
  if (const auto* vector = std::get_if<const std::vector<double>*>(&field)) {
    return classes != nullptr ? by_kind(**vector, *classes) : **vector;
  }
  if (const auto* matrix = std::get_if<const Matrix*>(&field)) {
    return pairs_to_json(**matrix, symmetric);
  }
  OrderedJson list = OrderedJson::array();
  for (const Matrix& matrix : *std::get<const std::vector<Matrix>*>(field)) {
    list.push_back(pairs_to_json(matrix, symmetric));
  }
  return list;
}

/// One parameter of every replicate.
template <class P>
std::vector<ConstField> across(const std::vector<P>& replicates, std::size_t index) {
  std::vector<ConstField> result;
  result.reserve(replicates.size());
  for (const P& replicate : replicates) result.push_back(fields_of(replicate)[index].field);
  return result;
}

OrderedJson sizes_to_json(const std::vector<Bytes>& sizes) {
  OrderedJson result = OrderedJson::array();
  for (const Bytes size : sizes) result.push_back(size.value);
  return result;
}

template <class P>
OrderedJson as_json(const Fitted<P>& fitted, const PairClasses* classes) {
  OrderedJson result = OrderedJson::object();
  if constexpr (requires { fitted.value.sizes; }) {
    result["size_bytes"] = sizes_to_json(fitted.value.sizes);
  }
  OrderedJson replicates{{"kind", to_text(fitted.replicate_kind)}};
  const auto values = fields_of(fitted.value);
  const auto lows = fields_of(fitted.low);
  const auto highs = fields_of(fitted.high);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [name, value] = values[i];
    if (is_empty_matrix(value)) continue;
    const std::vector<ConstField> copies = across(fitted.replicates, i);
    const bool symmetric =
        is_symmetric(value) && is_symmetric(lows[i].field) && is_symmetric(highs[i].field) &&
        std::ranges::all_of(copies, [](const ConstField& copy) { return is_symmetric(copy); });
    OrderedJson parameter = OrderedJson::object();
    if (symmetric) parameter["symmetric"] = true;
    parameter["value"] = as_json(value, symmetric, classes);
    parameter["low"] = as_json(lows[i].field, symmetric, classes);
    parameter["high"] = as_json(highs[i].field, symmetric, classes);
    result[std::string{name}] = std::move(parameter);
    OrderedJson column = OrderedJson::array();
    for (const ConstField& copy : copies) column.push_back(as_json(copy, symmetric, classes));
    replicates[std::string{name}] = std::move(column);
  }
  result["range_bytes"] = {fitted.first.value, fitted.last.value};
  result["residual"] = fitted.residual;
  result["observations"] = fitted.observations;
  detail::add_warnings(result, fitted.warnings);
  result["replicates"] = std::move(replicates);
  return result;
}

OrderedJson models_to_json(const Model& model) {
  assert(model.hockney || !model.hockney_rendezvous);
  OrderedJson models = OrderedJson::object();
  const PairClasses* const classes = model.classes ? model.classes->pairs.get() : nullptr;
  const auto write = [&](const FitFacts& facts, const auto& fitted) {
    if (!fitted) return;
    const bool within = !facts.is_model() && models.contains(facts.model);
    OrderedJson& place = within ? models[std::string{facts.model}] : models;
    place[std::string{facts.is_model() ? facts.name : facts.part}] = as_json(*fitted, classes);
    if (facts.name == "loggps") models["loggps"]["receive_wait"] = model.receive_wait;
  };
  for_each_fit(write, model);
  for (const auto& [name, kappas] : model.kappas) {
    assert(model.has(name));
    models[name]["kappa"] = detail::as_json(kappas);
  }
  return models;
}

OrderedJson as_json(const std::vector<Check>& checks) {
  OrderedJson result = OrderedJson::array();
  for (const Check& check : checks) {
    OrderedJson to;
    if (check.to >= 0) to = check.to;
    result.push_back({{"model", check.model},
                      {"operation", to_text(check.operation)},
                      {"size_bytes", check.size.value},
                      {"from", check.from},
                      {"to", std::move(to)},
                      {"measured_s", check.measured_s},
                      {"predicted_s", check.predicted_s},
                      {"extrapolated", check.extrapolated}});
  }
  return result;
}

OrderedJson as_json(const std::vector<Ranking>& ranking) {
  OrderedJson result = OrderedJson::array();
  for (const Ranking& place : ranking) {
    OrderedJson operations = OrderedJson::object();
    for (const auto& [operation, error] : place.operations) operations[to_text(operation)] = error;
    result.push_back(
        {{"model", place.model}, {"error", place.error}, {"operations", std::move(operations)}});
  }
  return result;
}

OrderedJson as_json(const std::vector<Judgement>& judgements) {
  OrderedJson result = OrderedJson::array();
  for (const Judgement& one : judgements) {
    OrderedJson algorithm;
    if (is_collective(one.operation)) algorithm = to_text(one.algorithm);
    result.push_back({{"model", one.model},
                      {"operation", to_text(one.operation)},
                      {"algorithm", std::move(algorithm)},
                      {"size_bytes", one.size.value},
                      {"checks", one.checks},
                      {"error", one.error},
                      {"bias", one.bias.value},
                      {"bias_low", one.bias.low},
                      {"bias_high", one.bias.high},
                      {"noise", one.noise},
                      {"extrapolated", one.extrapolated},
                      {"verdict", to_text(one.verdict)}});
  }
  return result;
}

/// Nothing when the file has no model at all.
std::optional<std::string> preferred_or_nothing(const Model& model) {
  const std::vector<std::string> names = model.names();
  return names.empty() ? std::nullopt : std::optional{names.front()};
}

std::vector<double> read_numbers(const Reader& json, int count) {
  json.expect_size(static_cast<std::size_t>(count));
  std::vector<double> result;
  for (std::size_t i = 0; i < json.size(); ++i) result.push_back(json.number_or_nan(i));
  return result;
}

/// Of each rank.
std::vector<double> read_vector(const Reader& json, const Shape& shape) {
  if (!shape.classes) return read_numbers(json, shape.ranks);
  const std::vector<double> of_kinds = read_numbers(json, shape.classes->kinds());
  std::vector<double> result;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    result.push_back(of_kinds[static_cast<std::size_t>(shape.kind_of(rank))]);
  }
  return result;
}

/// Full rows; where `symmetric` a row may also start at the diagonal.
/// The shape is checked before n x n numbers are allocated.
Matrix read_matrix(const Reader& json, int n, bool symmetric) {
  const auto full = static_cast<std::size_t>(n);
  json.expect_size(full);
  for (std::size_t i = 0; i < full; ++i) {
    const Reader row = json[i];
    if (!symmetric || row.size() != full - i) row.expect_size(full);
  }
  Matrix m{n};
  for (int i = 0; i < n; ++i) {
    const Reader row = json[static_cast<std::size_t>(i)];
    const int first = n - static_cast<int>(row.size());
    for (int j = first; j < n; ++j) {
      const auto place = static_cast<std::size_t>(j - first);
      const double x = row.number_or_nan(place);
      if (i == j && !std::isnan(x)) row[place].fail("is on the diagonal, which has to be null");
      if (symmetric && j < i && !same_bits(m(i, j), x)) {
        row[place].fail("differs from its mirror in a symmetric matrix");
      }
      if (symmetric) {
        m.set_both(i, j, x);
      } else {
        m(i, j) = x;
      }
    }
  }
  return m;
}

Matrix read_pairs(const Reader& json, const Shape& shape, bool symmetric) {
  if (!shape.classes) return read_matrix(json, shape.ranks, symmetric);
  std::vector<double> numbers = read_numbers(json, shape.classes->classes());
  Matrix m(shape.classes);
  m.values() = std::move(numbers);
  return m;
}

/// @pre a list of matrices has its length.
void read_field(const Reader& json, const Shape& shape, bool symmetric, const Field& field) {
  if (auto* const* scalar = std::get_if<double*>(&field)) {
    **scalar = json.number_or_nan();
  } else if (auto* const* vector = std::get_if<std::vector<double>*>(&field)) {
    **vector = read_vector(json, shape);
  } else if (auto* const* matrix = std::get_if<Matrix*>(&field)) {
    **matrix = read_pairs(json, shape, symmetric);
  } else {
    std::vector<Matrix>& list = *std::get<std::vector<Matrix>*>(field);
    json.expect_size(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) list[k] = read_pairs(json[k], shape, symmetric);
  }
}

std::vector<double> numbers(const Field& field) {
  if (auto* const* scalar = std::get_if<double*>(&field)) return {**scalar};
  if (auto* const* vector = std::get_if<std::vector<double>*>(&field)) return **vector;
  if (auto* const* matrix = std::get_if<Matrix*>(&field)) return (*matrix)->values();
  std::vector<double> all;
  for (const Matrix& matrix : *std::get<std::vector<Matrix>*>(field)) {
    all.insert(all.end(), matrix.values().begin(), matrix.values().end());
  }
  return all;
}

/// For messages: `, entry 3` of a vector, `, entry 0, 3` of a matrix, `, entry 1, 0, 3` of a list
/// of matrices, nothing for a scalar. Of kinds and classes their own numbers.
std::string entry(const Shape& shape, const Field& field, std::size_t index) {
  if (std::holds_alternative<double*>(field)) return "";
  if (std::holds_alternative<std::vector<double>*>(field)) {
    return ", entry " + std::to_string(shape.kind_of(static_cast<int>(index)));
  }
  const auto cell = [](const Matrix& matrix, std::size_t place) {
    if (matrix.classes()) return std::to_string(place);
    const auto n = static_cast<std::size_t>(matrix.size());
    return std::to_string(place / n) + ", " + std::to_string(place % n);
  };
  if (auto* const* matrix = std::get_if<Matrix*>(&field)) return ", entry " + cell(**matrix, index);
  const std::vector<Matrix>& list = *std::get<std::vector<Matrix>*>(field);
  const std::size_t each = list.front().values().size();
  return ", entry " + std::to_string(index / each) + ", " + cell(list.front(), index % each);
}

constexpr std::array all_replicate_kinds{ReplicateKind::passes, ReplicateKind::launches,
                                         ReplicateKind::draws};
constexpr std::array all_algorithms{Algorithm::flat, Algorithm::binomial};
constexpr std::array all_verdicts{Verdict::quiet, Verdict::unclear, Verdict::leaves_out,
                                  Verdict::differs, Verdict::unknown};

/// The one of `known` whose to_text() is `word`. @throws InputError  none is; names the place.
template <class Enum, std::size_t count>
Enum read_word(const Reader& place, const std::string& word, const std::array<Enum, count>& known) {
  std::vector<std::string> words;
  for (const Enum one : known) {
    if (to_text(one) == word) return one;
    words.emplace_back(to_text(one));
  }
  place.fail("is " + detail::in_quotes(word) + ", which is not " + one_of(words));
}
template <class Enum, std::size_t count>
Enum read_word(const Reader& json, const std::array<Enum, count>& known) {
  return read_word(json, json.text(), known);
}

/// @throws InputError unless low <= value <= high. A bound has a high end only.
void check_order(const Reader& json, const Shape& shape, const Field& value, const Field& low,
                 const Field& high) {
  const auto values = numbers(value);
  const auto lows = numbers(low);
  const auto highs = numbers(high);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) && !std::isnan(lows[i])) {
      json["low"].fail("is set where value is null" + entry(shape, value, i));
    }
    if (lows[i] > values[i]) json["low"].fail("is above the value" + entry(shape, value, i));
    if (highs[i] < values[i]) json["high"].fail("is below the value" + entry(shape, value, i));
  }
}

bool is_one_of(std::string_view words, std::string_view name) {
  return std::ranges::any_of(std::views::split(words, ' '),
                             [&](const auto& word) { return std::ranges::equal(word, name); });
}

/// The parameters, with one entry per replicate for each. Those of `optional` may be left out;
/// `lengths` says how long lists are.
template <class P>
void read_parameters(const Reader& json, const Shape& shape, std::string_view optional,
                     const P& lengths, Fitted<P>& fitted) {
  fitted.value = fitted.low = fitted.high = lengths;
  const auto values = fields_of(fitted.value);
  const auto lows = fields_of(fitted.low);
  const auto highs = fields_of(fitted.high);
  const Reader replicates = json["replicates"];
  fitted.replicate_kind = read_word(replicates["kind"], all_replicate_kinds);
  fitted.replicates.resize(replicates[values.front().name].size(), lengths);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = values[i].name;
    if (!json.has(name) && is_one_of(optional, name)) continue;
    const Reader parameter = json[name];
    const bool symmetric = parameter.has("symmetric") && parameter["symmetric"].flag();
    read_field(parameter["value"], shape, symmetric, values[i].field);
    read_field(parameter["low"], shape, symmetric, lows[i].field);
    read_field(parameter["high"], shape, symmetric, highs[i].field);
    check_order(parameter, shape, values[i].field, lows[i].field, highs[i].field);
    const Reader column = replicates[name];
    column.expect_size(fitted.replicates.size());
    for (std::size_t k = 0; k < fitted.replicates.size(); ++k) {
      read_field(column[k], shape, symmetric, fields_of(fitted.replicates[k])[i].field);
    }
  }
}

template <class P>
Fitted<P> read_fitted(const Reader& json, const Shape& shape, std::string_view optional,
                      const P& lengths) {
  Fitted<P> fitted;
  read_parameters(json, shape, optional, lengths, fitted);
  const Reader range = json["range_bytes"];
  range.expect_size(2);
  fitted.first = range[0].size_bytes();
  fitted.last = range[1].size_bytes();
  if (fitted.first > fitted.last) range.fail("ends before it starts");
  const Reader residual = json["residual"];
  fitted.residual = residual.is_null() ? unknown_value : residual.non_negative();
  fitted.observations = json["observations"].count<long>();
  fitted.warnings = detail::read_warnings(json);
  return fitted;
}

/// How long lists of a model's parameters are.
template <class P>
P read_shape(const Reader& json) {
  P shape;
  if constexpr (requires { shape.sizes; }) {
    const Reader sizes = json["size_bytes"];
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      shape.sizes.push_back(sizes[k].size_bytes());
      if (k > 0 && shape.sizes[k] <= shape.sizes[k - 1]) sizes[k].fail("does not ascend");
    }
    if (shape.sizes.empty() || shape.sizes.front().value != 0) sizes.fail("does not start with 0");
    visit_fields(shape, [&](const FieldFacts&, auto& field) {
      if constexpr (requires { field.front().size(); }) field.resize(shape.sizes.size());
    });
  }
  return shape;
}

/// Older files don't tell what both ways of a link take together.
void complete(Fitted<HostLinks>& links, int ranks) {
  const auto fill = [&](HostLinks& p) {
    if (p.both.empty()) p.both.assign(static_cast<std::size_t>(ranks), unknown_value);
  };
  fill(links.value);
  fill(links.low);
  fill(links.high);
  std::ranges::for_each(links.replicates, fill);
}

/// Older files don't tell what bytes add.
void complete(Fitted<MessageJitter>& jitter) {
  jitter.value.per_byte = jitter.low.per_byte = jitter.high.per_byte = unknown_value;
  for (MessageJitter& one : jitter.replicates) one.per_byte = unknown_value;
}

std::string read_receive_wait(const Reader& json) {
  const std::string& wait = json.text();
  if (wait != "quiet" && wait != "progress") {
    json.fail("is " + detail::in_quotes(wait) + ", which is not quiet or progress");
  }
  return wait;
}

/// Whether the file has this fit, and where. A part of a model that predicts stands within it only.
std::optional<Reader> find_fit(const Reader& models, const FitFacts& facts) {
  const bool has_model = models.has(facts.model);
  if (!has_model && facts.predicts) return std::nullopt;
  if (facts.is_model()) return models[facts.model];
  const Reader place = has_model ? models[facts.model] : models;
  return place.has(facts.part) ? std::optional{place[facts.part]} : std::nullopt;
}

void read_models(const Reader& json, Model& model) {
  (void)json.keys();  // an object, even if no model is in it
  const int n = model.ranks;
  const Shape shape{n, model.classes ? model.classes->pairs : nullptr};
  const auto read = [&](const FitFacts& facts, auto& fitted) {
    const std::optional<Reader> found = find_fit(json, facts);
    if (!found) return;
    using Parameters = std::remove_cvref_t<decltype(fitted->value)>;
    fitted = read_fitted(*found, shape, facts.optional, read_shape<Parameters>(*found));
    if constexpr (std::is_same_v<Parameters, HostLinks>) complete(*fitted, n);
    if constexpr (std::is_same_v<Parameters, MessageJitter>) {
      if (!found->has("per_byte")) complete(*fitted);
    }
    if (facts.name == "loggps") model.receive_wait = read_receive_wait((*found)["receive_wait"]);
  };
  for_each_fit(read, model);
  for (const char* name : {"lom", "lmo"}) {
    if (!json.has(name) || !json[name].has("kappa")) continue;
    model.kappas.emplace_back(name, detail::read_kappas(json[name]["kappa"], n));
  }
}

Check read_check(const Reader& json, int n) {
  Check check;
  check.model = json["model"].text();
  check.operation = read_word(json["operation"], measured_operations);
  check.size = json["size_bytes"].size_bytes();
  check.from = json["from"].rank(n);
  const Reader to = json["to"];
  if (!to.is_null()) check.to = to.rank(n);
  if (check.to == check.from) to.fail("is the same rank as from");
  check.measured_s = json["measured_s"].non_negative();
  check.predicted_s = json["predicted_s"].number();
  check.extrapolated = json["extrapolated"].flag();
  return check;
}

Ranking read_ranking(const Reader& json) {
  Ranking ranking{json["model"].text(), json["error"].non_negative(), {}};
  const Reader operations = json["operations"];
  for (const std::string& name : operations.keys()) {
    const Reader error = operations[name];
    ranking.operations.emplace_back(read_word(error, name, measured_operations),
                                    error.non_negative());
  }
  std::ranges::sort(ranking.operations, {}, &std::pair<Operation, double>::first);
  return ranking;
}

Judgement read_judgement(const Reader& json) {
  Judgement one;
  one.model = json["model"].text();
  one.operation = read_word(json["operation"], measured_operations);
  if (!json["algorithm"].is_null()) one.algorithm = read_word(json["algorithm"], all_algorithms);
  one.size = json["size_bytes"].size_bytes();
  one.checks = json["checks"].count<long>();
  one.error = json["error"].non_negative();
  one.bias = {json["bias"].number(), json["bias_low"].number_or_nan(),
              json["bias_high"].number_or_nan()};
  one.noise = json["noise"].is_null() ? unknown_value : json["noise"].non_negative();
  one.extrapolated = json["extrapolated"].flag();
  one.verdict = read_word(json["verdict"], all_verdicts);
  return one;
}

template <class T, class Read>
std::vector<T> read_list(const Reader& json, Read read) {
  std::vector<T> result;
  for (std::size_t i = 0; i < json.size(); ++i) result.push_back(read(json[i]));
  return result;
}

/// What the ranking says is what counts; an edited file must not say two things.
void check_preferred(const Reader& json, const Model& model) {
  const std::optional<std::string> expected = preferred_or_nothing(model);
  if (!expected && json.is_null()) return;
  if (expected && !json.is_null() && json.text() == *expected) return;
  json.fail("disagrees with the ranking, which says " + expected.value_or("null"));
}

}  // namespace

Model load_model(const std::filesystem::path& file) {
  const std::string name = file == "-" ? "standard input" : file.string();
  return model_from_json(read_file(file), name);
}

Model model_from_json(const std::string& text, const std::string& name) {
  const detail::Json json = detail::parse_json(text, name);
  const Reader root{json, name, ""};
  const bool by_classes =
      detail::read_schema(root, model_schema, schema_by_classes) != model_schema;
  Model model;
  model.confidence = root["confidence"].confidence();
  model.ranks = root["n"].number_of_ranks();
  if (by_classes) model.classes = detail::read_classes(root["classes"], model.ranks);
  const Reader eager_limit = root["eager_limit_bytes"];
  if (!eager_limit.is_null()) model.eager_limit = eager_limit.size_bytes();
  if (root.has("thresholds")) model.thresholds = detail::read_thresholds(root["thresholds"]);
  model.launches = detail::read_launches(root["launches"], model.ranks);
  read_models(root["models"], model);
  if (root.has("fabric")) model.fabric = detail::read_fabric(root["fabric"], model.hosts());
  model.checks =
      read_list<Check>(root["checks"], [&](const Reader& r) { return read_check(r, model.ranks); });
  model.ranking = read_list<Ranking>(root["ranking"], read_ranking);
  if (root.has("judgements")) {
    model.judgements = read_list<Judgement>(root["judgements"], read_judgement);
  }
  check_preferred(root["preferred"], model);
  model.warnings = detail::read_warnings(root);
  model.not_determined = root["not_determined"].text();
  return model;
}

std::string to_json(const Model& model) {
  OrderedJson eager_limit;
  if (model.eager_limit) eager_limit = model.eager_limit->value;
  OrderedJson preferred;
  if (const auto name = preferred_or_nothing(model)) preferred = *name;
  OrderedJson json{{"schema", model.classes ? schema_by_classes : model_schema},
                   {"confidence", model.confidence},
                   {"n", model.ranks},
                   {"eager_limit_bytes", std::move(eager_limit)},
                   {"preferred", std::move(preferred)}};
  if (model.thresholds) {
    OrderedJson& thresholds = json["thresholds"];
    thresholds["confidence"] = model.thresholds->confidence;
    detail::add_thresholds(thresholds, *model.thresholds);
  }
  if (model.classes) json["classes"] = detail::as_json(*model.classes);
  const auto places = model.classes ? detail::PlaceList::runs : detail::PlaceList::each;
  json["launches"] = detail::launches_to_json(model.launches, places);
  json["models"] = models_to_json(model);
  if (model.fabric) json["fabric"] = detail::as_json(*model.fabric);
  json["checks"] = as_json(model.checks);
  json["ranking"] = as_json(model.ranking);
  if (!model.judgements.empty()) json["judgements"] = as_json(model.judgements);
  detail::add_warnings(json, model.warnings);
  json["not_determined"] = model.not_determined;
  return detail::to_lines(json);
}

}  // namespace commgauge
