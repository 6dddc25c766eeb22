#include "bindings.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/predict/collective_plan.hpp"
#include "commgauge/predict/master_worker.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge::python {

namespace {

using Ranks = py::array_t<std::int64_t, py::array::c_style>;
using Sizes = py::array_t<std::uint64_t, py::array::c_style>;

int as_rank(std::int64_t rank) {
  if (rank >= std::numeric_limits<int>::min() && rank <= std::numeric_limits<int>::max()) {
    return static_cast<int>(rank);
  }
  throw InputError("rank " + std::to_string(rank) +
                   " is out of range (no model has that many): give another rank");
}

Bytes as_size(std::uint64_t size) {
  if (size <= std::uint64_t{1} << 63U) return {size};
  throw InputError("a size of " + std::to_string(size) +
                   " bytes (more than 2^63): give a smaller size");
}

Side parse_side(const std::string& text) {
  for (const Side side : {Side::receiver, Side::sender}) {
    if (to_text(side) == text) return side;
  }
  throw InputError("unknown side '" + text + "' (known: receiver, sender): give one of them");
}

/// Columns that are filled while other threads run.
struct Columns {
  explicit Columns(py::ssize_t count) : time(count), low(count), high(count), extrapolated(count) {}

  [[nodiscard]] py::tuple as_tuple() const { return py::make_tuple(time, low, high, extrapolated); }

  py::array_t<double> time;
  py::array_t<double> low;
  py::array_t<double> high;
  py::array_t<bool> extrapolated;
};

/// Where the columns' numbers go.
struct Target {
  explicit Target(Columns& columns)
      : time{columns.time.mutable_data()},
        low{columns.low.mutable_data()},
        high{columns.high.mutable_data()},
        extrapolated{columns.extrapolated.mutable_data()} {}

  void put(std::size_t k, const Prediction& one) const {
    time[k] = one.time.value;
    low[k] = one.low.value;
    high[k] = one.high.value;
    extrapolated[k] = one.extrapolated;
  }

  double* time;
  double* low;
  double* high;
  bool* extrapolated;
};

void expect_length(py::ssize_t length, py::ssize_t expected) {
  if (length == expected) return;
  throw InputError("columns of " + std::to_string(length) + " and " + std::to_string(expected) +
                   " entries (they belong together): give equal lengths");
}

constexpr std::size_t most_together = 4096;  ///< which fit into a cache

/// Calls put(first, predict_some(messages)) for a part of them at a time.
template <class PredictSome, class Put>
void in_parts(const Ranks& from, const Ranks& to, const Sizes& sizes, PredictSome&& predict_some,
              Put&& put) {
  expect_length(from.size(), sizes.size());
  expect_length(to.size(), sizes.size());
  const auto count = static_cast<std::size_t>(sizes.size());
  const std::int64_t* const froms = from.data();
  const std::int64_t* const tos = to.data();
  const std::uint64_t* const bytes = sizes.data();
  const py::gil_scoped_release released;
  std::vector<PairMessage> part;
  for (std::size_t first = 0; first < count; first += part.size()) {
    part.clear();
    for (std::size_t k = first; k < std::min(count, first + most_together); ++k) {
      part.push_back({as_rank(froms[k]), as_rank(tos[k]), as_size(bytes[k])});
    }
    const auto predicted = predict_some(part);
    for (std::size_t k = 0; k < predicted.size(); ++k) put(first + k, predicted[k]);
  }
}

py::tuple messages(const Model& model, const std::string& name, const std::string& side_name,
                   const Ranks& from, const Ranks& to, const Sizes& sizes,
                   std::optional<int> processes) {
  const Side side = parse_side(side_name);
  Columns columns(sizes.size());
  const Target target(columns);
  in_parts(
      from, to, sizes,
      [&](const auto& part) { return predict_messages(model, name, side, part, processes); },
      [&](std::size_t k, const Prediction& one) { target.put(k, one); });
  return columns.as_tuple();
}

/// Time and whether it is extrapolated.
py::tuple message_times(const Model& model, const std::string& name, const std::string& side_name,
                        const Ranks& from, const Ranks& to, const Sizes& sizes,
                        std::optional<int> processes) {
  const Side side = parse_side(side_name);
  py::array_t<double> times(sizes.size());
  py::array_t<bool> extrapolated(sizes.size());
  double* const time = times.mutable_data();
  bool* const beyond = extrapolated.mutable_data();
  in_parts(
      from, to, sizes,
      [&](const auto& part) { return predict_message_times(model, name, side, part, processes); },
      [&](std::size_t k, const MessageTime& one) {
        time[k] = one.time.value;
        beyond[k] = one.extrapolated;
      });
  return py::make_tuple(times, extrapolated);
}

/// And whether the virtual machine told them.
py::tuple collectives(const Model& model, const std::string& name, const std::string& operation,
                      const std::string& algorithm, const std::vector<int>& order,
                      const Ranks& roots, const Sizes& sizes, std::optional<int> processes) {
  Query query;
  query.model = name;
  query.operation = parse_operation(operation);
  query.algorithm = parse_algorithm(algorithm);
  query.order = order;
  query.processes = processes;
  expect_length(roots.size(), sizes.size());
  Columns columns(sizes.size());
  const Target target(columns);
  const auto count = static_cast<std::size_t>(sizes.size());
  const std::int64_t* const root = roots.data();
  const std::uint64_t* const bytes = sizes.data();
  {
    const py::gil_scoped_release released;
    std::vector<Query> part;
    for (std::size_t first = 0; first < count; first += part.size()) {
      part.assign(std::min(count - first, most_together), query);
      for (std::size_t k = 0; k < part.size(); ++k) {
        part[k].from = as_rank(root[first + k]);
        part[k].size = as_size(bytes[first + k]);
      }
      const std::vector<Prediction> predictions = predict(model, part);
      for (std::size_t k = 0; k < part.size(); ++k) target.put(first + k, predictions[k]);
    }
  }
  return columns.as_tuple();
}

/// Exchanges, or rings where `to` is −1.
py::tuple meetings(const Model& model, const std::string& name, const std::string& operation,
                   const Ranks& from, const Ranks& to, const Sizes& sizes,
                   std::optional<int> processes) {
  expect_length(from.size(), sizes.size());
  expect_length(to.size(), sizes.size());
  Query query;
  query.model = name;
  query.operation = parse_operation(operation);
  query.processes = processes;
  std::vector<Query> queries(static_cast<std::size_t>(sizes.size()), query);
  for (std::size_t k = 0; k < queries.size(); ++k) {
    queries[k].from = as_rank(from.data()[k]);
    queries[k].to = as_rank(to.data()[k]);
    queries[k].size = as_size(sizes.data()[k]);
  }
  Columns columns(sizes.size());
  const Target target(columns);
  {
    const py::gil_scoped_release released;
    const std::vector<PredictedCollective> predictions = predict_meetings(model, queries);
    for (std::size_t k = 0; k < queries.size(); ++k) target.put(k, predictions[k]);
  }
  return columns.as_tuple();
}

py::array_t<bool> escalating(const Model& model, const Sizes& sizes) {
  py::array_t<bool> result(sizes.size());
  bool* const found = result.mutable_data();
  for (py::ssize_t k = 0; k < sizes.size(); ++k) {
    found[k] = gather_escalates(model, as_size(sizes.data()[k]));
  }
  return result;
}

py::dict as_dict(const Prediction& prediction) {
  py::dict result;
  result["time_s"] = prediction.time.value;
  result["low_s"] = prediction.low.value;
  result["high_s"] = prediction.high.value;
  result["extrapolated"] = prediction.extrapolated;
  return result;
}

py::dict master_worker(const Model& model, const std::string& name, int master, std::uint64_t tasks,
                       double task_time_s, int processes, std::uint64_t request_bytes,
                       std::uint64_t task_bytes) {
  const std::string chosen = name.empty() ? preferred_for_master_worker(model) : name;
  const MasterWorkerPrediction prediction =
      predict_master_worker(model, {chosen, master, tasks, Seconds{task_time_s}, processes,
                                    as_size(request_bytes), as_size(task_bytes)});
  py::dict result;
  result["model"] = chosen;
  result["time"] = as_dict(prediction.time);
  result["master"] = as_dict(prediction.master);
  result["workers"] = as_dict(prediction.workers);
  result["saturation"] = py::make_tuple(prediction.saturation.value, prediction.saturation.low,
                                        prediction.saturation.high);
  result["has_growth"] = prediction.has_growth;
  return result;
}

}  // namespace

void bind_predictions(py::module_& module) {
  module.def(
      "parse_size", [](const std::string& text) { return parse_size(text).value; }, py::arg("text"),
      "Bytes of \"1024\", \"64KiB\" (binary) or \"64kB\" (decimal). Raises InputError.");
  module.def(
      "size_text", [](std::uint64_t size) { return to_text(Bytes{size}); }, py::arg("size"));
  module.def(
      "time_text", [](double time_s) { return to_text(Seconds{time_s}); }, py::arg("time_s"));
  module.def(
      "gap_text", [](double seconds_per_byte) { return to_text(SecondsPerByte{seconds_per_byte}); },
      py::arg("seconds_per_byte"));
  module.def(
      "per_byte_text",
      [](double seconds_per_byte) { return per_byte_text(SecondsPerByte{seconds_per_byte}); },
      py::arg("seconds_per_byte"));
  module.def(
      "rate_text",
      [](double bytes_per_second) { return to_text(BytesPerSecond{bytes_per_second}); },
      py::arg("bytes_per_second"));
  module.def("predict_messages", &messages, py::arg("model"), py::arg("name"), py::arg("side"),
             py::arg("src"), py::arg("dst"), py::arg("sizes"), py::arg("processes"));
  module.def("predict_message_times", &message_times, py::arg("model"), py::arg("name"),
             py::arg("side"), py::arg("src"), py::arg("dst"), py::arg("sizes"),
             py::arg("processes"));
  module.def("predict_collectives", &collectives, py::arg("model"), py::arg("name"),
             py::arg("operation"), py::arg("algorithm"), py::arg("order"), py::arg("roots"),
             py::arg("sizes"), py::arg("processes"));
  module.def("predict_meetings", &meetings, py::arg("model"), py::arg("name"),
             py::arg("operation"), py::arg("src"), py::arg("dst"), py::arg("sizes"),
             py::arg("processes"));
  module.def("why_no_interval", &why_no_interval, py::arg("model"), py::arg("name"));
  module.def(
      "beyond_intervals",
      [](const Model& model, const std::string& name, const std::string& operation,
         const std::string& algorithm) {
        return beyond_intervals(model, name, parse_operation(operation),
                                parse_algorithm(algorithm));
      },
      py::arg("model"), py::arg("name"), py::arg("operation"), py::arg("algorithm"));
  module.def("gather_escalates", &escalating, py::arg("model"), py::arg("sizes"));
  module.def("predict_master_worker", &master_worker, py::arg("model"), py::arg("name"),
             py::arg("master"), py::arg("tasks"), py::arg("task_time_s"), py::arg("processes"),
             py::arg("request_bytes"), py::arg("task_bytes"));
}

}  // namespace commgauge::python
