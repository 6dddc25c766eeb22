#include "replay/export/paje.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "commgauge/replay/run/spans.hpp"

namespace commgauge::tools {

namespace {

using replay::Span;
using replay::Timeline;

// The numbers of the definitions are the first words of the lines below them.
constexpr std::string_view definitions = R"(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 4
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajeSetState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePushState 7
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 8
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeStartLink 9
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
% Bytes string
%EndEventDef
%EventDef PajeEndLink 10
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
0 program 0 program
0 rank program rank
1 doing rank doing
1 call rank call
2 message program rank rank message
3 computing doing computing "0.17 0.42 0.69"
3 sending doing sending "0.87 0.54 0.14"
3 receiving doing receiving "0.23 0.62 0.36"
3 waiting doing waiting "0.80 0.80 0.80"
3 sleeping doing sleeping "0.55 0.50 0.65"
)";
constexpr std::array doings{"computing", "sending", "receiving", "waiting", "sleeping"};

/// A line with its time. Lines of one time stay in the order in which they were made.
struct Line {
  double time{};
  std::string text;
};

class Lines {
 public:
  void add(int event, double time, const std::string& rest) {
    std::array<char, 40> number{};
    std::snprintf(number.data(), number.size(), "%.9f", time);
    lines_.push_back({time, std::to_string(event) + " " + number.data() + " " + rest + "\n"});
  }
  [[nodiscard]] std::string text() {
    std::ranges::stable_sort(lines_, {}, &Line::time);
    std::string text;
    for (const Line& line : lines_) text += line.text;
    return text;
  }

 private:
  std::vector<Line> lines_;
};

/// The format has no way to write a quotation mark.
std::string in_quotes(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return '"' + text + '"';
}

std::string container(std::size_t rank, std::size_t thread = 0) {
  return "r" + name_of_thread(rank, thread);
}

/// Ends come before beginnings of the same time: of those that are open, the last.
void add_calls(Lines& lines, const std::string& container, std::span<const Span> spans,
               const std::vector<std::string>& names) {
  std::vector<double> open;
  const auto close = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) {
      lines.add(8, open.back(), "call " + container);
    }
  };
  for (const Span& span : spans) {
    close(static_cast<std::size_t>(span.depth));
    lines.add(7, span.from, "call " + container + " " + names[span.name]);
    open.push_back(span.to);
  }
  close(0);
}

void add_doings(Lines& lines, std::size_t rank, const std::vector<Timeline::Stretch>& stretches) {
  for (const Timeline::Stretch& stretch : stretches) {
    lines.add(6, stretch.from,
              "doing " + container(rank) + " " + doings[static_cast<std::size_t>(stretch.what)]);
  }
}

void add_message(Lines& lines, const Timeline::Message& message, std::size_t number) {
  const std::string key = "m m" + std::to_string(number);
  lines.add(9, message.sent,
            "message p " + container(static_cast<std::size_t>(message.from)) + " " + key + " " +
                std::to_string(message.bytes));
  lines.add(10, message.received,
            "message p " + container(static_cast<std::size_t>(message.to)) + " " + key);
}

}  // namespace

std::string paje_text(const Outcome& outcome) {
  const trace::Trace& trace = outcome.trace;
  const Timeline& timeline = outcome.result.timeline;
  const auto spans = replay::spans_of(trace, outcome.result);
  std::vector<std::string> names;
  for (const std::string& name : trace.names) names.push_back(in_quotes(name));
  Lines lines;
  double end = outcome.result.time;
  lines.add(4, 0,
            "p program 0 " + in_quotes(trace.program.empty() ? "the program" : trace.program));
  const auto for_each_thread = [&](const auto& each) {
    for (std::size_t r = 0; r < spans.size(); ++r) {
      for (std::size_t t = 0; t <= trace.ranks[r].further_threads.size(); ++t) each(r, t);
    }
  };
  for_each_thread([&](std::size_t r, std::size_t t) {
    lines.add(
        4, 0,
        container(r, t) + " rank p " +
            in_quotes("rank " + name_of_thread(r, t) + " (" + outcome.machine.hosts[r] + ")"));
  });
  for (std::size_t r = 0; r < spans.size(); ++r) {
    add_doings(lines, r, timeline.ranks[r]);
    for (std::size_t t = 0; t <= trace.ranks[r].further_threads.size(); ++t) {
      add_calls(lines, container(r, t), replay::of_thread(spans[r], static_cast<int>(t)), names);
    }
    if (!timeline.ranks[r].empty()) end = std::max(end, timeline.ranks[r].back().to);
  }
  std::size_t number = 0;
  for (const auto& message : timeline.messages) add_message(lines, message, number++);
  for_each_thread(
      [&](std::size_t r, std::size_t t) { lines.add(5, end, "rank " + container(r, t)); });
  lines.add(5, end, "program p");
  return std::string{definitions} + lines.text();
}

}  // namespace commgauge::tools
