#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bindings.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/tasks/prediction.hpp"
#include "commgauge/tasks/sample.hpp"

namespace commgauge::python {

namespace {

using tasks::MeasuredTasks;
using tasks::Shape;
using tasks::TaskTimes;
/// Rows of a task's integers, from 1.
using Integers = py::array_t<std::int64_t, py::array::c_style>;
using Amounts = py::array_t<double, py::array::c_style>;

constexpr const char* names_of_sources[] = {"all", "grid", "sample"};

Integers rows_of(const Shape& shape, const std::vector<std::uint64_t>& numbers) {
  Integers rows({numbers.size(), shape.dimensions()});
  std::int64_t* next = rows.mutable_data();
  for (const std::uint64_t number : numbers) {
    for (const std::uint64_t i : shape.task_of(number)) *next++ = static_cast<std::int64_t>(i);
  }
  return rows;
}

Shape largest_of(const Integers& rows) {
  const py::ssize_t dimensions = rows.shape(1);
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(dimensions), 1);
  for (py::ssize_t k = 0; k < rows.size(); ++k) {
    std::uint64_t& count = counts[static_cast<std::size_t>(k % dimensions)];
    count = std::max(count, static_cast<std::uint64_t>(rows.data()[k]));
  }
  return Shape(std::move(counts));
}

std::vector<std::uint64_t> numbers_of(const Integers& rows, const Shape& shape) {
  const std::size_t dimensions = shape.dimensions();
  if (rows.shape(1) != static_cast<py::ssize_t>(dimensions)) {
    throw InputError("tasks of " + std::to_string(rows.shape(1)) + " integers (the shape " +
                     to_text(shape) + " has " + std::to_string(dimensions) +
                     " dimensions): give the right shape");
  }
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> task(dimensions);
  for (py::ssize_t row = 0; row < rows.shape(0); ++row) {
    for (std::size_t k = 0; k < dimensions; ++k) {
      task[k] = static_cast<std::uint64_t>(rows.at(row, static_cast<py::ssize_t>(k)));
      if (task[k] <= shape.counts()[k]) continue;
      throw InputError("task " + std::to_string(row) + " has " + std::to_string(task[k]) +
                       " (the shape " + to_text(shape) + " goes up to " +
                       std::to_string(shape.counts()[k]) +
                       "): give the right shape, or leave the task out");
    }
    numbers.push_back(shape.number_of(task));
  }
  return numbers;
}

void check_amounts(const Amounts& amounts, py::ssize_t count, const std::string& name) {
  if (amounts.size() != count) {
    throw InputError(std::to_string(count) + " tasks and " + std::to_string(amounts.size()) +
                     " entries of " + name + " (each task has one): give as many");
  }
  for (py::ssize_t k = 0; k < count; ++k) {
    if (std::isfinite(amounts.data()[k]) && amounts.data()[k] >= 0) continue;
    throw InputError(name + " of task " + std::to_string(k) +
                     " (it is negative, or no number): measure that task again");
  }
}

/// @pre the integers are 1 or more
MeasuredTasks measured_from(const Integers& rows, const Amounts& times_s,
                            const std::optional<Amounts>& result_bytes,
                            const std::optional<std::vector<std::uint64_t>>& counts) {
  const py::ssize_t count = rows.shape(0);
  if (count == 0) throw InputError("no tasks (nothing tells how long any takes): give some");
  check_amounts(times_s, count, "times_s");
  if (result_bytes) check_amounts(*result_bytes, count, "result_bytes");
  MeasuredTasks measured{counts ? Shape(*counts) : largest_of(rows), {}, {}, {}};
  const std::vector<std::uint64_t> numbers = numbers_of(rows, measured.shape);
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return numbers[k]; });
  for (const std::size_t k : order) {
    if (!measured.numbers.empty() && measured.numbers.back() == numbers[k]) {
      throw InputError("task " + to_text(measured.shape, numbers[k]) +
                       " is there twice (only one of its times can count): leave one of them out");
    }
    measured.numbers.push_back(numbers[k]);
    measured.times_s.push_back(times_s.data()[k]);
    if (result_bytes) measured.result_bytes.push_back(result_bytes->data()[k]);
  }
  return measured;
}

std::optional<Shape> shape_of(const std::optional<std::vector<std::uint64_t>>& counts) {
  return counts ? std::optional(Shape(*counts)) : std::nullopt;
}

MeasuredTasks read_tasks(const std::filesystem::path& file,
                         const std::optional<std::vector<std::uint64_t>>& counts) {
  return tasks::load_tasks(file, shape_of(counts));
}

TaskTimes load_tasks(const std::filesystem::path& file,
                     const std::optional<std::vector<std::uint64_t>>& counts,
                     tasks::TimesOptions options) {
  options.name = file.string();
  return TaskTimes(read_tasks(file, counts), options);
}

void check_share(double value, const char* name) {
  if (value > 0 && value < 1) return;
  throw InputError(std::string{name} + " is not between 0 and 1 (it is a share): give 0.02 or so");
}

tasks::TimesOptions times_options(double confidence, std::optional<std::uint64_t> seed) {
  check_share(confidence, "confidence");
  return {.confidence = confidence, .seed = seed, .name = {}};
}

py::dict plan_as_dict(const std::vector<std::uint64_t>& counts,
                      const std::optional<MeasuredTasks>& measured, double precision,
                      double confidence, std::uint64_t seed) {
  check_share(precision, "precision");
  check_share(confidence, "confidence");
  const Shape shape(counts);
  tasks::Plan plan;
  {
    const py::gil_scoped_release released;
    plan = tasks::plan(shape, measured, {precision, confidence, seed, {}});
  }
  py::dict result;
  result["next"] = rows_of(shape, plan.next);
  result["run"] = plan.run;
  result["total"] = plan.total ? py::object(as_tuple(*plan.total)) : py::none();
  result["is_precise"] = plan.is_precise;
  result["doubtful"] = py::none();
  if (plan.doubtful) {
    result["doubtful"] = py::make_tuple(py::tuple(py::cast(shape.task_of(plan.doubtful->number))),
                                        plan.doubtful->time_s, plan.doubtful->others_s);
  }
  return result;
}

tasks::Order order_of(const std::string& name) {
  if (name == "given") return tasks::Order::given;
  if (name == "random") return tasks::Order::random;
  if (name == "longest-first") return tasks::Order::longest_first;
  throw InputError("unknown order '" + name +
                   "' (known: given, random, longest-first): give one of them");
}

Seconds duration(double time_s, const char* name) {
  if (std::isfinite(time_s) && time_s >= 0) return Seconds{time_s};
  throw InputError(std::string{name} +
                   " is negative, or no number (it is a time): give 0 s or more");
}

tasks::Protocol protocol_of(const std::string& order, std::uint64_t seed, std::uint64_t chunk,
                            int masters, double split_after_s, double serve_s,
                            std::uint64_t request_bytes, std::uint64_t task_bytes,
                            std::uint64_t result_bytes) {
  if (chunk < 1 || masters < 1) {
    throw InputError("a chunk of no tasks, or no master (nobody would get any): give 1 or more");
  }
  return {.request = Bytes{request_bytes},
          .task = Bytes{task_bytes},
          .result = Bytes{result_bytes},
          .chunk = chunk,
          .serve = duration(serve_s, "serve"),
          .order = order_of(order),
          .seed = seed,
          .masters = masters,
          .split_after = duration(split_after_s, "split_after")};
}

py::dict as_dict(const tasks::PredictedRuns& all, const tasks::Protocol& protocol) {
  const auto of_each = [&]<class T>(T, auto&& get) { return column<T>(all.runs, get); };
  using One = const tasks::Predicted&;
  const tasks::Best best = best_of(all.runs);
  py::list notes;
  for (const Diagnostic& note : all.notes) notes.append(py::make_tuple(note.kind, note.text()));
  py::dict result;
  result["model"] = all.kind;
  result["processes"] = of_each(std::int64_t{}, [](One one) { return one.processes; });
  result["time"] = of_each(double{}, [](One one) { return one.time.time.value; });
  result["low"] = of_each(double{}, [](One one) { return one.time.low.value; });
  result["high"] = of_each(double{}, [](One one) { return one.time.high.value; });
  result["extrapolated"] = of_each(bool{}, [](One one) { return one.time.extrapolated; });
  result["masters_busy"] = of_each(double{}, [](One one) { return one.run.masters; });
  result["workers_computing"] = of_each(double{}, [](One one) { return one.run.workers; });
  result["splits"] = of_each(std::int64_t{}, [](One one) { return one.run.splits; });
  result["best"] = py::make_tuple(best.shortest.processes, best.fewest.processes,
                                  tasks::to_text(best, protocol));
  result["interval_meaning"] = all.interval_meaning;
  result["notes"] = notes;
  return result;
}

py::dict predict_tasks(const TaskTimes& times, const Model& model,
                       const std::vector<int>& processes, const std::string& kind,
                       const tasks::Protocol& protocol, const TimeRatio& time_ratio,
                       bool has_growth, bool has_interval) {
  tasks::PredictionOptions options;
  options.machine.kind = kind;
  options.protocol = protocol;
  options.has_interval = has_interval;
  options.machine.time_ratios = time_ratios_of(time_ratio);
  options.machine.ignores_growth = !has_growth;
  options.progress = [](std::size_t, std::size_t) { heed_signals(); };
  tasks::PredictedRuns all;
  {
    const py::gil_scoped_release released;
    all = tasks::predicted(times, model, processes, options);
  }
  return as_dict(all, protocol);
}

py::array result_bytes_of(const MeasuredTasks& measured, const py::object& owner) {
  return view({static_cast<py::ssize_t>(measured.result_bytes.size())},
              measured.result_bytes.data(), owner);
}

void bind_measured(py::module_& module) {
  using Counts = std::optional<std::vector<std::uint64_t>>;
  const py::call_guard<py::gil_scoped_release> without_gil;
  py::class_<MeasuredTasks>(module, "MeasuredTasks")
      .def("to_csv", [](const MeasuredTasks& measured) { return tasks::to_csv(measured); });
  module.def(
      "parse_shape", [](const std::string& text) { return tasks::parse_shape(text).counts(); },
      py::arg("text"));
  module.def("read_tasks", &read_tasks, py::arg("file"), py::arg("shape"), without_gil);
  module.def("tasks_from", &measured_from, py::arg("tasks"), py::arg("times_s"),
             py::arg("result_bytes"), py::arg("shape"));
  module.def(
      "equal_tasks",
      [](std::uint64_t count, double time_s) { return tasks::equal_tasks(count, Seconds{time_s}); },
      py::arg("count"), py::arg("time_s"));
  module.def(
      "load_tasks",
      [](const std::filesystem::path& file, const Counts& shape, double confidence,
         std::optional<std::uint64_t> seed) {
        return load_tasks(file, shape, times_options(confidence, seed));
      },
      py::arg("file"), py::arg("shape"), py::arg("confidence"), py::arg("seed"), without_gil);
}

}  // namespace

void bind_tasks(py::module_& module) {
  bind_measured(module);
  py::class_<TaskTimes>(module, "TaskTimes")
      .def_property_readonly("measured", &TaskTimes::measured)
      .def_property_readonly("shape",
                             [](const TaskTimes& of) { return of.measured().shape.counts(); })
      .def_property_readonly("source",
                             [](const TaskTimes& of) {
                               return names_of_sources[static_cast<std::size_t>(of.source())];
                             })
      .def_property_readonly("total", [](const TaskTimes& of) { return as_tuple(of.total()); })
      .def_property_readonly("text", &TaskTimes::text)
      .def_property_readonly(
          "tasks",
          [](const TaskTimes& of) { return rows_of(of.measured().shape, of.measured().numbers); })
      .def_property_readonly("times_s",
                             [](const py::object& self) {
                               const auto& of = self.cast<const TaskTimes&>().measured();
                               return view({static_cast<py::ssize_t>(of.times_s.size())},
                                           of.times_s.data(), self);
                             })
      .def_property_readonly("result_bytes",
                             [](const py::object& self) {
                               return result_bytes_of(self.cast<const TaskTimes&>().measured(),
                                                      self);
                             })
      .def("all_times_s", [](const TaskTimes& of) {
        std::vector<double> times;
        {
          const py::gil_scoped_release released;
          times = of.times_s(of.total().value);
        }
        return py::array_t<double>(static_cast<py::ssize_t>(times.size()), times.data());
      });
  module.def(
      "task_times",
      [](const MeasuredTasks& measured, double confidence, std::optional<std::uint64_t> seed) {
        return TaskTimes(measured, times_options(confidence, seed));
      },
      py::arg("measured"), py::arg("confidence"), py::arg("seed"),
      py::call_guard<py::gil_scoped_release>());
  module.def("plan_tasks", &plan_as_dict, py::arg("shape"), py::arg("measured"),
             py::arg("precision"), py::arg("confidence"), py::arg("seed"));
  [[maybe_unused]] const py::class_<tasks::Protocol> protocol(module, "Protocol");
  module.def("protocol", &protocol_of, py::arg("order"), py::arg("seed"), py::arg("chunk"),
             py::arg("masters"), py::arg("split_after_s"), py::arg("serve_s"),
             py::arg("request_bytes"), py::arg("task_bytes"), py::arg("result_bytes"));
  module.def("predict_tasks", &predict_tasks, py::arg("tasks"), py::arg("model"),
             py::arg("processes"), py::arg("kind"), py::arg("protocol"), py::arg("time_ratio"),
             py::arg("growth"), py::arg("interval"));
}

}  // namespace commgauge::python
