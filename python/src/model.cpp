#include "commgauge/model/model.hpp"

#include <array>

#include "bindings.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/costs/model_of_job.hpp"
#include "commgauge/fit/overhead_growth.hpp"
#include "commgauge/judge/compare.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/model/eager_limit_text.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/thresholds/threshold_text.hpp"

namespace commgauge::python {

namespace {

// What a field looks like in Python. `owner` holds it.
py::object as_python(double field, const py::object&) { return py::float_(field); }
py::object as_python(const std::vector<double>& field, const py::object& owner) {
  return view({static_cast<py::ssize_t>(field.size())}, field.data(), owner);
}
/// One number for each class, where pairs have classes.
py::object as_python(const Matrix& field, const py::object& owner) {
  if (field.classes()) {
    return view({static_cast<py::ssize_t>(field.values().size())}, field.values().data(), owner);
  }
  return view({field.size(), field.size()}, field.values().data(), owner);
}
/// A matrix, or the numbers of the classes, for each size, which lie apart in memory: a copy.
py::object as_python(const std::vector<Matrix>& field, const py::object&) {
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(field.size())};
  if (!field.empty() && field.front().classes()) {
    shape.push_back(static_cast<py::ssize_t>(field.front().values().size()));
  } else {
    shape.insert(shape.end(), 2, field.empty() ? 0 : field.front().size());
  }
  py::array_t<double> result(shape);
  double* next = result.mutable_data();
  for (const Matrix& matrix : field) {
    next = std::copy(matrix.values().begin(), matrix.values().end(), next);
  }
  result.attr("setflags")(py::arg("write") = false);
  return result;
}

bool is_missing(const Matrix& field) { return field.size() == 0; }
template <class Field>
bool is_missing(const Field&) {
  return false;
}

/// By name, without what the model doesn't have (LOM's L).
template <class Parameters>
py::dict fields(const Parameters& parameters, const py::object& owner) {
  py::dict result;
  visit_fields(parameters, [&](const FieldFacts& facts, const auto& field) {
    if (!is_missing(field)) result[facts.name] = as_python(field, owner);
  });
  return result;
}

const char* text_of(Unit unit) {
  switch (unit) {
    case Unit::seconds:
      return "s";
    case Unit::seconds_per_byte:
      return "s/B";
    case Unit::bytes:
      return "B";
    case Unit::ratio:
      break;
  }
  return "";
}

bool is_of_pairs(const Matrix&) { return true; }
bool is_of_pairs(const std::vector<Matrix>&) { return true; }
template <class Field>
bool is_of_pairs(const Field&) {
  return false;
}

/// Names of those with a number for each pair, or class of pairs.
template <class Parameters>
py::set pair_fields(const Parameters& parameters) {
  py::set names;
  visit_fields(parameters, [&](const FieldFacts& facts, const auto& field) {
    if (is_of_pairs(field)) names.add(facts.name);
  });
  return names;
}

/// By name: symbol, meaning, unit, and whether it is shown where there is room for few.
template <class Parameters>
py::dict facts_of_fields(const Parameters& parameters) {
  py::dict result;
  visit_fields(parameters, [&](const FieldFacts& facts, const auto&) {
    result[facts.name] =
        py::make_tuple(facts.symbol, facts.meaning, text_of(facts.unit), facts.is_shown);
  });
  return result;
}

/// Titles of the fits, by name.
py::dict fit_titles() {
  py::dict result;
  for_each_fit([&](const FitFacts& facts) { result[py::str(facts.name)] = py::str(facts.title); });
  return result;
}

template <class Parameters>
py::dict fit_as_dict(const Fitted<Parameters>& fitted, const py::object& owner) {
  py::list replicates;
  for (const Parameters& one : fitted.replicates) replicates.append(fields(one, owner));
  py::dict result;
  result["facts"] = facts_of_fields(fitted.value);
  result["value"] = fields(fitted.value, owner);
  result["low"] = fields(fitted.low, owner);
  result["high"] = fields(fitted.high, owner);
  result["replicates"] = std::move(replicates);
  result["of_pairs"] = pair_fields(fitted.value);
  result["replicate_kind"] = to_text(fitted.replicate_kind);
  result["range_bytes"] = py::make_tuple(fitted.first.value, fitted.last.value);
  result["residual"] = fitted.residual;
  result["observations"] = fitted.observations;
  result["warnings"] = texts_of(fitted.warnings);
  if constexpr (requires { fitted.value.sizes; }) {
    result["size_bytes"] =
        column<std::uint64_t>(fitted.value.sizes, [](Bytes size) { return size.value; });
  }
  return result;
}

/// Nothing where the file doesn't have it. @param name  of a model, or of what stands beside one
std::optional<py::dict> fit_of(const py::object& owner, const std::string& name) {
  const auto& model = owner.cast<const Model&>();
  std::optional<py::dict> found;
  bool is_known = false;
  const auto look_at = [&](const FitFacts& facts, const auto& fitted) {
    if (facts.name != name) return;
    is_known = true;
    if (fitted) found = fit_as_dict(*fitted, owner);
  };
  for_each_fit(look_at, model);
  if (!is_known) require_model_name(name);
  return found;
}

py::dict as_dict(const Kappa& kappa) {
  py::dict result;
  result["value"] = kappa.value.value;
  result["low"] = kappa.value.low;
  result["high"] = kappa.value.high;
  result["reason"] = kappa.reason;
  return result;
}

py::dict kappas(const Model& model) {
  py::dict result;
  for (const auto& [name, found] : model.kappas) {
    py::dict of_model;
    of_model["root"] = found.root;
    of_model["kappa1"] = as_dict(found.kappa1);
    of_model["kappa2"] = as_dict(found.kappa2);
    result[name.c_str()] = of_model;
  }
  return result;
}

/// Columns, as in the file.
py::dict checks(const Model& model) {
  py::list models;
  py::list operations;
  for (const Check& check : model.checks) {
    models.append(check.model);
    operations.append(to_text(check.operation));
  }
  py::dict result;
  const auto add = [&]<class T>(const char* name, T, auto&& get) {
    result[name] = column<T>(model.checks, get);
  };
  result["model"] = models;
  result["operation"] = operations;
  add("from", int{}, [](const Check& c) { return c.from; });
  add("to", int{}, [](const Check& c) { return c.to; });
  add("size_bytes", std::uint64_t{}, [](const Check& c) { return c.size.value; });
  add("measured_s", double{}, [](const Check& c) { return c.measured_s; });
  add("predicted_s", double{}, [](const Check& c) { return c.predicted_s; });
  add("extrapolated", bool{}, [](const Check& c) { return c.extrapolated; });
  return result;
}

py::list ranking(const Model& model) {
  py::list result;
  for (const Ranking& place : model.ranking) {
    py::dict operations;
    for (const auto& [operation, error] : place.operations)
      operations[py::str(to_text(operation))] = error;
    py::dict one;
    one["model"] = place.model;
    one["error"] = place.error;
    one["operations"] = operations;
    result.append(one);
  }
  return result;
}

/// By operation and, as "all", of all; empty where nothing was judged.
py::dict noise(const Model& model) {
  py::dict found;
  for (const Judgement& judgement : model.judgements) {
    const py::str operation{to_text(judgement.operation)};
    if (!found.contains(operation)) found[operation] = noise_of(model, judgement.operation);
  }
  if (!model.judgements.empty()) found["all"] = noise_of(model);
  return found;
}

py::list judgements(const Model& model) {
  py::list result;
  for (const Judgement& judgement : model.judgements) {
    py::dict one;
    one["model"] = judgement.model;
    one["operation"] = to_text(judgement.operation);
    one["algorithm"] = !is_collective(judgement.operation)
                           ? py::object(py::none())
                           : py::object(py::str(to_text(judgement.algorithm)));
    one["size_bytes"] = judgement.size.value;
    one["checks"] = judgement.checks;
    one["error"] = judgement.error;
    one["bias"] = judgement.bias.value;
    one["bias_low"] = judgement.bias.low;
    one["bias_high"] = judgement.bias.high;
    one["noise"] = judgement.noise;
    one["extrapolated"] = judgement.extrapolated;
    one["verdict"] = std::string{to_text(judgement.verdict)};
    one["words"] = in_words(judgement);
    result.append(one);
  }
  return result;
}

py::list outliers_as_list(const Model& model) {
  std::vector<Outlier> found;
  {
    const py::gil_scoped_release released;
    found = outliers(model);
  }
  py::list result;
  for (const Outlier& outlier : found) {
    py::dict one;
    one["what"] = outlier.what;
    one["parameter"] = outlier.parameter;
    one["fit"] = outlier.fit;
    one["field"] = outlier.field;
    one["unit"] = text_of(outlier.unit);
    one["value"] = outlier.value;
    one["low"] = outlier.low;
    one["typical"] = outlier.typical;
    one["rank"] = outlier.rank;
    one["peer"] = outlier.peer;
    one["both_ways"] = outlier.both_ways;
    result.append(one);
  }
  return result;
}

py::dict as_dict(const Deviation& deviation) {
  constexpr std::array where{"within_host", "host", "between_hosts"};
  py::dict one;
  one["where"] = where.at(static_cast<std::size_t>(deviation.where));
  one["hosts"] = deviation.hosts;
  one["fixed"] = as_tuple(deviation.fixed);
  one["per_byte"] = as_tuple(deviation.per_byte);
  one["sentence"] = deviation.sentence();
  return one;
}

py::dict as_dict(const RankKind& kind) {
  py::dict one;
  one["name"] = kind.name;
  one["hosts"] = kind.hosts;
  one["spread_fixed"] = kind.spread_fixed;
  one["spread_per_byte"] = kind.spread_per_byte;
  return one;
}

/// None where each pair has its own values.
py::object classes_as_dict(const Model& model) {
  if (!model.classes) return py::none();
  const MachineClasses& classes = *model.classes;
  const PairClasses& pairs = *classes.pairs;
  py::array_t<std::int32_t> kinds(pairs.ranks());
  py::array_t<std::int32_t> groups(pairs.ranks());
  for (int rank = 0; rank < pairs.ranks(); ++rank) {
    kinds.mutable_at(rank) = pairs.of(rank).kind;
    groups.mutable_at(rank) = pairs.of(rank).group;
  }
  py::list names;
  for (int one = 0; one < pairs.classes(); ++one) names.append(classes.name_of_class(one));
  py::list all_kinds;
  for (const RankKind& kind : classes.kinds) all_kinds.append(as_dict(kind));
  py::list deviations;
  for (const Deviation& deviation : classes.deviations) deviations.append(as_dict(deviation));
  py::dict result;
  result["found"] = classes.found;
  result["kinds"] = std::move(all_kinds);
  result["kind_of_rank"] = std::move(kinds);
  result["group_of_rank"] = std::move(groups);
  result["names"] = std::move(names);
  result["pair_counts"] =
      column<std::int64_t>(pairs.pair_counts(), [](std::int64_t count) { return count; });
  result["sample"] = classes.sample;
  result["deviations"] = std::move(deviations);
  return result;
}

/// None where the file has none.
py::object fabric_as_dict(const Model& model) {
  if (!model.fabric) return py::none();
  const Fabric& fabric = *model.fabric;
  py::list groups;
  for (std::size_t k = 0; k < fabric.groups.size(); ++k) {
    py::dict group;
    group["hosts"] = fabric.groups[k].hosts;
    group["parent"] = fabric.groups[k].parent;
    group["out"] = py::make_tuple(fabric.value.out[k], fabric.low.out[k], fabric.high.out[k]);
    group["into"] = py::make_tuple(fabric.value.in[k], fabric.low.in[k], fabric.high.in[k]);
    groups.append(group);
  }
  py::dict result;
  result["groups"] = std::move(groups);
  result["backbone_sides"] = fabric.backbone_sides;
  result["backbone"] =
      py::make_tuple(fabric.value.backbone, fabric.low.backbone, fabric.high.backbone);
  result["full_load"] = as_tuple(fabric.full_load);
  result["alone"] = fabric.alone;
  result["misfit"] = fabric.misfit;
  result["rounds"] = fabric.rounds;
  result["message_bytes"] = fabric.message_bytes;
  result["notes"] = fabric.notes;
  return result;
}

/// Columns.
py::dict compare_as_dict(const Model& old_model, const Model& new_model) {
  std::vector<Drift> drifts;
  {
    const py::gil_scoped_release released;
    drifts = compare(old_model, new_model);
  }
  py::list models;
  py::list parameters;
  for (const Drift& drift : drifts) {
    models.append(drift.model);
    parameters.append(drift.parameter);
  }
  py::dict result;
  result["model"] = models;
  result["parameter"] = parameters;
  result["old"] = column<double>(drifts, [](const Drift& d) { return d.old_value; });
  result["new"] = column<double>(drifts, [](const Drift& d) { return d.new_value; });
  result["combined_half_width"] =
      column<double>(drifts, [](const Drift& d) { return d.combined_half_width; });
  result["significant"] = column<bool>(drifts, [](const Drift& d) { return d.significant(); });
  return result;
}

/// Rows of value, low and high, for sending and for receiving.
py::tuple overheads(const Model& model, const std::vector<int>& processes) {
  if (!model.overhead_growth) {
    throw InputError(
        "no growth of overheads in the file (it was not measured): calibrate with "
        "--models loggps");
  }
  std::vector<std::array<double, 3>> sending;
  std::vector<std::array<double, 3>> receiving;
  for (const int p : processes) {
    const auto [sent, received] = overheads_among(*model.overhead_growth, p, model.confidence);
    sending.push_back({sent.value, sent.low, sent.high});
    receiving.push_back({received.value, received.low, received.high});
  }
  return py::make_tuple(sending, receiving);
}

}  // namespace

void bind_model(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> without_gil;
  py::class_<Model>(module, "Model")
      .def_readonly("ranks", &Model::ranks)
      .def_readonly("confidence", &Model::confidence)
      .def(
          "interval_meaning",
          [](const Model& model, const std::string& name) { return interval_meaning(model, name); },
          py::arg("name") = "")
      .def_readonly("launches", &Model::launches)
      .def_readonly("thresholds", &Model::thresholds)
      .def_readonly("not_determined", &Model::not_determined)
      .def_readonly("receive_wait", &Model::receive_wait)
      .def_property_readonly("eager_limit",
                             [](const Model& model) { return number_of(model.eager_limit); })
      .def_property_readonly("known_eager_limit",
                             [](const Model& model) { return known_eager_limit(model); })
      .def_property_readonly("eager_limit_text",
                             [](const Model& model) { return eager_limit_text(model); })
      .def_property_readonly("hosts", &Model::hosts)
      .def(
          "for_hosts",
          [](const Model& model, const std::vector<std::string>& of_job) {
            return model_of_job(model, of_job).model;
          },
          py::arg("hosts"), without_gil)
      .def_property_readonly("classes", &classes_as_dict)
      .def_property_readonly("fabric", &fabric_as_dict)
      .def_property_readonly("preferred", &Model::preferred)
      .def_property_readonly("names", &Model::names)
      .def_property_readonly("warnings", &Model::warning_texts)
      .def_property_readonly("diagnostics",
                             [](const Model& model) { return as_list(model.all_warnings()); })
      .def_property_readonly("busy", [](const Model& model) { return busy_line(model.launches); })
      .def_property_readonly("contention",
                             [](const Model& model) {
                               const auto note = contention_note(model);
                               return note ? note->text() : "";
                             })
      .def_property_readonly("kappas", &kappas)
      .def_property_readonly("checks", &checks)
      .def_property_readonly("ranking", &ranking)
      .def_property_readonly("judgements", &judgements)
      .def_property_readonly("noise", &noise);
  module.def("load_model", &load_model, py::arg("file"), without_gil);
  module.def("fit_titles", &fit_titles);
  module.def("fit_of", &fit_of, py::arg("model"), py::arg("name"));
  module.def("outliers", &outliers_as_list, py::arg("model"));
  module.def("overheads_among", &overheads, py::arg("model"), py::arg("processes"));
  module.def("compare", &compare_as_dict, py::arg("old"), py::arg("new"));
}

}  // namespace commgauge::python
