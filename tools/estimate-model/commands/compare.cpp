#include "commgauge/judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "commgauge/measurements/quietness.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "estimate-model/commands/commands.hpp"

namespace commgauge::tools {

namespace {

constexpr std::size_t worst_shown = 10;

struct CompareSettings {
  std::string old_file;
  std::string new_file;
  bool check{};
};

struct Count {
  long all{};
  long drifted{};
};

double drift_in_half_widths(const Drift& drift) {
  const double change = std::abs(drift.new_value - drift.old_value);
  return drift.combined_half_width > 0 ? change / drift.combined_half_width : HUGE_VAL;
}

std::string counts_text(const std::vector<Drift>& drifts) {
  std::map<std::string, Count> counts;
  for (const Drift& drift : drifts) {
    auto& count = counts[drift.model + " " + drift.family];
    ++count.all;
    if (drift.significant()) ++count.drifted;
  }
  Table table{{"parameter", "compared", "drifted"}};
  for (const auto& [name, count] : counts) {
    table.add({name, std::to_string(count.all), std::to_string(count.drifted)});
  }
  return table.text();
}

std::string worst_text(std::vector<Drift> drifted) {
  std::sort(drifted.begin(), drifted.end(), [](const Drift& a, const Drift& b) {
    return drift_in_half_widths(a) > drift_in_half_widths(b);
  });
  Table table{{"drifted most", "old", "new", "change", "uncertainty"}};
  for (std::size_t k = 0; k < std::min(worst_shown, drifted.size()); ++k) {
    const Drift& drift = drifted[k];
    table.add({drift.model + " " + drift.parameter, number(drift.old_value, 4),
               number(drift.new_value, 4), number(drift.new_value - drift.old_value),
               number(drift.combined_half_width)});
  }
  return table.text();
}

double share_that_agrees(const std::vector<Drift>& drifts) {
  const auto agree =
      std::count_if(drifts.begin(), drifts.end(), [](const auto& d) { return !d.significant(); });
  return drifts.empty() ? 1.0 : static_cast<double>(agree) / static_cast<double>(drifts.size());
}

/// What the uncertainty is made of.
std::string intervals_text(const Model& old_model, const Model& new_model) {
  const std::string of_old = interval_meaning(old_model);
  const std::string of_new = interval_meaning(new_model);
  return "Uncertainty, of both intervals: " +
         (of_old == of_new ? of_old : "old " + of_old + "; new " + of_new) + "\n";
}

/// Of a machine that was busy when the file's times were measured.
std::string busy_text(const std::string& which, const Model& model) {
  const std::string busy = busy_line(model.launches);
  return busy.empty() ? "" : "When the " + which + " file was measured, " + busy + "\n\n";
}

ExitCode tell_change(const ChangeFound& found) {
  if (found.change == Change::none) return ExitCode::done;
  const std::string start = percent(found.agreeing) + " of the parameters agree (" +
                            percent(enough_agree) + " are wanted)";
  if (found.change == Change::certain) {
    say(start + ", " + found.reason + ": the machine has changed, calibrate again");
    return ExitCode::found;
  }
  const bool agree = found.agreeing >= enough_agree;
  say(start + ", but that is no proof " + (agree ? "that nothing changed (" : "of a change (") +
      found.reason +
      "): calibrate again, with several launches (scripts/calibrate --launches 5) of a quiet "
      "machine");
  return ExitCode::not_precise;
}

ExitCode run_compare(const CompareSettings& settings) {
  const Model old_model = load_model(settings.old_file);
  const Model new_model = load_model(settings.new_file);
  const auto drifts = compare(old_model, new_model);
  std::vector<Drift> drifted;
  std::copy_if(drifts.begin(), drifts.end(), std::back_inserter(drifted),
               [](const auto& drift) { return drift.significant(); });
  const double share = share_that_agrees(drifts);
  std::string text =
      busy_text("old", old_model) + busy_text("new", new_model) + counts_text(drifts);
  if (!drifted.empty()) text += "\n" + worst_text(drifted) + "  (s, or s/byte)\n";
  text += "\n" + std::to_string(drifts.size() - drifted.size()) + " of " +
          counted(std::ssize(drifts), "parameter") + " agree within their uncertainty (" +
          percent(share) + ")\n" + intervals_text(old_model, new_model);
  print_result(text);
  if (!settings.check) return ExitCode::done;
  return tell_change(find_change(old_model, new_model, drifts));
}

}  // namespace

void add_compare(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("compare", "What drifted beyond its uncertainty");
  auto settings = std::make_shared<CompareSettings>();
  add_file(*command, "old", settings->old_file, "A model file")->required();
  add_file(*command, "new", settings->new_file, "A later one of the same machine")->required();
  command->add_flag("--check", settings->check,
                    "Exit with 1 when the machine has changed: less than 90 % of the parameters "
                    "agree, beyond what launches differ by; with 3 when that can't be told");
  command->footer(
      "Example:\n"
      "  estimate-model compare model-spring.json model-autumn.json\n"
      "One launch doesn't tell how launches differ: of files of one launch each --check takes for "
      "a "
      "change\nonly messages that take more than 1.5 times as long, or as short.");
  command->callback(
      [settings, &job] { job.local = [settings] { return run_compare(*settings); }; });
}

}  // namespace commgauge::tools
