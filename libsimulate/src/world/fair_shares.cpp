#include "commgauge/simulate/world/fair_shares.hpp"

#include <algorithm>
#include <limits>

namespace commgauge::simulate {

namespace {

/// Levels that differ by no more are one.
constexpr double same_level = 1 + 1e-12;

}  // namespace

void FairShares::clear() {
  flows_.clear();
  carriers_.clear();
  uses_.clear();
}

int FairShares::add_carrier(double left) {
  carriers_.push_back({left, 0});
  return static_cast<int>(carriers_.size()) - 1;
}

int FairShares::add_flow(double most, std::span<const Use> uses) {
  flows_.push_back({.most = most, .first = uses_.size(), .count = uses.size()});
  uses_.insert(uses_.end(), uses.begin(), uses.end());
  return static_cast<int>(flows_.size()) - 1;
}

/// At which rate of the flows that have none yet it is full.
double FairShares::Carrier::level() const {
  return asked > 0 ? left / asked : std::numeric_limits<double>::infinity();
}

std::span<const FairShares::Use> FairShares::uses_of(const Flow& flow) const {
  return {uses_.data() + flow.first, flow.count};
}

void FairShares::ask() {
  for (Carrier& carrier : carriers_) carrier.asked = 0;
  for (const Flow& flow : flows_) {
    if (flow.is_given) continue;
    for (const Use& use : uses_of(flow)) {
      carriers_[static_cast<std::size_t>(use.carrier)].asked += use.per_byte;
    }
  }
}

void FairShares::give(Flow& flow, double rate, int bottleneck) {
  flow.rate = rate;
  flow.bottleneck = bottleneck;
  flow.is_given = true;
  for (const Use& use : uses_of(flow)) {
    double& left = carriers_[static_cast<std::size_t>(use.carrier)].left;
    left = std::max(0.0, left - rate * use.per_byte);
  }
}

/// Gives their own rates to those that can't use more. @return how many these are
std::size_t FairShares::give_all_wanted(double level) {
  std::size_t given = 0;
  for (Flow& flow : flows_) {
    if (flow.is_given || flow.most > level * same_level) continue;
    give(flow, flow.most, own_rate);
    ++given;
  }
  return given;
}

/// Gives that rate to all that pass a carrier which is full by it. @return how many these are
std::size_t FairShares::give_level(double level) {
  is_full_.assign(carriers_.size(), false);
  for (std::size_t c = 0; c < carriers_.size(); ++c) {
    is_full_[c] = carriers_[c].level() <= level * same_level;
  }
  const auto is_full = [&](const Use& use) {
    return is_full_[static_cast<std::size_t>(use.carrier)];
  };
  std::size_t given = 0;
  for (Flow& flow : flows_) {
    if (flow.is_given) continue;
    const std::span<const Use> uses = uses_of(flow);
    const auto full = std::ranges::find_if(uses, is_full);
    if (full == uses.end()) continue;
    give(flow, level, full->carrier);
    ++given;
  }
  return given;
}

void FairShares::fill() {
  for (std::size_t given = 0; given < flows_.size();) {
    ask();
    double level = std::numeric_limits<double>::infinity();
    for (const Carrier& carrier : carriers_) level = std::min(level, carrier.level());
    const std::size_t satisfied = give_all_wanted(level);
    given += satisfied > 0 ? satisfied : give_level(level);
  }
}

}  // namespace commgauge::simulate
