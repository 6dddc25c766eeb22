#include "record/speed.hpp"

#include "commgauge/base/files.hpp"
#include "commgauge/bench/speed/speed.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

std::string range_text(const Estimate& ratio) {
  return number(ratio.low) + " to " + number(ratio.high);
}

std::string text_of(const ProcessorSpeed& speed) {
  Table table({"kernel", "time"});
  for (const KernelTimes& kernel : speed.kernels) {
    table.add({kernel.name, to_text(Seconds{median(kernel.times_s)})});
  }
  return table.text();
}

std::string text_of(const SpeedRatio& all) {
  Table table({"kernel", "time ratio", "interval"});
  for (const auto& [name, ratio] : all.kernels) {
    table.add({name, number(ratio.value), range_text(ratio)});
  }
  const std::string why =
      all.kernel.empty()
          ? "over all kernels, for how the program computes isn't known; --kernel takes one"
          : "by the kernel " + all.kernel;
  return table.text() + "\n  time ratio  " + number(all.ratio.value) + "   " +
         range_text(all.ratio) + " (" + why + ")\n";
}

/// The text is printed, or the JSON instead, if it goes where the text would.
template <class Result>
void give(const Result& result, const std::string& output) {
  if (output != "-") print_result(text_of(result));
  if (!output.empty()) write_file(output, to_json(result));
}

}  // namespace

void add_speed_options(CLI::App& app, SpeedQuestion& question) {
  auto* const speed =
      app.add_flag("--speed", question.is_asked,
                   "Instead of a program: measure this machine's processor, for three seconds");
  add_file(app, "--against", question.against,
           "With --speed: what -o wrote where programs were recorded; tells how many seconds this "
           "machine computes for one there, for --time-ratio of replay")
      ->needs(speed);
  add_text(app, "--kernel",
           "With --against: integer, floating-point or memory computes as the "
           "program does (default: unknown, the interval reaches over all three)",
           [&question](const std::string& text) { question.kernel = text; })
      ->type_name("NAME")
      ->needs("--against");
}

ExitCode measure_speed(const SpeedQuestion& question, const std::string& output) {
  if (!is_first_of_launcher()) return ExitCode::done;
  check_outputs({{"-o", output}}, {{"--against", question.against}});
  ProcessorSpeed other;
  if (!question.against.empty()) other = load_processor_speed(question.against);
  const ProcessorSpeed own = bench::measure_speed();
  for (const Diagnostic& warning : speed_warnings(own)) say(warning.text());
  if (question.against.empty()) {
    give(own, output);
    return ExitCode::done;
  }
  for (const Diagnostic& warning : speed_warnings(other)) {
    say(question.against + ": " + warning.text());
  }
  constexpr double confidence = 0.95;
  give(speed_ratio(own, other, confidence, question.kernel), output);
  return ExitCode::done;
}

}  // namespace commgauge::tools
