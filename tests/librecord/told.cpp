#include "told.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "commgauge/trace/read/reader.hpp"

namespace commgauge::record {
namespace telling {

using namespace trace;

std::string rank_or_any(std::int32_t number) {
  return number == any ? "any" : number == nobody ? "nobody" : std::to_string(number);
}

class Teller {
 public:
  Teller(const Trace& trace, const Rank& rank) : trace_{trace}, rank_{rank} {}

  void tell(const Event& event) {
    std::visit([this](const auto& what) { add(what); }, event.what);
  }
  [[nodiscard]] std::vector<std::string> lines() const { return lines_; }

 private:
  void add(const event::Enter& call) {
    lines_.push_back(trace_.names.at(call.name));
    is_inside_ = true;
    is_first_ = true;
  }
  void add(const event::Leave&) { is_inside_ = false; }
  void add(const event::RegionBegin& region) {
    say("region ", trace_.names.at(region.name), " begins");
  }
  void add(const event::RegionEnd& region) {
    say("region ", trace_.names.at(region.name), " ends");
  }
  void add(const event::Send& send) {
    const char* const mode = send.mode == Mode::buffered      ? "buffered "
                             : send.mode == Mode::synchronous ? "synchronous "
                                                              : "";
    say(mode, "send ", send.bytes, " to ", send.peer, " tag ", send.tag, in(send.context),
        as(send.request));
  }
  void add(const event::Receive& receive) {
    say("receive ", receive.bytes, wanted(receive), as(receive.request), ", got ",
        found(receive.found));
  }
  void add(const event::Wait& wait) { say("wait for", list(wait)); }
  void add(const event::Poll& poll) { poll.count == 0 ? say("look") : say("poll for", list(poll)); }
  void add(const event::Flush& flush) { say("flush", list(flush)); }
  void add(const event::UnsuccessfulPolls&) { say("in vain"); }
  void add(const event::Probe& probe) {
    say("probe", wanted(probe), ", found ", found(probe.found));
  }
  void add(const event::MatchedProbe& probe) {
    say("matched probe", wanted(probe), as(probe.request), ", found ", found(probe.found));
  }
  void add(const event::MatchedReceive& receive) {
    say("receive message #", receive.message, " of ", receive.bytes, as(receive.request), ", got ",
        found(receive.found));
  }
  void add(const event::Collective& start) {
    const auto& one = rank_.collectives.at(start.operation);
    say(one.is_own ? "own " : "", of(one), in(start.context), as(start.request));
  }
  void add(const event::Meet& meet) { say("meet", in(meet.context)); }
  void add(const event::ClockReads& reads) {
    if (reads.count > 0) say(reads.count, " clock reads");
  }
  void add(const event::Sleep&) { say("sleep"); }
  void add(const event::Free& free) { say("free #", free.request); }
  void add(const event::Cancel& cancel) { say("cancel #", cancel.request); }
  void add(const event::Access& access) {
    static constexpr const char* effects[] = {"", "shared lock", "exclusive lock", "unlock"};
    if (access.effect != Effect::access) {
      return say(effects[static_cast<int>(access.effect)], " at ", access.peer, in(access.context),
                 as(access.request));
    }
    const std::string back = access.back > 0 ? ", " + std::to_string(access.back) + " back" : "";
    say("access ", access.bytes, " to ", access.peer, in(access.context), as(access.request), back);
  }
  void add(const event::ThreadBegin& begin) { say("thread ", begin.number, " begins"); }
  void add(const event::ThreadEnd&) { say("thread ends"); }
  void add(const event::ThreadStart& start) { say("start ", start.number); }
  void add(const event::Release& release) { say("release ", release.object); }
  void add(const event::Acquire& acquire) {
    say("acquire ", acquire.object, " after ", acquire.count);
  }
  void add(const event::PrepareSend& send) { prepared("send", "to", send); }
  void add(const event::PrepareReceive& receive) { prepared("receive", "from", receive); }
  void add(const event::Start& start) { say("start #", start.request); }
  void add(const event::Ready& ready) {
    say("ready #", ready.request, " from ", ready.first, " on ", ready.count);
  }
  void add(const event::Arrived& arrived) {
    say("arrived #", arrived.request, " ", arrived.partition);
  }

  void say(const auto&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    if (!is_inside_) {
      lines_.push_back(out.str());
    } else {
      lines_.back() += std::exchange(is_first_, false) ? ": " : "; ";
      lines_.back() += out.str();
    }
  }
  void prepared(const char* what, const char* way, const auto& one) {
    say("prepare ", what, " of ", one.partitions, " x ", one.bytes, " ", way, " ",
        rank_or_any(one.peer), " tag ", one.tag, in(one.context), as(one.request));
  }
  [[nodiscard]] std::string in(std::uint32_t context) const {
    if (context == 0) return {};
    const trace::Communicator& one = trace_.communicators.at(context);
    if (!one.name.empty()) return " in " + one.name;
    std::string text = one.is_window ? " in window " : " in ";
    text += members_of(one.members);
    if (!one.others.empty()) text += '|' + members_of(one.others);
    return text;
  }
  [[nodiscard]] static std::string members_of(const std::vector<std::int32_t>& ranks) {
    std::string text;
    for (const std::int32_t rank : ranks) {
      if (!text.empty()) text += ',';
      text += std::to_string(rank);
    }
    return text;
  }
  [[nodiscard]] static std::string as(std::uint32_t request) {
    return request == no_request ? "" : " as #" + std::to_string(request);
  }
  [[nodiscard]] std::string wanted(const auto& one) const {
    std::ostringstream out;
    out << " from " << rank_or_any(one.peer) << " tag " << rank_or_any(one.tag) << in(one.context);
    return out.str();
  }
  [[nodiscard]] static std::string found(const Found& one) {
    if (one.peer == any) return "what isn't known";
    std::ostringstream out;
    out << one.bytes << " from " << one.peer << " tag " << rank_or_any(one.tag);
    return out.str();
  }
  [[nodiscard]] std::string list(const auto& over) const {
    std::ostringstream out;
    for (std::uint32_t i = 0; i < over.count; ++i) {
      out << " #" << rank_.requests.at(over.list + i);
    }
    return out.str();
  }
  [[nodiscard]] static std::string of(const Collective& one) {
    std::ostringstream out;
    if (one.is_neighbourhood) {
      out << "neighbours";
      for (const auto& [peer, tag, bytes] : one.from) out << " from " << peer << ": " << bytes;
      for (const auto& [peer, tag, bytes] : one.to) out << " to " << peer << ": " << bytes;
      return out.str();
    }
    out << to_text(one.what.operation);
    const bool has_data = one.what.operation != Operation::barrier;
    if (has_data) out << " of";
    for (const std::uint64_t count : one.what.counts) {
      if (has_data) out << ' ' << count;
    }
    if (one.what.unit.value > 1) out << " x " << one.what.unit.value;
    if (one.what.root > 0) out << " root " << one.what.root;
    if (one.what.is_in_place) out << " in place";
    return out.str();
  }

  const Trace& trace_;
  const Rank& rank_;
  std::vector<std::string> lines_;
  bool is_inside_{};
  bool is_first_{};
};

}  // namespace telling

std::vector<std::string> told(const trace::Trace& trace, std::size_t rank, std::size_t thread) {
  telling::Teller teller(trace, trace.ranks.at(rank));
  for (const trace::Event& event : events_of(trace.ranks.at(rank), thread)) teller.tell(event);
  return teller.lines();
}

std::vector<std::string> told_of(const std::string& call, const trace::Trace& trace,
                                 std::size_t rank) {
  std::vector<std::string> lines = told(trace, rank);
  std::erase_if(lines, [&](const std::string& line) {
    return line != call && !line.starts_with(call + ":");
  });
  return lines;
}

const trace::Trace& recorded(const std::string& subject) {
  static std::map<std::string, trace::Trace> traces;
  const auto found = traces.find(subject);
  if (found != traces.end()) return found->second;
  const char* const folder = std::getenv("TRACES");
  if (folder == nullptr) throw InputError("no traces (TRACES isn't set): start it by ctest");
  return traces.emplace(subject, trace::read(std::filesystem::path{folder} / subject))
      .first->second;
}

}  // namespace commgauge::record
