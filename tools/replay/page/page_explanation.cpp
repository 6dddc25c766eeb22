#include "replay/page/page_explanation.hpp"

#include <algorithm>
#include <cstdint>

#include "commgauge/replay/run/spans.hpp"
#include "replay/json/explanation_json.hpp"
#include "replay/page/page_events.hpp"
#include "replay/page/page_numbers.hpp"

namespace commgauge::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_pictures = 5;
constexpr std::size_t most_marks = 6'000'000;  // of all pictures: 8 MB

/// The different strings that a member has, in the order of their coming.
std::vector<std::string> names_of(const Json& steps, const char* member) {
  std::vector<std::string> names;
  for (const Json& step : steps) {
    if (!step.contains(member) || !step[member].is_string()) continue;
    const auto& name = step[member].get_ref<const std::string&>();
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// @return 1 + its number; 0: it isn't there
std::uint64_t number_of(const std::vector<std::string>& names, const Json& step,
                        const char* member) {
  if (!step.contains(member) || !step[member].is_string()) return 0;
  const auto at = std::ranges::find(names, step[member].get_ref<const std::string&>());
  return static_cast<std::uint64_t>(at - names.begin()) + 1;
}

void add_steps(Numbers& numbers, const Json& steps) {
  const auto kinds = names_of(steps, "kind");
  const auto calls = names_of(steps, "call");
  numbers.add(steps.size());
  std::uint64_t last = 0;
  for (const Json& step : steps) {
    const std::uint64_t from = nanoseconds(step.at("from_s"));
    const std::uint64_t to = std::max(from, nanoseconds(step.at("to_s")));
    numbers.add_signed(static_cast<std::int64_t>(from - last));
    numbers.add(to - from);
    const bool has_rank = step.contains("rank") && step["rank"].is_number();
    numbers.add(has_rank ? step["rank"].get<std::uint64_t>() + 1 : 0);
    numbers.add(number_of(kinds, step, "kind"));
    numbers.add(number_of(calls, step, "call"));
    const Json* const message =
        step.contains("message") && step["message"].is_object() ? &step["message"] : nullptr;
    numbers.add(message != nullptr ? message->at("from").get<std::uint64_t>() + 1 : 0);
    if (message != nullptr) {
      numbers.add(message->at("to").get<std::uint64_t>());
      numbers.add(message->at("bytes").get<std::uint64_t>());
    }
    last = to;
  }
}

std::int64_t nanoseconds_from(double from, double to) {
  return static_cast<std::int64_t>(nanoseconds(to) - nanoseconds(from));
}

void add_differences(Numbers& numbers, const std::vector<replay::Span>& before,
                     const std::vector<replay::Span>& after) {
  double last_before = 0;
  double last_after = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    numbers.add_signed(nanoseconds_from(last_after, after[i].from) -
                       nanoseconds_from(last_before, before[i].from));
    numbers.add_signed(nanoseconds_from(after[i].from, after[i].to) -
                       nanoseconds_from(before[i].from, before[i].to));
    last_before = before[i].to;
    last_after = after[i].to;
  }
}

Numbers after_numbers(const Outcome& outcome, const After& after) {
  replay::Result other;
  other.marks = after.marks;
  const auto before_spans = replay::spans_of(outcome.trace, outcome.result);
  const auto after_spans = replay::spans_of(outcome.trace, other);
  Numbers numbers;
  for (std::size_t r = 0; r < before_spans.size(); ++r) {
    const auto before_depths = by_depth(before_spans[r]);
    const auto after_depths = by_depth(after_spans[r]);
    for (std::size_t depth = 0; depth < before_depths.size(); ++depth) {
      add_differences(numbers, before_depths[depth], after_depths[depth]);
    }
  }
  return numbers;
}

}  // namespace

std::size_t most_afters(const replay::Result& result) {
  std::size_t marks = 1;
  for (const auto& of_rank : result.marks) marks += of_rank.size();
  return std::min(most_pictures, most_marks / marks);
}

PageExplanation page_explanation(const Outcome& outcome, const replay::Explanation& explanation,
                                 const WhatIfs& what_ifs) {
  PageExplanation page{explanation_json(outcome, explanation), what_ifs_json(what_ifs), {}};
  for (std::size_t i = 0; i < explanation.answers.size(); ++i) {
    const auto& marks = explanation.answers[i].marks;
    if (!marks.empty()) page.afters.push_back({i, marks});
  }
  return page;
}

Json explanation_head(const PageExplanation& explained) {
  Json head = explained.json;
  Json& path = head["critical_path"];
  const Json steps = std::move(path["steps"]);
  path.erase("steps");
  path["kinds"] = names_of(steps, "kind");
  path["calls"] = names_of(steps, "call");
  head["what_ifs"] = explained.what_ifs;
  head["after"] = Json::array();
  for (const After& after : explained.afters) head["after"].push_back(after.answer);
  return head;
}

std::string explanation_events(const Outcome& outcome, const PageExplanation& explained) {
  Numbers numbers;
  add_steps(numbers, explained.json.at("critical_path").at("steps"));
  for (const After& after : explained.afters) numbers.add_all(after_numbers(outcome, after));
  return numbers.base64();
}

}  // namespace commgauge::tools
