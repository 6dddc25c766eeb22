#include "explain/balancing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "explain/shares.hpp"

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;

double Balancing::Team::sigma() const { return std::sqrt(squares / ranks); }

Balancing::Balancing(const Causes& causes, const Places& places)
    : places_{places},
      ends_{ends_of_computing(places)},
      computing_(places.instances().size()),
      sleeping_(places.instances().size()) {
  for (Moment to = 1; to < causes.size(); ++to) {
    for (const Cause& cause : causes.of(to)) {
      if (!is_own_computing(causes, places, to, cause)) continue;
      const std::uint32_t instance = places.instance(causes.rank(to), causes.place(to));
      computing_[instance] += cause.delay;
      if (cause.why == simulate::Why::sleeping) sleeping_[instance] += cause.delay;
    }
  }
  add_inner(computing_);
  add_inner(sleeping_);
  find_teams();
  const auto computing = [&](std::uint32_t region) {
    double sum = 0;
    for (const Team& team : teams_[region]) sum += team.sum;
    return sum;
  };
  for (std::uint32_t region = 0; region <= places.whole(); ++region) {
    if (computing(region) > 0) regions_.push_back(region);
  }
  std::ranges::stable_sort(regions_, std::greater{}, computing);
}

/// What is around an instance comes before it.
void Balancing::add_inner(std::vector<double>& by_instance) const {
  const auto instances = places_.instances();
  for (std::size_t i = instances.size(); i-- > 0;) {
    if (instances[i].around != i) by_instance[instances[i].around] += by_instance[i];
  }
}

void Balancing::find_teams() {
  teams_.resize(places_.whole() + 1);
  const auto instances = places_.instances();
  const auto for_each_part = [&](const auto& add) {
    for (std::size_t i = 0; i < instances.size(); ++i) {
      auto& of_region = teams_[instances[i].region];
      if (of_region.size() <= instances[i].number) of_region.resize(instances[i].number + 1);
      add(of_region[instances[i].number], computing_[i]);
    }
  };
  for_each_part([](Team& team, double seconds) {
    ++team.ranks;
    team.sum += seconds;
    team.most = std::max(team.most, seconds);
  });
  for_each_part([](Team& team, double seconds) {
    team.squares += (seconds - team.mean()) * (seconds - team.mean());
  });
}

LongestPaths::Delay Balancing::divided(const Causes& causes,
                                       const std::vector<std::uint32_t>& divided_in) const {
  return [&causes, shares = std::make_shared<const Shares>(causes, places_, ends_, divided_in)](
             Moment to, const Cause& cause) { return shares->delay(causes, to, cause); };
}

LongestPaths::Delay Balancing::balanced(const Causes& causes, std::uint32_t region) const {
  const auto instances = places_.instances();
  std::vector<std::uint32_t> divided_in(instances.size(), Shares::none);
  for (std::uint32_t i = 0; i < instances.size(); ++i) {
    const std::uint32_t around = instances[i].around;
    divided_in[i] = instances[i].region == region ? i : divided_in[around];
  }
  return divided(causes, divided_in);
}

LongestPaths::Delay Balancing::all_balanced(const Causes& causes) const {
  std::vector<std::uint32_t> itself(places_.instances().size());
  std::iota(itself.begin(), itself.end(), 0U);
  return divided(causes, itself);
}

int Balancing::slowest(std::uint32_t region) const {
  std::map<int, double> computing;
  const auto instances = places_.instances();
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (instances[i].region == region) computing[instances[i].rank] += computing_[i];
  }
  const auto second = [](const auto& one) { return one.second; };
  return std::ranges::max_element(computing, {}, second)->first;
}

Balance Balancing::of(std::uint32_t region) const {
  Balance balance{.region = places_.region_name(region), .slowest = slowest(region)};
  const auto instances = places_.instances();
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (instances[i].region == region) balance.sleeping += sleeping_[i];
  }
  double means = 0;
  double most = 0;
  balance.instances = teams_[region].size();
  for (const Team& team : teams_[region]) {
    balance.sigma += team.sigma();
    balance.computing += team.sum;
    means += team.mean();
    most += team.most;
  }
  balance.sigma /= static_cast<double>(balance.instances);
  balance.mean_over_max = means / most;
  return balance;
}

}  // namespace commgauge::replay
