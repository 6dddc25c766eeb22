#include "run/summary.hpp"

#include <algorithm>

namespace commgauge::record {

std::string text_of_threads(const std::vector<std::string>& of_ranks) {
  int with_more = 0;
  int most = 1;
  for (const std::string& text : of_ranks) {
    const int threads = std::stoi(text);
    with_more += threads > 1 ? 1 : 0;
    most = std::max(most, threads);
  }
  if (with_more == 0) return {};
  return std::to_string(with_more) + " of " + std::to_string(of_ranks.size()) +
         " ranks had up to " + std::to_string(most) +
         " threads (only what the first computes is recorded): record with one, as by "
         "OMP_NUM_THREADS=1";
}

std::string text_of_left_out(const std::set<std::string>& all) {
  if (all.empty()) return {};
  std::string text;
  for (const std::string& what : all) text += (text.empty() ? "" : ", ") + what;
  return "in the trace, but no replay knows what they do: " + text +
         " (only when they began and ended is recorded): leave them out to predict the whole";
}

std::vector<trace::Remark> remarks_of(const std::set<std::string>& left_out) {
  std::vector<trace::Remark> remarks;
  for (const std::string& what : left_out) {
    remarks.push_back({what + ": only when it began and ended is recorded, no replay does it"});
  }
  return remarks;
}

}  // namespace commgauge::record
