#include "replay/text/explanation_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "commgauge/base/printable.hpp"
#include "common/output/table.hpp"
#include "replay/text/efficiency_text.hpp"
#include "replay/text/result_text.hpp"

namespace commgauge::tools {

namespace {

using replay::Answer;
using replay::CriticalPath;
using replay::Explanation;

constexpr std::size_t most_answers = 8;
constexpr double least_gain = 1e-3;  // of the run
constexpr int most_of_a_kind = 3;
constexpr std::size_t most_rows = 8;
constexpr std::size_t most_domino_steps = 12;

std::string of_run(double seconds, double time) {
  return number(time > 0 ? 100 * seconds / time : 0);
}

/// Some of each kind. Of several that gain the same, which is the same wait in larger and larger
/// groups, the first.
std::vector<const Answer*> best_answers(const Explanation& all) {
  std::vector<const Answer*> best;
  std::map<Answer::Kind, int> shown;
  for (const Answer& answer : all.answers) {
    if (is_bound(answer.kind) || answer.gain < least_gain * all.time) continue;
    const bool is_known =
        !best.empty() && std::abs(best.back()->time - answer.time) < 1e-9 * all.time;
    if (is_known || shown[answer.kind] == most_of_a_kind) continue;
    ++shown[answer.kind];
    best.push_back(&answer);
    if (best.size() == most_answers) break;
  }
  return best;
}

/// " (-20 %; it gains 0.18 to 0.22 s)"
std::string gain_text(const Answer& answer, double time) {
  std::string text = " (-" + of_run(answer.gain, time) + " %";
  const replay::Interval& interval = answer.gain_interval;
  if (!std::isnan(interval.low)) {
    text +=
        "; it gains " + to_text(Seconds{interval.low}) + " to " + to_text(Seconds{interval.high});
  }
  return text + ")";
}

std::string answer_text(const Answer& answer, double time, const std::string& mark) {
  std::string text = mark + one_line(answer.title) + ": ";
  if (answer.kind == Answer::Kind::wait)
    text += "without this wait ";
  else if (answer.kind != Answer::Kind::balance)
    text += "without them ";
  text += "the run takes " + to_text(Seconds{answer.time}) + " instead of " +
          to_text(Seconds{time}) + gain_text(answer, time);
  if (answer.confirmed) {
    text += "; a replay without it takes " + to_text(Seconds{*answer.confirmed});
  }
  return text + "\n" + std::string(mark.size(), ' ') + one_line(answer.advice) + "\n";
}

std::string answers_text(const Explanation& all) {
  const auto best = best_answers(all);
  if (best.empty()) {
    return "\nNo wait can be taken away, and no computing divided more evenly, so that the run "
           "gets 0.1 % shorter.\n";
  }
  std::string text = "\nWhat would help first\n\n";
  for (std::size_t i = 0; i < best.size(); ++i) {
    text += answer_text(*best[i], all.time, "  " + std::to_string(i + 1) + ". ");
  }
  return text;
}

/// The critical path's parts, summed by what `name` says of them.
std::string sums_text(const Explanation& all, const std::string& title,
                      const std::function<std::string(const CriticalPath::Part&)>& name) {
  std::map<std::string, double> sums;
  for (const CriticalPath::Part& part : all.critical_path.parts) {
    sums[name(part)] += part.seconds;
  }
  constexpr double rounding = 1e-9;
  std::erase_if(sums, [&](const auto& one) { return std::abs(one.second) < rounding * all.time; });
  std::vector<std::pair<std::string, double>> sorted(sums.begin(), sums.end());
  const auto seconds = [](const auto& one) { return one.second; };
  std::ranges::stable_sort(sorted, std::greater{}, seconds);
  Table table({title, "time", "% of the run"});
  const std::size_t shown = sorted.size() > most_rows ? most_rows - 1 : sorted.size();
  double rest = all.time;
  for (std::size_t i = 0; i < shown; ++i) {
    rest -= sorted[i].second;
    table.add(
        {sorted[i].first, to_text(Seconds{sorted[i].second}), of_run(sorted[i].second, all.time)});
  }
  if (shown < sorted.size()) {
    table.add({std::to_string(sorted.size() - shown) + " others", to_text(Seconds{rest}),
               of_run(rest, all.time)});
  }
  return table.text();
}

std::string path_text(const Explanation& all) {
  if (all.critical_path.parts.empty()) return "";
  const auto call = [](const CriticalPath::Part& part) {
    return part.where.call.empty() ? "(the program itself)" : part.where.call;
  };
  return "\nWhere the time goes (the critical path, which determines how long the run takes)\n\n" +
         sums_text(all, "kind", [](const auto& part) { return replay::to_text(part.kind); }) +
         "\n" +
         sums_text(all, "rank", [](const auto& part) { return std::to_string(part.where.rank); }) +
         "\n" + sums_text(all, "region", [](const auto& part) { return part.where.region; }) +
         "\n" + sums_text(all, "call", call);
}

std::string balance_text(const Explanation& all) {
  if (all.balance.empty()) return "";
  Table table({"region", "instances", "sigma", "mean/max", "run if even", "% less"});
  for (std::size_t i = 0; i < std::min(most_rows, all.balance.size()); ++i) {
    const replay::Balance& one = all.balance[i];
    table.add({one.region, std::to_string(one.instances), to_text(Seconds{one.sigma}),
               number(one.mean_over_max), to_text(Seconds{one.time}),
               of_run(all.time - one.time, all.time)});
  }
  const bool sleeps =
      std::ranges::any_of(all.balance, [](const replay::Balance& one) { return one.sleeping > 0; });
  return std::string{"\nHow evenly computing "} + (sleeps ? "and sleeping are" : "is") +
         " divided\n\n" + table.text();
}

std::string step_text(const replay::DominoPath::Step& step) {
  std::string text = "rank " + std::to_string(step.where.rank);
  if (!step.where.call.empty()) text += " at " + step.where.call;
  if (!step.where.site.empty()) text += " (" + step.where.site + ")";
  const bool is_for_thread =
      step.message == simulate::no_message && step.partner == step.where.rank;
  text +=
      is_for_thread ? " for another of its threads" : " for rank " + std::to_string(step.partner);
  return text + ", until " + to_text(Seconds{step.at});
}

std::string domino_text(const Explanation& all) {
  if (all.domino_paths.empty()) return "";
  const replay::DominoPath& best = all.domino_paths.front();
  if (best.steps.size() < 2) return "";
  std::string text = "\nThe best domino path ends at rank " + std::to_string(best.rank) +
                     ": without its waits the run takes " + to_text(Seconds{best.time}) +
                     " instead of " + to_text(Seconds{all.time}) + "\n\n";
  const std::size_t shown = std::min(most_domino_steps, best.steps.size());
  for (std::size_t i = 0; i < shown; ++i) text += indented(step_text(best.steps[i]));
  if (shown == best.steps.size()) return text;
  return text + "  and " + counted(static_cast<long>(best.steps.size() - shown), "wait") +
         " more\n";
}

std::string bounds_text(const Explanation& all) {
  std::string text;
  for (const Answer& answer : all.answers) {
    if (!is_bound(answer.kind)) continue;
    text +=
        indented(answer.title + ": " + to_text(Seconds{answer.time}) + gain_text(answer, all.time));
  }
  return text.empty() ? "" : "\nHow much there is to gain at most\n\n" + text;
}

std::string list_text(const std::string& title, const std::vector<Diagnostic>& all) {
  std::string text;
  for (const Diagnostic& one : all) text += indented(one.text());
  return text.empty() ? "" : "\n" + title + "\n\n" + text;
}

}  // namespace

std::string explanation_text(const Outcome& outcome, const Explanation& all) {
  return time_text(outcome) + answers_text(all) + path_text(all) +
         list_text("Links between hosts (of the critical path)", all.uplinks) + balance_text(all) +
         "\nEfficiency (as the POP centre defines it, in per cent)\n\n" +
         efficiency_text(all.efficiency) + domino_text(all) + bounds_text(all) +
         list_text("Not looked into", all.notes);
}

}  // namespace commgauge::tools
