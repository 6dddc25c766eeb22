#include "commgauge/replay/spans.hpp"

#include <cstddef>

#include "marked.hpp"

namespace commgauge::replay {

namespace {

std::vector<Span> spans_of(const trace::Rank& rank, const std::vector<Mark>& marks) {
  std::vector<Span> spans;
  std::vector<std::size_t> open;
  auto mark = marks.begin();
  for (const trace::Event& event : rank.events) {
    if (!is_marked(event)) continue;
    const double time = (mark++)->time;
    if (begins(event)) {
      const bool is_region = event.kind == trace::Event::Kind::region_begin;
      open.push_back(spans.size());
      const std::uint32_t site = is_region ? trace::no_site : event.list;
      spans.push_back({event.name, site, is_region, static_cast<int>(open.size()) - 1, time, time});
    } else if (!open.empty()) {
      spans[open.back()].to = time;
      open.pop_back();
    }
  }
  for (const std::size_t left : open) spans[left].to = marks.back().time;
  return spans;
}

}  // namespace

std::vector<std::vector<Span>> spans_of(const trace::Trace& trace, const Result& result) {
  std::vector<std::vector<Span>> all;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    all.push_back(spans_of(trace.ranks[r], result.marks[r]));
  }
  return all;
}

}  // namespace commgauge::replay
