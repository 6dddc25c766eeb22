#include "replay/export/trace_event.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "commgauge/replay/run/spans.hpp"
#include "replay/json/result_json.hpp"

namespace commgauge::tools {

namespace {

using Json = nlohmann::ordered_json;
using replay::Span;
using replay::Timeline;

std::int64_t signed_nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// `12.345`, which the format counts in.
std::string microseconds(std::int64_t ns) {
  std::string fraction = std::to_string(ns % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(ns / 1000) + "." + fraction;
}

std::string quoted(const std::string& text) { return json_text(Json(text)); }

/// Numbers of rows: those of a rank's threads follow each other.
class Rows {
 public:
  explicit Rows(const trace::Trace& trace) {
    for (const trace::Rank& rank : trace.ranks) {
      of_a_rank_ = std::max(of_a_rank_, rank.further_threads.size() + 1);
    }
  }
  [[nodiscard]] std::size_t of(std::size_t rank, std::size_t thread = 0) const {
    return rank * of_a_rank_ + thread;
  }

 private:
  std::size_t of_a_rank_{1};
};

/// What an event of that kind has in common with others; without its end.
std::string event_head(char kind, std::size_t row, std::int64_t time) {
  return std::string{R"({"ph":")"} + kind + R"(","pid":0,"tid":)" + std::to_string(row) +
         R"(,"ts":)" + microseconds(time);
}

void add_name(std::string& text, const char* what, std::size_t row, const std::string& name) {
  text += std::string{R"({"ph":"M","pid":0,"tid":)"} + std::to_string(row) + R"(,"name":")" + what +
          R"(","args":{"name":)" + quoted(name) + "}},\n";
}

/// @param name  quoted
/// @param site  likewise; empty: it has none
void add_slice(std::string& text, std::size_t row, double begin, double end, const char* category,
               const std::string& name, const std::string& site = {}) {
  const std::int64_t from = signed_nanoseconds(begin);
  text += event_head('X', row, from) + R"(,"dur":)" + microseconds(signed_nanoseconds(end) - from) +
          R"(,"cat":")" + category + R"(","name":)" + name +
          (site.empty() ? "" : R"(,"args":{"site":)" + site + "}") + "},\n";
}

/// By number; empty: not known.
std::vector<std::string> quoted_sites(const trace::Trace& trace) {
  std::vector<std::string> sites;
  for (const trace::Site& site : trace.sites) {
    sites.push_back(site == trace::Site{} ? "" : quoted(to_text(site)));
  }
  return sites;
}

/// Around all that the rank does: an arrow that isn't within a call is within this.
void add_whole(std::string& text, std::size_t row, std::size_t rank,
               const std::vector<Timeline::Stretch>& stretches) {
  if (stretches.empty()) return;
  add_slice(text, row, stretches.front().from, stretches.back().to, "rank",
            quoted("rank " + std::to_string(rank)));
}

void add_message(std::string& text, const Timeline::Message& message, const Rows& rows,
                 std::size_t number) {
  const std::int64_t sent = signed_nanoseconds(message.sent);
  const std::int64_t received = std::max(sent, signed_nanoseconds(message.received) - 1);
  const std::string common = R"(,"cat":"message","name":"message","id":)" + std::to_string(number) +
                             R"(,"args":{"from":)" + std::to_string(message.from) + R"(,"to":)" +
                             std::to_string(message.to) + R"(,"bytes":)" +
                             std::to_string(message.bytes) + "}";
  text += event_head('s', rows.of(static_cast<std::size_t>(message.from)), sent) + common + "},\n";
  text += event_head('f', rows.of(static_cast<std::size_t>(message.to)), received) +
          R"(,"bp":"e")" + common + "},\n";
}

}  // namespace

std::string trace_event_text(const Outcome& outcome) {
  const trace::Trace& trace = outcome.trace;
  const Rows rows{trace};
  std::string text = "[\n";
  add_name(text, "process_name", 0, trace.program.empty() ? "the program" : trace.program);
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    for (std::size_t t = 0; t <= trace.ranks[r].further_threads.size(); ++t) {
      add_name(text, "thread_name", rows.of(r, t),
               "rank " + name_of_thread(r, t) + " (" + outcome.machine.hosts[r] + ")");
    }
  }
  std::vector<std::string> names;
  for (const std::string& name : trace.names) names.push_back(quoted(name));
  const std::vector<std::string> sites = quoted_sites(trace);
  const auto spans = replay::spans_of(trace, outcome.result);
  for (std::size_t r = 0; r < spans.size(); ++r) {
    add_whole(text, rows.of(r), r, outcome.result.timeline.ranks[r]);
    for (const Span& span : spans[r]) {
      add_slice(text, rows.of(r, static_cast<std::size_t>(span.thread)), span.from, span.to,
                span.is_region ? "region" : "mpi", names[span.name], sites[span.site]);
    }
  }
  std::size_t number = 0;
  for (const auto& message : outcome.result.timeline.messages) {
    add_message(text, message, rows, number++);
  }
  text.erase(text.size() - 2);  // the last comma
  return text + "\n]\n";
}

}  // namespace commgauge::tools
