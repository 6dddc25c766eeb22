#include "replay/commands/run_outputs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/replay/run/retimed.hpp"
#include "commgauge/trace/write/write_trace.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"
#include "replay/export/paje.hpp"
#include "replay/export/trace_event.hpp"
#include "replay/json/result_json.hpp"
#include "replay/page/page.hpp"
#include "replay/text/result_text.hpp"
#include "replay/text/timeline_text.hpp"

namespace commgauge::tools {

namespace fs = std::filesystem;

namespace {

std::vector<NamedFile> files_of(const RunOutputs& outputs) {
  return {{"-o", outputs.json},
          {"--page", outputs.page},
          {"--perfetto", outputs.perfetto},
          {"--paje", outputs.paje}};
}

/// The archive's own directory: whoever gives its anchor file means that, too.
fs::path directory_of(const fs::path& archive) {
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(archive, ignored);
  return fs::is_directory(path, ignored) ? path : path.parent_path();
}

/// The writer says the same, but after the replay.
void check_is_free(const std::string& directory) {
  std::error_code error;
  if (directory.empty() || !fs::exists(directory, error)) return;
  if (fs::is_directory(directory, error) && fs::is_empty(directory, error)) return;
  throw InputError("--otf2 " + directory +
                   " (it is there, and not an empty directory): give another name");
}

bool needs_timeline(const RunOutputs& outputs) {
  const std::array files{&outputs.page, &outputs.perfetto, &outputs.paje, &outputs.otf2};
  return outputs.shows_timeline ||
         std::ranges::any_of(files, [](const std::string* file) { return !file->empty(); });
}

void write_archive(const Outcome& outcome, const std::string& directory,
                   const replay::Options& options) {
  trace::Trace trace = replay::retimed(outcome.trace, outcome.result, options);
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    trace.ranks[r].host = outcome.machine.hosts[r];
  }
  trace::write(trace, directory);
}

void write_json(const Outcome& outcome, const RunOutputs& outputs) {
  auto json = result_json(outcome);
  if (outputs.shows_matrix) json["traffic"] = traffic_json(outcome);
  write_file(outputs.json, json_text(json, 1) + "\n");
}

void print(const Outcome& outcome, const RunOutputs& outputs) {
  print_result(result_text(outcome));
  if (outputs.shows_matrix) print_result("\n" + matrix_text(outcome));
  if (outputs.shows_timeline) {
    print_result("\n" + timeline_text(outcome.result.timeline, outcome.result.time));
  }
}

}  // namespace

bool RunOutputs::take_standard_output() const {
  return std::ranges::any_of(files_of(*this), [](const auto& one) { return one.file == "-"; });
}

void add_output_options(CLI::App& app, RunOutputs& outputs) {
  app.add_flag("--timeline", outputs.shows_timeline, "Show what each rank does when");
  app.add_flag("--matrix", outputs.shows_matrix,
               "Show which ranks send each other how much, and write it with -o");
  add_file(app, "--page", outputs.page,
           "HTML file to write, for a browser: the time, the ranks, who sends whom how much, and "
           "the timeline, down to single messages");
  add_file(app, "--perfetto", outputs.perfetto,
           "File of Chrome trace events to write, for Perfetto: calls, regions and messages");
  add_file(app, "--paje", outputs.paje, "File in Paje's format to write, for ViTE and pj_dump");
  app.add_option("--otf2", outputs.otf2,
                 "OTF2 archive to write, with the replay's times: a directory that isn't there, "
                 "or is empty")
      ->type_name("DIR");
  add_file(app, "-o,--output", outputs.json, "JSON file to write; -: instead of the text");
}

void check_is_outside(const NamedFile& output, const std::string& trace) {
  if (output.file.empty() || output.file == "-") return;
  std::error_code ignored;
  const fs::path archive = directory_of(trace);
  const fs::path file = fs::weakly_canonical(output.file, ignored);
  const auto [in_archive, in_file] = std::ranges::mismatch(archive, file);
  if (in_archive != archive.end()) return;
  throw InputError(output.option + " " + output.file +
                   " (it is in the archive that is read): give another place");
}

void check(const RunOutputs& outputs, const std::string& trace,
           const std::vector<NamedFile>& inputs, const replay::Options& options) {
  if (!outputs.otf2.empty() && options.rematches) {
    throw InputError(
        "--otf2 with --rematch (the archive says what receives got when the program was "
        "recorded): leave one of them out");
  }
  if (outputs.shows_timeline && outputs.take_standard_output()) {
    throw InputError(
        "--timeline with a file on standard output (no text is written then): leave one of them "
        "out");
  }
  for (const NamedFile& file : files_of(outputs)) check_is_outside(file, trace);
  check_is_outside({"--otf2", outputs.otf2}, trace);
  check_is_free(outputs.otf2);
  check_outputs(files_of(outputs), inputs);
}

void prepare(replay::Options& options, const RunOutputs& outputs) {
  options.keeps_timeline = needs_timeline(outputs);
  options.counts_traffic = outputs.shows_matrix || !outputs.page.empty();
}

void write(const Outcome& outcome, const RunOutputs& outputs, const replay::Options& options) {
  if (!outputs.take_standard_output()) print(outcome, outputs);
  if (!outputs.json.empty()) write_json(outcome, outputs);
  if (!outputs.page.empty()) write_file(outputs.page, page_text(outcome));
  if (!outputs.perfetto.empty()) write_file(outputs.perfetto, trace_event_text(outcome));
  if (!outputs.paje.empty()) write_file(outputs.paje, paje_text(outcome));
  if (!outputs.otf2.empty()) write_archive(outcome, outputs.otf2, options);
}

}  // namespace commgauge::tools
