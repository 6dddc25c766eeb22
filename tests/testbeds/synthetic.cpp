#include "synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "commgauge/base/statistics.hpp"

namespace commgauge::synthetic {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
double bytes(Bytes size) { return static_cast<double>(size.value); }

/// Sender and receiver of each message of a ring.
std::vector<std::pair<int, int>> neighbours(const Experiment& ring) {
  std::vector<std::pair<int, int>> all;
  int from = ring.root;
  for (const int to : ring.peers) all.emplace_back(std::exchange(from, to), to);
  all.emplace_back(from, ring.root);
  return all;
}

/// A root that deals with one message at a time.
class LmoClock {
 public:
  LmoClock(const AdditiveParameters& parameters, const Experiment& experiment)
      : p_{parameters}, e_{experiment} {}

  [[nodiscard]] double time() const {
    if (e_.kind == Kind::ring) return ring_time();
    if (e_.kind == Kind::gather) return take_in(0, e_.peers, one_way_back());
    std::vector<double> arrivals;
    for (std::size_t k = 0; k < e_.peers.size(); ++k) {
      const double sent = static_cast<double>(k + 1) * cost(e_.root, e_.out);
      arrivals.push_back(sent + way(e_.peers[k], e_.out));
    }
    if (e_.kind == Kind::scatter) return std::ranges::max(arrivals);
    const std::vector<double> back = one_way_back();
    for (std::size_t k = 0; k < arrivals.size(); ++k) arrivals[k] += back[k];
    const double all_sent = static_cast<double>(e_.peers.size()) * cost(e_.root, e_.out);
    const bool in_order =
        e_.kind != Kind::one_to_k_concurrent && e_.kind != Kind::k_to_one_concurrent;
    return take_in(all_sent, in_order ? e_.reply_order : std::vector<int>{}, arrivals);
  }

 private:
  /// Each sends, then takes in what comes.
  [[nodiscard]] double ring_time() const {
    double longest = 0;
    for (const auto& [from, to] : neighbours(e_)) {
      const double link = p_.L(from, to) + p_.inverse_beta(from, to) * bytes(e_.out);
      const double there = cost(from, e_.out) + link;
      longest = std::max(longest, std::max(cost(to, e_.out), there) + cost(to, e_.out));
    }
    return longest;
  }
  [[nodiscard]] double cost(int rank, Bytes size) const {
    return p_.C[at(rank)] + p_.t[at(rank)] * bytes(size);
  }
  /// Across the link, and the peer's own part.
  [[nodiscard]] double way(int peer, Bytes size) const {
    return p_.L(e_.root, peer) + p_.inverse_beta(e_.root, peer) * bytes(size) + cost(peer, size);
  }
  [[nodiscard]] std::vector<double> one_way_back() const {
    std::vector<double> ways;
    for (const int peer : e_.peers) ways.push_back(way(peer, e_.back));
    return ways;
  }
  /// The root, busy until `free`, takes in messages in the order of ranks given, or as they come.
  [[nodiscard]] double take_in(double free, const std::vector<int>& order,
                               std::vector<double> arrivals) const {
    if (order.empty()) {
      std::ranges::sort(arrivals);
    } else {
      std::vector<double> in_order;
      for (const int rank : order) {
        in_order.push_back(
            arrivals[at(static_cast<int>(std::ranges::find(e_.peers, rank) - e_.peers.begin()))]);
      }
      arrivals = std::move(in_order);
    }
    for (const double arrival : arrivals) free = std::max(free, arrival) + cost(e_.root, e_.back);
    return free;
  }

  const AdditiveParameters& p_;
  const Experiment& e_;
};

double lom_ring_time(const AdditiveParameters& p, const Experiment& e) {
  double longest = 0;
  for (const auto& [from, to] : neighbours(e)) {
    const double per_byte = p.t[at(from)] + p.t[at(to)] + p.inverse_beta(from, to);
    longest = std::max(longest, p.C[at(from)] + p.C[at(to)] + bytes(e.out) * per_byte);
  }
  return longest;
}

double lom_time(const AdditiveParameters& p, const Experiment& e) {
  if (e.kind == Kind::ring) return lom_ring_time(p, e);
  const bool one_way = e.kind == Kind::scatter || e.kind == Kind::gather;
  const double ways = one_way ? 1 : 2;
  const double total = bytes(e.out) + bytes(e.back);
  const auto count = static_cast<double>(e.peers.size());
  double longest = 0;
  for (const int peer : e.peers) {
    longest = std::max(
        longest, ways * p.C[at(peer)] + total * (p.t[at(peer)] + p.inverse_beta(e.root, peer)));
  }
  return count * (ways * p.C[at(e.root)] + total * p.t[at(e.root)]) + longest;
}

/// Time per byte of the messages' size, fixed costs apart.
double bottleneck_gap(const BottleneckParameters& p, const Experiment& e) {
  if (e.kind == Kind::ring) {
    double most = 0;
    for (const auto& [from, to] : neighbours(e)) most = std::max(most, p.g(from, to));
    return most;
  }
  const auto k = static_cast<double>(e.peers.size());
  double slowest = 0;
  double sum = 0;
  const bool inwards =
      e.kind == Kind::k_to_one || e.kind == Kind::k_to_one_concurrent || e.kind == Kind::gather;
  for (const int peer : e.peers) {
    const double gap = inwards ? p.g(peer, e.root) : p.g(e.root, peer);
    slowest = std::max(slowest, gap);
    sum += gap;
  }
  const double own = (inwards ? p.r : p.s)[at(e.root)];
  switch (e.kind) {
    case Kind::round_trip:
      return slowest;
    case Kind::one_to_k_concurrent:
    case Kind::k_to_one_concurrent:
    case Kind::scatter:
    case Kind::gather:
      return std::max(k * own, slowest);
    default:
      return sum;
  }
}

/// Numbers about a middle, the same for a seed.
class Uneven {
 public:
  explicit Uneven(std::uint64_t seed) : random_{seed} {}
  [[nodiscard]] double about(double middle, double spread) {
    return middle * (1 + spread * (2 * uniform_(random_) - 1));
  }
  [[nodiscard]] std::vector<double> vector(int n, double middle, double spread) {
    std::vector<double> values(at(n));
    for (double& value : values) value = about(middle, spread);
    return values;
  }
  [[nodiscard]] Matrix symmetric(int n, double middle, double spread) {
    Matrix values(n);
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) values.set_both(i, j, about(middle, spread));
    }
    return values;
  }

 private:
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_;
};

Launch launch_of(int ranks, const Protocol& protocol) {
  Launch launch;
  launch.time_utc = "2024-01-01T00:00:00Z";
  launch.commgauge_version = "0.1.0";
  launch.mpi_library = "none";
  launch.mpi_standard = "none";
  for (int i = 0; i < ranks; ++i) launch.ranks.push_back({"h" + std::to_string(i), {0}});
  launch.confidence = protocol.confidence;
  launch.precision = protocol.precision;
  launch.clock_resolution_s = 1e-9;
  launch.wait = "blocking";
  launch.buffers = "rotating";
  launch.schedule = "serial";
  launch.passes = protocol.passes;
  return launch;
}

}  // namespace

Machine lmo_machine(AdditiveParameters parameters) {
  const int n = static_cast<int>(parameters.C.size());
  return {n, [p = std::move(parameters)](const Experiment& e) { return LmoClock(p, e).time(); }};
}

Machine lom_machine(AdditiveParameters parameters) {
  const int n = static_cast<int>(parameters.C.size());
  return {n, [p = std::move(parameters)](const Experiment& e) { return lom_time(p, e); }};
}

Machine bottleneck_machine(BottleneckParameters parameters) {
  const int n = static_cast<int>(parameters.C.size());
  parameters.g = pair_gaps(parameters);
  AdditiveParameters fixed{parameters.C, std::vector<double>(at(n), 0.0), parameters.L,
                           Matrix(n, 0.0)};
  return {n, [p = std::move(parameters), fixed = std::move(fixed)](const Experiment& e) {
            const double size = std::max(bytes(e.out), bytes(e.back));
            return LmoClock(fixed, e).time() + size * bottleneck_gap(p, e);
          }};
}

AdditiveParameters lmo_parameters(int n, std::uint64_t seed) {
  Uneven uneven(seed);
  AdditiveParameters p;
  p.C = uneven.vector(n, 10e-6, 0.3);
  p.t = uneven.vector(n, 1e-9, 0.3);
  p.L = uneven.symmetric(n, 25e-6, 0.4);
  p.inverse_beta = uneven.symmetric(n, 8e-9, 0.3);
  return p;
}

AdditiveParameters lom_parameters(int n, std::uint64_t seed) {
  AdditiveParameters p = lmo_parameters(n, seed);
  p.L = {};
  return p;
}

BottleneckParameters bottleneck_parameters(int n, std::uint64_t seed) {
  Uneven uneven(seed);
  BottleneckParameters p;
  p.C = uneven.vector(n, 10e-6, 0.3);
  p.s = uneven.vector(n, 9e-9, 0.15);
  p.r = uneven.vector(n, 9e-9, 0.15);
  if (n >= 4) p.s.back() = p.r.back() = 2e-9;
  p.L = uneven.symmetric(n, 25e-6, 0.4);
  p.inverse_beta = Matrix(n, 5e-9);
  p.inverse_beta.set_both(0, 1, 30e-9);
  p.g = pair_gaps(p);
  return p;
}

Matrix pair_gaps(const BottleneckParameters& p) {
  Matrix g(static_cast<int>(p.s.size()));
  for (int i = 0; i < g.size(); ++i) {
    for (int j = 0; j < g.size(); ++j) {
      if (i != j) g(i, j) = std::max({p.s[at(i)], p.inverse_beta(i, j), p.r[at(j)]});
    }
  }
  return g;
}

std::vector<Experiment> campaign(const Machine& machine, const CampaignSizes& sizes,
                                 const CampaignOptions& options) {
  const auto round_trips = [&](Bytes size) {
    Matrix times(machine.ranks);
    for (int i = 0; i < machine.ranks; ++i) {
      for (int j = 0; j < machine.ranks; ++j) {
        if (i != j) times(i, j) = machine.time(round_trip(i, j, size, {}));
      }
    }
    return times;
  };
  const Pilot pilot{round_trips({}), round_trips(sizes.one_to_two), round_trips(sizes.bulk.back())};
  std::vector<Experiment> experiments;
  for (const Round& round : plan_campaign(machine.ranks, pilot, sizes, options)) {
    for (const Group& group : round) {
      experiments.insert(experiments.end(), group.experiments.begin(), group.experiments.end());
    }
  }
  return experiments;
}

double Noise::usual() const {
  const double drifted = 1 + drift / 2;
  if (kind == Disturbance::none || kind == Disturbance::gaussian) return drifted;
  const auto normal = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
  // Share of the blocks below 1 + x; a Gaussian and an exponential number add to an exGaussian one.
  const auto below = [&](double x) {
    const double usual = normal(x / relative);
    if (kind == Disturbance::bimodal) {
      return (1 - share) * usual + share * normal((x - height) / relative);
    }
    const double spread = relative / height;
    return usual -
           share * std::exp(spread * spread / 2 - x / height) * normal(x / relative - spread);
  };
  double low = 0;
  double high = height;
  for (int step = 0; step < 100; ++step) {
    const double middle = std::midpoint(low, high);
    (below(middle) < 0.5 ? low : high) = middle;
  }
  return drifted * (1 + low);
}

TestBed::TestBed(const Machine& machine, const std::vector<Experiment>& experiments,
                 const Noise& noise, const Protocol& protocol)
    : noise_{noise}, protocol_{protocol}, exponential_{1 / noise.height} {
  for (const Experiment& experiment : experiments) times_.push_back(machine.time(experiment));
  Observation row;
  row.block_length = 1;
  for (row.launch = 0; row.launch < protocol.launches; ++row.launch) {
    measurements_.launches.push_back(launch_of(machine.ranks, protocol));
    for (row.pass = 0; row.pass < protocol.passes; ++row.pass) {
      for (const Experiment& experiment : experiments) {
        row.experiment = experiment;
        measurements_.observations.push_back(row);
      }
    }
  }
}

const Measurements& TestBed::measure(std::uint64_t seed) {
  random_.seed(seed);
  normal_.reset();
  auto row = measurements_.observations.begin();
  std::vector<double> launch_times(times_.size());
  for (int launch = 0; launch < protocol_.launches; ++launch) {
    const double common = 1 + noise_.launch_common * normal_(random_);
    for (std::size_t e = 0; e < times_.size(); ++e) {
      launch_times[e] = times_[e] * common * (1 + noise_.launch_individual * normal_(random_));
    }
    for (int pass = 0; pass < protocol_.passes; ++pass) {
      const double drift = 1 + noise_.drift * pass / std::max(1, protocol_.passes - 1);
      const bool lost = noise_.lost_pass && seed % at(protocol_.passes) == at(pass);
      for (const double time : launch_times) {
        observe(*row, drift * time);
        if (lost) replace(*row, noise_.lost_pass(row->experiment, row->time_s, random_));
        ++row;
      }
    }
  }
  return measurements_;
}

double TestBed::disturbed(double time) {
  if (noise_.kind == Disturbance::none) return time;
  double factor = 1 + noise_.relative * normal_(random_);
  if (noise_.kind != Disturbance::gaussian && uniform_(random_) < noise_.share) {
    factor += noise_.kind == Disturbance::spikes ? exponential_(random_) : noise_.height;
  }
  return time * factor;
}

const TestBed::OrderedEnds& TestBed::ends(std::size_t count) {
  if (ends_.size() <= count) ends_.resize(count + 1);
  OrderedEnds& ends = ends_[count];
  if (ends.level > 0) return ends;
  std::vector<double> order(count);
  std::iota(order.begin(), order.end(), 0.0);
  const LocationInterval interval = median_interval(order, protocol_.confidence);
  ends = {static_cast<std::size_t>(interval.low), static_cast<std::size_t>(interval.high),
          interval.level};
  return ends;
}

void TestBed::observe(Observation& row, double time) {
  blocks_.clear();
  for (int count = 1; count <= protocol_.most_blocks; ++count) {
    const double block = disturbed(time);
    blocks_.insert(std::ranges::upper_bound(blocks_, block), block);
    if (count < protocol_.least_blocks) continue;
    const OrderedEnds& interval = ends(blocks_.size());
    const std::size_t half = blocks_.size() / 2;
    row.time_s =
        blocks_.size() % 2 == 1 ? blocks_[half] : std::midpoint(blocks_[half - 1], blocks_[half]);
    row.low_s = blocks_[interval.low];
    row.high_s = blocks_[interval.high];
    row.level = interval.level;
    row.converged = (row.high_s - row.low_s) / 2 <= protocol_.precision * row.time_s;
    if (row.converged) break;
  }
  row.blocks = static_cast<int>(blocks_.size());
  row.sd_s = std::sqrt(variance(blocks_));
}

void TestBed::replace(Observation& row, double time) {
  const double factor = time / row.time_s;
  for (double* const part : {&row.time_s, &row.low_s, &row.high_s, &row.sd_s}) *part *= factor;
}

Measurements measure(const Machine& machine, const std::vector<Experiment>& experiments,
                     const Noise& noise, const Protocol& protocol, std::uint64_t seed) {
  return TestBed(machine, experiments, noise, protocol).measure(seed);
}

}  // namespace commgauge::synthetic
