#include <cmath>
#include <cstdlib>
#include <iostream>

#include "commgauge/tasks/master_worker.hpp"
#include "commgauge/tasks/prediction.hpp"
#include "commgauge/tasks/sample.hpp"

namespace {

namespace tasks = commgauge::tasks;

commgauge::Model two_equal_ranks() {
  commgauge::HockneyParameters p{.alpha = commgauge::Matrix{2},
                                 .beta = commgauge::Matrix{2},
                                 .mean_alpha = 2e-6,
                                 .mean_beta = 1e-9};
  p.alpha.set_both(0, 1, p.mean_alpha);
  p.beta.set_both(0, 1, p.mean_beta);
  commgauge::Fitted<commgauge::HockneyParameters> fitted;
  fitted.value = fitted.low = fitted.high = p;
  fitted.last = commgauge::Bytes{1 << 20};
  commgauge::Launch launch;
  launch.confidence = 0.95;
  launch.ranks = {{.host = "a", .cores = {0}}, {.host = "b", .cores = {0}}};
  commgauge::Model model;
  model.ranks = 2;
  model.launches = {launch};
  model.hockney = fitted;
  return model;
}

}  // namespace

/// A worker alone computes all tasks, and asks for each: two messages and the time of the task.
int main() {
  const tasks::Shape shape({4, 5});
  if (tasks::plan(shape, {}).next.size() != shape.size()) return EXIT_FAILURE;
  const tasks::MeasuredTasks every = tasks::tasks_from_csv(
      "i1,time_s\n1,0.001\n2,0.002\n3,0.003\n4,0.004\n5,0.005\n", "tasks.csv");
  const auto found = tasks::predicted(tasks::TaskTimes(every), two_equal_ranks(), {2});
  const double time = found.runs.front().time.time.value;
  const double messages = 6 * 2 * (2e-6 + 8e-9) + 5 * 4e-9;
  std::cout << time << " s, expected " << 0.015 + messages << " s\n";
  return std::abs(time - 0.015 - messages) < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
