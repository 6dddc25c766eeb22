#include "commgauge/simulate/process/cores.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

namespace commgauge::simulate {

namespace {

using Occupancy = std::map<double, double>;

double first_free(const Occupancy& busy, double from, double needs) {
  auto next = busy.upper_bound(from);
  if (next != busy.begin()) from = std::max(from, std::prev(next)->second);
  for (; next != busy.end() && next->first < from + needs; ++next) {
    from = std::max(from, next->second);
  }
  return from;
}

void occupy(Occupancy& busy, double from, double until) {
  const auto after = busy.find(until);
  if (after != busy.end()) {
    until = after->second;
    busy.erase(after);
  }
  const auto next = busy.upper_bound(from);
  if (next != busy.begin() && std::prev(next)->second == from) {
    std::prev(next)->second = until;
  } else {
    busy[from] = until;
  }
}

}  // namespace

double Cores::take(double from, double needs, const std::function<double()>& least_clock) {
  constexpr std::size_t many = 1024;
  if (needs <= 0) return from;
  Occupancy* best = nullptr;
  double start = std::numeric_limits<double>::infinity();
  for (Occupancy& busy : all_) {
    const double free = first_free(busy, from, needs);
    if (free < start) {
      start = free;
      best = &busy;
    }
  }
  occupy(*best, start, start + needs);
  if (best->size() > many) {
    const double gone = least_clock();
    std::erase_if(*best, [&](const auto& time) { return time.second < gone; });
  }
  return start;
}

}  // namespace commgauge::simulate
