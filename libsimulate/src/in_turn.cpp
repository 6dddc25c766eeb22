#include "commgauge/simulate/in_turn.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "commgauge/simulate/topology.hpp"

namespace commgauge::simulate {

namespace {

constexpr int fewest_hosts = 3;
/// Of the time: what comes to less isn't said.
constexpr double worth_saying = 0.02;

/// An algorithm that doesn't exchange in turn.
const char* alternative_to(schedule::Operation operation) {
  const bool is_reduction = schedule::is_reduction(operation);
  return is_reduction ? "recursive-halving" : "scattered";
}

std::string joined(const std::vector<schedule::Operation>& operations) {
  std::string text;
  for (const schedule::Operation one : operations) {
    text += (text.empty() ? "" : ", ") + to_word(one);
  }
  return text;
}

}  // namespace

std::optional<InTurn> in_turn(const Machine& machine, schedule::Operation operation,
                              const schedule::Schedule& schedule, std::span<const int> ranks) {
  if (!schedule.is_in_turn || machine.kind == topology_kind) return {};
  std::set<std::string_view> hosts;
  for (const int rank : ranks) hosts.insert(machine.hosts[static_cast<std::size_t>(rank)]);
  const int count = static_cast<int>(hosts.size());
  if (count < fewest_hosts) return {};
  return InTurn{operation, count};
}

double most_times_as_long(int hosts, bool is_rendezvous) {
  // An answer may have to wait behind data that go the same way: two messages' time; and while a
  // send is over before its data have left the next ones share the link with them.
  if (is_rendezvous) return 2.5;
  return std::max(2.0, std::sqrt(hosts / 2.0));
}

void TakenInTurn::add(const InTurn& what, bool is_rendezvous, double time) {
  taken[static_cast<std::size_t>(what.operation)] += time;
  most_longer += time * (most_times_as_long(what.hosts, is_rendezvous) - 1);
}

TakenInTurn& TakenInTurn::operator+=(const TakenInTurn& other) {
  for (std::size_t i = 0; i < taken.size(); ++i) taken[i] += other.taken[i];
  most_longer += other.most_longer;
  return *this;
}

std::optional<OutOfStep> out_of_step(Seconds time, std::span<const TakenInTurn> ranks) {
  const auto most = std::ranges::max_element(ranks, {}, &TakenInTurn::most_longer);
  if (most == ranks.end() || !(most->most_longer >= worth_saying * time.value)) return {};
  if (!(most->most_longer > 0)) return {};
  OutOfStep found{time, Seconds{time.value + most->most_longer}, 0, {}};
  const auto taken = [&](schedule::Operation one) {
    return most->taken[static_cast<std::size_t>(one)];
  };
  for (const schedule::Operation one : schedule::all_operations()) {
    found.share += taken(one) / time.value;
    if (taken(one) > 0) found.operations.push_back(one);
  }
  std::ranges::stable_sort(found.operations, std::ranges::greater{}, taken);
  return found;
}

Diagnostic diagnostic_of(const OutOfStep& found) {
  // Data of operations that go on at once may be under way for longer than the program.
  const long percent = std::min(std::lround(100 * found.share), 100L);
  const schedule::Operation first = found.operations.front();
  return {.kind = "out_of_step",
          .problem = "the time is between " + to_text(found.least) + " and " + to_text(found.most),
          .reason = "in " + joined(found.operations) +
                    " ranks exchange with one after the other, for " + std::to_string(percent) +
                    " % of the time; here they stay in step, which is the least time, and don't "
                    "where packets of several messages share a link",
          .advice = "compare --collectives " + to_word(first) + "=" + alternative_to(first) +
                    ", which doesn't exchange so"};
}

}  // namespace commgauge::simulate
