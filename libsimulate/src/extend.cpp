#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/costs/extended.hpp"
#include "commgauge/simulate/machine.hpp"

namespace commgauge::simulate {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Pairs = std::vector<const PairCosts*>;

/// Their mean, of those that were measured, if any was. @pre not empty
PairCosts mean_of_measured(const Pairs& pairs) {
  Pairs measured;
  std::ranges::copy_if(pairs, std::back_inserter(measured),
                       [](const PairCosts* costs) { return !costs->assumed; });
  return mean_of(measured.empty() ? pairs : measured);
}

/// The machine that new hosts are to be like.
class Pattern {
 public:
  explicit Pattern(const Machine& machine) : machine_{machine} {
    for (int rank = 0; rank < machine.ranks; ++rank) {
      const auto known = std::ranges::find(names_, machine.hosts[at(rank)]);
      host_of_.push_back(static_cast<int>(known - names_.begin()));
      if (known == names_.end()) {
        names_.push_back(machine.hosts[at(rank)]);
        ranks_.emplace_back();
      }
      ranks_[at(host_of_.back())].push_back(rank);
    }
  }

  [[nodiscard]] int hosts() const { return static_cast<int>(names_.size()); }
  [[nodiscard]] int ranks_of(int host) const { return static_cast<int>(ranks_[at(host)].size()); }
  [[nodiscard]] int most_ranks() const {
    return static_cast<int>(std::ranges::max(ranks_, {}, &std::vector<int>::size).size());
  }
  [[nodiscard]] const std::vector<std::vector<int>>& ranks_by_host() const { return ranks_; }
  /// Which of its ranks the r-th of a new host is like.
  [[nodiscard]] int like(int host, int r) const {
    const std::vector<int>& ranks = ranks_[at(host % hosts())];
    return ranks[at(r) % ranks.size()];
  }
  [[nodiscard]] bool is_copy(int host, int r) const {
    return host >= hosts() || r >= ranks_of(host);
  }
  [[nodiscard]] std::string name(int host) const {
    const std::string& name = names_[at(host % hosts())];
    return host < hosts() ? name : name + "#" + std::to_string(host / hosts() + 1);
  }

  /// What pairs of one new host cost.
  [[nodiscard]] CostsOfPairs within() const {
    return [this, mean = std::vector<PairCosts>(at(hosts()))](int from, int to) mutable {
      if (host_of_[at(from)] != host_of_[at(to)]) return PairCosts{};
      if (from != to) return machine_.pair(from, to);
      PairCosts& known = mean[at(host_of_[at(from)])];
      if (!known.assumed) known = mean_within(host_of_[at(from)]);
      return known;
    };
  }

  /// What pairs of two new hosts cost.
  [[nodiscard]] CostsOfPairs across() const {
    std::vector<PairCosts> sending;
    std::vector<PairCosts> receiving;
    for (int rank = 0; rank < machine_.ranks && hosts() > 1; ++rank) {
      sending.push_back(mean_elsewhere(rank, true));
      receiving.push_back(mean_elsewhere(rank, false));
    }
    return
        [this, sending = std::move(sending), receiving = std::move(receiving)](int from, int to) {
          if (host_of_[at(from)] != host_of_[at(to)]) return machine_.pair(from, to);
          if (hosts() == 1) return PairCosts{};
          return mean_of({&sending[at(from)], &receiving[at(to)]});
        };
  }

 private:
  void add_pairs(Pairs& pairs, int host) const {
    for (const int from : ranks_[at(host)]) {
      for (const int to : ranks_[at(host)]) {
        if (from != to) pairs.push_back(&machine_.pair(from, to));
      }
    }
  }

  /// Nothing where no host has two ranks.
  [[nodiscard]] PairCosts mean_within(int host) const {
    Pairs pairs;
    add_pairs(pairs, host);
    for (int other = 0; pairs.empty() && other < hosts(); ++other) add_pairs(pairs, other);
    return pairs.empty() ? PairCosts{} : mean_of_measured(pairs);
  }

  [[nodiscard]] PairCosts mean_elsewhere(int rank, bool sends) const {
    Pairs pairs;
    for (int other = 0; other < machine_.ranks; ++other) {
      if (host_of_[at(other)] == host_of_[at(rank)]) continue;
      pairs.push_back(sends ? &machine_.pair(rank, other) : &machine_.pair(other, rank));
    }
    return mean_of_measured(pairs);
  }

  const Machine& machine_;
  std::vector<std::string> names_;
  std::vector<std::vector<int>> ranks_;  ///< by host
  std::vector<int> host_of_;
};

void check(const Pattern& pattern, int hosts, int per_host) {
  if (hosts < 1 || per_host < 1) {
    throw InputError("a machine of " + std::to_string(hosts) + " hosts of " +
                     std::to_string(per_host) +
                     " ranks (there is nobody to communicate): give at least 1 of each");
  }
  if (hosts > 1 && pattern.hosts() == 1) {
    throw InputError(
        "the model's ranks are all on one host (it knows no message between hosts): "
        "calibrate on two hosts or more, or ask for one");
  }
  if (per_host > 1 && pattern.most_ranks() == 1) {
    throw InputError(
        "the model has one rank on each host (it knows no message within a host): "
        "calibrate with two ranks on a host, or ask for one");
  }
}

}  // namespace

Machine extend(const Machine& machine, int hosts, int per_host) {
  const Pattern pattern(machine);
  if (is_laid_out_so(pattern.ranks_by_host(), hosts, per_host)) return machine;
  check(pattern, hosts, per_host);
  Machine extended = machine;
  extended.ranks = hosts * per_host;
  extended.hosts.clear();
  std::vector<PairTable::Rank> ranks;
  std::vector<int> like;
  std::vector<std::int32_t> places;
  for (int host = 0; host < hosts; ++host) {
    for (int r = 0; r < per_host; ++r) {
      ranks.push_back({pattern.like(host, r), host});
      like.push_back(pattern.like(host, r));
      places.push_back(host);
      extended.hosts.push_back(pattern.name(host));
      extended.is_like_another.push_back(pattern.is_copy(host, r) ? 1 : 0);
    }
  }
  extended.host_links = rearranged(machine.host_links, like, std::move(places));
  extended.time_ratios.assign(ranks.size(), same_speed);
  extended.pairs = PairTable(std::move(ranks), machine.ranks, pattern.within(), pattern.across());
  return extended;
}

LargerModel larger_model(const Model& model, int hosts, int per_host) {
  if (!model.classes) return {model, {}};
  LargerModel larger{extended(model, hosts, per_host), {}};
  const auto known = static_cast<std::ptrdiff_t>(model.warnings.size());
  larger.assumed.assign(larger.model.warnings.begin() + known, larger.model.warnings.end());
  return larger;
}

Machine larger_machine(const Model& model, const std::string& kind, int hosts, int per_host) {
  Machine machine = machine_of(model, kind);
  return model.classes ? machine : extend(machine, hosts, per_host);
}

}  // namespace commgauge::simulate
