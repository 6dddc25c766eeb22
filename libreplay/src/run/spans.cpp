#include "commgauge/replay/run/spans.hpp"

#include <cstddef>
#include <span>

#include "run/marked.hpp"

namespace commgauge::replay {

namespace {

/// @pre begins(event)
Span span_of(const trace::Event& event) {
  if (const auto* const region = event.as<trace::event::RegionBegin>()) {
    return {.name = region->name, .site = trace::no_site, .is_region = true};
  }
  const auto& call = std::get<trace::event::Enter>(event.what);
  return {.name = call.name, .site = call.site};
}

void add_spans(std::vector<Span>& spans, std::size_t thread, std::span<const trace::Event> events,
               std::span<const Mark> marks) {
  std::vector<std::size_t> open;
  auto mark = marks.begin();
  for (const trace::Event& event : events) {
    if (!is_marked(event)) continue;
    const double time = (mark++)->time;
    if (begins(event)) {
      open.push_back(spans.size());
      Span& span = spans.emplace_back(span_of(event));
      span.thread = static_cast<int>(thread);
      span.depth = static_cast<int>(open.size()) - 1;
      span.from = span.to = time;
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
