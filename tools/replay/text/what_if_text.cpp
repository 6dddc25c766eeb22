#include "replay/text/what_if_text.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "commgauge/base/printable.hpp"
#include "common/output/table.hpp"
#include "replay/text/result_text.hpp"

namespace commgauge::tools {

namespace {

std::string interval_text(const Prediction& p) {
  return p.has_interval() ? to_text(p.low) + " to " + to_text(p.high) : "-";
}

std::string interval_text(const Estimate& e) {
  return std::isnan(e.low) ? "-" : number(e.low, 4) + " to " + number(e.high, 4);
}

std::string changed_text(const WhatIfOutcome& all) {
  const replay::WhatIf& changed = *all.changed;
  std::string text =
      "  with " + one_line(joined(all.changes)) + ": " + to_text(changed.run.prediction.time);
  if (changed.run.prediction.has_interval()) {
    text += "   " + interval_text(changed.run.prediction);
  }
  text += ", " + number(changed.ratio.value, 4) + " times as long";
  if (!std::isnan(changed.ratio.low)) text += " (" + interval_text(changed.ratio) + ")";
  return text + "\n";
}

std::string curve_text(const Curve& curve) {
  Table table({std::string{to_text(curve.quantity)} + " times", "time", "interval", "of the run",
               "interval"});
  for (const replay::Point& point : curve.points) {
    table.add({number(point.factor, 4), to_text(point.prediction.time),
               interval_text(point.prediction), number(point.ratio.value, 4),
               interval_text(point.ratio)});
  }
  return "\n" + table.text();
}

std::string slower_text(const replay::Tolerance& one) {
  if (std::isinf(one.factor)) return "more than " + number(replay::most_tolerated, 4);
  const std::string added = std::isnan(one.added) ? "" : " (+" + to_text(Seconds{one.added}) + ")";
  return number(one.factor, 4) + added;
}

std::string tolerances_text(const std::vector<replay::Tolerance>& tolerances) {
  Table table({"run longer by", "latency times", "time per byte times", "overheads times",
               "computing times"});
  std::map<double, std::vector<std::string>> rows;
  for (const replay::Tolerance& one : tolerances) rows[one.longer].push_back(slower_text(one));
  for (auto& [longer, row] : rows) {
    row.insert(row.begin(), percent(longer));
    table.add(row);
  }
  return "\n" + table.text();
}

}  // namespace

std::string what_if_text(const WhatIfOutcome& all) {
  std::string text = time_text(all.unchanged);
  if (all.changed) text += changed_text(all);
  for (const Curve& curve : all.curves) text += curve_text(curve);
  if (!all.tolerances.empty()) text += tolerances_text(all.tolerances);
  return text;
}

}  // namespace commgauge::tools
