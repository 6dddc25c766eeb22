// Reads an archive, and says of each rank how many events there are of a kind, and what doesn't
// fit: messages that nobody received, or received nobody sent; calls that begin and don't end.
//
//   recorded-look ARCHIVE

#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <tuple>

#include "commgauge/trace/read/reader.hpp"

namespace {

using commgauge::trace::any;
using commgauge::trace::Event;
using commgauge::trace::Found;
using commgauge::trace::Rank;
using commgauge::trace::Trace;
namespace event = commgauge::trace::event;

/// From, to, communicator, tag.
using Channel = std::tuple<int, int, std::uint32_t, int>;

struct Balance {
  std::map<Channel, long> open;  ///< messages sent, less those received
  long messages{};
  long unknown{};  ///< receives of which it isn't known what they got
};

void add_send(Balance& balance, int own, const event::Send& send) {
  ++balance.open[{own, send.peer, send.context, send.tag}];
  ++balance.messages;
}

void add_receive(Balance& balance, int own, std::uint32_t context, const Found& found) {
  if (found.peer == any || found.tag == any) {
    ++balance.unknown;
  } else {
    --balance.open[{found.peer, own, context, found.tag}];
  }
}

/// @return calls that began and didn't end, or that ended before the last one began
int look_at(const Rank& rank, int own, Balance& balance) {
  int depth = 0;
  std::int64_t time = 0;
  int wrong = 0;
  std::map<std::uint32_t, std::uint32_t> set_aside;  ///< communicator by a matched probe's request
  for (const Event& event : rank.events) {
    if (event.is<event::Enter, event::Leave>()) {
      depth += event.is<event::Enter>() ? 1 : -1;
      wrong += depth < 0 || depth > 1 || event.time < time ? 1 : 0;
      time = event.time;
    }
    std::visit(
        commgauge::trace::Handlers{
            [&](const event::MatchedProbe& probe) { set_aside[probe.request] = probe.context; },
            [&](const event::Send& send) { add_send(balance, own, send); },
            [&](const event::Receive& receive) {
              add_receive(balance, own, receive.context, receive.found);
            },
            [&](const event::MatchedReceive& receive) {
              add_receive(balance, own, set_aside[receive.message], receive.found);
            },
            [](const auto&) {}},
        event.what);
  }
  return wrong + depth;
}

}  // namespace

int main(int argc, char** argv) try {
  const Trace trace = commgauge::trace::read(argc > 1 ? argv[1] : "trace");
  Balance balance;
  int wrong = 0;
  for (std::size_t own = 0; own < trace.ranks.size(); ++own) {
    wrong += look_at(trace.ranks[own], static_cast<int>(own), balance);
    wrong += trace.ranks[own].is_complete ? 0 : 1;
  }
  long open = 0;
  for (const auto& [channel, count] : balance.open) open += count != 0 ? 1 : 0;
  std::printf("%ld messages, %ld channels open, %ld receives unknown, %d wrong, %zu remarks\n",
              balance.messages, open, balance.unknown, wrong, trace.remarks.size());
  for (const auto& remark : trace.remarks) std::printf("%s\n", remark.text.c_str());
  return open == 0 && wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("%s\n", error.what());
  return 2;
}
