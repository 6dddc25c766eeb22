#include "replay/page/page_what_ifs.hpp"

#include <array>

#include "replay/json/what_if_json.hpp"

namespace commgauge::tools {

using Json = nlohmann::ordered_json;

namespace {

using enum replay::Quantity;

constexpr std::array quantities{latency, bandwidth, overheads, computing};
constexpr double least_factor = 0.25;
constexpr double most_factor = 4;

/// What may be spent: events of the trace, once for each replay. About ten seconds.
constexpr std::size_t most_events = 50'000'000;
/// Replays that tolerances take, three of each: some lines through what is known.
constexpr std::size_t tolerances_replays = quantities.size() * 3 * 6;

std::size_t events_of(const trace::Trace& trace) {
  std::size_t events = 1;
  for (const trace::Rank& rank : trace.ranks) events += rank.events.size();
  return events;
}

/// Of one time with its interval.
std::size_t replays_with_interval(const Outcome& outcome) {
  std::size_t replays = 1;
  for (const auto& times : outcome.times) replays += times.size();
  return replays;
}

/// What a program's length allows.
struct Spent {
  std::size_t replays{};  ///< at most; 0: nothing is affordable
  bool has_intervals{};
  bool has_tolerances{};
  std::string left_out;
};

/// @param times  of all curves
Spent affordable(const Outcome& outcome, std::size_t times, bool has_intervals) {
  const std::size_t most = most_events / events_of(outcome.trace);
  const std::size_t all =
      times * (has_intervals ? replays_with_interval(outcome) : 1) + tolerances_replays;
  if (all <= most) return {all, has_intervals, true, ""};
  const std::string long_one = ": the program is long. replay what-if tells them.";
  if (times + tolerances_replays <= most) {
    return {times + tolerances_replays, false, true, "Intervals are left out" + long_one};
  }
  if (times <= most) {
    return {
        times, false, false,
        (has_intervals ? "Intervals and tolerances" : "Tolerances") + (" are left out" + long_one)};
  }
  return {0, false, false, "Times on other machines are left out" + long_one};
}

}  // namespace

WhatIfs what_ifs(const Outcome& outcome, replay::PredictionOptions how, std::size_t points,
                 const std::function<void(std::size_t, std::size_t)>& progress) {
  WhatIfs all;
  if (!outcome.model || !(outcome.result.time > 0)) return all;
  how.has_interval = how.has_interval && outcome.prediction.has_interval();
  const Spent spent = affordable(outcome, quantities.size() * points, how.has_interval);
  all.left_out = spent.left_out;
  how.has_interval = spent.has_intervals;
  how.progress = [&](std::size_t, std::size_t) { progress(++all.replays, spent.replays); };
  if (spent.replays == 0) return all;
  for (const replay::Quantity quantity : quantities) {
    all.curves.push_back({quantity, replay::curve(outcome.trace, *outcome.model, outcome, how,
                                                  quantity, least_factor, most_factor, points)});
  }
  if (spent.has_tolerances) {
    all.tolerances = replay::tolerances(outcome.trace, *outcome.model, outcome, how, tolerated);
  }
  return all;
}

Json what_ifs_json(const WhatIfs& what_ifs) {
  Json json{{"curves", Json::array()},
            {"tolerances", Json::array()},
            {"replays", what_ifs.replays},
            {"left_out", what_ifs.left_out}};
  for (const Curve& curve : what_ifs.curves) json["curves"].push_back(curve_json(curve));
  for (const auto& one : what_ifs.tolerances) json["tolerances"].push_back(tolerance_json(one));
  return json;
}

}  // namespace commgauge::tools
