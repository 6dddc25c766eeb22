#include "commgauge/replay/run/spans.hpp"

#include <cstddef>
#include <span>

#include "run/marked.hpp"

namespace commgauge::replay {

namespace {

void add_spans(std::vector<Span>& spans, std::size_t thread, std::span<const trace::Event> events,
               std::span<const Mark> marks) {
  std::vector<std::size_t> open;
  auto mark = marks.begin();
  for (const trace::Event& event : events) {
    if (!is_marked(event)) continue;
    const double time = (mark++)->time;
    if (begins(event)) {
      const bool is_region = event.kind == trace::Event::Kind::region_begin;
      open.push_back(spans.size());
      const std::uint32_t site = is_region ? trace::no_site : event.list;
      spans.push_back({event.name, site, is_region, static_cast<int>(thread),
                       static_cast<int>(open.size()) - 1, time, time});
    } else if (!open.empty()) {
      spans[open.back()].to = time;
      open.pop_back();
    }
  }
  for (const std::size_t left : open) spans[left].to = marks.back().time;
}

}  // namespace

std::vector<std::vector<Span>> spans_of(const trace::Trace& trace, const Result& result) {
  std::vector<std::vector<Span>> all;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    std::vector<Span>& spans = all.emplace_back();
    for_each_thread(trace.ranks[r], result.marks[r],
                    [&](std::size_t thread, auto events, auto marks) {
                      add_spans(spans, thread, events, marks);
                    });
  }
  return all;
}

}  // namespace commgauge::replay
