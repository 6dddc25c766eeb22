#include "commgauge/simulate/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge::simulate {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Curve line(double fixed, double per_byte) { return {{fixed, per_byte}, {}}; }

Line operator+(Line a, Line b) { return {a.fixed + b.fixed, a.per_byte + b.per_byte}; }
Line operator-(Line a, Line b) { return {a.fixed - b.fixed, a.per_byte - b.per_byte}; }
Curve operator+(Curve a, Line b) { return {a.below + b, a.above + b, a.from}; }
Curve operator-(Curve a, Line b) { return {a.below - b, a.above - b, a.from}; }

/// Both sides of a rendezvous message end together.
void set_rendezvous(PairCosts& costs, Curve one_way, Curve send_port, Curve receive_port) {
  costs.rendezvous_sender = costs.rendezvous_receiver = one_way;
  costs.rendezvous_send_port = send_port;
  costs.rendezvous_receive_port = receive_port;
  costs.ends_together = true;
}

/// A message has arrived when only the receive overhead is left of its one-way time.
PairCosts overlapping(Line send_overhead, Line one_way, Line receive_overhead) {
  PairCosts costs;
  costs.send_overhead = {send_overhead, {}};
  costs.one_way = {one_way, {}};
  costs.receive_overhead = {receive_overhead, {}};
  costs.arrival = costs.one_way - receive_overhead;
  set_rendezvous(costs, costs.one_way, costs.send_overhead, costs.receive_overhead);
  return costs;
}

PairCosts costs_of(const AdditiveParameters& p, int i, int j) {
  const Line sender{p.C[at(i)], p.t[at(i)]};
  const Line receiver{p.C[at(j)], p.t[at(j)]};
  const double latency = p.L.size() > 0 ? p.L(i, j) : 0;
  PairCosts costs = overlapping(sender,
                                {sender.fixed + latency + receiver.fixed,
                                 sender.per_byte + p.inverse_beta(i, j) + receiver.per_byte},
                                receiver);
  // A fitted value below zero says that the times per byte don't add, and nothing of the link.
  costs.link = line(0, std::max(0.0, p.inverse_beta(i, j)));
  return costs;
}

/// A gap of which only a bound is known is taken at the bound, as predictions do.
double known(double value, double bound) { return std::isnan(value) ? bound : value; }

PairCosts costs_of(const Fitted<BottleneckParameters>& fitted, int i, int j) {
  const BottleneckParameters& p = fitted.value;
  const double gap = p.g(i, j);
  const double send = std::min(known(p.s[at(i)], fitted.high.s[at(i)]), gap);
  const double receive = std::min(known(p.r[at(j)], fitted.high.r[at(j)]), gap);
  PairCosts costs =
      overlapping({p.C[at(i)], send}, {p.C[at(i)] + p.L(i, j) + p.C[at(j)], gap}, {p.C[at(j)], 0});
  costs.link = line(0, gap);
  costs.port = line(0, receive);
  costs.rendezvous_receive_port = costs.receive_overhead + Line{0, receive};
  return costs;
}

/// Hockney's model knows no overlap: a message keeps both its ranks for all of its time.
PairCosts costs_of(const HockneyParameters& eager, const HockneyParameters& above, double limit,
                   int i, int j) {
  PairCosts costs;
  costs.send_overhead = costs.one_way = costs.receive_overhead =
      line(eager.alpha(i, j), eager.beta(i, j));
  costs.arrival = line(eager.alpha(i, j), 0);
  const Curve all{costs.one_way.below,
                  {above.alpha(i, j), above.beta(i, j)},
                  std::nextafter(limit, std::numeric_limits<double>::infinity())};
  set_rendezvous(costs, all, all, all);
  costs.keeps_receiver = true;
  return costs;
}

/// G′·k below s, G for each byte beyond it.
Curve bytes_time(const LogGpsParameters& p, int i, int j) {
  const double below = p.G_prime(i, j);
  if (std::isnan(p.s)) return line(0, below);
  return {{0, below}, {(below - p.G(i, j)) * p.s, p.G(i, j)}, p.s};
}

PairCosts costs_of(const LogGpsParameters& p, int i, int j) {
  const Line sender{p.o_prime_s(i, j), p.O_s(i, j)};
  const Line receiver{p.o_prime_r(i, j), p.O_r(i, j)};
  const Curve bytes = bytes_time(p, i, j);
  PairCosts costs;
  costs.send_overhead = {sender, {}};
  costs.receive_overhead = {receiver, {}};
  costs.arrival = bytes + sender + Line{p.L(i, j), 0};
  costs.one_way = costs.arrival + receiver;
  costs.gap = bytes + Line{p.g(i, j), 0};
  costs.rendezvous_sender = costs.send_overhead;
  costs.rendezvous_receiver = costs.one_way;
  costs.rendezvous_send_port = costs.rendezvous_receive_port = costs.gap;
  costs.request = p.o_prime_s(i, j) + p.L(i, j);
  costs.reply = p.o_prime_s(j, i) + p.L(j, i);
  return costs;
}

/// Pairs that were not measured get the mean of those that were.
void fill_in(LogGpsParameters& p) {
  const auto fill = [&](Matrix& matrix, double mean) {
    for (int i = 0; i < matrix.size(); ++i) {
      for (int j = 0; j < matrix.size(); ++j) {
        if (i != j && std::isnan(matrix(i, j))) matrix(i, j) = mean;
      }
    }
  };
  fill(p.L, p.mean_L);
  fill(p.o_prime_s, p.mean_o_prime_s);
  fill(p.O_s, p.mean_O_s);
  fill(p.o_prime_r, p.mean_o_prime_r);
  fill(p.O_r, p.mean_O_r);
  fill(p.g, p.mean_g);
  fill(p.G_prime, p.mean_G_prime);
  fill(p.G, std::isnan(p.s) ? p.mean_G_prime : p.mean_G);
}

/// Whether any of the pair's parameters has to be filled in.
bool is_incomplete(const LogGpsParameters& p, int i, int j) {
  const bool needs_G = !std::isnan(p.s);
  return std::isnan(p.L(i, j) + p.o_prime_s(i, j) + p.O_s(i, j) + p.o_prime_r(i, j) + p.O_r(i, j) +
                    p.g(i, j) + p.G_prime(i, j) + (needs_G ? p.G(i, j) : 0));
}

template <class CostsOf>
void fill_pairs(Machine& machine, CostsOf&& costs) {
  machine.pairs.resize(at(machine.ranks) * at(machine.ranks));
  for (int i = 0; i < machine.ranks; ++i) {
    for (int j = 0; j < machine.ranks; ++j) {
      if (i != j) machine.pair(i, j) = costs(i, j);
    }
  }
}

void require(bool holds, const Machine& machine, int i, int j, const std::string& what) {
  if (holds) return;
  throw InputError("model " + machine.kind + " can't be emulated (" + what + " from rank " +
                   std::to_string(i) + " to " + std::to_string(j) +
                   "): give another with --kind, or calibrate again");
}

void check_pair(const Machine& machine, int i, int j) {
  const PairCosts& costs = machine.pair(i, j);
  for (const Curve& curve :
       {costs.send_overhead, costs.arrival, costs.one_way, costs.receive_overhead, costs.gap,
        costs.link, costs.port, costs.rendezvous_sender, costs.rendezvous_receiver}) {
    require(std::isfinite(curve.least()), machine, i, j, "it doesn't tell the time of a message");
    require(curve.below.per_byte >= 0 && (std::isinf(curve.from) || curve.above.per_byte >= 0),
            machine, i, j, "a longer message would take less time");
    require(curve.least() >= 0, machine, i, j, "a message would take less than no time");
  }
  require(look_ahead(machine, i, j) > 0, machine, i, j,
          "an empty message would take no time: its latency and fixed delays are zero");
}

void check_pairs(const Machine& machine) {
  for (int i = 0; i < machine.ranks; ++i) {
    for (int j = 0; j < machine.ranks; ++j) {
      if (i != j) check_pair(machine, i, j);
    }
  }
}

bool is_emulated(const std::string& name) {
  return std::ranges::find(emulated_models(), name) != emulated_models().end();
}

std::string list_of_models() {
  std::string list;
  for (const std::string& name : emulated_models()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

void require_kind(const Model& model, const std::string& asked) {
  if (!is_emulated(asked)) {
    throw InputError("model '" + asked + "' can't be emulated (known: " + list_of_models() +
                     "): give one of them");
  }
  if (!model.has(asked)) {
    throw InputError("the file has no model " + asked +
                     " (it could not be determined, or was not asked for): calibrate with "
                     "--models " +
                     asked);
  }
}

/// Those that may be emulated, the best first.
std::vector<std::string> candidates(const Model& model) {
  std::vector<std::string> names;
  for (const Ranking& place : model.ranking) {
    if (is_emulated(place.model) && model.has(place.model)) names.push_back(place.model);
  }
  for (const std::string& name : emulated_models()) {
    if (model.has(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (!names.empty()) return names;
  throw InputError("the file has none of the models that can be emulated (" + list_of_models() +
                   "): calibrate with one of them in --models");
}

class Writer {
 public:
  template <class T>
  void plain(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& value) {
    plain(value.size());
    bytes_ += value;
  }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_{bytes} {}
  template <class T>
  void plain(T& value) {
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }
  void text(std::string& value) {
    std::size_t size{};
    plain(size);
    value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }

 private:
  std::string_view bytes_;
};

/// The one order of the fields, for writing and reading.
template <class Stream, class M>
void visit(Stream& stream, M& machine) {
  stream.text(machine.kind);
  stream.plain(machine.ranks);
  stream.plain(machine.eager_limit);
  stream.plain(machine.has_growth);
  stream.plain(machine.growth);
  std::size_t disturbances = machine.disturbances.size();
  stream.plain(disturbances);
  if constexpr (std::is_same_v<Stream, Reader>) {
    machine.disturbances.resize(disturbances);
    machine.pairs.resize(at(machine.ranks) * at(machine.ranks));
    machine.hosts.resize(at(machine.ranks));
    machine.time_ratios.resize(at(machine.ranks));
  }
  for (auto& pair : machine.pairs) stream.plain(pair);
  for (auto& host : machine.hosts) stream.text(host);
  for (auto& ratio : machine.time_ratios) stream.plain(ratio);
  for (auto& disturbance : machine.disturbances) stream.plain(disturbance);
}

void fill(Machine& machine, const Model& model, const Fitted<HockneyParameters>& fitted) {
  const HockneyParameters& above =
      model.hockney_rendezvous ? model.hockney_rendezvous->value : fitted.value;
  fill_pairs(machine, [&](int i, int j) {
    return costs_of(fitted.value, above, machine.eager_limit, i, j);
  });
}

void fill(Machine& machine, const Model&, const Fitted<AdditiveParameters>& fitted) {
  fill_pairs(machine, [&](int i, int j) { return costs_of(fitted.value, i, j); });
}

void fill(Machine& machine, const Model&, const Fitted<BottleneckParameters>& fitted) {
  fill_pairs(machine, [&](int i, int j) { return costs_of(fitted, i, j); });
}

void fill(Machine& machine, const Model& model, const Fitted<LogGpsParameters>& fitted) {
  LogGpsParameters parameters = fitted.value;
  fill_in(parameters);
  machine.has_growth = model.overhead_growth.has_value();
  if (machine.has_growth) machine.growth = model.overhead_growth->value;
  fill_pairs(machine, [&](int i, int j) {
    PairCosts costs = costs_of(parameters, i, j);
    costs.assumed = is_incomplete(fitted.value, i, j);
    return costs;
  });
}

Machine machine_of_kind(const Model& model, const std::string& kind) {
  Machine machine;
  machine.kind = kind;
  machine.ranks = model.ranks;
  machine.eager_limit = model.eager_limit ? static_cast<double>(model.eager_limit->value)
                                          : std::numeric_limits<double>::infinity();
  for (int rank = 0; rank < model.ranks; ++rank) machine.hosts.push_back(model.host(rank));
  machine.time_ratios.assign(at(model.ranks), 1.0);
  const auto fill_by = [&](const FitFacts& facts, const auto& fitted) {
    if constexpr (requires { fill(machine, model, *fitted); }) {
      if (facts.is_model() && facts.name == kind) fill(machine, model, *fitted);
    }
  };
  for_each_fit(fill_by, model);
  check_pairs(machine);
  return machine;
}

}  // namespace

double Curve::least() const {
  return std::isfinite(from) ? std::min(below.fixed, above.at(from)) : below.fixed;
}

void Curve::shift(double seconds) {
  below.fixed += seconds;
  above.fixed += seconds;
}

const PairCosts& Machine::pair(int from, int to) const {
  return pairs[at(from) * at(ranks) + at(to)];
}
PairCosts& Machine::pair(int from, int to) { return pairs[at(from) * at(ranks) + at(to)]; }

const std::vector<std::string>& emulated_models() {
  static const std::vector<std::string> names = models_that(&FitFacts::is_machine);
  return names;
}

Machine machine_of(const Model& model, const std::string& kind) {
  if (!kind.empty()) {
    require_kind(model, kind);
    return machine_of_kind(model, kind);
  }
  std::string passed_over;
  for (const std::string& name : candidates(model)) {
    try {
      Machine machine = machine_of_kind(model, name);
      machine.passed_over = passed_over;
      return machine;
    } catch (const InputError& error) {
      if (passed_over.empty()) passed_over = error.what();
    }
  }
  throw InputError(passed_over);
}

std::vector<double> time_ratios_from_csv(const std::string& text, const std::string& name,
                                         int ranks) {
  std::vector<double> ratios(at(ranks), std::numeric_limits<double>::quiet_NaN());
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || (number == 1 && line == "rank,time_ratio")) continue;
    int rank = -1;
    double ratio = 0;
    int end = 0;
    const bool is_read = std::sscanf(line.c_str(), "%d,%lf%n", &rank, &ratio, &end) == 2;
    if (!is_read || at(end) != line.size() || rank < 0 || rank >= ranks || !(ratio > 0) ||
        std::isinf(ratio) || !std::isnan(ratios[at(rank)])) {
      throw InputError(name + ": line " + std::to_string(number) +
                       " is not a rank of the model, once, and a number above zero: write lines "
                       "like 0,1.5 below rank,time_ratio");
    }
    ratios[at(rank)] = ratio;
  }
  for (int rank = 0; rank < ranks; ++rank) {
    if (!std::isnan(ratios[at(rank)])) continue;
    throw InputError(name + ": rank " + std::to_string(rank) +
                     " is missing (every rank of the model has a processor): add it");
  }
  return ratios;
}

Machine for_job(const Machine& machine, int ranks) {
  if (ranks > machine.ranks) {
    throw InputError("the job has " + std::to_string(ranks) + " ranks, the model has " +
                     std::to_string(machine.ranks) +
                     " (each rank needs its own costs): start fewer ranks, or calibrate with more");
  }
  for (const Disturbance& disturbance : machine.disturbances) {
    if (disturbance.rank < ranks) continue;
    throw InputError("rank " + std::to_string(disturbance.rank) +
                     " is to be disturbed, the job has " + std::to_string(ranks) +
                     " ranks (they count from 0): name one of them");
  }
  Machine job = machine;
  job.ranks = ranks;
  job.hosts.resize(at(ranks));
  job.time_ratios.resize(at(ranks));
  fill_pairs(job, [&](int i, int j) { return machine.pair(i, j); });
  if (machine.has_growth) {
    const OverheadGrowth& g = machine.growth;
    const double sending = g.o_prime_a_s + g.o_prime_b_s * ranks;
    const double receiving = g.o_prime_a_r + g.o_prime_b_r * ranks;
    fill_pairs(job, [&](int i, int j) {
      PairCosts costs = machine.pair(i, j);
      const double sender = sending - costs.send_overhead.below.fixed;
      const double receiver = receiving - costs.receive_overhead.below.fixed;
      for (Curve* curve : {&costs.send_overhead, &costs.arrival, &costs.rendezvous_sender}) {
        curve->shift(sender);
      }
      costs.receive_overhead.shift(receiver);
      costs.one_way.shift(sender + receiver);
      costs.rendezvous_receiver.shift(sender + receiver);
      costs.request += sender;
      costs.reply += sending - machine.pair(j, i).send_overhead.below.fixed;
      return costs;
    });
  }
  check_pairs(job);
  return job;
}

AssumedPairs assumed_pairs(const Machine& machine) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  AssumedPairs pairs{0, machine.ranks * (machine.ranks - 1), unknown, unknown};
  for (int i = 0; i < machine.ranks; ++i) {
    for (int j = 0; j < machine.ranks; ++j) {
      if (i == j) continue;
      const PairCosts& costs = machine.pair(i, j);
      if (costs.assumed) {
        ++pairs.count;
      } else {
        pairs.least = std::fmin(pairs.least, costs.one_way.at(0));
        pairs.most = std::fmax(pairs.most, costs.one_way.at(0));
      }
    }
  }
  return pairs;
}

std::string to_text(const AssumedPairs& pairs) {
  const std::string range = std::isnan(pairs.least) ? "none of this job was measured"
                                                    : "empty messages of the measured ones take " +
                                                          to_text(Seconds{pairs.least}) + " to " +
                                                          to_text(Seconds{pairs.most});
  return std::to_string(pairs.count) + " of " + std::to_string(pairs.all) +
         " pairs of ranks were not measured (their messages cost the mean of those that were; " +
         range + "): calibrate with --pairs all to have them";
}

double look_ahead(const Machine& machine, int from, int to) {
  const PairCosts& there = machine.pair(from, to);
  const PairCosts& back = machine.pair(to, from);
  const double answer =
      back.reply + std::min(back.rendezvous_sender.least(), back.rendezvous_receiver.least());
  const double data = there.request + there.reply + there.rendezvous_receiver.least();
  return std::min({there.arrival.least(), answer, data});
}

double least_look_ahead(const Machine& machine) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < machine.ranks; ++i) {
    for (int j = 0; j < machine.ranks; ++j) {
      if (i != j) least = std::min(least, look_ahead(machine, i, j));
    }
  }
  return least;
}

std::string to_bytes(const Machine& machine) {
  Writer writer;
  visit(writer, machine);
  return std::move(writer.bytes_);
}

Machine machine_from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  Machine machine;
  visit(reader, machine);
  return machine;
}

}  // namespace commgauge::simulate
