#include "common/command_line/program.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>

#include "common/command_line/completion.hpp"
#include "common/command_line/manual.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

namespace {

/// Known before the command line is parsed: MPI_Init comes first, so that only rank 0 complains.
bool needs_mpi(const Program& program, int argc, char** argv) {
  if (argc < 2) return false;
  for (int k = 2; k < argc; ++k) {
    if (argv[k] == std::string_view{"--help"} || argv[k] == std::string_view{"-h"}) return false;
  }
  const auto& parallel = program.parallel;
  return std::find(parallel.begin(), parallel.end(), argv[1]) != parallel.end();
}

/// What `--help` says without CLI11's notes on flags' values.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool) const override {
    return option_names(*option);
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    if (app->get_prefix_command()) usage.insert(usage.size() - 1, " PROGRAM [ARGUMENTS]");
    return usage;
  }
};

/// What the build and shells ask for: `--manual DATE`, `--complete WORD...`.
std::optional<std::string> about_itself(CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return std::nullopt;
  if (words.front() == "--manual" && words.size() == 2) {
    return manual(app, COMMGAUGE_VERSION, words[1]);
  }
  if (words.front() != "--complete") return std::nullopt;
  return completions(app, {words.begin() + 1, words.end()});
}

ExitCode run(const Program& program, int argc, char** argv, const Session* session, bool speaks) {
  CLI::App app{program.description, program_name};
  furnish(app);
  app.require_subcommand(1);
  Job job;
  for (const AddCommand add : program.commands) add(app, job);
  if (const auto end = parse(app, argc, argv, speaks)) return *end;
  return session ? job.parallel(*session) : job.local();
}

}  // namespace

void furnish(CLI::App& app) {
  app.set_version_flag("--version", app.get_name() + " " COMMGAUGE_VERSION);
  app.formatter(std::make_shared<HelpFormatter>());
}

std::optional<ExitCode> parse(CLI::App& app, int argc, char** argv, bool speaks) {
  if (const auto text = about_itself(app, argc, argv)) {
    if (speaks) print_result(*text);
    return ExitCode::done;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    std::ostringstream text;
    app.exit(request, text, text);
    if (speaks) print_result(text.str());
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    if (speaks) say(std::string{error.what()} + ": see " + app.get_name() + " --help");
    return ExitCode::bad_input;
  }
  return std::nullopt;
}

int run_program(const Program& program, int argc, char** argv) {
  std::unique_ptr<Session> session;
  bool speaks = is_first_of_launcher();
  const ExitCode started = guarded(speaks, [&] {
    if (needs_mpi(program, argc, argv)) session = program.start(argc, argv);
    return ExitCode::done;
  });
  if (started != ExitCode::done) return static_cast<int>(after_who_speaks(started, speaks));
  if (session) speaks = session->speaks();
  const auto work = [&] { return run(program, argc, argv, session.get(), speaks); };
  if (session) return session->leave(session->everywhere(work));
  return static_cast<int>(after_who_speaks(guarded(speaks, work), speaks));
}

}  // namespace commgauge::tools
