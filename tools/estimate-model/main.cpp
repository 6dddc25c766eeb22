#include <optional>
#include <sstream>
#include <string_view>

#include "commands.hpp"
#include "common/report.hpp"

const char* const commgauge::tools::program_name = "estimate-model";

namespace {

using namespace commgauge::tools;

/// Known before the command line is parsed: MPI_Init comes first, so that only rank 0 complains.
bool needs_mpi(int argc, char** argv) {
  if (argc < 2) return false;
  for (int k = 2; k < argc; ++k) {
    if (argv[k] == std::string_view{"--help"} || argv[k] == std::string_view{"-h"}) return false;
  }
  return argv[1] == std::string_view{"calibrate"} || argv[1] == std::string_view{"validate"};
}

void add_commands(CLI::App& app, Job& job) {
  app.set_version_flag("--version", "estimate-model " COMMGAUGE_VERSION);
  app.require_subcommand(1);
  for (const auto add :
       {add_calibrate, add_fit, add_show, add_predict, add_validate, add_compare}) {
    add(app, job);
  }
}

ExitCode run(int argc, char** argv, const std::optional<Session>& session, bool speaks) {
  CLI::App app{"Measures how an MPI machine communicates and fits models that predict it.",
               program_name};
  Job job;
  add_commands(app, job);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    std::ostringstream text;
    app.exit(request, text, text);
    if (speaks) print_result(text.str());
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    if (speaks) say(std::string{error.what()} + ": see estimate-model --help");
    return ExitCode::bad_input;
  }
  return session ? job.parallel(*session) : job.local();
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Session> session;
  if (needs_mpi(argc, argv)) session.emplace(argc, argv);
  const bool speaks = session ? session->speaks() : is_first_of_launcher();
  const auto work = [&] { return run(argc, argv, session, speaks); };
  if (session) return session->leave(session->everywhere(work));
  return static_cast<int>(guarded(speaks, work));
}
