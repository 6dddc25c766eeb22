#include "commgauge/trace/goal/goal.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "commgauge/base/error.hpp"
#include "commgauge/replay/goal/goal_replay.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"
#include "replay/commands/commands.hpp"

namespace commgauge::tools {

namespace {

struct GoalSettings {
  std::string schedule;
  replay::LogGops parameters;
};

/// `L=2500,o=1500`; what is left out stays.
void read_parameters(const std::string& text, replay::LogGops& parameters) {
  const std::map<std::string, std::uint64_t*> known{{"L", &parameters.latency_ns},
                                                    {"o", &parameters.overhead_ns},
                                                    {"g", &parameters.gap_ns},
                                                    {"G", &parameters.gap_per_byte_ns},
                                                    {"O", &parameters.overhead_per_byte_ns},
                                                    {"S", &parameters.eager_bytes}};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto found = known.find(std::string{part.substr(0, equals)});
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    std::uint64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (found == known.end() || error != std::errc{} || stop != end) {
      throw InputError("'" + std::string{part} +
                       "' is none of L, o, g, G, O, S with a whole number: write e.g. "
                       "L=2500,o=1500,g=1000,G=6,O=0,S=65535");
    }
    *found->second = number;
  }
}

ExitCode run(const GoalSettings& settings) {
  const replay::GoalTimes times =
      replay::replay(trace::read_goal(settings.schedule), settings.parameters);
  const auto last = std::ranges::max_element(times.ends_ns);
  std::string text = "  " + std::to_string(times.ends_ns.size()) + " ranks, " +
                     std::to_string(times.events) + " events\n";
  text += "  time  " + std::to_string(times.end_ns()) + " ns, exact for these parameters (rank " +
          std::to_string(last - times.ends_ns.begin()) + " ends last)\n";
  print_result(text);
  return ExitCode::done;
}

}  // namespace

void add_goal(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("goal", "Run a GOAL schedule by LogGOPSim's rules");
  auto settings = std::make_shared<GoalSettings>();
  add_file(*command, "schedule", settings->schedule, "The schedule, a text")->required();
  add_text(*command, "--loggops",
           "Latency, overhead, gap, gap per byte, overhead per byte [ns], and the largest size of "
           "messages that don't wait [bytes] (default: L=2500,o=1500,g=1000,G=6,O=0,S=65535)",
           [settings](const std::string& text) { read_parameters(text, settings->parameters); })
      ->type_name("L=N,...");
  command->footer(
      "Example:\n"
      "  replay goal dissemination.goal --loggops L=1000,o=500");
  command->callback([settings, &job] { job.local = [settings] { return run(*settings); }; });
}

}  // namespace commgauge::tools
