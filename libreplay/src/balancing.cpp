#include "balancing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "waits.hpp"

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;
using trace::Event;

namespace {

constexpr bool takes_part(double computing) { return computing > 0; }

}  // namespace

double Balancing::Team::sigma() const { return std::sqrt(squares / ranks); }

Balancing::Balancing(const Causes& causes, const Places& places)
    : causes_{causes}, places_{places}, own_(places.instances().size()) {
  for (Moment to = 1; to < causes.size(); ++to) {
    for (const Cause& cause : causes.of(to)) {
      if (is_own_computing(to, cause)) own_[instance(to)] += cause.delay;
    }
  }
  // What is around an instance comes before it.
  all_ = own_;
  const auto instances = places.instances();
  for (std::size_t i = instances.size(); i-- > 0;) {
    if (instances[i].around != i) all_[instances[i].around] += all_[i];
  }
  own_teams_ = teams_of(own_);
  all_teams_ = teams_of(all_);
  const auto computing = [&](std::uint32_t region) {
    double sum = 0;
    for (const Team& team : all_teams_[region]) sum += team.sum;
    return sum;
  };
  for (std::uint32_t region = 0; region <= places.whole(); ++region) {
    if (computing(region) > 0) regions_.push_back(region);
  }
  std::ranges::stable_sort(regions_, std::greater{}, computing);
}

/// What the program itself computes between its calls, or sleeps.
bool Balancing::is_own_computing(Moment to, const Cause& cause) const {
  if (cause.why != simulate::Why::computing || cause.message != simulate::no_message) return false;
  const Event* const event = places_.event(causes_.rank(to), causes_.place(to));
  if (event == nullptr) return false;
  return event->kind == Event::Kind::enter || event->kind == Event::Kind::region_begin ||
         event->kind == Event::Kind::region_end || event->kind == Event::Kind::sleep ||
         event->kind == Event::Kind::clock_reads;
}

std::uint32_t Balancing::instance(Moment to) const {
  return places_.instance(causes_.rank(to), causes_.place(to));
}

Balancing::Teams Balancing::teams_of(const std::vector<double>& computing) const {
  Teams teams(places_.whole() + 1);
  const auto instances = places_.instances();
  const auto for_each_part = [&](const auto& add) {
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (!takes_part(computing[i])) continue;
      auto& of_region = teams[instances[i].region];
      if (of_region.size() <= instances[i].number) of_region.resize(instances[i].number + 1);
      add(of_region[instances[i].number], computing[i]);
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
  return teams;
}

std::vector<double> Balancing::factors(std::uint32_t region) const {
  const auto instances = places_.instances();
  std::vector<double> factors(instances.size(), 1);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const Places::Instance& one = instances[i];
    if (one.region != region) {
      factors[i] = factors[one.around];
    } else if (takes_part(all_[i])) {
      factors[i] = all_teams_[region][one.number].mean() / all_[i];
    }
  }
  return factors;
}

std::vector<double> Balancing::factors_of_all() const {
  const auto instances = places_.instances();
  std::vector<double> factors(instances.size(), 1);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const Places::Instance& one = instances[i];
    if (takes_part(own_[i])) factors[i] = own_teams_[one.region][one.number].mean() / own_[i];
  }
  return factors;
}

LongestPaths::Delay Balancing::scaled(const std::vector<double>& factors) const {
  return [this, &factors](Moment to, const Cause& cause) {
    return is_own_computing(to, cause) ? cause.delay * factors[instance(to)] : cause.delay;
  };
}

int Balancing::slowest(std::uint32_t region) const {
  std::map<int, double> computing;
  const auto instances = places_.instances();
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (instances[i].region == region) computing[instances[i].rank] += all_[i];
  }
  const auto second = [](const auto& one) { return one.second; };
  return std::ranges::max_element(computing, {}, second)->first;
}

Balance Balancing::of(std::uint32_t region, const LongestPaths& paths) const {
  Balance balance{.region = places_.region_name(region), .slowest = slowest(region)};
  double means = 0;
  double most = 0;
  for (const Team& team : all_teams_[region]) {
    if (team.ranks == 0) continue;
    ++balance.instances;
    balance.sigma += team.sigma();
    balance.computing += team.sum;
    means += team.mean();
    most += team.most;
  }
  balance.sigma /= static_cast<double>(balance.instances);
  balance.mean_over_max = means / most;
  const std::vector<double> factors = this->factors(region);
  balance.time = paths.with(scaled(factors));
  return balance;
}

double Balancing::all_balanced(const LongestPaths& paths, bool has_waits) const {
  const std::vector<double> factors = factors_of_all();
  const LongestPaths::Delay delay = scaled(factors);
  if (has_waits) return paths.with(delay);
  return paths.with([&](Moment to, const Cause& cause) {
    return is_wait(cause) ? never_delays : delay(to, cause);
  });
}

}  // namespace commgauge::replay
