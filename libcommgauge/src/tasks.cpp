#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commgauge.h"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/tasks/prediction.hpp"
#include "commgauge/tasks/sample.hpp"
#include "learnt.hpp"

struct commgauge_tasks {
  commgauge::tasks::MeasuredTasks measured;
  std::optional<std::uint64_t> seed;
  std::string file;  ///< empty: they are of none
};

namespace commgauge::c {

namespace {

using tasks::MeasuredTasks;
using tasks::Shape;

MeasuredTasks load_tasks(const std::string& file, const char* shape) {
  std::optional<Shape> known;
  if (shape != nullptr) known = tasks::parse_shape(shape);
  return tasks::load_tasks(file, known);
}

/// @throws InputError  it is negative, or no number
Seconds duration(double time_s, const char* name) {
  if (std::isfinite(time_s) && time_s >= 0) return Seconds{time_s};
  throw InputError(std::string{name} +
                   " is negative, or no number (it is a time): give 0 s or more");
}

double share(double value, const char* name) {
  if (value > 0 && value < 1) return value;
  throw InputError(std::string{name} + " is not between 0 and 1 (it is a share): give 0.02 or so");
}

tasks::TaskTimes times_of(const commgauge_tasks& of, double confidence) {
  return tasks::TaskTimes(of.measured,
                          {.confidence = confidence, .seed = of.seed, .name = of.file});
}

commgauge_plan_options plan_defaults() {
  const tasks::PlanOptions usual;
  return {usual.precision, usual.confidence, usual.seed};
}

commgauge_plan in_c(const tasks::Plan& plan, const Shape& shape) {
  commgauge_plan result{};
  result.next = plan.next.size();
  result.run = plan.run;
  result.dimensions = static_cast<int>(shape.dimensions());
  result.precise = plan.is_precise;
  const Estimate total = plan.total.value_or(Estimate{unknown_value, unknown_value, unknown_value});
  result.total_s = total.value;
  result.low_s = total.low;
  result.high_s = total.high;
  result.doubtful = plan.doubtful.has_value();
  if (plan.doubtful) {
    result.doubtful_number = plan.doubtful->number;
    result.doubtful_s = plan.doubtful->time_s;
    result.others_s = plan.doubtful->others_s;
  }
  return result;
}

/// Of as many tasks as there is room for, one after the other.
std::vector<std::uint64_t> integers_of(const Shape& shape,
                                       const std::vector<std::uint64_t>& numbers,
                                       std::uint64_t room) {
  std::vector<std::uint64_t> integers;
  const std::size_t count = std::min<std::uint64_t>(numbers.size(), room);
  for (const std::uint64_t number : std::span{numbers}.first(count)) {
    const std::vector<std::uint64_t> task = shape.task_of(number);
    integers.insert(integers.end(), task.begin(), task.end());
  }
  return integers;
}

commgauge_task_options task_defaults() {
  const tasks::Protocol usual;
  commgauge_task_options options{};
  options.order = COMMGAUGE_GIVEN;
  options.seed = usual.seed;
  options.chunk = usual.chunk;
  options.masters = usual.masters;
  options.request_bytes = usual.request.value;
  options.task_bytes = usual.task.value;
  options.result_bytes = usual.result.value;
  options.growth = 1;
  options.interval = 1;
  return options;
}

tasks::Order order_of(commgauge_order order) {
  switch (order) {
    case COMMGAUGE_GIVEN:
      return tasks::Order::given;
    case COMMGAUGE_RANDOM:
      return tasks::Order::random;
    case COMMGAUGE_LONGEST_FIRST:
      return tasks::Order::longest_first;
  }
  throw InputError("there is no order " + std::to_string(order) +
                   " (there are given, random and longest first): give one of commgauge_order");
}

tasks::Protocol protocol_of(const commgauge_task_options& asked) {
  if (asked.chunk < 1 || asked.masters < 1) {
    throw InputError("a chunk of no tasks, or no master (nobody would get any): give 1 or more");
  }
  return {.request = Bytes{asked.request_bytes},
          .task = Bytes{asked.task_bytes},
          .result = Bytes{asked.result_bytes},
          .chunk = asked.chunk,
          .serve = duration(asked.serve_s, "serve_s"),
          .order = order_of(asked.order),
          .seed = asked.seed,
          .masters = asked.masters,
          .split_after = duration(asked.split_after_s, "split_after_s")};
}

tasks::PredictionOptions options_of(const commgauge_task_options& asked, const char* name) {
  tasks::PredictionOptions options;
  if (name != nullptr) options.machine.kind = name;
  options.protocol = protocol_of(asked);
  options.has_interval = asked.interval != 0;
  if (asked.time_ratio != nullptr) options.machine.time_ratios = std::string{asked.time_ratio};
  options.machine.ignores_growth = asked.growth == 0;
  return options;
}

std::vector<int> checked(const int* processes, int count) {
  if (count < 0) throw InputError("a negative number of jobs: give how many there are");
  std::vector<int> jobs;
  if (count > 0) jobs.assign(&given(processes, "processes"), processes + count);
  return jobs;
}

commgauge_task_prediction in_c(const tasks::Predicted& one) {
  return {one.processes, c::in_c(one.time), one.run.masters, one.run.workers, one.run.splits};
}

}  // namespace

}  // namespace commgauge::c

using commgauge::c::given;
using commgauge::c::guarded;

commgauge_status commgauge_load_tasks(const char* file, const char* shape, uint64_t seed,
                                      commgauge_tasks** tasks) {
  return guarded([&] {
    commgauge_tasks*& result = given(tasks, "tasks");
    const std::string name = &given(file, "file");
    result =
        new commgauge_tasks{commgauge::c::load_tasks(name, shape),
                            seed == 0 ? std::nullopt : std::optional<std::uint64_t>(seed), name};
  });
}

commgauge_status commgauge_equal_tasks(uint64_t count, double time_s, commgauge_tasks** tasks) {
  return guarded([&] {
    commgauge_tasks*& result = given(tasks, "tasks");
    result = new commgauge_tasks{
        commgauge::tasks::equal_tasks(count, commgauge::Seconds{time_s}), {}, {}};
  });
}

void commgauge_free_tasks(commgauge_tasks* tasks) { delete tasks; }

commgauge_status commgauge_count_tasks(const commgauge_tasks* tasks, uint64_t* all, uint64_t* run) {
  return guarded([&] {
    const commgauge::tasks::MeasuredTasks& measured = given(tasks, "tasks").measured;
    std::uint64_t& of_all = given(all, "all");
    given(run, "run") = measured.numbers.size();
    of_all = measured.shape.size();
  });
}

commgauge_status commgauge_plan_options_init(commgauge_plan_options* options) {
  return guarded([&] { given(options, "options") = commgauge::c::plan_defaults(); });
}

commgauge_status commgauge_plan_tasks(const char* shape, const commgauge_tasks* run,
                                      const commgauge_plan_options* options, uint64_t* next,
                                      uint64_t room, commgauge_plan* plan) {
  using namespace commgauge::c;
  return guarded([&] {
    commgauge_plan& result = given(plan, "plan");
    if (room > 0) given(next, "next");
    const commgauge_plan_options asked = options == nullptr ? plan_defaults() : *options;
    const Shape of = commgauge::tasks::parse_shape(&given(shape, "shape"));
    std::optional<MeasuredTasks> measured;
    if (run != nullptr) measured = run->measured;
    if (measured && measured->shape != of) {
      throw commgauge::InputError("tasks of " + to_text(measured->shape) + " and a plan of " +
                                  to_text(of) +
                                  " (they are not of one program): give the shape when loading");
    }
    const commgauge::tasks::Plan found =
        commgauge::tasks::plan(of, measured,
                               {share(asked.precision, "precision"),
                                share(asked.confidence, "confidence"),
                                asked.seed,
                                {}});
    std::ranges::copy(integers_of(of, found.next, room), next);
    result = in_c(found, of);
  });
}

commgauge_status commgauge_task_options_init(commgauge_task_options* options) {
  return guarded([&] { given(options, "options") = commgauge::c::task_defaults(); });
}

commgauge_status commgauge_predict_tasks(const commgauge_model* model, const char* name,
                                         const commgauge_tasks* tasks,
                                         const commgauge_task_options* options,
                                         const int* processes, int count,
                                         commgauge_task_prediction* predictions) {
  using namespace commgauge::c;
  return guarded([&] {
    const commgauge::Model& known = learnt(model).model;
    const commgauge_tasks& handed_out = given(tasks, "tasks");
    commgauge_task_prediction* const results = &given(predictions, "predictions");
    const commgauge_task_options asked = options == nullptr ? task_defaults() : *options;
    const std::vector<int> jobs = checked(processes, count);
    const commgauge::tasks::PredictedRuns found = commgauge::tasks::predicted(
        times_of(handed_out, known.confidence), known, jobs, options_of(asked, name));
    for (std::size_t k = 0; k < found.runs.size(); ++k) results[k] = in_c(found.runs[k]);
  });
}
