#include "commgauge/simulate/machine/in_turn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "commgauge/simulate/machine/topology.hpp"

namespace commgauge::simulate {

namespace {

/// Of the time: what comes to less isn't said.
constexpr double worth_saying = 0.02;

/// An algorithm that doesn't exchange in turn.
const char* alternative_to(schedule::Operation operation) {
  using enum schedule::Operation;
  switch (operation) {
    case alltoall:
    case alltoallv:
      return "scattered";
    case allreduce:
      return "reduce-bcast";
    case bcast:
    case reduce:
      return "binomial";
    case reduce_scatter:
    case reduce_scatter_block:
      return "reduce-scatterv";
    case scan:
    case exscan:
      return "linear";
    default:
      return "flat";
  }
}

std::string joined(const std::vector<schedule::Operation>& operations) {
  std::string text;
  for (const schedule::Operation one : operations) {
    text += (text.empty() ? "" : ", ") + to_text(one);
  }
  return text;
}

/// Data of operations that go on at once may be under way for longer than the program.
std::string percent_of_time(double share) {
  return std::to_string(std::min(std::lround(100 * share), 100L)) + " % of the time";
}

double sum(const TakenInTurn& one) {
  return std::accumulate(one.taken.begin(), one.taken.end(), 0.0);
}

std::span<const schedule::Step> round_at(const schedule::Schedule& schedule, std::size_t first) {
  const std::span<const schedule::Step> rest = std::span{schedule.steps}.subspan(first);
  const auto end = std::ranges::find_if(
      rest, [&](const schedule::Step& step) { return step.round != rest.front().round; });
  return {rest.begin(), end};
}

bool has_exchange(const schedule::Schedule& schedule) {
  bool found = schedule.is_in_turn;
  for (std::size_t k = 0; !found && k < schedule.steps.size();) {
    found = is_in_turn(schedule, k);
    k += round_at(schedule, k).size();
  }
  return found;
}

}  // namespace

bool is_in_turn(const schedule::Schedule& schedule, std::size_t first) {
  if (schedule.is_in_turn) return true;
  std::array<int, 2> messages{};
  for (const schedule::Step& step : round_at(schedule, first)) {
    if (!step.is_message()) continue;
    messages.at(step.kind == schedule::Step::Kind::send ? 0 : 1) += step.here.count > 0 ? 1 : 0;
  }
  return messages == std::array{1, 1};
}

std::optional<InTurn> in_turn(const Machine& machine, schedule::Operation operation,
                              const schedule::Schedule& schedule, std::span<const int> ranks) {
  if (machine.kind == topology_kind || !has_exchange(schedule)) return {};
  std::set<std::string_view> hosts;
  for (const int rank : ranks) hosts.insert(machine.hosts[static_cast<std::size_t>(rank)]);
  if (hosts.size() < 2) return {};
  return InTurn{operation, static_cast<int>(hosts.size()), schedule.is_in_turn};
}

double most_times_as_long(const InTurn& what, bool is_rendezvous) {
  // Of one round alone nobody is ahead.
  const bool is_alone = is_meeting(what.operation);
  // An answer may have to wait behind data that go the same way: two messages' time; and while a
  // send is over before its data have left the next ones share the link with them.
  if (is_rendezvous) return is_alone ? 2 : 2.5;
  if (is_alone) return 1;
  // With one partner there is nobody whose data could come sooner.
  if (what.hosts < 3) return 1;
  return what.is_row ? std::max(2.0, std::sqrt(what.hosts / 2.0)) : 2;
}

double at_once(const Machine& machine) {
  constexpr int two_pairs = 4;
  return machine.ranks < two_pairs ? 1 : machine.at_once;
}

Machine of_one_pair(Machine machine) {
  machine.at_once = 1;
  return machine;
}

/// @return how much longer all stretches of time in which messages are under way have become
double TakenInTurn::add_at_once(const Transit& transit) {
  const double before = at_once;
  if (transit.since > until) {
    at_once += transit.until - transit.since;
    from = transit.since;
    until = transit.until;
  } else {
    at_once += std::max(0.0, from - transit.since) + std::max(0.0, transit.until - until);
    from = std::min(from, transit.since);
    until = std::max(until, transit.until);
  }
  return at_once - before;
}

void TakenInTurn::add(const Transit& transit) {
  const double more = transit.at_once - 1;
  const double added = more > 0 ? add_at_once(transit) : 0;
  double longer = added * more;
  if (transit.in_turn) {
    const double length = transit.until - transit.since;
    const double data = std::max(0.0, length - transit.empty);
    taken[static_cast<std::size_t>(transit.in_turn->operation)] += data;
    // What overlaps has been told before.
    const double told = std::max(0.0, length - added) * more;
    longer = std::max(
        longer, data * (most_times_as_long(*transit.in_turn, transit.is_rendezvous) - 1) - told);
  }
  most_longer += longer;
  behind += longer;
}

void TakenInTurn::follow(double other) { behind = std::max(behind, other); }

TakenInTurn& TakenInTurn::operator+=(const TakenInTurn& other) {
  for (std::size_t i = 0; i < taken.size(); ++i) taken[i] += other.taken[i];
  at_once += other.at_once;
  most_longer += other.most_longer;
  follow(other.behind);
  return *this;
}

std::optional<Desynchronisation> desynchronisation(Seconds time,
                                                   std::span<const TakenInTurn> ranks) {
  double longer = 0;
  double at_once = 0;
  for (const TakenInTurn& one : ranks) {
    longer = std::max({longer, one.most_longer, one.behind});
    at_once = std::max(at_once, one.at_once);
  }
  if (!(longer >= worth_saying * time.value) || !(longer > 0)) return {};
  const TakenInTurn& most = *std::ranges::max_element(ranks, {}, sum);
  Desynchronisation found{
      time, Seconds{time.value + longer}, sum(most) / time.value, {}, at_once / time.value};
  const auto taken = [&](schedule::Operation one) {
    return most.taken[static_cast<std::size_t>(one)];
  };
  for (const schedule::Operation one : schedule::all_operations()) {
    if (taken(one) > 0) found.operations.push_back(one);
  }
  std::ranges::stable_sort(found.operations, std::ranges::greater{}, taken);
  return found;
}

Diagnostic diagnostic_of(const Desynchronisation& found) {
  Diagnostic told{
      .kind = "out_of_step",
      .problem = "the time is between " + to_text(found.least) + " and " + to_text(found.most)};
  if (found.at_once > 0) {
    told.reason = "messages are under way for " + percent_of_time(found.at_once) +
                  ", and those of several pairs at once take longer than alone";
    told.advice = "rely on the longer one where all ranks communicate at once";
  }
  if (found.operations.empty()) return told;
  const schedule::Operation first = found.operations.front();
  told.reason += (told.reason.empty() ? "" : "; ") + ("in " + joined(found.operations)) +
                 " ranks exchange with one after the other, for " + percent_of_time(found.share) +
                 "; here they stay in step, which is the least time, and don't "
                 "where packets of several messages share a link";
  if (told.advice.empty()) {
    told.advice = "compare --collectives " + to_text(first) + "=" + alternative_to(first) +
                  ", which doesn't exchange so";
  }
  return told;
}

}  // namespace commgauge::simulate
