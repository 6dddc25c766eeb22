#include "commgauge/plan/fabric_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/shuffle.hpp"

namespace commgauge::fabric_search_test {

using Hosts = std::vector<int>;
constexpr double unlimited = std::numeric_limits<double>::infinity();

std::size_t place(int i) { return static_cast<std::size_t>(i); }

/// Hosts behind an uplink; rates in those of the fastest host.
struct Uplink {
  Hosts hosts;
  double out{unlimited};
  double in{unlimited};
};

/// A fabric with its hosts' own rates.
struct Truth {
  std::vector<double> host_out;
  std::vector<double> host_in;
  std::vector<Uplink> uplinks;
  double backbone{unlimited};
  std::vector<int> side;  ///< hosts of different sides pass the backbone

  [[nodiscard]] int hosts() const { return static_cast<int>(host_out.size()); }
};

Truth equal_hosts(int n) {
  Truth truth;
  truth.host_out.assign(place(n), 1);
  truth.host_in.assign(place(n), 1);
  truth.side.assign(place(n), 0);
  return truth;
}

/// A link of the simulation: its rate, and which of the messages pass it.
struct Pipe {
  double rate{};
  std::vector<std::size_t> users;
};

bool is_in(const Hosts& hosts, int host) { return std::ranges::binary_search(hosts, host); }

std::vector<Pipe> pipes_of(const Truth& truth, std::span<const HostMessage> pairs) {
  std::vector<Pipe> pipes;
  const auto add = [&](double rate, const auto& passes) {
    Pipe pipe{rate, {}};
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (passes(pairs[k].from, pairs[k].to)) pipe.users.push_back(k);
    }
    if (rate < unlimited && !pipe.users.empty()) pipes.push_back(pipe);
  };
  for (int host = 0; host < truth.hosts(); ++host) {
    add(truth.host_out[place(host)], [&](int from, int) { return from == host; });
    add(truth.host_in[place(host)], [&](int, int to) { return to == host; });
  }
  for (const Uplink& up : truth.uplinks) {
    add(up.out, [&](int from, int to) { return is_in(up.hosts, from) && !is_in(up.hosts, to); });
    add(up.in, [&](int from, int to) { return !is_in(up.hosts, from) && is_in(up.hosts, to); });
  }
  add(truth.backbone,
      [&](int from, int to) { return truth.side[place(from)] != truth.side[place(to)]; });
  return pipes;
}

/// Max-min fair: the link that gives its users least comes first; they are settled.
std::vector<double> fair_rates(std::vector<Pipe> pipes, std::size_t messages,
                               const std::vector<bool>& ended) {
  std::vector<double> rates(messages, 0);
  std::vector<bool> settled = ended;
  while (true) {
    double least = unlimited;
    const Pipe* tightest = nullptr;
    for (const Pipe& pipe : pipes) {
      double left = pipe.rate;
      int open = 0;
      for (const std::size_t k : pipe.users) {
        if (settled[k])
          left -= rates[k];
        else
          ++open;
      }
      if (open > 0 && left / open < least) {
        least = left / open;
        tightest = &pipe;
      }
    }
    if (tightest == nullptr) return rates;
    for (const std::size_t k : tightest->users) {
      if (settled[k]) continue;
      rates[k] = least;
      settled[k] = true;
    }
  }
}

/// From end to end of messages of one byte each. @return when each ends
std::vector<double> simulate(const Truth& truth, std::span<const HostMessage> pairs) {
  const auto pipes = pipes_of(truth, pairs);
  std::vector<double> left(pairs.size(), 1);
  std::vector<double> ends(pairs.size(), 0);
  std::vector<bool> ended(pairs.size(), false);
  double now = 0;
  while (std::ranges::count(ended, false) > 0) {
    const auto rates = fair_rates(pipes, pairs.size(), ended);
    double step = unlimited;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (!ended[k]) step = std::min(step, left[k] / rates[k]);
    }
    now += step;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (ended[k]) continue;
      left[k] -= rates[k] * step;
      if (left[k] < 1e-9) {
        ended[k] = true;
        ends[k] = now;
      }
    }
  }
  return ends;
}

TEST(FabricTruth, SharesFairlyFromEndToEnd) {
  Truth truth = equal_hosts(6);
  truth.host_out[2] = 0.25;
  truth.uplinks.push_back({{0, 1, 2}, 1.0, unlimited});
  const std::vector<HostMessage> pairs{{0, 3}, {1, 4}, {2, 5}};
  // 0.375 each for the fast ones until 1 / 0.375; the slow one is limited by itself.
  const auto ends = simulate(truth, pairs);
  EXPECT_NEAR(ends[0], 1 / 0.375, 1e-9);
  EXPECT_NEAR(ends[1], 1 / 0.375, 1e-9);
  EXPECT_NEAR(ends[2], 4, 1e-9);
}

struct Noise {
  double relative{};
  double outliers{};  ///< how many are 5 % off
};

constexpr double byte_time = 1e-10;  ///< [s/byte] of the fastest host

/// What a calibration would measure.
class Machine {
 public:
  Machine(const Truth& truth, Noise noise, std::uint64_t seed)
      : truth_{truth}, noise_{noise}, random_{seed} {}

  [[nodiscard]] Matrix alone() {
    Matrix times(truth_.hosts());
    for (int i = 0; i < truth_.hosts(); ++i) {
      for (int j = 0; j < truth_.hosts(); ++j) {
        if (i == j) continue;
        const std::vector<HostMessage> pair{{i, j}};
        times(i, j) = noisy(simulate(truth_, pair)[0]);
      }
    }
    return times;
  }

  [[nodiscard]] std::vector<SecondsPerByte> operator()(std::span<const HostMessage> pairs) {
    std::set<int> senders;
    std::set<int> receivers;
    for (const auto& [from, to] : pairs) {
      EXPECT_NE(from, to);
      EXPECT_TRUE(senders.insert(from).second);
      EXPECT_TRUE(receivers.insert(to).second);
    }
    std::vector<SecondsPerByte> times;
    for (const double end : simulate(truth_, pairs)) times.push_back({noisy(end)});
    rounds.emplace_back(pairs.begin(), pairs.end());
    return times;
  }

  std::vector<std::vector<HostMessage>> rounds;

 private:
  double noisy(double time) {
    const auto uniform = [&] { return static_cast<double>(random_() >> 11) * 0x1p-53; };
    double normal = -6;
    for (int k = 0; k < 12; ++k) normal += uniform();
    const double outlier = uniform() < noise_.outliers ? 0.05 : 0;
    return byte_time * time * (1 + noise_.relative * normal) * (1 + outlier);
  }

  const Truth& truth_;
  Noise noise_;
  std::mt19937_64 random_;
};

struct Found {
  FoundFabric fabric;
  std::vector<std::vector<HostMessage>> rounds;
};

Found search(const Truth& truth, Noise noise, std::uint64_t seed) {
  Machine machine(truth, noise, 7 * seed + 1);
  const Matrix alone = machine.alone();
  FabricOptions options;
  options.seed = seed;
  FoundFabric fabric = find_fabric(
      alone, [&](std::span<const HostMessage> pairs) { return machine(pairs); }, options);
  return {fabric, machine.rounds};
}

/// Everything a test may draw.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_{seed} {}
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  Hosts shuffled(int n) {
    Hosts hosts(place(n));
    std::iota(hosts.begin(), hosts.end(), 0);
    shuffle(std::span{hosts}, random_);
    return hosts;
  }

 private:
  std::mt19937_64 random_;
};

Hosts sorted(Hosts hosts) {
  std::ranges::sort(hosts);
  return hosts;
}

/// Groups of these sizes, of hosts in any order. Uplinks carry 1 / oversubscription of what their
/// hosts can send to the others.
Truth flat_groups(Draw& draw, const std::vector<int>& sizes, double low, double high,
                  bool same_ways) {
  const int n = std::accumulate(sizes.begin(), sizes.end(), 0);
  Truth truth = equal_hosts(n);
  const Hosts order = draw.shuffled(n);
  int first = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const Hosts hosts = sorted({order.begin() + first, order.begin() + first + sizes[g]});
    first += sizes[g];
    const double load = std::min(sizes[g], n - sizes[g]);
    const double out = load / draw.real(low, high);
    truth.uplinks.push_back({hosts, out, same_ways ? out : load / draw.real(low, high)});
    for (const int host : hosts) truth.side[place(host)] = static_cast<int>(g);
  }
  return truth;
}

/// Every group, each in two halves with their own uplinks.
void add_racks(Draw& draw, Truth& truth) {
  const std::vector<Uplink> pods = truth.uplinks;
  for (const Uplink& pod : pods) {
    const auto half = static_cast<std::ptrdiff_t>(pod.hosts.size() / 2);
    for (const Hosts& hosts : {Hosts{pod.hosts.begin(), pod.hosts.begin() + half},
                               Hosts{pod.hosts.begin() + half, pod.hosts.end()}}) {
      const double rate = static_cast<double>(half) / draw.real(1.5, 2.5);
      truth.uplinks.push_back({hosts, rate, rate});
    }
  }
}

struct Case {
  std::string name;
  Truth truth;
};

/// How much slower a group's hosts are together for its uplink, and what it must be found to carry:
/// at least what passes, at most what it can. Where all messages pass another group's uplink as
/// well, as between two groups, nobody can tell the two apart: the slower one is seen.
struct Visible {
  double slower{1};
  double least{};
  double most{};
};

Hosts parent_of(const Truth& truth, const Hosts& hosts) {
  Hosts parent(place(truth.hosts()));
  std::iota(parent.begin(), parent.end(), 0);
  for (const Uplink& up : truth.uplinks) {
    if (up.hosts != hosts && up.hosts.size() < parent.size() &&
        std::ranges::includes(up.hosts, hosts)) {
      parent = up.hosts;
    }
  }
  return parent;
}

/// As many messages as can leave a group, or enter it, to or from any of the hosts around it.
std::vector<HostMessage> full_load(const Hosts& hosts, const Hosts& around, bool out) {
  Hosts others;
  for (const int host : around) {
    if (!is_in(hosts, host)) others.push_back(host);
  }
  Draw draw(hosts.size());
  const Hosts order = draw.shuffled(static_cast<int>(others.size()));
  std::vector<HostMessage> pairs;
  for (std::size_t k = 0; k < std::min(hosts.size(), others.size()); ++k) {
    const int other = others[place(order[k])];
    pairs.push_back(out ? HostMessage{hosts[k], other} : HostMessage{other, hosts[k]});
  }
  return pairs;
}

/// The same without this uplink; and without that of all the other hosts around, if they have one.
Truth without(const Truth& truth, const Uplink& uplink, const Hosts& around, bool out,
              bool and_others) {
  Truth left = truth;
  for (Uplink& up : left.uplinks) {
    if (up.hosts == uplink.hosts) (out ? up.out : up.in) = unlimited;
    const bool is_rest = std::ranges::all_of(
        around, [&](int host) { return is_in(up.hosts, host) != is_in(uplink.hosts, host); });
    if (and_others && is_rest) (out ? up.in : up.out) = unlimited;
  }
  return left;
}

Visible visible(const Truth& truth, std::size_t uplink, bool out) {
  const Uplink& own = truth.uplinks[uplink];
  Hosts everyone(place(truth.hosts()));
  std::iota(everyone.begin(), everyone.end(), 0);
  Visible best;
  for (const bool and_others : {false, true}) {
    for (const Hosts& around : {parent_of(truth, own.hosts), everyone}) {
      const auto pairs = full_load(own.hosts, around, out);
      if (pairs.empty() || best.slower > 1.15) continue;
      const double with = std::ranges::max(simulate(truth, pairs));
      const double free =
          std::ranges::max(simulate(without(truth, own, around, out, and_others), pairs));
      if (with / free <= best.slower) continue;
      best = {with / free, static_cast<double>(pairs.size()) / with, out ? own.out : own.in};
    }
  }
  return best;
}

std::string text(const Hosts& hosts) {
  std::string all;
  for (const int host : hosts) all += std::to_string(host) + " ";
  return all;
}

bool verbose() { return std::getenv("FABRIC_VERBOSE") != nullptr; }

void print(const Case& one, const Found& found) {
  std::cout << one.name << ": " << found.fabric.rounds << " rounds, misfit " << found.fabric.misfit
            << "\n";
  for (const Uplink& up : one.truth.uplinks)
    std::cout << "   true " << text(up.hosts) << " out " << up.out << " in " << up.in << "\n";
  if (one.truth.backbone < unlimited)
    std::cout << "   true backbone " << one.truth.backbone << "\n";
  for (const FoundGroup& g : found.fabric.groups) {
    const auto rate = [](const SharedLinkTime& t) {
      return (t.value ? "" : "at least ") + std::to_string(byte_time / t.bound.value);
    };
    std::cout << "  found " << text(g.hosts) << " out " << rate(g.out) << " in " << rate(g.in)
              << "\n";
  }
  if (found.fabric.backbone)
    std::cout << "  found backbone " << byte_time / found.fabric.backbone->value << "\n";
}

/// Largest error of a rate; infinite where a group is missing or invented.
double error_of(const Case& one, const FoundFabric& fabric) {
  double worst = 0;
  const Truth& truth = one.truth;
  std::set<Hosts> known;
  for (std::size_t k = 0; k < truth.uplinks.size(); ++k) {
    const Uplink& up = truth.uplinks[k];
    known.insert(up.hosts);
    Hosts rest;
    for (const int host : parent_of(truth, up.hosts)) {
      if (!is_in(up.hosts, host)) rest.push_back(host);
    }
    known.insert(rest);
    const FoundGroup* group = group_of(fabric, up.hosts);
    for (const bool out : {true, false}) {
      const Visible seen = visible(truth, k, out);
      const double rate = out ? up.out : up.in;
      if (seen.slower > 1.15 && !group) {
        std::cout << one.name << ": missing " << text(up.hosts) << "\n";
        return unlimited;
      }
      if (!group) continue;
      const SharedLinkTime& time = out ? group->out : group->in;
      const double found = byte_time / time.bound.value;
      if (seen.slower > 1.15 && !time.value) {
        std::cout << one.name << ": no limit " << text(up.hosts) << (out ? "out" : "in") << "\n";
        return unlimited;
      }
      // Bytes that passed are no more than the uplink carries.
      const double above = found / rate - 1;
      const double error =
          seen.slower > 1.15 ? std::max(above, 1 - found / std::min(seen.least, rate)) : above;
      if (error > 0.03) {
        std::cout << one.name << ": " << found << " for " << rate << " " << text(up.hosts)
                  << (out ? "out" : "in") << "\n";
      }
      worst = std::max(worst, error);
    }
  }
  for (const FoundGroup& group : fabric.groups) {
    if (known.contains(group.hosts)) continue;
    std::cout << one.name << ": invented " << text(group.hosts) << "\n";
    return unlimited;
  }
  if (truth.backbone < unlimited && fabric.backbone) {
    worst = std::max(worst, std::abs(byte_time / fabric.backbone->value / truth.backbone - 1));
  } else if ((truth.backbone < unlimited) != fabric.backbone.has_value()) {
    std::cout << one.name << ": backbone missed or invented\n";
    return unlimited;
  }
  return worst;
}

std::vector<Case> fabrics() {
  std::vector<Case> cases;
  for (int k = 0; k < 14; ++k) {
    Draw draw(100 + static_cast<std::uint64_t>(k));
    const int groups = 2 + k % 3;
    std::vector<int> sizes(place(groups), draw.between(2, 32 / groups));
    if (k == 0) sizes = {2, 2};
    if (k % 4 == 3) {
      for (int& size : sizes) size = draw.between(2, 32 / groups);
    }
    const bool same = k % 2 == 0;
    Truth truth = flat_groups(draw, sizes, 1.5, k % 3 == 0 ? 3 : 8, same);
    std::string name = "flat " + std::to_string(k);
    if (k == 5 || k == 8 || k == 11) {
      sizes.assign(4, draw.between(3, 8));
      truth = flat_groups(draw, sizes, 1.5, 3, true);
      double sum = 0;
      for (const Uplink& up : truth.uplinks) sum += up.out;
      truth.backbone = 0.6 * sum;
      name += " with a backbone";
    }
    cases.push_back({name, truth});
  }
  for (int k = 0; k < 6; ++k) {
    Draw draw(200 + static_cast<std::uint64_t>(k));
    const int pods = 2 + k % 3;
    std::vector<int> sizes(place(pods), 2 * draw.between(3, 32 / pods / 2));
    Truth truth = flat_groups(draw, sizes, 3, 6, true);
    add_racks(draw, truth);
    cases.push_back({"two levels " + std::to_string(k), truth});
  }
  return cases;
}

/// What judges the search must see a group that is missing.
TEST(FabricTruth, MissesGroupsThatWereNotFound) {
  for (const Case& one : fabrics()) {
    FoundFabric nothing;
    EXPECT_EQ(error_of(one, nothing), unlimited) << one.name;
  }
}

/// How many rounds such a fabric may take.
int most_rounds(const Truth& truth) {
  const int backbone = truth.backbone < unlimited ? 24 : 0;
  return truth.hosts() + 12 * static_cast<int>(truth.uplinks.size()) + backbone;
}

/// Rounds are chosen by chance, and now and then they mislead: of ten seeds at least seven must be
/// right for each fabric, of all together 95 %. With a single seed one could choose a lucky one.
TEST(FabricSearch, ShowsWhatCanBeSeen) {
  constexpr int seeds = 10;
  int all = 0;
  int right = 0;
  for (const Case& one : fabrics()) {
    for (const Noise noise : {Noise{0, 0}, Noise{0.005, 0.02}}) {
      int of_these = 0;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Found found = search(one.truth, noise, seed);
        if (verbose()) print(one, found);
        of_these += error_of(one, found.fabric) <= (noise.relative == 0 ? 0.01 : 0.03);
        EXPECT_LE(found.fabric.rounds, most_rounds(one.truth)) << one.name;
        EXPECT_EQ(found.fabric.rounds, static_cast<int>(found.rounds.size()));
      }
      EXPECT_GE(of_these, 7) << one.name;
      all += seeds;
      right += of_these;
    }
  }
  EXPECT_GE(right, all * 95 / 100);
}

TEST(FabricSearch, InventsNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Draw draw(300 + seed);
    Truth truth = equal_hosts(draw.between(4, 32));
    if (seed % 2 == 0) {
      for (double& rate : truth.host_out) rate = draw.real(0.3, 1);
      for (double& rate : truth.host_in) rate = draw.real(0.3, 1);
    }
    const Found found = search(truth, {0.005, 0.02}, seed);
    EXPECT_TRUE(found.fabric.groups.empty());
    EXPECT_FALSE(found.fabric.backbone);
    EXPECT_LE(found.fabric.rounds, truth.hosts() + 4);
    EXPECT_NEAR(found.fabric.bisection.value / found.fabric.alone.value, 1, 0.02);
    EXPECT_FALSE(found.fabric.notes.empty());
  }
}

/// With hosts of differing own rates.
TEST(FabricSearch, FindsGroupsOfUnequalHosts) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Draw draw(500 + seed);
    Truth truth = flat_groups(draw, {8, 8, 8}, 2.5, 5, true);
    for (double& rate : truth.host_out) rate = draw.real(0.8, 1);
    for (double& rate : truth.host_in) rate = draw.real(0.8, 1);
    const Case one{"unequal hosts " + std::to_string(seed), truth};
    EXPECT_LE(error_of(one, search(truth, {0.005, 0}, 1).fabric), 0.03);
  }
}

TEST(FabricSearch, NeedsFewRoundsForFewGroups) {
  for (const int n : {32, 64, 128, 256}) {
    for (const int groups : {2, 4, 8}) {
      Draw draw(400 + static_cast<std::uint64_t>(n + groups));
      const std::vector<int> sizes(place(groups), n / groups);
      const Case one{std::to_string(n) + " hosts in " + std::to_string(groups),
                     flat_groups(draw, sizes, 3, 3, true)};
      const Found found = search(one.truth, {0.005, 0}, 1);
      EXPECT_LE(error_of(one, found.fabric), 0.03) << one.name;
      EXPECT_LE(found.fabric.rounds, 20 + 10 * groups) << one.name;
      if (verbose()) std::cout << one.name << ": " << found.fabric.rounds << " rounds\n";
    }
  }
}

TEST(FabricSearch, SeesOneLinkForAllMessages) {
  for (const int n : {4, 9, 32}) {
    Truth truth = equal_hosts(n);
    std::iota(truth.side.begin(), truth.side.end(), 0);
    truth.backbone = n / 4.0;
    const Found found = search(truth, {0.005, 0}, 1);
    EXPECT_TRUE(found.fabric.groups.empty());
    ASSERT_TRUE(found.fabric.backbone) << n;
    EXPECT_NEAR(byte_time / found.fabric.backbone->value, truth.backbone, 0.03 * truth.backbone);
    EXPECT_LE(found.fabric.rounds, 24);
  }
}

/// Its neighbours are not together for that.
TEST(FabricSearch, ASlowHostIsNoGroup) {
  Truth truth = equal_hosts(16);
  truth.host_out[3] = truth.host_in[3] = 0.1;
  EXPECT_TRUE(search(truth, {0.005, 0}, 1).fabric.groups.empty());
}

TEST(FabricSearch, DependsOnTheSeedAlone) {
  Draw draw(1);
  const Truth truth = flat_groups(draw, {8, 8, 8}, 2, 4, true);
  EXPECT_EQ(search(truth, {0, 0}, 1).rounds, search(truth, {0, 0}, 1).rounds);
  EXPECT_NE(search(truth, {0, 0}, 1).rounds, search(truth, {0, 0}, 2).rounds);
}

TEST(FabricSearch, StopsLookingInTime) {
  Draw draw(1);
  const Truth truth = flat_groups(draw, {8, 8, 8}, 2, 4, true);
  Machine machine(truth, {}, 1);
  const FoundFabric fabric = find_fabric(
      machine.alone(), [&](std::span<const HostMessage> pairs) { return machine(pairs); },
      {.most_rounds = 5});
  EXPECT_LE(fabric.rounds, 5 + 3);
}

TEST(FabricSearch, RefusesWhatIsNoTime) {
  const auto nothing = [](std::span<const HostMessage>) { return std::vector<SecondsPerByte>{}; };
  EXPECT_THROW((void)find_fabric(Matrix(4, 0.0), nothing), InputError);
  EXPECT_THROW((void)find_fabric(Matrix(4, 1.0), nothing), InputError);
  EXPECT_TRUE(find_fabric(Matrix(3, 1.0), nothing).groups.empty());
}

}  // namespace commgauge::fabric_search_test
