#include "commgauge/plan/campaign_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "base/sort_unique.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "commgauge/plan/sharing_plan.hpp"

namespace commgauge {

namespace {

constexpr Bytes KiB(std::uint64_t k) { return {k << 10}; }

constexpr int widest_fan = 4;
constexpr int check_roots = 4;
constexpr int most_that_all_exchange = 6;
constexpr int enough_exchanges = 16;  ///< of either kind
constexpr int most_tries_apart = 4;
constexpr std::uint64_t most_bytes_at_root = std::uint64_t{256} << 20;
constexpr Bytes largest_default_one_to_two = KiB(64);
constexpr Bytes smallest_break = KiB(1);

Bytes between(Bytes a, Bytes b) {
  return {static_cast<std::uint64_t>(
      std::llround(std::sqrt(static_cast<double>(a.value) * static_cast<double>(b.value))))};
}

/// Largest power of two that is not above `size`.
Bytes power_of_two_below(Bytes size) { return {std::bit_floor(size.value)}; }

bool is_eager(Bytes size, std::optional<Bytes> limit) { return !limit || size <= *limit; }

/// The upper end of the sweep: within a factor of four of the largest, in the largest's regime.
std::vector<Bytes> choose_bulk(const std::vector<Bytes>& sweep, std::optional<Bytes> limit) {
  const Bytes largest = sweep.back();
  std::vector<Bytes> bulk;
  for (const Bytes size : sweep) {
    if (size.value * 4 >= largest.value && is_eager(size, limit) == is_eager(largest, limit)) {
      bulk.push_back(size);
    }
  }
  if (bulk.size() < 2) bulk.insert(bulk.begin(), Bytes{largest.value / 2});
  if (is_eager(bulk.front(), limit) != is_eager(largest, limit)) {
    bulk.front() = Bytes{limit->value + 1};
  }
  sort_unique(bulk);
  return bulk;
}

std::vector<Bytes> largest_of_each_protocol(const std::vector<Bytes>& sweep,
                                            std::optional<Bytes> limit) {
  std::vector<Bytes> largest{sweep.back()};
  const auto above =
      std::ranges::find_if(sweep, [&](Bytes size) { return !is_eager(size, limit); });
  if (above != sweep.begin() && above != sweep.end()) largest.push_back(*std::prev(above));
  return largest;
}

bool escalates(Bytes size, const SizeAdvice& advice) {
  return size > *advice.escalate_above && !(advice.regular_from && size >= *advice.regular_from);
}

/// A collective that waits for a timer tells nothing of the bytes: larger sizes of the sweep that
/// don't, or else the two octaves below those that do.
std::vector<Bytes> regular_bulk(const std::vector<Bytes>& sweep, std::optional<Bytes> limit,
                                const SizeAdvice& advice) {
  std::vector<Bytes> bulk = choose_bulk(sweep, limit);
  if (!advice.escalate_above || *advice.escalate_above < smallest_break) return bulk;
  std::erase_if(bulk, [&](Bytes size) { return escalates(size, advice); });
  if (bulk.size() >= 2) return bulk;
  const Bytes largest = *advice.escalate_above;
  return choose_bulk({{largest.value / 4}, largest}, limit);
}

/// Of the sweep, up to 64 KiB; where it has none, the largest power of two; at least one byte.
Bytes largest_eager(const std::vector<Bytes>& sweep, std::optional<Bytes> limit) {
  Bytes largest{0};
  for (const Bytes size : sweep) {
    if (is_eager(size, limit) && size <= largest_default_one_to_two) largest = size;
  }
  if (largest.value > 0) return largest;
  const Bytes most = std::min(limit.value_or(sweep.front()), largest_default_one_to_two);
  return power_of_two_below(std::max(most, Bytes{1}));
}

/// M as it is without a break, or the largest power of two up to the break.
Bytes below_scatter_break(Bytes one_to_two, std::optional<Bytes> scatter_break) {
  if (!scatter_break || *scatter_break < smallest_break) return one_to_two;
  return std::min(one_to_two, power_of_two_below(*scatter_break));
}

/// What the models that are asked for need, taken together.
Needs needs_of(const CampaignOptions& options) {
  Needs all;
  for_each_fit([&](const FitFacts& facts) {
    const bool is_asked_for =
        options.models.empty()
            ? !facts.needs.only_named()
            : std::ranges::find(options.models, facts.name) != options.models.end();
    if (!is_asked_for) return;
    for (bool Needs::*const one : {&Needs::sweep, &Needs::empty_one_to_two, &Needs::one_to_two,
                                   &Needs::bulk, &Needs::overheads, &Needs::curve}) {
      all.*one = all.*one || facts.needs.*one;
    }
  });
  return all;
}

Group group_with_ranks(std::vector<Experiment> experiments) {
  Group group{{}, std::move(experiments)};
  for (const Experiment& e : group.experiments) {
    group.ranks.push_back(e.root);
    group.ranks.insert(group.ranks.end(), e.peers.begin(), e.peers.end());
  }
  sort_unique(group.ranks);
  return group;
}

/// Puts each group into the first round whose ranks it leaves alone.
std::vector<Round> pack(std::vector<Group> groups, int n) {
  std::vector<Round> rounds;
  std::vector<std::vector<bool>> busy;
  for (Group& group : groups) {
    const auto fits = [&](const std::vector<bool>& taken) {
      return std::ranges::none_of(group.ranks,
                                  [&](int r) { return taken[static_cast<std::size_t>(r)]; });
    };
    auto place = std::ranges::find_if(busy, fits);
    if (place == busy.end()) {
      busy.emplace_back(static_cast<std::size_t>(n), false);
      rounds.emplace_back();
      place = std::prev(busy.end());
    }
    for (const int rank : group.ranks) (*place)[static_cast<std::size_t>(rank)] = true;
    rounds[static_cast<std::size_t>(place - busy.begin())].push_back(std::move(group));
  }
  return rounds;
}

class Planner {
 public:
  Planner(int n, const Pilot& pilot, const CampaignSizes& sizes, const CampaignOptions& options)
      : n_{n},
        pilot_{pilot},
        sizes_{sizes},
        options_{options},
        needs_{needs_of(options)},
        random_{options.seed} {}

  [[nodiscard]] std::vector<Round> plan() {
    std::vector<Round> rounds = pairs();
    const bool one_to_twos = needs_.empty_one_to_two || needs_.one_to_two;
    if (n_ >= 3 && one_to_twos) append(rounds, triples());
    if (n_ >= 3 && needs_.bulk) append(rounds, fans());
    append(rounds, hosts());
    if (n_ >= 3 && options_.checks) append(rounds, collectives());
    if (options_.checks) append(rounds, exchanges());
    if (n_ >= 3 && options_.checks && !options_.cores_are_shared) append(rounds, rings());
    append(rounds, sharing());
    return rounds;
  }

 private:
  static void append(std::vector<Round>& rounds, std::vector<Round> more) {
    std::ranges::move(more, std::back_inserter(rounds));
  }

  [[nodiscard]] std::vector<Round> pairs() const {
    std::vector<Round> rounds;
    for (const auto& pairs : pair_rounds(n_)) {
      Round round;
      for (const auto& [i, j] : pairs) round.push_back(pair_group(i, j));
      rounds.push_back(std::move(round));
    }
    return rounds;
  }

  [[nodiscard]] Group pair_group(int i, int j) const {
    std::vector<Bytes> sizes = needs_.sweep ? sizes_.sweep : std::vector<Bytes>{};
    if (needs_.one_to_two) sizes.push_back(sizes_.one_to_two);
    if (needs_.bulk) {
      sizes.insert(sizes.end(), sizes_.bulk.begin(), sizes_.bulk.end());
    }
    if (needs_.curve) std::ranges::copy(options_.curve, std::back_inserter(sizes));
    const Pair pair{std::min(i, j), std::max(i, j)};
    const bool in_logp = needs_.overheads &&
                         std::ranges::find(options_.logp_pairs, pair) != options_.logp_pairs.end();
    if (in_logp) std::ranges::copy(options_.logp.round_trips, std::back_inserter(sizes));
    sort_unique(sizes);
    Group group{{pair.begin(), pair.end()}, {}};
    for (const auto& [from, to] : {Pair{i, j}, Pair{j, i}}) {
      group.experiments.push_back(round_trip(from, to, {}, {}));
      for (const Bytes size : sizes) group.experiments.push_back(round_trip(from, to, size, {}));
      if (in_logp) {
        std::ranges::move(logp_experiments(options_.logp, from, to),
                          std::back_inserter(group.experiments));
      }
      if (!options_.checks) continue;
      for (const Bytes size : sizes_.checks) {
        add_check(group.experiments, round_trip(from, to, size, {}));
      }
    }
    return group;
  }

  [[nodiscard]] std::vector<Round> triples() const {
    std::vector<Round> rounds;
    for (const auto& triples : triples_apart()) {
      Round round;
      for (const Triple& triple : triples) round.push_back(triple_group(triple));
      rounds.push_back(std::move(round));
    }
    return rounds;
  }

  using TripleRounds = std::vector<std::vector<Triple>>;

  [[nodiscard]] TripleRounds designed_triples(int triplets) const {
    return options_.sparse ? sparse_triple_rounds(n_, triplets, options_.seed) : triple_rounds(n_);
  }

  /// As designed, without those of which two ranks are of one host: a third one's messages to them
  /// share its link. All of them where a rank would be in too few then.
  [[nodiscard]] TripleRounds triples_apart() const {
    const int most = options_.sparse ? most_tries_apart * options_.triplets : options_.triplets;
    for (int triplets = options_.triplets; triplets <= most; triplets += options_.triplets) {
      TripleRounds rounds = designed_triples(triplets);
      for (std::vector<Triple>& round : rounds) {
        std::erase_if(round, [&](const Triple& triple) {
          const auto [i, j, k] = triple;
          return is_beside(i, j) || is_beside(i, k) || is_beside(j, k);
        });
      }
      std::erase_if(rounds, [](const auto& round) { return round.empty(); });
      if (fewest_triples(rounds) >= (options_.sparse ? options_.triplets : 1)) return rounds;
    }
    return designed_triples(options_.triplets);
  }

  /// Of the rank that is in the fewest.
  [[nodiscard]] int fewest_triples(const TripleRounds& rounds) const {
    std::vector<int> counts(static_cast<std::size_t>(n_));
    for (const std::vector<Triple>& round : rounds) {
      for (const Triple& triple : round) {
        for (const int rank : triple) ++counts[static_cast<std::size_t>(rank)];
      }
    }
    return std::ranges::min(counts);
  }

  [[nodiscard]] Group triple_group(Triple triple) const {
    std::ranges::sort(triple);
    Group group{{triple.begin(), triple.end()}, {}};
    const auto add = [&](int root, int a, int b, const Matrix& by, Bytes size) {
      const bool a_is_fast = by(root, a) <= by(root, b);
      group.experiments.push_back(one_to_two(root, a_is_fast ? a : b, a_is_fast ? b : a, size));
    };
    const auto [i, j, k] = triple;
    for (const auto& [root, a, b] : {Triple{i, j, k}, Triple{j, i, k}, Triple{k, i, j}}) {
      if (needs_.empty_one_to_two) {
        add(root, a, b, pilot_.empty, {});
      }
      if (needs_.one_to_two) {
        add(root, a, b, pilot_.medium, sizes_.one_to_two);
      }
    }
    return group;
  }

  [[nodiscard]] std::vector<Round> fans() {
    std::vector<Group> groups;
    for (int root = 0; root < n_; ++root) {
      const std::vector<int> fastest = fastest_peers(root);
      for (int k = 2; k <= static_cast<int>(fastest.size()); ++k) {
        groups.push_back(fan_group(root, {fastest.begin(), fastest.begin() + k}));
      }
    }
    // Wide groups first: they are the hardest to place.
    std::ranges::stable_sort(groups, std::ranges::greater{},
                             [](const Group& group) { return group.ranks.size(); });
    return pack(std::move(groups), n_);
  }

  /// Whether they are on one host of several.
  [[nodiscard]] bool is_beside(int i, int j) const {
    const std::vector<std::string>& hosts = options_.hosts;
    if (std::ranges::adjacent_find(hosts, std::ranges::not_equal_to{}) == hosts.end()) return false;
    return hosts[static_cast<std::size_t>(i)] == hosts[static_cast<std::size_t>(j)];
  }

  /// Up to four, on other hosts as far as there are two, for messages within a host don't pass what
  /// limits the others; the fastest first; whatever is within 5 % of them counts as equally fast
  /// and is drawn, so that equal hosts don't all ask for the same few peers.
  [[nodiscard]] std::vector<int> fastest_peers(int root) {
    std::vector<int> peers;
    for (int j = 0; j < n_; ++j) {
      if (j != root && !is_beside(root, j)) peers.push_back(j);
    }
    if (peers.size() < 2) {
      for (int j = 0; j < n_; ++j) {
        if (j != root && is_beside(root, j)) peers.push_back(j);
      }
    }
    const auto time = [&](int j) { return pilot_.bulk(root, j) + pilot_.bulk(j, root); };
    std::ranges::stable_sort(peers, {}, time);
    const auto count = std::min<std::size_t>(widest_fan, peers.size());
    const double limit = 1.05 * time(peers[count - 1]);
    const auto equal_end = std::ranges::find_if(peers, [&](int j) { return time(j) > limit; });
    const auto equal_begin =
        std::ranges::find_if(peers, [&](int j) { return time(j) * 1.05 * 1.05 > limit; });
    for (auto left = equal_end - equal_begin; left > 1; --left) {
      const auto drawn = static_cast<std::ptrdiff_t>(random_() % static_cast<std::uint64_t>(left));
      std::swap(equal_begin[left - 1], equal_begin[drawn]);
    }
    peers.resize(count);
    return peers;
  }

  /// The slowest peer first: where the root's messages go out one after the other, a slow one that
  /// came last would end the fan late and hide how fast the root is.
  [[nodiscard]] Group fan_group(int root, std::vector<int> peers) const {
    std::ranges::reverse(peers);
    Group group{peers, {}};
    group.ranks.push_back(root);
    std::ranges::sort(group.ranks);
    for (const Bytes size : sizes_.bulk) {
      group.experiments.push_back(
          {Kind::one_to_k_concurrent, root, peers, peers, size, Bytes{0}, false});
      group.experiments.push_back(
          {Kind::k_to_one_concurrent, root, peers, peers, Bytes{0}, size, false});
    }
    return group;
  }

  /// One host after the other: what is measured is who shares what. Within hosts all together.
  [[nodiscard]] std::vector<Round> hosts() const {
    std::vector<Round> rounds;
    if (!needs_.sweep && !needs_.bulk) return rounds;
    for (std::vector<Experiment>& experiments :
         host_link_experiments(options_.hosts, sizes_.bulk, pilot_.bulk)) {
      rounds.push_back({group_with_ranks(std::move(experiments))});
    }
    Round within;
    if (!options_.memory) return rounds;
    for (const std::vector<int>& ranks : ranks_of_hosts(options_.hosts)) {
      auto experiments = memory_experiments(ranks, cores_at(ranks.front()), sizes_.bulk);
      if (!experiments.empty()) within.push_back(group_with_ranks(std::move(experiments)));
    }
    if (!within.empty()) rounds.push_back(std::move(within));
    return rounds;
  }

  [[nodiscard]] int cores_at(int rank) const {
    return options_.cores.empty() ? 0 : options_.cores[static_cast<std::size_t>(rank)];
  }

  /// Of a few ranks, for what is measured is how the machine's protocols and links are.
  [[nodiscard]] std::vector<Round> sharing() const {
    if (!needs_.sweep) return {};
    std::vector<Group> groups;
    for (std::vector<Experiment>& experiments :
         sharing_experiments(n_, options_.hosts, sizes_.at_once)) {
      groups.push_back(group_with_ranks(std::move(experiments)));
    }
    return pack(std::move(groups), n_);
  }

  /// Of few ranks all pairs, in rounds. Of more: neighbours by number, and ranks half of all apart.
  /// However ranks are placed, some pairs are on one host, and some on two.
  [[nodiscard]] std::vector<std::vector<Pair>> exchanging_pairs() const {
    if (n_ <= most_that_all_exchange) return pair_rounds(n_);
    std::vector<Pair> near;
    std::vector<Pair> far;
    const int half = n_ / 2;
    const int step = (half + enough_exchanges - 1) / enough_exchanges;
    for (int k = 0; k < half; k += step) {
      near.push_back({2 * k, 2 * k + 1});
      far.push_back({k, k + half});
    }
    return {near, far};
  }

  [[nodiscard]] std::vector<Round> exchanges() const {
    std::vector<Round> rounds;
    for (const std::vector<Pair>& pairs : exchanging_pairs()) {
      Round round;
      for (const auto& [i, j] : pairs) {
        Group group{{std::min(i, j), std::max(i, j)}, {}};
        for (const Bytes size : sizes_.checks) {
          add_check(group.experiments, exchange(group.ranks.front(), group.ranks.back(), size));
        }
        round.push_back(std::move(group));
      }
      rounds.push_back(std::move(round));
    }
    return rounds;
  }

  /// Of all ranks: next to one another by number, and far apart.
  [[nodiscard]] std::vector<Round> rings() const {
    std::vector<Round> rounds;
    for (const int next : ring_steps(n_)) {
      std::vector<Experiment> experiments;
      for (const Bytes size : sizes_.checks) {
        add_check(experiments, ring(0, ring_order(n_, 0, next), size));
      }
      rounds.push_back({group_with_ranks(std::move(experiments))});
    }
    return rounds;
  }

  static void add_check(std::vector<Experiment>& experiments, Experiment experiment) {
    experiment.check = true;
    experiments.push_back(std::move(experiment));
  }

  [[nodiscard]] std::vector<Round> collectives() const {
    std::vector<Round> rounds;
    const int roots = std::min(n_, check_roots);
    for (int i = 0; i < roots; ++i) {
      const int root = i * n_ / roots;
      Group group{std::vector<int>(static_cast<std::size_t>(n_)), {}};
      std::iota(group.ranks.begin(), group.ranks.end(), 0);
      const auto at_once = static_cast<std::uint64_t>(n_ - 1);
      for (const Bytes size : sizes_.checks) {
        if (size.value * at_once > most_bytes_at_root) continue;
        add_check(group.experiments, flat_scatter(n_, root, size));
        add_check(group.experiments, flat_gather(n_, root, size));
      }
      rounds.push_back({std::move(group)});
    }
    return rounds;
  }

  int n_;
  const Pilot& pilot_;
  const CampaignSizes& sizes_;
  const CampaignOptions& options_;
  Needs needs_;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<Bytes> default_sweep(std::optional<Bytes> eager_limit, Bytes largest) {
  std::vector<Bytes> sizes{largest};
  for (Bytes size = KiB(16); size < largest; size.value *= 4) sizes.push_back(size);
  if (!eager_limit) {
    sizes.insert(sizes.end(), {Bytes{64}, KiB(1), KiB(4)});
  } else if (eager_limit->value >= 64) {
    const Bytes top = power_of_two_below(std::min(*eager_limit, KiB(1024)));
    sizes.insert(sizes.end(), {Bytes{std::max<std::uint64_t>(1, top.value / 64)},
                               Bytes{std::max<std::uint64_t>(1, top.value / 8)}, top});
  }
  std::erase_if(sizes, [&](Bytes size) { return size > largest; });
  sort_unique(sizes);
  return sizes;
}

CampaignSizes choose_sizes(std::optional<Bytes> eager_limit, std::vector<Bytes> sweep,
                           std::optional<Bytes> one_to_two, const SizeAdvice& advice) {
  CampaignSizes sizes;
  if (sweep.empty()) sweep = default_sweep(eager_limit);
  sort_unique(sweep);
  if (sweep.size() < 2) {
    throw InputError("one message size is too few (a line needs two): give at least two sizes");
  }
  if (sweep.front().value == 0) {
    throw InputError("a message size of 0 is always measured: give sizes from 1 byte up");
  }
  sizes.sweep = sweep;
  sizes.bulk = regular_bulk(sweep, eager_limit, advice);
  sizes.at_once = largest_of_each_protocol(sweep, eager_limit);

  if (one_to_two && one_to_two->value == 0) {
    throw InputError("a one-to-two size of 0 tells nothing about bytes: give at least 1 byte");
  }
  if (one_to_two && !is_eager(*one_to_two, eager_limit)) {
    throw InputError("one-to-two messages of " + to_text(*one_to_two) +
                     " are above the eager limit of " + std::to_string(eager_limit->value) +
                     " bytes (the root would wait for each receiver): give a smaller --size");
  }
  sizes.one_to_two = one_to_two.value_or(
      below_scatter_break(largest_eager(sweep, eager_limit), advice.scatter_break));

  if (sizes.one_to_two.value > 1) {
    sizes.checks.push_back(between(Bytes{(sizes.one_to_two.value + 3) / 4}, sizes.one_to_two));
  }
  sizes.checks.push_back(between(sizes.bulk.front(), sizes.bulk.back()));
  for (Bytes& check : sizes.checks) {
    // One byte aside where a fitted size is hit.
    while (std::ranges::find(sweep, check) != sweep.end() || check == sizes.one_to_two ||
           std::ranges::find(sizes.bulk, check) != sizes.bulk.end()) {
      --check.value;
    }
  }
  sort_unique(sizes.checks);
  if (sizes.checks.front().value == 0) sizes.checks.erase(sizes.checks.begin());
  return sizes;
}

std::vector<Round> plan_campaign(int n, const Pilot& pilot, const CampaignSizes& sizes,
                                 const CampaignOptions& options) {
  return Planner(n, pilot, sizes, options).plan();
}

}  // namespace commgauge
