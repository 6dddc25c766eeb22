#include "read/repair.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "commgauge/base/error.hpp"
#include "commgauge/trace/events/crossings.hpp"

namespace commgauge::trace {
namespace {

using schedule::Operation;
using Contexts = std::vector<std::uint32_t>;

/// The communicator that the event is of; nullptr: of none.
std::uint32_t* context_in(Event& event) {
  return std::visit(
      [](auto& what) -> std::uint32_t* {
        if constexpr (requires { what.context; }) return &what.context;
        return nullptr;
      },
      event.what);
}

/// Of those asked for, in the order of their first use.
Contexts used(Rank& rank, const Contexts& of) {
  Contexts found;
  for (auto& event : rank.events) {
    const auto* const context = context_in(event);
    if (context != nullptr && std::ranges::find(of, *context) != of.end() &&
        std::ranges::find(found, *context) == found.end()) {
      found.push_back(*context);
    }
  }
  return found;
}

/// For each communicator the one that it is, if each is used by one rank only.
std::map<std::uint32_t, std::uint32_t> twins(Trace& trace, const Contexts& same) {
  std::map<std::uint32_t, std::uint32_t> twin;
  Contexts first;
  for (const auto rank : trace.communicators[same.front()].members) {
    const auto own = used(trace.ranks[static_cast<std::size_t>(rank)], same);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i == first.size()) first.push_back(own[i]);
      if (!twin.emplace(own[i], first[i]).second) return {};
    }
  }
  return twin;
}

[[noreturn]] void refuse(const Trace& trace, std::uint32_t context, const std::string& why) {
  throw InputError("the collective operations of communicator " + std::to_string(context) + " (" +
                   trace.communicators[context].name + ") don't fit together (" + why +
                   "): record the program again");
}

/// A collective operation, as all members of a communicator called it.
class Call {
 public:
  Call(std::vector<Collective*> calls, std::vector<const RoughCollective*> rough, bool is_score_p)
      : calls_{std::move(calls)},
        rough_{std::move(rough)},
        size_{calls_.size()},
        is_score_p_{is_score_p} {}

  void complete() {
    for (std::size_t i = 0; i < size_; ++i) {
      auto& what = calls_[i]->what;
      what.counts = counts();
      if (what.operation == Operation::alltoallv) {
        what.counts = spread(rough_[i]->sent);
        what.counts_in = spread(rough_[i]->received);
      }
    }
  }

 private:
  using Counts = std::vector<std::uint64_t>;

  Counts counts() const {
    switch (calls_.front()->what.operation) {
      case Operation::barrier:
        return {0};
      case Operation::bcast:
        return {largest(&RoughCollective::received) > 0 ? largest(&RoughCollective::received)
                                                        : part(largest(&RoughCollective::sent))};
      case Operation::reduce:
        return {largest(&RoughCollective::sent)};
      case Operation::gather:
        return {largest_but_root(&RoughCollective::sent)};
      case Operation::scatter:
        return {largest_but_root(&RoughCollective::received)};
      case Operation::gatherv:
        return all(&RoughCollective::sent);
      case Operation::scatterv:
        return all(&RoughCollective::received);
      case Operation::allgatherv:
        return parts(&RoughCollective::sent);
      case Operation::reduce_scatter:
        return parts(&RoughCollective::received);
      case Operation::exscan:
        return {is_score_p_ && size_ > 1 ? rough_.front()->sent / (size_ - 1)
                                         : rough_.front()->sent};
      case Operation::allreduce:
      case Operation::allgather:
      case Operation::alltoall:
      case Operation::scan:
        return {part(rough_.front()->sent)};
      case Operation::reduce_scatter_block:
        return {part(rough_.front()->received)};
      case Operation::alltoallv:
      case Operation::p2p:  // no collective
      case Operation::exchange:
      case Operation::ring:
        return {};
    }
    return {};
  }

  /// Score-P counts an operation's data once for each partner, in place without the rank itself.
  std::uint64_t part(std::uint64_t bytes) const {
    if (!is_score_p_) return bytes;
    if (bytes % size_ == 0 || size_ == 1) return bytes / size_;
    return bytes / (size_ - 1);
  }

  Counts all(std::uint64_t RoughCollective::*side) const {
    Counts list;
    for (const auto* one : rough_) list.push_back(one->*side);
    return list;
  }
  Counts parts(std::uint64_t RoughCollective::*side) const {
    auto list = all(side);
    for (auto& one : list) one = part(one);
    return list;
  }
  std::uint64_t largest(std::uint64_t RoughCollective::*side) const {
    return std::ranges::max(all(side));
  }
  std::uint64_t largest_but_root(std::uint64_t RoughCollective::*side) const {
    auto list = all(side);
    if (size_ > 1) list.erase(list.begin() + calls_.front()->what.root);
    return std::ranges::max(list);
  }
  Counts spread(std::uint64_t bytes) const {
    Counts list(size_, bytes / size_);
    for (std::size_t i = 0; i < bytes % size_; ++i) ++list[i];
    return list;
  }

  std::vector<Collective*> calls_;
  std::vector<const RoughCollective*> rough_;
  std::size_t size_;
  bool is_score_p_;
};

void note_assumptions(const Trace& trace, const std::vector<Unknown>& unknown, bool is_score_p,
                      Remarks& remarks) {
  for (std::size_t rank = 0; rank < unknown.size(); ++rank) {
    for (const auto& one : unknown[rank].collectives) {
      const auto operation = trace.ranks[rank].collectives[one.list].what.operation;
      if (schedule::is_reduction(operation)) {
        remarks.add("reductions without an operator: taken to be MPI's own and commutative");
      }
      if (operation == Operation::alltoallv) {
        remarks.add("MPI_Alltoallv without counts: spread evenly");
      }
      if (!is_score_p && operation != Operation::barrier) {
        remarks.add("bytes of collective operations: taken as the rank's own buffer");
      }
    }
  }
}

/// A message's way: source, destination, communicator, tag.
using Way = std::tuple<std::int32_t, std::int32_t, std::uint32_t, std::int32_t>;

struct Sent {
  std::int64_t time{};
  std::uint64_t bytes{};
};

struct HashOfWay {
  std::size_t operator()(const Way& way) const {
    const auto [from, to, context, tag] = way;
    std::size_t hash = static_cast<std::uint32_t>(from);
    for (const auto one :
         {static_cast<std::uint32_t>(to), context, static_cast<std::uint32_t>(tag)}) {
      hash = (hash ^ one) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 29U;
    }
    return hash;
  }
};
template <typename What>
using ByWay = std::unordered_map<Way, What, HashOfWay>;

/// Of each way in the order of sending.
ByWay<std::vector<Sent>> all_sends(const Trace& trace) {
  ByWay<std::vector<Sent>> sends;
  bool has_threads = false;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    has_threads = has_threads || !trace.ranks[i].further_threads.empty();
    for (const auto& event : trace.ranks[i].events) {
      const auto* const send = event.as<event::Send>();
      if (send == nullptr) continue;
      const Way way{static_cast<std::int32_t>(i), send->peer, send->context, send->tag};
      sends[way].push_back({event.time, send->bytes});
    }
  }
  if (!has_threads) return sends;
  for (auto& [way, list] : sends) std::ranges::stable_sort(list, {}, &Sent::time);
  return sends;
}

/// Messages to each rank that none of its receives got, in the order of sending.
struct Unclaimed {
  Sent what;
  Way way;
};
std::map<std::int32_t, std::vector<Unclaimed>> unclaimed(const Trace& trace) {
  auto sends = all_sends(trace);
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    ByWay<std::size_t> got;
    for (const auto& event : trace.ranks[i].events) {
      const auto* const receive = event.as<event::Receive>();
      if (receive == nullptr || receive->found.peer == any) continue;
      const Found& found = receive->found;
      ++got[{found.peer, static_cast<std::int32_t>(i), receive->context, found.tag}];
    }
    for (const auto& [way, count] : got) {
      auto& list = sends[way];
      list.erase(list.begin(), list.begin() + static_cast<long>(std::min(count, list.size())));
    }
  }
  std::map<std::int32_t, std::vector<Unclaimed>> left;
  for (const auto& [way, list] : sends) {
    for (const auto& one : list) left[std::get<1>(way)].push_back({one, way});
  }
  for (auto& [rank, list] : left) {
    std::ranges::stable_sort(list, {}, [](const auto& one) {
      return std::pair{one.what.time, one.way};
    });
  }
  return left;
}

/// When each receive of a rank was over: at its wait, or at once.
class Completions {
 public:
  Completions(const Rank& rank, std::int32_t number) : rank_{rank}, number_{number} {}

  /// Calls `what(way, time of completion)` for each receive, in the order of posting.
  template <typename What>
  void each(const What& what) {
    for (std::size_t thread = 0; thread <= rank_.further_threads.size(); ++thread) {
      const auto events = events_of(rank_, thread);
      add(events, static_cast<std::size_t>(events.data() - rank_.events.data()));
    }
    for (const auto& one : crossings(rank_)) {
      const auto found = by_start_.find(one.start);
      if (found != by_start_.end()) all_[found->second].over = rank_.events[one.end].time;
    }
    if (!rank_.further_threads.empty()) std::ranges::stable_sort(all_, {}, &Receive::posted);
    for (const auto& one : all_) what(one.way, one.over);
  }

 private:
  struct Receive {
    Way way;
    std::int64_t posted{};
    std::int64_t over{};
  };

  /// A thread's. @param first  the number of its first event
  void add(std::span<const Event> events, std::size_t first) {
    std::unordered_map<std::uint32_t, std::size_t> started;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto& event = events[i];
      const auto request = request_in(event);
      const auto* const receive = event.as<event::Receive>();
      if (receive != nullptr && receive->found.peer != any && receive->found.tag != any) {
        const Way way{receive->found.peer, number_, receive->context, receive->found.tag};
        if (request != no_request) started[request] = all_.size();
        if (!rank_.further_threads.empty()) by_start_[first + i] = all_.size();
        all_.push_back({way, event.time, event.time});
      } else if (request != no_request) {
        started.erase(request);
      }
      const auto complete = [&](const auto& wait) {
        for (std::uint32_t k = 0; k < wait.count; ++k) {
          const auto found = started.find(rank_.requests[std::size_t{wait.list} + k]);
          if (found != started.end()) all_[found->second].over = event.time;
        }
      };
      if (const auto* const wait = event.as<event::Wait>()) complete(*wait);
      if (const auto* const poll = event.as<event::Poll>()) complete(*poll);
    }
  }

  const Rank& rank_;
  std::int32_t number_;
  std::vector<Receive> all_;
  std::unordered_map<std::size_t, std::size_t> by_start_;  ///< where there are further threads
};

}  // namespace

void merge_communicators(Trace& trace, std::vector<Unknown>& unknown, Remarks& remarks) {
  std::map<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>, Contexts> groups;
  for (std::uint32_t i = 0; i < trace.communicators.size(); ++i) {
    const auto& one = trace.communicators[i];
    if (one.members.size() > 1) groups[{one.members, one.others}].push_back(i);
  }
  std::map<std::uint32_t, std::uint32_t> twin;
  for (const auto& [members, same] : groups) {
    if (same.size() > 1) twin.merge(twins(trace, same));
  }
  const auto merge = [&](std::uint32_t& context) {
    const auto found = twin.find(context);
    if (found != twin.end()) context = found->second;
  };
  const auto merged =
      std::ranges::count_if(twin, [](const auto& one) { return one.first != one.second; });
  if (merged == 0) return;
  remarks.add(
      "communicators with a number of their own at each rank: taken as one by their members",
      static_cast<std::uint64_t>(merged));
  for (auto& rank : trace.ranks) {
    for (auto& event : rank.events) {
      if (auto* const context = context_in(event)) merge(*context);
    }
  }
  for (auto& rank : unknown) {
    for (auto& one : rank.collectives) merge(one.context);
  }
}

void complete_collectives(Trace& trace, const std::vector<Unknown>& unknown, bool is_score_p,
                          Remarks& remarks) {
  note_assumptions(trace, unknown, is_score_p, remarks);
  // Of each communicator and rank, in the order of their starts.
  std::map<std::uint32_t, std::map<std::int32_t, std::vector<const RoughCollective*>>> calls;
  for (std::size_t rank = 0; rank < unknown.size(); ++rank) {
    for (const auto& one : unknown[rank].collectives) {
      calls[one.context][static_cast<std::int32_t>(rank)].push_back(&one);
    }
  }
  for (auto& [context, ranks] : calls) {
    const auto& members = trace.communicators[context].members;
    if (ranks.size() != members.size()) refuse(trace, context, "not all members call them");
    for (auto& [rank, list] : ranks) std::ranges::sort(list, {}, &RoughCollective::list);
    const auto count = ranks.begin()->second.size();
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Collective*> all;
      std::vector<const RoughCollective*> rough;
      for (const auto rank : members) {
        if (!ranks.contains(rank)) refuse(trace, context, "others call them");
        const auto& list = ranks[rank];
        if (list.size() != count) refuse(trace, context, "ranks call different numbers of them");
        rough.push_back(list[i]);
        all.push_back(&trace.ranks[static_cast<std::size_t>(rank)].collectives[list[i]->list]);
        if (all.back()->what.operation != all.front()->what.operation ||
            all.back()->what.root != all.front()->what.root) {
          refuse(trace, context,
                 "number " + std::to_string(i) + " isn't the same at ranks " +
                     std::to_string(members.front()) + " and " + std::to_string(rank));
        }
      }
      Call{all, rough, is_score_p}.complete();
    }
  }
}

void complete_receives(Trace& trace, const std::vector<Unknown>& unknown, Remarks& remarks) {
  if (std::ranges::all_of(unknown, [](const auto& one) { return one.receives.empty(); })) return;
  auto left = unclaimed(trace);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const auto& receives = unknown[i].receives;
    if (receives.empty()) continue;
    const auto& messages = left[static_cast<std::int32_t>(i)];
    if (messages.size() != receives.size()) {
      throw InputError(
          "rank " + std::to_string(i) + "'s event " + std::to_string(receives.front()) +
          " cannot be used (a receive's end isn't recorded, and " +
          std::to_string(receives.size()) + " such receives have " +
          std::to_string(messages.size()) + " messages to choose from): record the program again");
    }
    auto& events = trace.ranks[i].events;
    for (std::size_t k = 0; k < receives.size(); ++k) {
      auto& receive = std::get<event::Receive>(events[receives[k]].what);
      receive.peer = receive.found.peer = std::get<0>(messages[k].way);
      receive.context = std::get<2>(messages[k].way);
      receive.tag = receive.found.tag = std::get<3>(messages[k].way);
      receive.bytes = receive.found.bytes = messages[k].what.bytes;
    }
    remarks.add("receives without an end: taken to be of the messages that were left, in order",
                receives.size());
  }
}

void note_clocks(Trace& trace, Remarks& remarks) {
  static const std::string clocks_differ = "messages arrive before they were sent: clocks differ";
  std::erase_if(trace.remarks, [](const Remark& one) { return one.text == clocks_differ; });
  const auto sends = all_sends(trace);
  std::uint64_t early = 0;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    ByWay<std::size_t> next;
    Completions{trace.ranks[i], static_cast<std::int32_t>(i)}.each(
        [&](const Way& way, std::int64_t time) {
          const auto found = sends.find(way);
          const auto which = next[way]++;
          if (found == sends.end() || which >= found->second.size()) return;
          if (time < found->second[which].time) ++early;
        });
  }
  if (early > 0) remarks.add(clocks_differ, early);
}

}  // namespace commgauge::trace
