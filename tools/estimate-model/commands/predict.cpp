#include "commgauge/predict/predict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <memory>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/predict/draws.hpp"
#include "commgauge/predict/master_worker.hpp"
#include "commgauge/schedule/choice.hpp"
#include "commgauge/simulate/machine/measured_rules.hpp"
#include "common/command_line/completion.hpp"
#include "common/command_line/larger_machine.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "estimate-model/commands/commands.hpp"
#include "estimate-model/commands/predict_tasks.hpp"

namespace commgauge::tools {

namespace {

constexpr const char* csv_header =
    "model,operation,from,to,size_bytes,time_s,low_s,high_s,side,algorithm,extrapolated\n";
/// Of simulated masters and workers.
constexpr const char* task_columns = ",processes,masters_busy,workers_computing,splits";

/// What is predicted.
struct Target {
  std::string word;                           ///< of the command line, and of the rows
  std::optional<Operation> operation;         ///< that a query can be of
  std::optional<schedule::Operation> of_all;  ///< else an operation of all ranks
  [[nodiscard]] bool is_master_worker() const { return !operation && !of_all; }
  [[nodiscard]] bool is_meeting() const { return operation && commgauge::is_meeting(*operation); }
  /// Only the virtual machine tells it.
  [[nodiscard]] bool is_on_machine() const { return of_all || is_meeting(); }
};

struct PredictSettings {
  std::string input;
  LargerMachine larger;
  std::string output{"-"};
  std::string model{"preferred"};
  Target target{"p2p", Operation::p2p, {}};
  std::optional<schedule::Choice> collectives;  ///< nothing: not given
  int from{};
  std::optional<int> to;
  std::vector<Bytes> sizes;
  Side side{};
  Algorithm algorithm{Algorithm::flat};
  std::vector<int> processes;
  std::optional<int> ranks;
  TaskSettings tasks;
  std::vector<std::string> task_options;  ///< that were given

  /// Masters and workers as virtual processes, instead of the formula of Mizutani, Ino, Hagihara.
  [[nodiscard]] bool simulates() const { return target.is_master_worker() && !ranks; }
};

/// Rows, and what is to be said of them.
struct Output {
  std::string csv{csv_header};
  std::vector<std::string> notes;
  std::vector<std::string> with_intervals;  ///< models
};

/// The best-ranked that the virtual machine can be made of.
std::string preferred_machine(const Model& model) {
  const simulate::Machine machine = simulate::machine_of(model, "");
  for (const Diagnostic& note : machine.notes) {
    if (note.kind != contention_kind) say(note.text());  // it has been said
  }
  return machine.kind;
}

std::vector<std::string> models_asked_for(const PredictSettings& settings, const Model& model) {
  if (settings.model == "preferred") {
    if (settings.target.is_on_machine()) return {preferred_machine(model)};
    if (settings.simulates()) return {""};  // the best-ranked of those that can be
    return {settings.target.is_master_worker() ? preferred_for_master_worker(model)
                                               : model.preferred()};
  }
  if (settings.model != "all") return {settings.model};
  std::vector<std::string> names;
  for (const std::string& name : settings.simulates() || settings.target.is_on_machine()
                                     ? simulate::emulated_models()
                                     : model_names()) {
    if (model.has(name)) names.push_back(name);
  }
  if (names.empty()) names.push_back(model.preferred());
  return names;
}

/// What an operation of all ranks hasn't: a root, one algorithm of two, a number of processes.
void check_scheduled_options(const PredictSettings& settings) {
  std::string option;
  if (!settings.processes.empty()) option = "--processes";
  if (settings.from != 0) option = "--from";
  if (settings.side != Side::receiver) option = "--side";
  if (settings.algorithm != Algorithm::flat) option = "--algorithm";
  if (option.empty()) return;
  throw InputError(option + " with " + settings.target.word +
                   " (all ranks of the model take part, by the algorithms of --collectives): leave "
                   "it out");
}

void check_message_options(const PredictSettings& settings) {
  if (settings.sizes.empty()) {
    throw InputError("--size is missing (a message has a size): give --size SIZE,...");
  }
  const bool is_of_two = settings.target.operation == Operation::p2p ||
                         settings.target.operation == Operation::exchange;
  if (is_of_two && !settings.to) {
    throw InputError("--to is missing (" + settings.target.word +
                     " is of two ranks): give --to RANK");
  }
  if (!is_of_two && settings.to) {
    throw InputError("--to with " + settings.target.word +
                     " (all other ranks take part): leave --to out");
  }
  if (settings.target.of_all) check_scheduled_options(settings);
  if (settings.processes.size() > 1) {
    throw InputError(
        "several numbers of --processes (a message is of one job): give one, or ask for "
        "master-worker");
  }
  if (settings.ranks || !settings.task_options.empty()) {
    throw InputError("an option of master-worker with another operation (" +
                     (settings.ranks ? "--ranks" : settings.task_options.front()) +
                     "): leave it out");
  }
}

void check_task_options(const PredictSettings& settings) {
  if (settings.tasks.tasks.empty()) {
    throw InputError(
        "--tasks is missing (nothing is to be done): give their number, or a file of "
        "their times");
  }
  if (settings.to || !settings.sizes.empty() || settings.side != Side::receiver ||
      settings.algorithm != Algorithm::flat) {
    throw InputError(
        "--to, --size, --side or --algorithm with master-worker (it has its own messages): leave "
        "it out, or give --request-size and --task-size");
  }
  if (settings.ranks.has_value() == !settings.processes.empty()) {
    throw InputError(
        "master-worker needs either --processes, and is simulated, or --ranks, for the formula: "
        "give one of them");
  }
}

void check_formula_options(const PredictSettings& settings) {
  const std::vector<std::string> known{"--tasks", "--task-time", "--request-size", "--task-size"};
  for (const std::string& option : settings.task_options) {
    if (std::ranges::find(known, option) != known.end()) continue;
    throw InputError(option + " with --ranks (the formula doesn't know it): give --processes " +
                     std::to_string(*settings.ranks) + " instead of --ranks");
  }
  if (settings.tasks.has_file() || !settings.tasks.task_time) {
    throw InputError(
        "--ranks needs --tasks NUMBER and --task-time (the formula knows equal tasks): give both, "
        "or --processes instead of --ranks");
  }
}

void check_simulation_options(const PredictSettings& settings) {
  if (settings.from == 0) return;
  throw InputError("--from " + std::to_string(settings.from) +
                   " (the first master is rank 0): leave it out");
}

/// By their words.
std::vector<std::pair<std::string, Target>> targets() {
  const std::vector<Target> all{{"p2p", Operation::p2p, {}},
                                {"exchange", Operation::exchange, {}},
                                {"ring", Operation::ring, {}},
                                {"scatter", Operation::scatter, {}},
                                {"gather", Operation::gather, {}},
                                {"bcast", Operation::bcast, {}},
                                {"all-to-all", {}, schedule::Operation::alltoall},
                                {"all-gather", {}, schedule::Operation::allgather},
                                {"all-reduce", {}, schedule::Operation::allreduce},
                                {"master-worker", {}, {}}};
  std::vector<std::pair<std::string, Target>> by_word;
  for (const Target& one : all) by_word.emplace_back(one.word, one);
  return by_word;
}

/// Empty where it is unknown.
std::string number_text(double value) {
  if (std::isnan(value)) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

std::string csv_line(const Query& query, std::string_view operation, const Prediction& prediction,
                     std::string_view side, std::string_view algorithm) {
  const std::string times = number_text(prediction.time.value) + "," +
                            number_text(prediction.low.value) + "," +
                            number_text(prediction.high.value);
  return query.model + "," + std::string{operation} + "," +
         (query.from < 0 ? "" : std::to_string(query.from)) + "," +
         (query.to < 0 ? "" : std::to_string(query.to)) + "," + std::to_string(query.size.value) +
         "," + times + "," + std::string{side} + "," + std::string{algorithm} + "," +
         (prediction.extrapolated ? "1" : "0") + "\n";
}

/// @param sizes  those that are extrapolated
std::string extrapolation_note(const Model& model, const Query& query, const std::string& sizes) {
  const bool is_larger_job = query.processes.value_or(0) > model.ranks;
  const std::string fitted = " that " + query.model + " was fitted on: ";
  return "extrapolated beyond the " + (is_larger_job
                                           ? std::to_string(model.ranks) + " ranks" + fitted +
                                                 std::to_string(*query.processes) + " processes"
                                           : "sizes" + fitted + sizes);
}

/// What a model says of a size.
struct Row {
  Query query;
  PredictedCollective prediction;  ///< without draws, if formulas tell it
  std::string algorithm;           ///< that carries it out
};

/// One for each size.
std::vector<Query> queries_of(const PredictSettings& settings, const std::string& name) {
  Query query{
      name,          *settings.target.operation, settings.from, settings.to.value_or(-1), {},
      settings.side, settings.algorithm};
  if (!settings.processes.empty()) query.processes = settings.processes.front();
  std::vector<Query> queries;
  for (const Bytes size : settings.sizes) {
    query.size = size;
    queries.push_back(query);
  }
  return queries;
}

std::vector<Row> messages_of(const PredictSettings& settings, const Model& model,
                             const std::string& name) {
  const std::vector<Query> queries = queries_of(settings, name);
  std::vector<PredictedCollective> predictions;
  if (settings.target.is_meeting()) {
    predictions = predict_meetings(model, queries);
  } else {
    for (const Prediction& one : predict(model, queries)) predictions.push_back({one, {}});
  }
  const std::string algorithm{
      is_collective(*settings.target.operation) ? to_text(settings.algorithm) : ""};
  std::vector<Row> rows;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    rows.push_back({queries[k], predictions[k], algorithm});
  }
  return rows;
}

/// What the virtual machine does.
std::vector<simulate::ScheduledCollective> scheduled(const PredictSettings& settings, int ranks) {
  if (settings.target.is_meeting()) {
    std::vector<simulate::ScheduledCollective> meetings;
    for (const Query& query : queries_of(settings, "")) {
      meetings.push_back({collective_of(query, ranks), Algorithm::flat});
    }
    return meetings;
  }
  const schedule::Choice choice = settings.collectives.value_or(schedule::Choice{});
  std::vector<simulate::ScheduledCollective> all;
  for (const Bytes size : settings.sizes) {
    schedule::Collective what;
    what.operation = *settings.target.of_all;
    what.ranks = ranks;
    what.counts = {size.value};
    all.push_back({what, algorithm_for(choice, what)});
  }
  return all;
}

/// What of them takes longer where messages share links; empty: nothing.
std::string desynchronisation_note(const std::vector<simulate::ScheduledCollective>& all,
                                   const Model& model, const std::string& name) {
  simulate::Machine machine = simulate::machine_of(model, name);
  if (all.front().what.operation == Operation::exchange) {
    machine = simulate::of_one_pair(std::move(machine));
  }
  std::string sizes;
  std::string exchanging;
  bool has_answers = false;
  for (const simulate::ScheduledCollective& one : all) {
    const auto found = simulate::desynchronisation(machine, one);
    if (!found) continue;
    if (!found->operations.empty()) exchanging = to_text(one.algorithm);
    has_answers =
        has_answers || (is_meeting(one.what.operation) && has_several_hosts(machine) &&
                        static_cast<double>(one.what.counts.front()) > machine.eager_limit);
    sizes += (sizes.empty() ? "" : ", ") + to_text(Bytes{one.what.counts.front()}) + " up to " +
             to_text(found->most);
  }
  if (sizes.empty()) return "";
  std::string reason = machine.at_once > 1 ? "each message as if it were alone" : "";
  if (!exchanging.empty()) {
    reason += (reason.empty() ? "" : "; ") + exchanging +
              " exchanges with one rank after the other; here ranks stay in step, and don't where "
              "packets of several messages share a link";
  }
  if (has_answers) {
    reason += (reason.empty() ? "" : "; ") +
              std::string{"an answer to a request may wait behind data that go its way"};
  }
  return name + ": time_s is the least (" + reason + "): " +
         (machine.at_once > 1 ? "all at once they take, of " : "out of step it takes, of ") + sizes;
}

std::vector<Row> collectives_of(const PredictSettings& settings, const Model& model,
                                const std::string& name) {
  const std::vector<simulate::ScheduledCollective> all = scheduled(settings, model.ranks);
  const std::vector<PredictedCollective> predictions = predict_collectives(model, name, all);
  std::vector<Row> rows;
  for (std::size_t k = 0; k < all.size(); ++k) {
    rows.push_back({{name, {}, -1, -1, settings.sizes[k]},
                    predictions[k],
                    std::string{to_text(all[k].algorithm)}});
  }
  return rows;
}

/// What chance makes of the times, where it decides something.
std::vector<std::string> notes_on_chance(const std::vector<Row>& rows, const Model& model) {
  std::size_t most = 0;
  std::vector<std::string> notes;
  for (const Row& row : rows) {
    const std::vector<double>& draws = row.prediction.draws;
    if (draws.empty()) continue;
    most = std::max(most, draws.size());
    if (const auto apart = outcomes_note(draws)) {
      notes.push_back(to_text(row.query.size) + ": " + apart->text());
    }
  }
  if (most == 0) return {};
  notes.insert(notes.begin(), lateness_note(*simulate::measured_jitter(model), most).text());
  return notes;
}

void add_messages(Output& output, const PredictSettings& settings, const Model& model,
                  const std::string& name) {
  const std::optional<Operation>& operation = settings.target.operation;
  const bool is_p2p = operation == Operation::p2p;
  const std::vector<Row> rows =
      operation ? messages_of(settings, model, name) : collectives_of(settings, model, name);
  std::vector<std::string> extrapolated;
  std::vector<std::string> bare;
  for (const auto& [query, prediction, algorithm] : rows) {
    output.csv += csv_line(query, settings.target.word, prediction,
                           is_p2p ? to_text(settings.side) : "", algorithm);
    if (prediction.extrapolated) extrapolated.push_back(to_text(query.size));
    if (!prediction.has_interval()) bare.push_back(to_text(query.size));
  }
  if (!extrapolated.empty()) {
    output.notes.push_back(extrapolation_note(model, rows.front().query, joined(extrapolated)));
  }
  if (bare.size() < rows.size()) {
    output.with_intervals.push_back(name);
    if (operation) {
      std::ranges::move(beyond_intervals(model, name, *operation, settings.algorithm),
                        std::back_inserter(output.notes));
    }
  }
  if (!bare.empty()) output.notes.push_back(joined(bare) + ": " + why_no_interval(model, name));
  if (settings.target.is_on_machine()) {
    std::vector<std::string> chance = notes_on_chance(rows, model);
    const bool is_told = settings.target.is_meeting() && !chance.empty();
    std::ranges::move(chance, std::back_inserter(output.notes));
    if (is_told) return;
    const std::string note = desynchronisation_note(scheduled(settings, model.ranks), model, name);
    const bool has_interval = rows.front().prediction.has_interval();
    if (!note.empty()) output.notes.push_back(note + (has_interval ? ", which high_s holds" : ""));
  }
  const bool has_formulas =
      std::ranges::any_of(rows, [](const Row& row) { return !row.prediction.on_machine; });
  if ((has_host_limits(model) || model.fabric) && !is_p2p && has_formulas) {
    output.notes.push_back(name +
                           ": by its formula, in which messages don't share their hosts' links, or "
                           "links between hosts (that "
                           "may take longer)");
  }
}

/// Beyond doubt: both ends of the intervals say so.
bool overheads_grow(const Model& model) {
  const auto& growth = model.overhead_growth;
  return growth && growth->low.o_prime_b_s + growth->low.o_prime_b_r > 0;
}

std::string saturation_text(const Model& model, const Estimate& P) {
  if (std::isnan(P.value)) return "more workers always help";
  const std::string end = std::isinf(P.high) ? " or more" : " to " + number(P.high);
  const std::string interval = std::isnan(P.low) ? "interval unknown" : number(P.low) + end;
  const std::string beyond =
      P.value > model.ranks ? ", of which " + std::to_string(model.ranks) + " were measured" : "";
  return "the master is the limit from " + number(P.value) + " ranks on (" + interval + beyond +
         "): more workers " + (overheads_grow(model) ? "make it slower" : "don't help");
}

std::string note_of(const Model& model, const MasterWorkerPrediction& prediction) {
  std::string text = saturation_text(model, prediction.saturation);
  if (!prediction.has_growth) {
    text +=
        "; overheads are taken as the same at any number of ranks (their growth was not "
        "measured)";
  }
  if (prediction.time.extrapolated) text += "; extrapolated beyond the sizes or ranks of the fit";
  return text;
}

void add_master_worker(Output& output, const PredictSettings& settings, const Model& model,
                       const std::string& name) {
  MasterWorkerQuery query;
  query.model = name;
  query.master = settings.from;
  query.tasks = settings.tasks.number();
  query.task_time = *settings.tasks.task_time;
  query.processes = *settings.ranks;
  query.request = settings.tasks.protocol.request;
  query.task = settings.tasks.protocol.task;
  const MasterWorkerPrediction prediction = predict_master_worker(model, query);
  output.csv +=
      csv_line({name, {}, query.master, -1, query.task}, "master-worker", prediction.time, "", "");
  output.notes.push_back(name + ": " + note_of(model, prediction));
  if (prediction.time.has_interval()) {
    output.with_intervals.push_back(name);
  } else {
    output.notes.push_back(why_no_interval(model, name));
  }
}

void add_simulated(Output& output, const PredictSettings& settings, const tasks::TaskTimes& tasks,
                   const Model& model, const std::string& name) {
  const tasks::PredictedRuns all =
      predict_tasks(settings.tasks, tasks, model, name, settings.processes);
  const tasks::Protocol& protocol = settings.tasks.protocol;
  for (const tasks::Predicted& one : all.runs) {
    std::string line =
        csv_line({all.kind, {}, 0, -1, protocol.task}, "master-worker", one.time, "", "");
    line.pop_back();
    output.csv += line + "," + std::to_string(one.processes) + "," + number_text(one.run.masters) +
                  "," + number_text(one.run.workers) + "," + std::to_string(one.run.splits) + "\n";
  }
  output.notes.push_back(all.kind + ": " + to_text(best_of(all.runs), protocol));
  for (const Diagnostic& note : all.notes) {
    if (note.kind != contention_kind) output.notes.push_back(all.kind + ": " + note.text());
  }
  if (!all.interval_meaning.empty()) {
    output.notes.push_back("low_s to high_s: " + all.interval_meaning);
  }
}

/// What low_s and high_s hold.
std::string intervals_note(const Model& model, const std::vector<std::string>& names) {
  std::map<std::string, std::vector<std::string>> of_meaning;
  for (const std::string& name : names) of_meaning[interval_meaning(model, name)].push_back(name);
  std::string text = "low_s to high_s: ";
  if (of_meaning.size() == 1) return text + of_meaning.begin()->first;
  for (const auto& [meaning, of] : of_meaning) {
    text += (text.back() == ' ' ? "" : "; ") + ("of " + joined(of)) + " " + meaning;
  }
  return text;
}

void check(const PredictSettings& settings) {
  if (settings.collectives && !settings.target.of_all) {
    throw InputError(
        "--collectives with another operation (it is of all-to-all, all-gather and all-reduce): "
        "leave it out");
  }
  if (!settings.target.is_master_worker()) {
    check_message_options(settings);
  } else {
    check_task_options(settings);
    settings.ranks ? check_formula_options(settings) : check_simulation_options(settings);
  }
  const std::string tasks = settings.tasks.has_file() ? settings.tasks.tasks : "";
  check_outputs({{"-o", settings.output}}, {{"the model", settings.input}, {"--tasks", tasks}});
}

/// Adds what one model predicts.
using AddModel = std::function<void(Output&, const std::string& name)>;

AddModel predictor(const PredictSettings& settings, const Model& model, Output& output) {
  if (!settings.target.is_master_worker()) {
    return [&](Output& out, const std::string& name) { add_messages(out, settings, model, name); };
  }
  if (settings.ranks) {
    return [&](Output& out, const std::string& name) {
      add_master_worker(out, settings, model, name);
    };
  }
  const auto tasks =
      std::make_shared<tasks::TaskTimes>(task_times_of(settings.tasks, model.confidence));
  output.csv.insert(output.csv.size() - 1, task_columns);
  if (settings.tasks.has_file()) output.notes.push_back(tasks->text());
  return [&settings, &model, tasks](Output& out, const std::string& name) {
    add_simulated(out, settings, *tasks, model, name);
  };
}

ExitCode run_predict(const PredictSettings& settings) {
  check(settings);
  const Model model = as_large(load_model(settings.input), settings.larger);
  if (const auto note = contention_note(model)) say(note->text());
  const std::vector<std::string> names = models_asked_for(settings, model);
  Output output;
  std::vector<std::string> left_out;
  const AddModel add = predictor(settings, model, output);
  for (const std::string& name : names) {
    try {
      add(output, name);
    } catch (const InputError&) {
      left_out.push_back(name);
      if (left_out.size() == names.size()) throw;
    }
  }
  write_file(settings.output, output.csv);
  for (const std::string& note : output.notes) say(note);
  if (!output.with_intervals.empty()) say(intervals_note(model, output.with_intervals));
  if (!left_out.empty()) {
    say("left out (they can't predict all of this): " + joined(left_out) +
        "; ask for one of them to see why");
  }
  return ExitCode::done;
}

}  // namespace

void add_predict(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("predict", "Predict one-way times, as CSV");
  auto settings = std::make_shared<PredictSettings>();
  add_file(*command, "model_file", settings->input, "The model file")->required();
  std::vector<std::string> words = model_names();
  words.insert(words.end(), {"preferred", "all"});
  with_words(
      command->add_option("--model", settings->model,
                          CLI::detail::join(model_names(), ", ") + ", preferred, or all that can"),
      words)
      ->type_name("NAME")
      ->capture_default_str();
  add_choice(
      *command, "--operation", settings->target, targets(),
      "What to predict (default p2p). exchange: two ranks send each other a message at once; "
      "ring: all ranks do, each to the next. These, all-to-all, all-gather and all-reduce on "
      "the virtual machine; --size is of each message or block, of all-reduce the whole");
  add_text(*command, "--collectives",
           "Who decides how ranks carry out an all-to-all, all-gather or all-reduce: mpich "
           "(default), ompi, trees, flat, or alltoall=pairwise",
           [settings](const auto& text) { settings->collectives = schedule::choice_from(text); })
      ->type_name("HOW");
  add_whole(*command, "--from", settings->from,
            "Sending rank, one of an exchange, root of a collective, or master", 0);
  add_whole(*command, "--to", settings->to,
            "Receiving rank of p2p, or the other one of an exchange", 0);
  add_text(*command, "--size", "Sizes of a message, or of each rank's block: 1000, 1KiB, 64kB",
           [settings](const auto& text) { settings->sizes = parse_sizes(text); })
      ->type_name("SIZE,...");
  add_choice(*command, "--side", settings->side,
             {{"receiver", Side::receiver}, {"sender", Side::sender}},
             "Of p2p: until the receive returns, or until the send does (default receiver)");
  add_choice(*command, "--algorithm", settings->algorithm,
             {{"flat", Algorithm::flat}, {"binomial", Algorithm::binomial}},
             "Of collectives (default flat); binomial is MPICH's tree");
  add_text(*command, "--processes",
           "Of the whole job, with whose number overheads grow (default: overheads as they were "
           "measured); of master-worker several: 8,16,32 or 8-128:8",
           [settings](const auto& text) { settings->processes = parse_processes(text); })
      ->type_name("NUMBER,...");
  add_whole(*command, "--ranks", settings->ranks,
            "Of master-worker: the master and its workers, by the formula of Mizutani, Ino, "
            "Hagihara; tasks are alike",
            2);
  add_larger_machine(*command, settings->larger);
  add_file(*command, "-o,--output", settings->output, "Where to write, - for stdout")
      ->capture_default_str();
  add_task_options(*command, settings->tasks);
  command->footer(
      "Example:\n"
      "  estimate-model predict model.json --model lmo --operation p2p --from 0 --to 3 "
      "--size 1KiB,4KiB\n"
      "  estimate-model predict model.json --model all --operation bcast --algorithm binomial "
      "--size 8KiB\n"
      "  estimate-model predict model.json --operation master-worker --tasks tasks.csv "
      "--processes 8-128:8\n"
      "  estimate-model predict model.json --operation master-worker --tasks 1048576 "
      "--task-time 1ms --ranks 64");
  command->callback([settings, command, &job] {
    settings->task_options = given_task_options(*command);
    job.local = [settings] { return run_predict(*settings); };
  });
}

}  // namespace commgauge::tools
