#include "commgauge/predict.hpp"

#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "commgauge/error.hpp"
#include "commgauge/files.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "common/table.hpp"

namespace commgauge::tools {

namespace {

struct Settings {
  std::string input;
  std::string output{"-"};
  std::string model{"preferred"};
  Operation operation{Operation::p2p};
  int from{};
  std::optional<int> to;
  std::vector<Bytes> sizes;
};

Query make_query(const Settings& settings, const Model& model) {
  Query query;
  query.model = settings.model == "preferred" ? model.preferred() : settings.model;
  query.operation = settings.operation;
  query.from = settings.from;
  if (settings.operation == Operation::p2p) {
    if (!settings.to) throw InputError("--to is missing (p2p has a receiver): give --to RANK");
    query.to = *settings.to;
  } else if (settings.to) {
    throw InputError("--to with a collective (all other ranks take part): leave --to out");
  }
  return query;
}

std::string csv_line(const Query& query, const Prediction& prediction) {
  char times[128];
  std::snprintf(times, sizeof times, "%.12g,%.12g,%.12g", prediction.time.value,
                prediction.low.value, prediction.high.value);
  return query.model + "," + std::string{to_text(query.operation)} + "," +
         std::to_string(query.from) + "," +
         (query.operation == Operation::p2p ? std::to_string(query.to) : "") + "," +
         std::to_string(query.size.value) + "," + times + "\n";
}

ExitCode run_predict(const Settings& settings) {
  const Model model = load_model(settings.input);
  Query query = make_query(settings, model);
  std::string csv = "model,operation,from,to,size_bytes,time_s,low_s,high_s\n";
  std::vector<std::string> extrapolated;
  for (const Bytes size : settings.sizes) {
    query.size = size;
    const Prediction prediction = predict(model, query);
    csv += csv_line(query, prediction);
    if (prediction.extrapolated) extrapolated.push_back(to_text(size));
  }
  write_file(settings.output, csv);
  if (!extrapolated.empty()) {
    say("extrapolated beyond the sizes that " + query.model +
        " was fitted on: " + joined(extrapolated));
  }
  return ExitCode::done;
}

}  // namespace

void add_predict(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("predict", "Predict one-way times, as CSV");
  auto settings = std::make_shared<Settings>();
  command->add_option("model_file", settings->input, "The model file")->required();
  command->add_option("--model", settings->model, "hockney, lom, lmo, bottleneck, or preferred")
      ->capture_default_str();
  add_choice(
      *command, "--operation", settings->operation,
      {{"p2p", Operation::p2p}, {"scatter", Operation::scatter}, {"gather", Operation::gather}},
      "What to predict (default p2p)");
  command->add_option("--from", settings->from, "Sending rank, or root of a collective")
      ->capture_default_str();
  command->add_option("--to", settings->to, "Receiving rank of p2p");
  add_text(*command, "--size", "Message sizes: 1000, 1KiB, 64kB",
           [settings](const auto& text) { settings->sizes = parse_sizes(text); })
      ->required()
      ->type_name("SIZE,...");
  command->add_option("-o,--output", settings->output, "Where to write, - for stdout")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  estimate-model predict model.json --model lmo --operation p2p --from 0 --to 3 "
      "--size 1KiB,64KiB");
  command->callback(
      [settings, &job] { job.local = [settings] { return run_predict(*settings); }; });
}

}  // namespace commgauge::tools
