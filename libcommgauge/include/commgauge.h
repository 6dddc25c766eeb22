/* commgauge for C: calibrate a machine at run time, keep what was learnt, predict from it.
 *
 *     commgauge_model* model;
 *     commgauge_prediction time;
 *     if (commgauge_calibrate(MPI_COMM_WORLD, NULL, &model) != COMMGAUGE_OK ||
 *         commgauge_predict_message(model, NULL, 0, 3, 65536, &time) != COMMGAUGE_OK)
 *       fprintf(stderr, "%s\n", commgauge_last_message());
 *     ...
 *     commgauge_free(model);
 *
 * Times are seconds, sizes are bytes. A function that doesn't return COMMGAUGE_OK leaves its
 * out-parameters as they were. Only commgauge_calibrate(),
 * commgauge_for_communicator() and commgauge_refresh() talk MPI.
 *
 * A model is never changed after it was made, so threads may share it; whoever frees it must be the
 * last one to use it. Texts that a function hands out belong to the model and end with it.
 */
#ifndef COMMGAUGE_H
#define COMMGAUGE_H

#include <mpi.h>
#include <stdint.h>

#if defined(__GNUC__)
#define COMMGAUGE_API __attribute__((visibility("default")))
#else
#define COMMGAUGE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. Every function that returns a status may return COMMGAUGE_INTERNAL,
 * and, unless it says otherwise, COMMGAUGE_NO_MEMORY. */
typedef enum commgauge_status {
  COMMGAUGE_OK = 0,
  COMMGAUGE_BAD_INPUT = 1,  /* an argument, an option, a file, a question that the model can't
                               answer: the message says which */
  COMMGAUGE_CANT_FIT = 2,   /* what was measured doesn't determine a model that was asked for */
  COMMGAUGE_MPI_FAILED = 3, /* an MPI call failed */
  COMMGAUGE_NO_MEMORY = 4,  /* where memory is exhausted to the last bytes, reading or writing a
                               model may end the process instead */
  COMMGAUGE_INTERNAL = 5    /* a callback threw an exception, or commgauge has a fault */
} commgauge_status;

/* Why the last call of this thread that failed did so, as one line of UTF-8: problem (why it is
 * one): what to do. Empty before the first failure; a call that succeeds leaves it as it is. Each
 * thread has its own. Never null; valid until the thread's next failure. Longer ones than 2047
 * bytes are cut. */
COMMGAUGE_API const char* commgauge_last_message(void);

/* The library's version, as "0.1.0". */
COMMGAUGE_API const char* commgauge_version(void);

/* Everything that was learnt about a machine. */
typedef struct commgauge_model commgauge_model;

/* How to calibrate. Set by commgauge_options_init() first, so that what you don't know of has its
 * default. */
typedef struct commgauge_options {
  double time_budget_s; /* the measurement ends in about this time; 0: when it is done (default) */
  double precision;     /* half width of an interval relative to its value at which a time is
                           repeated no more; above 0, below 1; default 0.025 */
  double confidence;    /* level of the intervals; above 0, below 1; default 0.95 */
  int passes;           /* over all experiments, at least 1; default 8. What varies between passes
                           is what intervals are made of */
  int min_reps;         /* blocks of repetitions, at least 2; default 7 */
  int max_reps;         /* blocks, at least min_reps; default 60 */
  const char* models;   /* names separated by commas: hockney, lom, lmo, bottleneck, logp, loggp,
                           loggps, plogp, curves, start_up; null: the first four, with two ranks
                           the first (default). Of those that are named none may be missing */
  uint64_t largest_bytes; /* largest message of the round trips; at most INT_MAX; default 1 MiB */
  int thresholds;         /* sweep scatter and gather first: not 0 (default) */
  int checks;             /* measure what no fit sees as well, to rank the models by: not 0
                             (default); 0: the first of the names above that is there counts as the
                             best */
  uint64_t seed;          /* of whatever is drawn at random; default 1 */
  /* Asked on every rank now and then, with `cancelled_data`; not 0 on any rank ends the
   * measurement there. Null: nobody is asked (default). */
  int (*cancelled)(void* cancelled_data);
  void* cancelled_data;
} commgauge_options;

/* Sets the defaults.
 * Returns  COMMGAUGE_BAD_INPUT: `options` is null. */
COMMGAUGE_API commgauge_status commgauge_options_init(commgauge_options* options);

/* Measures the machine below a communicator and fits models to it; rank i of the model is rank i of
 * `comm`. A measurement that was cut short (by its budget, or cancelled) gives a model, too, if it
 * determines one: commgauge_get_info() says so.
 *
 * Collective over `comm`, all ranks with the same options. Works on a duplicate of `comm`, prints
 * nothing, and needs MPI_THREAD_SINGLE. Ranks with nothing to do sleep.
 *
 * options  null: the defaults.
 * model    on every rank the same model, to be freed with commgauge_free().
 * Returns  COMMGAUGE_BAD_INPUT: MPI isn't initialised or is finalised, `comm` is MPI_COMM_NULL, no
 *          intracommunicator or has one rank only, an option is out of range or names an unknown
 *          model, `model` is null;
 *          COMMGAUGE_CANT_FIT: too few ranks for a model (lom, lmo, bottleneck take three), or too
 *          little was measured, as where the budget was too short;
 *          COMMGAUGE_MPI_FAILED.
 *          The first two on every rank alike; of the others a rank may not know what happened to
 *          another: end the job, as after any failure of MPI. */
COMMGAUGE_API commgauge_status commgauge_calibrate(MPI_Comm comm, const commgauge_options* options,
                                                   commgauge_model** model);

/* Reads a model file, as commgauge_save() and `estimate-model` write them. Local.
 *
 * model    to be freed with commgauge_free().
 * Returns  COMMGAUGE_BAD_INPUT: the file can't be read or is no model file, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_load(const char* file, commgauge_model** model);

/* Writes a model file: all of it or nothing, in which case what was there before stays. Local: one
 * rank is enough.
 *
 * Returns  COMMGAUGE_BAD_INPUT: the file can't be written, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_save(const commgauge_model* model, const char* file);

/* Frees a model and the texts that it gave. Null is allowed. */
COMMGAUGE_API void commgauge_free(commgauge_model* model);

/* What a model is about. */
typedef struct commgauge_info {
  int ranks;
  int hosts;                  /* different names of hosts among the ranks' */
  int launches;               /* that were measured, and merged into this model */
  int models;                 /* fitted ones, for commgauge_model_name() */
  int warnings;               /* for commgauge_warning() */
  int complete;               /* 0: a measurement was cut short */
  int eager_limit_known;      /* 0: eager_limit_bytes says nothing */
  double confidence;          /* of the intervals; commgauge_interval_meaning() says of what */
  uint64_t eager_limit_bytes; /* largest message that is sent without waiting for its receiver */
} commgauge_info;

/* Returns  COMMGAUGE_BAD_INPUT: an argument is null. */
COMMGAUGE_API commgauge_status commgauge_get_info(const commgauge_model* model,
                                                  commgauge_info* info);

/* Names of the fitted models, the best first: by their error on times that no fit saw; unranked
 * ones last.
 *
 * index    from 0, below commgauge_info.models.
 * Returns  COMMGAUGE_BAD_INPUT: there is no such index, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_model_name(const commgauge_model* model, int index,
                                                    const char** name);

/* The host on which a rank was measured.
 *
 * Returns  COMMGAUGE_BAD_INPUT: there is no such rank, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_host(const commgauge_model* model, int rank,
                                              const char** host);

/* Of a model whose ranks are alike by kinds, how many kinds there are; 0: each pair of ranks has its
 * own values.
 *
 * Returns  COMMGAUGE_BAD_INPUT: an argument is null. */
COMMGAUGE_API commgauge_status commgauge_count_kinds(const commgauge_model* model, int* kinds);

/* A rank's kind, from 0, and the group in which ranks are near one another: its host.
 *
 * Returns  COMMGAUGE_BAD_INPUT: there is no such rank, the model has no kinds, an argument is
 *          null. */
COMMGAUGE_API commgauge_status commgauge_kind_of_rank(const commgauge_model* model, int rank,
                                                      int* kind, int* group);

/* A kind's name: of the first host that is of it.
 *
 * Returns  COMMGAUGE_BAD_INPUT: there is no such kind, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_kind_name(const commgauge_model* model, int kind,
                                                   const char** name);

/* A parameter with its interval; NaN: not known. Where `value` is NaN and `high` isn't, `high` is a
 * bound. */
typedef struct commgauge_parameter {
  double value;
  double low;
  double high;
} commgauge_parameter;

/* What a model of docs/formats.md says of messages from ranks of a kind to ranks of a kind.
 *
 * fit        "lmo", "hockney", "hockney_rendezvous", ...
 * name       "L", "inverse_beta", ...: one with a number for each pair
 * is_within  not 0: of pairs of one group
 * Returns    COMMGAUGE_BAD_INPUT: there is no such kind, fit or parameter, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_class_parameter(const commgauge_model* model,
                                                         const char* fit, const char* name,
                                                         int from_kind, int to_kind, int is_within,
                                                         commgauge_parameter* parameter);

/* What to be wary of: one line of UTF-8 for people. Models that could not be fitted are here, too.
 *
 * index    from 0, below commgauge_info.warnings.
 * Returns  COMMGAUGE_BAD_INPUT: there is no such index, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_warning(const commgauge_model* model, int index,
                                                 const char** text);

/* What the intervals of predictions hold, in words: "95 % of what this launch would find again", or
 * of a model of several launches "95 %, launches included".
 *
 * Returns  COMMGAUGE_BAD_INPUT: an argument is null. */
COMMGAUGE_API commgauge_status commgauge_interval_meaning(const commgauge_model* model,
                                                          const char** text);

/* The same model for a job of another number of processes: predictions by logp, loggp, loggps and
 * plogp have the overheads of so many, by other models they are refused: name one where the best
 * is another. Ranks are those of `model`, and commgauge_save() writes the same file.
 *
 * processes  at least 2; of more than the model's ranks predictions are extrapolated.
 * grown      to be freed with commgauge_free(), before or after `model`.
 * Returns    COMMGAUGE_BAD_INPUT: fewer than 2 processes, the growth of overheads was not measured,
 *            an argument is null. */
COMMGAUGE_API commgauge_status commgauge_for_processes(const commgauge_model* model, int processes,
                                                       commgauge_model** grown);

/* Makes the model of a job from that of the machine, which was calibrated before. The job's ranks
 * are those of a communicator. Their hosts are known by their names; they may be some of the
 * machine's, in any order, with any number of ranks on each. Rank r of `job` is rank r of `comm`.
 * Nothing is measured. Collective over `comm`, which is duplicated.
 *
 * model    the same on every rank
 * job      to be freed with commgauge_free(), before or after `model`. Its warnings say what is
 *          assumed, as of a host that is taken for one of a kind because of its name.
 * Returns  COMMGAUGE_BAD_INPUT, on every rank alike: a host that the model doesn't know, or several
 *          ranks on a host where it knows no pair of such; MPI is not running, `comm` is no
 *          intracommunicator, an argument is null. COMMGAUGE_MPI_FAILED. */
COMMGAUGE_API commgauge_status commgauge_for_communicator(const commgauge_model* model,
                                                          MPI_Comm comm, commgauge_model** job);

/* Finds out whether a job's model still holds. A few round trips are measured between ranks of each
 * class, and of each host with two others. What drifted is corrected, with a wider interval. The
 * rest is kept. Collective over `comm`, which is duplicated.
 *
 * job        commgauge_for_communicator()'s: rank r is rank r of `comm`
 * time_s     the first look takes no longer; 0: 0.1 s. A second look, at hosts that stand out,
 *            takes about as long.
 * refreshed  to be freed with commgauge_free(), before or after `job`. Its warnings say what
 *            drifted, and which hosts differ.
 * holds      not 0: nothing drifted, no host differs, and each class was measured. May be null.
 * Returns    COMMGAUGE_BAD_INPUT, on every rank alike: the model has another number of ranks, or
 *            no fit that predicts messages; `time_s` is below 0 or not a number; MPI is not
 *            running, `comm` is no intracommunicator, an argument is null. COMMGAUGE_MPI_FAILED. */
COMMGAUGE_API commgauge_status commgauge_refresh(const commgauge_model* job, MPI_Comm comm,
                                                 double time_s, commgauge_model** refreshed,
                                                 int* holds);

/* A time with its interval, which holds what commgauge_interval_meaning() says. An end below 0 is
 * left as it is. Both are NaN where the model's replicates can't tell one, as of a file that holds
 * none. */
typedef struct commgauge_prediction {
  double time_s;
  double low_s;
  double high_s;
  int extrapolated; /* not 0: some message is outside the sizes that the model was fitted on, or
                       the job is larger, for which the interval promises nothing */
} commgauge_prediction;

/* One message: from the moment both ranks are in their calls until the receive returns.
 *
 * name     of a fitted model; null: the best.
 * Returns  COMMGAUGE_BAD_INPUT: no such model, no such rank, both ranks the same, a pair that was
 *          not measured, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_predict_message(const commgauge_model* model,
                                                         const char* name, int from, int to,
                                                         uint64_t size_bytes,
                                                         commgauge_prediction* prediction);

/* A message and one of the same size back. The ends of the interval are the sums of both ways'
 * ends: wide enough whatever the two ways have in common.
 *
 * Returns  as commgauge_predict_message(). */
COMMGAUGE_API commgauge_status commgauge_predict_round_trip(const commgauge_model* model,
                                                            const char* name, int from, int to,
                                                            uint64_t size_bytes,
                                                            commgauge_prediction* prediction);

typedef enum commgauge_operation {
  COMMGAUGE_SCATTER = 1,
  COMMGAUGE_GATHER = 2,
  COMMGAUGE_BCAST = 3
} commgauge_operation;

typedef enum commgauge_algorithm {
  COMMGAUGE_FLAT = 1,    /* the root deals with each of the others itself, in ascending order */
  COMMGAUGE_BINOMIAL = 2 /* MPICH's tree */
} commgauge_algorithm;

/* A collective operation of all the model's ranks: from a common start to the last rank's end.
 *
 * Flat gathers whose messages all come at once may escalate (see gather_m1_bytes in
 * docs/formats.md); no model predicts how much longer they take then.
 *
 * size_bytes  of each rank's block.
 * Returns     as commgauge_predict_message(), and COMMGAUGE_BAD_INPUT: no such operation or
 *             algorithm. */
COMMGAUGE_API commgauge_status commgauge_predict_collective(
    const commgauge_model* model, const char* name, commgauge_operation operation,
    commgauge_algorithm algorithm, int root, uint64_t size_bytes, commgauge_prediction* prediction);

/* The faster of the two algorithms. Flat where they are equally fast.
 *
 * What a calibration measured of flat scatters and gathers counts more than what the model says of
 * them, so the choice may differ from that of the predicted times.
 *
 * algorithm  the one expected to be faster.
 * certain    not 0: the intervals of the two predictions don't meet, none is extrapolated, and the
 *            size is not one at which gathers escalate.
 * Returns    as commgauge_predict_collective(). */
COMMGAUGE_API commgauge_status commgauge_faster_algorithm(
    const commgauge_model* model, const char* name, commgauge_operation operation, int root,
    uint64_t size_bytes, commgauge_algorithm* algorithm, int* certain);

/* Tasks of a program whose times are known of some, or of all.
 *
 * A task is named by N integers, each from 1 to a count; a shape, as "1024x1024", says the counts.
 * Tasks never change after they were made, so threads may share them. */
typedef struct commgauge_tasks commgauge_tasks;

/* Reads times of tasks, CSV `i1,...,iN,time_s[,result_bytes]`, as a program or `estimate-model
 * tasks run` writes them. Local.
 *
 * shape    null: up to the largest of each integer in the file.
 * seed     of the sample that was run, as it was planned; 0: as the file says, or 1. A file that
 *          says another is refused.
 * tasks    to be freed with commgauge_free_tasks().
 * Returns  COMMGAUGE_BAD_INPUT: the file can't be read or has no times of tasks, a task is twice in
 *          it or outside the shape, `shape` is none, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_load_tasks(const char* file, const char* shape,
                                                    uint64_t seed, commgauge_tasks** tasks);

/* So many tasks that take the same time.
 *
 * tasks    to be freed with commgauge_free_tasks().
 * Returns  COMMGAUGE_BAD_INPUT: none or more than 2^28 tasks, a time below 0, `tasks` is null. */
COMMGAUGE_API commgauge_status commgauge_equal_tasks(uint64_t count, double time_s,
                                                     commgauge_tasks** tasks);

/* Null is allowed. */
COMMGAUGE_API void commgauge_free_tasks(commgauge_tasks* tasks);

/* How many there are, and how many of them were run.
 *
 * Returns  COMMGAUGE_BAD_INPUT: an argument is null. */
COMMGAUGE_API commgauge_status commgauge_count_tasks(const commgauge_tasks* tasks, uint64_t* all,
                                                     uint64_t* run);

/* How well the time of all tasks is to be known. Set by commgauge_plan_options_init() first. */
typedef struct commgauge_plan_options {
  double precision;  /* half width of its interval relative to it; above 0, below 1; default 0.02 */
  double confidence; /* level of that interval; above 0, below 1; default 0.95 */
  uint64_t seed;     /* of the sample that is drawn, the same in each round; default 1 */
} commgauge_plan_options;

/* Sets the defaults.
 * Returns  COMMGAUGE_BAD_INPUT: `options` is null. */
COMMGAUGE_API commgauge_status commgauge_plan_options_init(commgauge_plan_options* options);

/* Which tasks to run next. */
typedef struct commgauge_plan {
  uint64_t next;  /* tasks to run; 0: nothing is left to do */
  uint64_t run;   /* tasks of the sample that were run; others don't count */
  int dimensions; /* N, the integers of a task */
  int precise;    /* not 0: as precise as asked, or all tasks were run */
  double total_s; /* of all tasks, with its interval; NaN: too few were run */
  double low_s;
  double high_s;
  int doubtful; /* not 0: one task alone leaves more open than all the others, which perhaps
                   something else was running beside; the last three members tell which */
  uint64_t doubtful_number; /* from 0, the last integer counting fastest */
  double doubtful_s;        /* what it took, */
  double others_s;          /* and the median of those near it */
} commgauge_plan;

/* Which tasks of a program to run, round by round, until the time of all is known as well as asked.
 * The same call says the same: ask once without room for how many there are. Local.
 *
 * run      what was run so far, of the same shape; null: nothing.
 * options  null: the defaults.
 * next     of the tasks to run the integers, N of each task, task by task, of the first `room`
 * tasks; null where `room` is 0. Returns  COMMGAUGE_BAD_INPUT: `shape` is none, or another than
 * that of `run`, an option is out of range, an argument is null. */
COMMGAUGE_API commgauge_status commgauge_plan_tasks(const char* shape, const commgauge_tasks* run,
                                                    const commgauge_plan_options* options,
                                                    uint64_t* next, uint64_t room,
                                                    commgauge_plan* plan);

/* In which order tasks are handed out. */
typedef enum commgauge_order {
  COMMGAUGE_GIVEN = 1,  /* by number, the last integer counting fastest */
  COMMGAUGE_RANDOM = 2, /* drawn by the seed */
  COMMGAUGE_LONGEST_FIRST = 3
} commgauge_order;

/* How masters hand tasks out to workers. Set by commgauge_task_options_init() first. */
typedef struct commgauge_task_options {
  commgauge_order order;  /* default COMMGAUGE_GIVEN */
  uint64_t seed;          /* of a random order; default 1 */
  uint64_t chunk;         /* tasks in one message, at least 1; default 1 */
  int masters;            /* each with its share of the workers, and of the tasks; default 1 */
  double split_after_s;   /* a master whose workers wait longer for a task makes one of them another
                             master; 0: never (default) */
  double serve_s;         /* what a master does with each request; default 0 */
  uint64_t request_bytes; /* a worker's message, without results; default 8 */
  uint64_t task_bytes;    /* a master's message; default 8 */
  uint64_t result_bytes;  /* a task's result, where the file of tasks doesn't say; default 4 */
  const char*
      time_ratio; /* seconds that a rank of the machine takes for one where tasks were run:
                     a number, or the name of a file, as of --time-ratio; null: 1 (default) */
  int growth;     /* overheads grow with the number of processes, where that was measured:
                     not 0 (default) */
  int interval;   /* not 0 (default); 0: times alone, which is quicker */
} commgauge_task_options;

/* Sets the defaults.
 * Returns  COMMGAUGE_BAD_INPUT: `options` is null. */
COMMGAUGE_API commgauge_status commgauge_task_options_init(commgauge_task_options* options);

/* What masters and workers take for tasks. */
typedef struct commgauge_task_prediction {
  int processes;
  commgauge_prediction time; /* from the processes' start until all are done; its interval holds
                                what the model, the processors' speeds and the tasks that were not
                                run leave open */
  double masters_busy;       /* share of the time that the first masters send, receive and serve */
  double workers_computing;  /* share of the time that the others compute, on the average */
  int64_t splits;            /* masters that masters made */
} commgauge_task_prediction;

/* How long jobs of so many processes, masters and workers together, take for tasks, as
 * `estimate-model predict --operation master-worker`. Jobs of more processes than the model has
 * ranks run on hosts like its hosts, and are extrapolated. A model of commgauge_for_processes() is
 * taken as the one that it was made of: each job has its own overheads. Local, and may take long.
 *
 * name         of a fitted model; null: the best-ranked of those that can be simulated.
 * options      null: the defaults.
 * processes    `count` numbers, each at least 2 for every master.
 * predictions  room for as many; in the same order.
 * Returns      COMMGAUGE_BAD_INPUT: what was run is neither all tasks, nor a grid of them, nor a
 *              sample with the seed given; no such model, or none that can be simulated; an option
 *              or a number of processes is out of range; an argument is null. */
COMMGAUGE_API commgauge_status commgauge_predict_tasks(const commgauge_model* model,
                                                       const char* name,
                                                       const commgauge_tasks* tasks,
                                                       const commgauge_task_options* options,
                                                       const int* processes, int count,
                                                       commgauge_task_prediction* predictions);

/* A part of the program begins, and ends: a region of that name, in which others may lie.
 *
 * Does nothing but where the program runs under `record` or `emulate --record`: then the trace has
 * the region, as by MPI_Pcontrol(1, name) and MPI_Pcontrol(-1, name). Local; between MPI_Init and
 * MPI_Finalize, in the thread that calls MPI; elsewhere it is no region.
 *
 * name  null: nothing is done. */
COMMGAUGE_API void commgauge_region_begin(const char* name);
COMMGAUGE_API void commgauge_region_end(const char* name);

#ifdef __cplusplus
}
#endif

#endif
