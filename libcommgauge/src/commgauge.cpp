#include "commgauge.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/bench/calibrate/calibrate.hpp"
#include "commgauge/bench/calibrate/for_communicator.hpp"
#include "commgauge/bench/calibrate/refresh.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/collective_plan.hpp"
#include "learnt.hpp"

namespace commgauge::c {

Learnt::Learnt(Model learnt)
    : model{std::move(learnt)}, names{model.names()}, warnings{model.warning_texts()} {
  if (!model.not_determined.empty()) warnings.push_back("missing: " + model.not_determined);
  interval_meaning = commgauge::interval_meaning(model);
  for (int rank = 0; rank < model.ranks; ++rank) hosts.push_back(model.host(rank));
  if (!model.classes) return;
  for (const RankKind& kind : model.classes->kinds) kinds.push_back(kind.name);
}

namespace {

commgauge_model* new_model(Model model) {
  return new commgauge_model{std::make_shared<const Learnt>(std::move(model))};
}

const std::string& at(const std::vector<std::string>& texts, int index, const std::string& what) {
  if (index >= 0 && static_cast<std::size_t>(index) < texts.size()) {
    return texts[static_cast<std::size_t>(index)];
  }
  throw InputError("there is no " + what + " " + std::to_string(index) + " (there are " +
                   std::to_string(texts.size()) + ", from 0 on): give a smaller number");
}

const PairClasses& pairs_of(const Learnt& learnt) {
  if (learnt.model.classes) return *learnt.model.classes->pairs;
  throw InputError(
      "the model has no kinds of ranks (each pair has its own values): ask for those of a pair");
}

/// Of one number for each class of pairs. Nothing: the fit is not there, or has no such.
template <class Parameters>
std::optional<double> number_of_class(const Parameters& parameters, std::string_view name,
                                      int of_pairs) {
  std::optional<double> found;
  visit_fields(parameters, [&](const FieldFacts& facts, const auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Matrix>) {
      if (facts.name == name && field.size() > 0) {
        found = field.values()[static_cast<std::size_t>(of_pairs)];
      }
    }
  });
  return found;
}

commgauge_parameter parameter_of_class(const Model& model, const std::string& fit,
                                       const std::string& name, int of_pairs) {
  std::optional<commgauge_parameter> found;
  for_each_fit(
      [&](const FitFacts& facts, const auto& fitted) {
        if (facts.name != fit || !fitted) return;
        const auto value = number_of_class(fitted->value, name, of_pairs);
        if (!value) return;
        found = {*value, number_of_class(fitted->low, name, of_pairs).value(),
                 number_of_class(fitted->high, name, of_pairs).value()};
      },
      model);
  if (found) return *found;
  throw InputError("the model has no parameter " + name + " of pairs in " + fit +
                   " (see docs/formats.md): give one that it has");
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

bench::Options options_of(const commgauge_options& asked) {
  bench::Options options;
  if (asked.time_budget_s != 0) options.time_budget = Seconds{asked.time_budget_s};
  options.precision = asked.precision;
  options.confidence = asked.confidence;
  options.passes = asked.passes;
  options.min_reps = asked.min_reps;
  options.max_reps = asked.max_reps;
  if (asked.models != nullptr) options.models = split_at_commas(asked.models);
  options.largest = Bytes{asked.largest_bytes};
  options.sweeps.enabled = asked.thresholds != 0;
  options.checks = asked.checks != 0;
  options.seed = asked.seed;
  if (asked.cancelled != nullptr) {
    options.cancelled = [ask = asked.cancelled, data = asked.cancelled_data] {
      return ask(data) != 0;
    };
  }
  return options;
}

commgauge_options defaults() {
  const bench::Options usual;
  commgauge_options options{};
  options.precision = usual.precision;
  options.confidence = usual.confidence;
  options.passes = usual.passes;
  options.min_reps = usual.min_reps;
  options.max_reps = usual.max_reps;
  options.largest_bytes = usual.largest.value;
  options.thresholds = usual.sweeps.enabled;
  options.checks = usual.checks;
  options.seed = usual.seed;
  return options;
}

void require_usable(MPI_Comm comm) {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (!initialised || finalised) {
    throw InputError(
        "MPI is not running (measuring takes it): calibrate between MPI_Init and "
        "MPI_Finalize");
  }
  int is_inter = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_test_inter(comm, &is_inter);
  if (comm == MPI_COMM_NULL || is_inter) {
    throw InputError(
        "the communicator is MPI_COMM_NULL or an intercommunicator (ranks of one "
        "group are measured): give an intracommunicator");
  }
}

/// The central model's name where none is given.
Query query_of(const commgauge_model& model, const char* name) {
  Query query;
  query.model = name == nullptr ? model.learnt->model.preferred() : std::string{name};
  query.processes = model.processes;
  return query;
}

Query message(const commgauge_model& model, const char* name, int from, int to,
              std::uint64_t size) {
  Query query = query_of(model, name);
  query.from = from;
  query.to = to;
  query.size = Bytes{size};
  return query;
}

Operation operation_of(commgauge_operation operation) {
  switch (operation) {
    case COMMGAUGE_SCATTER:
      return Operation::scatter;
    case COMMGAUGE_GATHER:
      return Operation::gather;
    case COMMGAUGE_BCAST:
      return Operation::bcast;
  }
  throw InputError("there is no operation " + std::to_string(operation) +
                   " (there are scatter, gather and bcast): give one of commgauge_operation");
}

Algorithm algorithm_of(commgauge_algorithm algorithm) {
  switch (algorithm) {
    case COMMGAUGE_FLAT:
      return Algorithm::flat;
    case COMMGAUGE_BINOMIAL:
      return Algorithm::binomial;
  }
  throw InputError("there is no algorithm " + std::to_string(algorithm) +
                   " (there are flat and binomial): give one of commgauge_algorithm");
}

Query collective(const commgauge_model& model, const char* name, commgauge_operation operation,
                 int root, std::uint64_t size) {
  Query query = query_of(model, name);
  query.operation = operation_of(operation);
  query.from = root;
  query.size = Bytes{size};
  return query;
}

Prediction both_ways(const Prediction& there, const Prediction& back) {
  return {there.time + back.time, there.low + back.low, there.high + back.high,
          there.extrapolated || back.extrapolated};
}

commgauge_info info_of(const Learnt& of) {
  const Model& model = of.model;
  commgauge_info info{};
  info.ranks = model.ranks;
  info.hosts = static_cast<int>(std::set<std::string>(of.hosts.begin(), of.hosts.end()).size());
  info.launches = static_cast<int>(model.launches.size());
  info.models = static_cast<int>(of.names.size());
  info.warnings = static_cast<int>(of.warnings.size());
  info.complete = 1;
  for (const Launch& launch : model.launches) {
    if (!launch.complete) info.complete = 0;
  }
  info.eager_limit_known = model.eager_limit.has_value();
  info.confidence = model.confidence;
  info.eager_limit_bytes = model.eager_limit.value_or(Bytes{}).value;
  return info;
}

}  // namespace

}  // namespace commgauge::c

using commgauge::c::given;
using commgauge::c::guarded;

const char* commgauge_last_message() { return commgauge::c::last_message(); }

const char* commgauge_version() { return COMMGAUGE_VERSION; }

commgauge_status commgauge_options_init(commgauge_options* options) {
  return guarded([&] { given(options, "options") = commgauge::c::defaults(); });
}

commgauge_status commgauge_calibrate(MPI_Comm comm, const commgauge_options* options,
                                     commgauge_model** model) {
  return guarded([&] {
    commgauge_model*& result = given(model, "model");
    commgauge::c::require_usable(comm);
    result = commgauge::c::new_model(commgauge::bench::calibrate(
        comm, commgauge::c::options_of(options == nullptr ? commgauge::c::defaults() : *options)));
  });
}

commgauge_status commgauge_load(const char* file, commgauge_model** model) {
  return guarded([&] {
    commgauge_model*& result = given(model, "model");
    result = commgauge::c::new_model(commgauge::load_model(&given(file, "file")));
  });
}

commgauge_status commgauge_save(const commgauge_model* model, const char* file) {
  return guarded([&] {
    const std::string text = commgauge::to_json(commgauge::c::learnt(model).model);
    commgauge::write_file(&given(file, "file"), text);
  });
}

void commgauge_free(commgauge_model* model) { delete model; }

commgauge_status commgauge_get_info(const commgauge_model* model, commgauge_info* info) {
  return guarded([&] { given(info, "info") = commgauge::c::info_of(commgauge::c::learnt(model)); });
}

commgauge_status commgauge_model_name(const commgauge_model* model, int index, const char** name) {
  return guarded([&] {
    const char*& result = given(name, "name");
    result = commgauge::c::at(commgauge::c::learnt(model).names, index, "model").c_str();
  });
}

commgauge_status commgauge_host(const commgauge_model* model, int rank, const char** host) {
  return guarded([&] {
    const char*& result = given(host, "host");
    result = commgauge::c::at(commgauge::c::learnt(model).hosts, rank, "rank").c_str();
  });
}

commgauge_status commgauge_count_kinds(const commgauge_model* model, int* kinds) {
  return guarded(
      [&] { given(kinds, "kinds") = static_cast<int>(commgauge::c::learnt(model).kinds.size()); });
}

commgauge_status commgauge_kind_of_rank(const commgauge_model* model, int rank, int* kind,
                                        int* group) {
  return guarded([&] {
    int& its_kind = given(kind, "kind");
    int& its_group = given(group, "group");
    const commgauge::c::Learnt& known = commgauge::c::learnt(model);
    const commgauge::PairClasses& pairs = commgauge::c::pairs_of(known);
    (void)commgauge::c::at(known.hosts, rank, "rank");
    its_kind = pairs.of(rank).kind;
    its_group = pairs.of(rank).group;
  });
}

commgauge_status commgauge_kind_name(const commgauge_model* model, int kind, const char** name) {
  return guarded([&] {
    const char*& result = given(name, "name");
    result = commgauge::c::at(commgauge::c::learnt(model).kinds, kind, "kind").c_str();
  });
}

commgauge_status commgauge_class_parameter(const commgauge_model* model, const char* fit,
                                           const char* name, int from_kind, int to_kind,
                                           int is_within, commgauge_parameter* parameter) {
  return guarded([&] {
    commgauge_parameter& result = given(parameter, "parameter");
    const commgauge::c::Learnt& known = commgauge::c::learnt(model);
    const commgauge::PairClasses& pairs = commgauge::c::pairs_of(known);
    for (const int kind : {from_kind, to_kind}) (void)commgauge::c::at(known.kinds, kind, "kind");
    result =
        commgauge::c::parameter_of_class(known.model, &given(fit, "fit"), &given(name, "name"),
                                         pairs.class_of_kinds(from_kind, to_kind, is_within != 0));
  });
}

commgauge_status commgauge_warning(const commgauge_model* model, int index, const char** text) {
  return guarded([&] {
    const char*& result = given(text, "text");
    result = commgauge::c::at(commgauge::c::learnt(model).warnings, index, "warning").c_str();
  });
}

commgauge_status commgauge_interval_meaning(const commgauge_model* model, const char** text) {
  return guarded([&] {
    const char*& result = given(text, "text");
    result = commgauge::c::learnt(model).interval_meaning.c_str();
  });
}

commgauge_status commgauge_for_processes(const commgauge_model* model, int processes,
                                         commgauge_model** grown) {
  return guarded([&] {
    commgauge_model*& result = given(grown, "grown");
    const commgauge_model& known = given(model, "model");
    commgauge::check_processes(known.learnt->model, processes);
    result = new commgauge_model{known.learnt, processes};
  });
}

commgauge_status commgauge_for_communicator(const commgauge_model* model, MPI_Comm comm,
                                            commgauge_model** job) {
  return guarded([&] {
    commgauge_model*& result = given(job, "job");
    commgauge::c::require_usable(comm);
    result = commgauge::c::new_model(
        commgauge::bench::for_communicator(commgauge::c::learnt(model).model, comm).model);
  });
}

commgauge_status commgauge_refresh(const commgauge_model* job, MPI_Comm comm, double time_s,
                                   commgauge_model** refreshed, int* holds) {
  return guarded([&] {
    commgauge_model*& result = given(refreshed, "refreshed");
    commgauge::c::require_usable(comm);
    commgauge::bench::RefreshOptions options;
    if (time_s != 0) options.time = commgauge::Seconds{time_s};
    commgauge::bench::Refreshed now =
        commgauge::bench::refresh(commgauge::c::learnt(job).model, comm, options);
    if (holds != nullptr) *holds = now.found.holds() ? 1 : 0;
    result = commgauge::c::new_model(std::move(now.model));
  });
}

commgauge_status commgauge_predict_message(const commgauge_model* model, const char* name, int from,
                                           int to, uint64_t size_bytes,
                                           commgauge_prediction* prediction) {
  using namespace commgauge::c;
  return guarded([&] {
    commgauge_prediction& result = given(prediction, "prediction");
    const commgauge_model& known = given(model, "model");
    result = in_c(predict(known.learnt->model, message(known, name, from, to, size_bytes)));
  });
}

commgauge_status commgauge_predict_round_trip(const commgauge_model* model, const char* name,
                                              int from, int to, uint64_t size_bytes,
                                              commgauge_prediction* prediction) {
  using namespace commgauge::c;
  return guarded([&] {
    commgauge_prediction& result = given(prediction, "prediction");
    const commgauge_model& known = given(model, "model");
    result =
        in_c(both_ways(predict(known.learnt->model, message(known, name, from, to, size_bytes)),
                       predict(known.learnt->model, message(known, name, to, from, size_bytes))));
  });
}

commgauge_status commgauge_predict_collective(const commgauge_model* model, const char* name,
                                              commgauge_operation operation,
                                              commgauge_algorithm algorithm, int root,
                                              uint64_t size_bytes,
                                              commgauge_prediction* prediction) {
  using namespace commgauge::c;
  return guarded([&] {
    commgauge_prediction& result = given(prediction, "prediction");
    const commgauge_model& known = given(model, "model");
    commgauge::Query query = collective(known, name, operation, root, size_bytes);
    query.algorithm = algorithm_of(algorithm);
    result = in_c(commgauge::predict(known.learnt->model, query));
  });
}

commgauge_status commgauge_faster_algorithm(const commgauge_model* model, const char* name,
                                            commgauge_operation operation, int root,
                                            uint64_t size_bytes, commgauge_algorithm* algorithm,
                                            int* certain) {
  using namespace commgauge::c;
  return guarded([&] {
    commgauge_algorithm& chosen = given(algorithm, "algorithm");
    int& is_certain = given(certain, "certain");
    const commgauge_model& known = given(model, "model");
    const commgauge::FasterAlgorithm faster =
        faster_algorithm(known.learnt->model, collective(known, name, operation, root, size_bytes));
    chosen = faster.algorithm == commgauge::Algorithm::flat ? COMMGAUGE_FLAT : COMMGAUGE_BINOMIAL;
    is_certain = faster.certain;
  });
}

// The recorder, loaded before this library, has its own.
void commgauge_region_begin(const char* /*name*/) {}
void commgauge_region_end(const char* /*name*/) {}
