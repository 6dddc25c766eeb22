/* tasks_in_c MODEL TASKS: runs tasks round by round, as a program in C does, until their total is
 * known within 1 %, keeps their times in the file TASKS, and predicts masters and workers. */
#include <commgauge.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SHAPE "40x30"

static int failed(const char* what) {
  fprintf(stderr, "tasks_in_c: %s: %s\n", what, commgauge_last_message());
  return 1;
}

/* What a task takes [s]. */
static double run(uint64_t i, uint64_t j) {
  const double x = (double)i - 10;
  const double y = (double)j - 12;
  return 1e-3 * (1 + (x * x + y * y) / 100);
}

/* One round: nothing was left to do, tasks were run, or it failed. */
enum round { DONE, RUN, FAILED };

static enum round run_round(const commgauge_plan_options* options, const char* file) {
  commgauge_tasks* so_far = NULL;
  commgauge_plan plan;
  uint64_t* next = NULL;
  FILE* times = NULL;
  enum round result = FAILED;
  uint64_t k = 0;
  FILE* const known = fopen(file, "r");
  if (known != NULL) {
    fclose(known);
    if (commgauge_load_tasks(file, SHAPE, options->seed, &so_far) != COMMGAUGE_OK) return FAILED;
  }
  if (commgauge_plan_tasks(SHAPE, so_far, options, NULL, 0, &plan) != COMMGAUGE_OK) goto end;
  if (plan.next == 0) {
    printf("%lu tasks: %.6g s, from %.6g s to %.6g s\n", (unsigned long)plan.run, plan.total_s,
           plan.low_s, plan.high_s);
    result = plan.precise ? DONE : FAILED;
    goto end;
  }
  next = malloc(plan.next * (size_t)plan.dimensions * sizeof *next);
  times = fopen(file, "a");
  if (next == NULL || times == NULL ||
      commgauge_plan_tasks(SHAPE, so_far, options, next, plan.next, &plan) != COMMGAUGE_OK) {
    goto end;
  }
  if (so_far == NULL) fprintf(times, "i1,i2,time_s\n");
  for (k = 0; k < plan.next; ++k) {
    fprintf(times, "%lu,%lu,%.9g\n", (unsigned long)next[2 * k], (unsigned long)next[2 * k + 1],
            run(next[2 * k], next[2 * k + 1]));
  }
  result = RUN;
end:
  if (times != NULL) fclose(times);
  free(next);
  commgauge_free_tasks(so_far);
  return result;
}

static int predict(const commgauge_model* model, const char* file, uint64_t seed) {
  const int processes[] = {2, 3, 4, 8};
  enum { COUNT = sizeof processes / sizeof processes[0] };
  commgauge_task_prediction found[COUNT];
  commgauge_task_options options;
  commgauge_tasks* tasks = NULL;
  commgauge_status status;
  int k = 0;
  if (commgauge_load_tasks(file, SHAPE, seed, &tasks) != COMMGAUGE_OK ||
      commgauge_task_options_init(&options) != COMMGAUGE_OK) {
    commgauge_free_tasks(tasks);
    return failed("tasks");
  }
  options.chunk = 2;
  status = commgauge_predict_tasks(model, NULL, tasks, &options, processes, COUNT, found);
  commgauge_free_tasks(tasks);
  if (status != COMMGAUGE_OK) return failed("prediction");
  for (k = 0; k < COUNT; ++k) {
    printf("%d processes: %.6g s, from %.6g s to %.6g s; the master is busy %.3g %%\n",
           found[k].processes, found[k].time.time_s, found[k].time.low_s, found[k].time.high_s,
           100 * found[k].masters_busy);
    if (k > 0 && found[k].time.time_s >= found[k - 1].time.time_s) {
      fprintf(stderr, "tasks_in_c: more workers take longer\n");
      return 1;
    }
  }
  return 0;
}

int main(int argc, char** argv) {
  commgauge_plan_options options;
  commgauge_model* model = NULL;
  enum round round = RUN;
  int code = 0;
  if (argc != 3) return 2;
  remove(argv[2]);
  if (commgauge_plan_options_init(&options) != COMMGAUGE_OK) return failed("options");
  options.precision = 0.01;
  while (round == RUN) round = run_round(&options, argv[2]);
  if (round == FAILED) return failed("round");
  if (commgauge_load(argv[1], &model) != COMMGAUGE_OK) return failed("model");
  code = predict(model, argv[2], options.seed);
  commgauge_free(model);
  return code;
}
