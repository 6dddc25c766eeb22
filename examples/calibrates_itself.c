/* An application in C that gets to know its own network at run time, keeps what it learnt, and asks
 * it how long messages and collectives take.
 *
 *   mpiexec -n 4 calibrates-itself-c [model.json]
 *
 * Where the file is there already, it is read instead of calibrating again. */

#include <commgauge.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static const uint64_t share = 65536;

/* Ends the job where something failed. */
static void check(commgauge_status status) {
  if (status == COMMGAUGE_OK) return;
  fprintf(stderr, "calibrates-itself-c: %s\n", commgauge_last_message());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static int rank_of(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int is_there(const char* file) {
  int there = 0;
  if (rank_of() == 0) {
    FILE* const opened = fopen(file, "r");
    there = opened != NULL;
    if (opened != NULL) fclose(opened);
  }
  MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return there;
}

/* A few seconds; half a minute at most. */
static void calibrate_and_save(const char* file) {
  commgauge_options options;
  commgauge_model* model = NULL;
  check(commgauge_options_init(&options));
  options.time_budget_s = 30;
  options.precision = 0.05;
  options.passes = 4;
  options.max_reps = 15;
  options.largest_bytes = share;
  check(commgauge_calibrate(MPI_COMM_WORLD, &options, &model));
  if (rank_of() == 0) check(commgauge_save(model, file));
  commgauge_free(model);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A model may not have the answer: some pair may not have been measured. */
static void print_time(const char* what, commgauge_status status, commgauge_prediction time) {
  if (status != COMMGAUGE_OK) {
    printf("%s: %s\n", what, commgauge_last_message());
    return;
  }
  printf("%s: %.3g us (%.3g to %.3g us)%s\n", what, 1e6 * time.time_s, 1e6 * time.low_s,
         1e6 * time.high_s, time.extrapolated ? ", extrapolated" : "");
}

static void print_model(const commgauge_model* model) {
  commgauge_info info;
  int k;
  check(commgauge_get_info(model, &info));
  printf("%d ranks on %d host(s)%s\n", info.ranks, info.hosts,
         info.complete ? "" : ", the measurement was cut short");
  for (k = 0; k < info.models; ++k) {
    const char* name = NULL;
    check(commgauge_model_name(model, k, &name));
    printf("model %s%s\n", name, k == 0 ? ", the best" : "");
  }
  for (k = 0; k < info.warnings; ++k) {
    const char* text = NULL;
    check(commgauge_warning(model, k, &text));
    printf("warning: %s\n", text);
  }
}

static void print_predictions(const commgauge_model* model) {
  commgauge_prediction time = {0};
  commgauge_algorithm algorithm = COMMGAUGE_FLAT;
  int certain = 0;
  commgauge_status status = commgauge_predict_message(model, NULL, 0, 1, share, &time);
  print_time("message from 0 to 1", status, time);
  status = commgauge_predict_round_trip(model, NULL, 0, 1, share, &time);
  print_time("round trip between 0 and 1", status, time);
  status = commgauge_faster_algorithm(model, NULL, COMMGAUGE_BCAST, 0, share, &algorithm, &certain);
  if (status == COMMGAUGE_OK) {
    status = commgauge_predict_collective(model, NULL, COMMGAUGE_BCAST, algorithm, 0, share, &time);
  }
  print_time(algorithm == COMMGAUGE_FLAT ? "flat broadcast" : "binomial broadcast", status, time);
  if (status == COMMGAUGE_OK) {
    printf("the other algorithm is %sslower\n", certain ? "" : "not certainly ");
  }
}

int main(int argc, char** argv) {
  commgauge_model* model = NULL;
  const char* const file = argc > 1 ? argv[1] : "model.json";
  MPI_Init(&argc, &argv);
  if (!is_there(file)) calibrate_and_save(file);
  check(commgauge_load(file, &model));
  commgauge_region_begin("predictions"); /* for whoever records this program */
  if (rank_of() == 0) {
    print_model(model);
    print_predictions(model);
  }
  commgauge_region_end("predictions");
  commgauge_free(model);
  MPI_Finalize();
  return 0;
}
