#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "closeness.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/plan/logp_plan.hpp"
#include "commgauge/predict/predict.hpp"
#include "lost_pass.hpp"

namespace commgauge::family_test {

using synthetic::Disturbance;
using synthetic::Machine;
using synthetic::measure;
using synthetic::Noise;
using synthetic::Protocol;

const std::vector<std::string> family{"logp", "loggp", "loggps", "plogp"};
constexpr Bytes limit{20000};
constexpr Seconds delay{100e-6};

/// L and o′ are the same in both directions, so that half an empty round trip is the time one way.
LogGpsParameters parameters(int n, double s = 1536) {
  LogGpsParameters p;
  for (auto* const matrix :
       {&p.L, &p.o_prime_s, &p.O_s, &p.o_prime_r, &p.O_r, &p.g, &p.G_prime, &p.G}) {
    *matrix = Matrix(n);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const int both = i + j;
      const int one = 2 * i + j;
      p.L(i, j) = (15 + both) * 1e-6;
      p.o_prime_s(i, j) = (2 + 0.1 * both) * 1e-6;
      p.O_s(i, j) = (0.2 + 0.01 * one) * 1e-9;
      p.o_prime_r(i, j) = (3 + 0.2 * both) * 1e-6;
      p.O_r(i, j) = (0.3 + 0.01 * one) * 1e-9;
      p.g(i, j) = (5 + 0.2 * one) * 1e-6;
      p.G_prime(i, j) = (2 + 0.1 * one) * 1e-9;
      p.G(i, j) = std::isnan(s) ? p.G_prime(i, j) : (9 + 0.3 * one) * 1e-9;
    }
  }
  p.s = s;
  const double pairs = n * (n - 1);
  const auto mean_of = [&](const Matrix& m) {
    double sum = 0;
    for (const double value : m.values()) sum += std::isnan(value) ? 0 : value;
    return sum / pairs;
  };
  p.mean_L = mean_of(p.L);
  p.mean_o_prime_s = mean_of(p.o_prime_s);
  p.mean_O_s = mean_of(p.O_s);
  p.mean_o_prime_r = mean_of(p.o_prime_r);
  p.mean_O_r = mean_of(p.O_r);
  p.mean_g = mean_of(p.g);
  p.mean_G_prime = mean_of(p.G_prime);
  p.mean_G = mean_of(p.G);
  return p;
}

class LogGpsClock {
 public:
  LogGpsClock(LogGpsParameters p, double eager_limit) : p_{std::move(p)}, limit_{eager_limit} {}

  [[nodiscard]] double operator()(const Experiment& e) const {
    const int i = e.root;
    const int j = e.peers.front();
    const auto k = static_cast<double>(e.out.value);
    switch (e.kind) {
      case Kind::round_trip:
        return one_way(i, j, k) + one_way(j, i, static_cast<double>(e.back.value));
      case Kind::send_overhead:
        return send(i, j, k) + handshake(i, j, k);
      case Kind::receive_overhead:
      case Kind::receive_overhead_progress:
        return receive(j, i, static_cast<double>(e.back.value));
      case Kind::flood:
        return one_way(i, j, k) + one_way(j, i, 0) +
               (e.messages - 1) *
                   (e.delay.value > 0 ? e.delay.value + send(i, j, k) : p_.g(i, j) + way(i, j, k));
      default:
        return 1;
    }
  }

 private:
  [[nodiscard]] double send(int i, int j, double k) const {
    return p_.o_prime_s(i, j) + p_.O_s(i, j) * k;
  }
  [[nodiscard]] double receive(int i, int j, double k) const {
    return p_.o_prime_r(i, j) + p_.O_r(i, j) * k;
  }
  [[nodiscard]] double handshake(int i, int j, double k) const {
    if (k <= limit_) return 0;
    return p_.o_prime_s(i, j) + p_.L(i, j) + p_.o_prime_s(j, i) + p_.L(j, i);
  }
  /// Of the bytes.
  [[nodiscard]] double way(int i, int j, double k) const {
    const double small = std::isnan(p_.s) ? k : std::min(k, p_.s);
    return p_.G_prime(i, j) * small + p_.G(i, j) * (k - small);
  }
  [[nodiscard]] double one_way(int i, int j, double k) const {
    return handshake(i, j, k) + send(i, j, k) + p_.L(i, j) + way(i, j, k) + receive(i, j, k);
  }

  LogGpsParameters p_;
  double limit_;
};

Machine machine_of(const LogGpsParameters& p) {
  return {p.L.size(), LogGpsClock(p, static_cast<double>(limit.value))};
}

LogPPlan plan() {
  LogPPlan made = plan_logp({Bytes{1}, Bytes{64}, Bytes{256}, Bytes{512}, Bytes{768}, Bytes{1024},
                             Bytes{1536}, Bytes{2048}, Bytes{3072}, Bytes{4096}, Bytes{8192}, limit,
                             Bytes{limit.value + 1}, Bytes{40000}, Bytes{80000}, Bytes{160000}},
                            limit);
  made.delay = delay;
  return made;
}

/// Of all pairs, or of 0 and 1 only.
std::vector<Experiment> experiments(int n, const LogPPlan& made) {
  std::vector<Experiment> all;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      all.push_back(round_trip(i, j, {}, {}));
      for (const Bytes size : made.round_trips) all.push_back(round_trip(i, j, size, {}));
      for (const Experiment& e : logp_experiments(made, i, j)) all.push_back(e);
    }
  }
  return all;
}

Measurements with_limit(Measurements m) {
  for (Launch& launch : m.launches) launch.eager_limit_bytes = limit.value;
  return m;
}

Measurements measured(const Machine& machine, const Noise& noise = {},
                      const Protocol& protocol = {}, std::uint64_t seed = 1) {
  return with_limit(measure(machine, experiments(machine.ranks, plan()), noise, protocol, seed));
}

Model fitted(const Measurements& m) { return fit(m, {.models = family}); }

long count(const std::vector<Diagnostic>& warnings, const std::string& words) {
  return std::ranges::count_if(
      warnings, [&](const Diagnostic& one) { return one.text().find(words) != std::string::npos; });
}

std::string joined(const std::vector<Diagnostic>& warnings) {
  std::string text;
  for (const Diagnostic& one : warnings) text += one.text() + "\n";
  return text;
}

template <class Parameters>
void expect_no_warnings(const std::optional<Fitted<Parameters>>& fit) {
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->warnings.empty()) << joined(fit->warnings);
}

class LogPExact : public ::testing::TestWithParam<int> {};

TEST_P(LogPExact, LogGpsIsRecovered) {
  const int n = GetParam();
  const LogGpsParameters truth = parameters(n);
  const Model model = fitted(measured(machine_of(truth)));
  expect_no_warnings(model.loggps);
  testing::expect_close(model.loggps->value, truth, 1e-9);
  testing::expect_ordered(*model.loggps);
  EXPECT_NEAR(model.loggps->residual, 0, 1e-9);
  EXPECT_EQ(model.loggps->first, Bytes{0});
  EXPECT_EQ(model.loggps->last, Bytes{160000});
  EXPECT_EQ(model.receive_wait, "quiet");
}

TEST_P(LogPExact, LogPAndLogGpAreRecovered) {
  const int n = GetParam();
  const LogGpsParameters truth = parameters(n, std::nan(""));
  const Model model = fitted(measured(machine_of(truth)));
  LogGpParameters expected{truth.L,      Matrix(n), truth.g,      truth.G,
                           truth.mean_L, 0,         truth.mean_g, truth.mean_G};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      expected.o(i, j) = (truth.o_prime_s(i, j) + truth.o_prime_r(i, j)) / 2;
      expected.mean_o += expected.o(i, j) / (n * (n - 1));
    }
  }
  EXPECT_EQ(count(model.loggp->warnings, "one-way times of the sizes that it covers are missed"), 1)
      << "it has no handshake and no O";
  testing::expect_close(model.loggp->value, expected, 1e-9);
  expect_no_warnings(model.logp);
  testing::expect_close(model.logp->value,
                        LogPParameters{expected.L, expected.o, expected.g, expected.mean_L,
                                       expected.mean_o, expected.mean_g},
                        1e-9);
  EXPECT_NEAR(model.logp->residual, 0, 1e-9);
  EXPECT_EQ(model.logp->last, Bytes{0});
  EXPECT_GT(model.loggp->residual, 0.01);
  EXPECT_EQ(count(model.loggps->warnings, "no s was found"), 1);
  EXPECT_TRUE(std::isnan(model.loggps->value.s));
  EXPECT_NEAR(model.loggps->value.G(1, 0), truth.G_prime(1, 0), 1e-18);
}

TEST_P(LogPExact, PLogPIsRecovered) {
  const int n = GetParam();
  const LogGpsParameters truth = parameters(n);
  const Machine machine = machine_of(truth);
  const Model model = fitted(measured(machine));
  ASSERT_TRUE(model.plogp);
  const PLogPParameters& p = model.plogp->value;
  ASSERT_EQ(p.sizes.size(), 17U);
  const double nothing = machine.time(round_trip(0, 1, {}, {}));
  EXPECT_NEAR(p.L(0, 1), nothing / 2 - truth.g(0, 1), 1e-15);
  for (std::size_t k = 0; k < p.sizes.size(); ++k) {
    const double time = machine.time(round_trip(1, 0, p.sizes[k], {}));
    EXPECT_NEAR(p.g[k](1, 0), time - nothing + truth.g(1, 0), 1e-15);
    if (p.sizes[k] > limit) continue;
    // Overheads are lines here: what is between the measured sizes is exact, too.
    const auto size = static_cast<double>(p.sizes[k].value);
    EXPECT_NEAR(p.o_s[k](0, 1), truth.o_prime_s(0, 1) + truth.O_s(0, 1) * size, 1e-15);
    EXPECT_NEAR(p.o_r[k](0, 1), truth.o_prime_r(0, 1) + truth.O_r(0, 1) * size, 1e-15);
  }
  testing::expect_ordered(*model.plogp);
  EXPECT_LT(model.plogp->residual, 0.025) << "but for the kink everything is straight";
  EXPECT_GT(model.plogp->residual, 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, LogPExact, ::testing::Values(2, 3, 4));

/// Up to four times the eager limit, while round trips are of 160 000 bytes, too.
TEST(PLogP, OverheadsBeyondThoseMeasuredAreUnknown) {
  const Model model = fitted(measured(machine_of(parameters(2))));
  const PLogPParameters& p = model.plogp->value;
  const Bytes last = plan().overheads.back();
  ASSERT_LT(last, p.sizes.back());
  for (std::size_t k = 0; k < p.sizes.size(); ++k) {
    EXPECT_EQ(std::isnan(p.o_s[k](0, 1)), p.sizes[k] > last) << p.sizes[k].value;
    EXPECT_EQ(std::isnan(p.o_r[k](1, 0)), p.sizes[k] > last);
    EXPECT_FALSE(std::isnan(p.g[k](0, 1)));
  }
  const Query query{"plogp", Operation::p2p, 0, 1, p.sizes.back(), Side::sender};
  const Prediction beyond = predict(model, query);
  EXPECT_TRUE(beyond.extrapolated);
  EXPECT_GT(beyond.time.value, p.o_s[4](0, 1));
}

/// Empty round trips of 40 us, o_s and o_r of 2 and 4 us at 0 bytes and 3 and 6 us at 1000: L is
/// 14 us. Floods of 11 empty messages take 70 us, g is 3 us; of 1000 bytes 160 us against a round
/// trip of 60 us: 10 us, so G is 7 ns a byte.
TEST(LogPByHand, TwoRanks) {
  Measurements m;
  m.launches.resize(1);
  m.launches[0].ranks.resize(2);
  m.launches[0].confidence = 0.95;
  const Bytes size{1000};
  for (int pass = 0; pass < 3; ++pass) {
    for (const auto& [i, j] : {Pair{0, 1}, Pair{1, 0}}) {
      const auto add = [&](const Experiment& e, double time_us) {
        Observation row;
        row.experiment = e;
        row.pass = pass;
        row.time_s = row.low_s = row.high_s = time_us * 1e-6;
        row.level = 0.95;
        m.observations.push_back(row);
      };
      add(round_trip(i, j, {}, {}), 40);
      add(round_trip(i, j, size, {}), 60);
      add(send_overhead(i, j, {}), 2);
      add(send_overhead(i, j, size), 3);
      add(receive_overhead(i, j, {}, true), 4);
      add(receive_overhead(i, j, size, true), 6);
      add(flood(i, j, 11, {}, {}), 70);
      add(flood(i, j, 11, {}, size), 160);
    }
  }
  const Model model = fitted(m);
  EXPECT_NEAR(model.loggps->value.L(0, 1), 14e-6, 1e-17);
  EXPECT_NEAR(model.loggps->value.O_r(1, 0), 2e-9, 1e-20);
  EXPECT_NEAR(model.loggps->value.mean_G, 7e-9, 1e-20);
  EXPECT_NEAR(model.logp->value.mean_o, 3e-6, 1e-17);
  EXPECT_NEAR(model.loggp->value.g(0, 1), 3e-6, 1e-17);
  EXPECT_NEAR(model.plogp->value.L(0, 1), 17e-6, 1e-17);
  EXPECT_NEAR(model.plogp->value.g[1](0, 1), 23e-6, 1e-17);
  EXPECT_EQ(model.receive_wait, "progress");
}

#ifdef NDEBUG
constexpr int calibrations = 400;
#else
constexpr int calibrations = 40;
#endif

struct Held {
  long inside{};
  long intervals{};
};

template <class Parameters>
void tally(const Fitted<Parameters>& found, const Parameters& truth, const std::string& model,
           std::map<std::string, Held>& held) {
  const auto truths = testing::entries(truth);
  const auto lows = testing::entries(found.low);
  const auto highs = testing::entries(found.high);
  ASSERT_EQ(truths.size(), lows.size());
  for (std::size_t i = 0; i < truths.size(); ++i) {
    if (std::isnan(lows[i].value) && truths[i].field == "s") continue;
    if (std::isnan(truths[i].value)) {
      EXPECT_TRUE(std::isnan(lows[i].value)) << truths[i].field;
      continue;
    }
    Held& field = held[model + "." + truths[i].field];
    ++field.intervals;
    field.inside += lows[i].value <= truths[i].value && truths[i].value <= highs[i].value;
  }
}

void check_coverage(int ranks, const Noise& noise, const Protocol& protocol, int count,
                    double least_found) {
  const LogGpsParameters parameters_of_all = parameters(ranks);
  const Machine machine = machine_of(parameters_of_all);
  const Model truth = fitted(measured(machine));
  synthetic::TestBed bed(machine, experiments(ranks, plan()), noise, protocol);
  std::map<std::string, Held> held;
  for (int seed = 1; seed <= count; ++seed) {
    const Model model = fitted(with_limit(bed.measure(static_cast<std::uint64_t>(seed))));
    tally(*model.logp, truth.logp->value, "logp", held);
    tally(*model.loggp, truth.loggp->value, "loggp", held);
    tally(*model.loggps, parameters_of_all, "loggps", held);
    tally(*model.plogp, truth.plogp->value, "plogp", held);
  }
  for (const auto& [name, field] : held) {
    const double share = static_cast<double>(field.inside) / static_cast<double>(field.intervals);
    const double chance = std::sqrt(0.06 * 0.94 / static_cast<double>(field.intervals));
    std::printf("  %-22s %7.2f %% of %ld\n", name.c_str(), 100 * share, field.intervals);
    EXPECT_GE(share, 0.94 - 2 * chance) << name;
  }
  EXPECT_GE(static_cast<double>(held["loggps.s"].intervals), least_found * count);
}

Noise gaussian(double relative) { return {.kind = Disturbance::gaussian, .relative = relative}; }

TEST(LogPCoverage, GaussianOnePercent) {
  check_coverage(2, gaussian(0.01), {}, calibrations, 0.95);
}
TEST(LogPCoverage, GaussianFivePercent) { check_coverage(2, gaussian(0.05), {}, calibrations, 0); }

/// Means over 12 pairs and five launches: what is off in each line alike is most of their error.
TEST(LogPCoverage, MeansOfLaunchesThatDiffer) {
  check_coverage(4, {.kind = Disturbance::none, .launch_individual = 0.05},
                 {.launches = 5, .passes = 3}, calibrations / 4, 0.95);
}

/// A round trip of 1 KiB off by 8 ms in one of eight passes once made 1.0 ms of a time of 0.86 us.
TEST(LogPLostPass, NoTimeThatLostASliceMovesTheFamily) {
  synthetic::TestBed bed(machine_of(parameters(2)), experiments(2, plan()), gaussian(0.01));
  Effect effect;
  const std::size_t rows = bed.measure(1).observations.size() / 8;
  for (std::size_t k = 0; k < rows; ++k) {
    const int pass = static_cast<int>(k % 8);
    Measurements all = with_limit(bed.measure(1 + k % 4));
    const Model without = fitted(without_pass(all, pass));
    Observation& lost = all.observations[static_cast<std::size_t>(pass) * rows + k];
    for (double* const part : {&lost.time_s, &lost.low_s, &lost.high_s}) *part += 8e-3;
    const Model whole = fitted(all);
    EXPECT_EQ(count(whole.warnings, "stand out among the passes"), 1);
    effect.add(*whole.logp, *without.logp);
    effect.add(*whole.loggp, *without.loggp);
    effect.add(*whole.loggps, *without.loggps);
    effect.add(*whole.plogp, *without.plogp);
  }
  std::printf("  moved: median %.2f, 99 of 100 less than %.2f; wider by %.2f\n",
              effect.median_move(), effect.moved(), effect.widened());
  EXPECT_LE(effect.moved(), 1);
  EXPECT_LE(effect.widened(), 1.5);
}

/// A machine that is asked first, and then changed: (experiment, undisturbed time) -> time.
using Change = std::function<double(const Experiment&, double)>;

Measurements changed(const Change& change, double s = 1536) {
  const Machine plain = machine_of(parameters(2, s));
  return measured({2, [&](const Experiment& e) { return change(e, plain.time(e)); }});
}

double bytes(const Experiment& e) { return static_cast<double>(e.out.value + e.back.value); }

/// Adds to every gap: (bytes) -> seconds.
Change longer_gap(const std::function<double(double)>& more) {
  return [more](const Experiment& e, double time) {
    const bool is_gap = e.kind == Kind::flood && e.delay.value == 0;
    return is_gap ? time + (e.messages - 1) * more(bytes(e)) : time;
  };
}

Change times(Kind kind, double factor) {
  return [=](const Experiment& e, double time) { return e.kind == kind ? factor * time : time; };
}

Change slope(Kind kind, double per_byte) {
  return [=](const Experiment& e, double time) {
    const bool is_one = e.kind == kind && bytes(e) <= static_cast<double>(limit.value);
    return is_one ? time + per_byte * bytes(e) : time;
  };
}

struct Oddity {
  std::string what;
  Change change;
  std::string words;
};

void PrintTo(const Oddity& oddity, std::ostream* out) { *out << oddity.what; }

class LogPOddity : public ::testing::TestWithParam<Oddity> {};

TEST_P(LogPOddity, IsWarnedOfOnce) {
  const Model model = fitted(changed(GetParam().change));
  EXPECT_EQ(count(model.loggps->warnings, GetParam().words), 1) << joined(model.loggps->warnings);
  testing::expect_ordered(*model.loggps);
  const std::string text = to_json(model);
  EXPECT_TRUE(to_json(model_from_json(text, "model")) == text);
}

const std::vector<Oddity> oddities{
    {"LongOverhead", times(Kind::send_overhead, 20), "L is negative for 2 pairs"},
    {"FallingSend", slope(Kind::send_overhead, -0.25e-9), "O_s is negative for 2 pairs"},
    {"FallingReceive", slope(Kind::receive_overhead, -0.35e-9), "O_r is negative for 2 pairs"},
    {"FallingGap", longer_gap([](double k) { return 3e-6 - 3e-9 * std::min(k, 1536.0); }),
     "G' is negative for 2 pairs"},
    {"FallingLongGap", longer_gap([](double k) { return -9.8e-9 * std::max(k - 1536, 0.0); }),
     "G is negative for 2 pairs"},
    {"ShortGap", longer_gap([](double) { return -4e-6; }), "g is below o'_s for 2 pairs"},
    {"ShorterThanReceiving", longer_gap([](double) { return -2.5e-6; }),
     "g is below o'_r for 2 pairs"},
    {"OtherOverhead",
     [](const Experiment& e, double time) {
       return e.delay.value > 0 ? time + (e.messages - 1) * 0.5e-6 : time;
     },
     "o_s differs from what floods with a delay say for 2 pairs of 2, by 2"},
    {"StepAtTheLimit", longer_gap([](double k) { return k > 20000 ? 50e-6 : 0; }),
     "above the eager limit the gap is longer by"},
    {"Wavy", longer_gap([](double k) { return 20e-6 * std::sin(k / 2000); }), "fit poorly"},
    {"Leap", longer_gap([](double k) { return k > 1600 ? 20e-6 : 0; }), "the gap leaps by"},
    {"VoidFloods",
     [](const Experiment& e, double time) {
       return e.kind == Kind::flood && e.out == Bytes{768} ? 0.1 * time : time;
     },
     "2 floods took no longer than one message"}};

INSTANTIATE_TEST_SUITE_P(, LogPOddity, ::testing::ValuesIn(oddities),
                         [](const auto& tested) { return tested.param.what; });

TEST(LogPPackets, AtTheEagerLimitCannotBeToldApart) {
  const Model model = fitted(
      changed(longer_gap([](double k) { return k > 20000 ? 30e-6 + (k - 20000) * 30e-9 : 0; }),
              std::nan("")));
  EXPECT_EQ(count(model.loggps->warnings, "can't be told apart"), 1)
      << joined(model.loggps->warnings);
  EXPECT_GE(model.loggps->value.s, 20000);
  EXPECT_LE(model.loggps->value.s, 20001);
}

TEST(LogPPackets, MayBeAboveTheEagerLimit) {
  LogPPlan made = plan();
  for (const std::uint64_t size : {25000, 30000, 50000, 60000, 100000, 120000, 200000}) {
    made.round_trips.push_back(Bytes{size});
    made.floods.push_back(Bytes{size});
  }
  LogGpsParameters truth = parameters(2, 80000);
  const Model model = fitted(with_limit(measure(machine_of(truth), experiments(2, made))));
  testing::expect_close(model.loggps->value, truth, 1e-9);
}

/// Between two sizes that were measured.
TEST(LogPPackets, AreFoundBetweenSizes) {
  const LogGpsParameters truth = parameters(2, 1300);
  const Model model = fitted(measured(machine_of(truth)));
  testing::expect_close(model.loggps->value, truth, 1e-9);
  EXPECT_LE(model.loggps->low.s, 1300);
  EXPECT_GE(model.loggps->high.s, 1300);
}

/// A clock's steps, without noise: significant, and of no use.
TEST(LogPPackets, AreNotMadeOfTheClocksSteps) {
  const Model model = fitted(changed(
      longer_gap([](double k) { return 0.002e-9 * std::max(k - 3000, 0.0); }), std::nan("")));
  EXPECT_TRUE(std::isnan(model.loggps->value.s));
  EXPECT_EQ(count(model.loggps->warnings, "no s was found"), 1);
}

/// As where each packet has a cost of its own: lines on both sides, and what is between them said.
TEST(LogPPackets, AJumpLeavesBothLinesAsTheyAre) {
  const Change leap = longer_gap([](double k) { return k > 1536 ? 20e-6 : 0; });
  const LogGpsParameters truth = parameters(2);
  const Model model = fitted(changed(leap));
  EXPECT_EQ(count(model.loggps->warnings, "the gap leaps by"), 1);
  EXPECT_EQ(model.loggps->warnings.size(), 1U) << joined(model.loggps->warnings);
  testing::expect_close(model.loggps->value, truth, 1e-9);
  for (const LogGpsParameters& replicate : model.loggps->replicates) {
    EXPECT_EQ(replicate.s, 1536);
  }
}

TEST(LogPCrossCheck, TakesADelayAboveTheGap) {
  LogPPlan made = plan();
  made.delay = Seconds{5e-6};
  const Model model = fitted(with_limit(measure(machine_of(parameters(2)), experiments(2, made))));
  EXPECT_EQ(count(model.loggps->warnings, "o_s was not checked for 2 pairs"), 1);
}

/// In one pass of many: the mean of the others would be too long.
TEST(LogPOverheads, NotAboveZeroAreLeftOut) {
  const Measurements whole = measured(machine_of(parameters(2)), {}, {.passes = 5});
  Measurements m = whole;
  const auto spoil = [&](const Experiment& e, double time_s) {
    const auto row = std::ranges::find_if(
        m.observations, [&](const Observation& o) { return o.experiment == e && o.pass == 2; });
    ASSERT_NE(row, m.observations.end());
    row->time_s = time_s;
  };
  const Bytes size = plan().overheads[2];
  spoil(send_overhead(0, 1, size), -1e-9);
  const Model model = fitted(m);
  EXPECT_EQ(
      count(model.warnings,
            std::string{"1 overhead is left out (a time is not above zero: shorter than the clock "
                        "tells): send_overhead of rank 0 with 1, "} +
                to_text(size) + " out, 0 B back"),
      1)
      << joined(model.warnings);
  testing::expect_close(model.loggps->value, parameters(2), 1e-9);
  EXPECT_EQ(model.loggps->replicate_kind, ReplicateKind::passes);
  EXPECT_EQ(model.loggps->observations, fitted(whole).loggps->observations - 1);
  spoil(receive_overhead(1, 0, size), 0);
  EXPECT_EQ(count(fitted(m).warnings, "2 overheads are left out"), 1);
  spoil(round_trip(1, 0, Bytes{64}, {}), 0);
  try {
    (void)fitted(m);
    FAIL();
  } catch (const FitError& error) {
    EXPECT_NE(std::string{error.what()}.find(
                  "a time of round_trip of rank 1 with 0, 64 B out, 0 B back is not above zero"),
              std::string::npos)
        << error.what();
  }
}

TEST(LogPPairs, NotMeasuredAreUnknown) {
  Measurements m = measured(machine_of(parameters(3)));
  std::erase_if(m.observations, [](const Observation& row) {
    const Experiment& e = row.experiment;
    return e.kind != Kind::round_trip && e.root + e.peers.front() != 1;
  });
  const Model model = fit(m);
  EXPECT_TRUE(std::isnan(model.loggps->value.L(0, 2)));
  EXPECT_TRUE(std::isnan(model.loggps->high.g(2, 1)));
  EXPECT_TRUE(std::isnan(model.plogp->value.g[3](1, 2)));
  EXPECT_TRUE(std::isnan(model.logp->value.o(0, 2)));
  EXPECT_NEAR(model.loggps->value.L(0, 1), 16e-6, 1e-15);
  EXPECT_NEAR(model.loggps->value.mean_L, 16e-6, 1e-15);
  for (const auto* const warnings : {&model.logp->warnings, &model.loggp->warnings,
                                     &model.loggps->warnings, &model.plogp->warnings}) {
    EXPECT_EQ(count(*warnings, "4 of 6 pairs were not measured"), 1) << joined(*warnings);
    const auto found = std::ranges::find(*warnings, "missing_pairs", &Diagnostic::kind);
    ASSERT_TRUE(found != warnings->end());
    EXPECT_EQ(found->count, 4);
  }
  const std::string text = to_json(model);
  EXPECT_TRUE(to_json(model_from_json(text, "model")) == text);
}

/// The way back costs the same, as far as is known.
TEST(LogPPairs, OneDirectionAlone) {
  Measurements m = measured(machine_of(parameters(2)));
  std::erase_if(m.observations, [](const Observation& row) {
    const Experiment& e = row.experiment;
    const bool is_receive = e.kind == Kind::receive_overhead;
    return e.kind != Kind::round_trip && e.root != (is_receive ? 1 : 0);
  });
  const Model model = fitted(m);
  EXPECT_NEAR(model.loggps->value.L(0, 1), 16e-6, 1e-15);
  EXPECT_TRUE(std::isnan(model.loggps->value.L(1, 0)));
}

TEST(LogPNotMeasured, IsSaidInOnePhrase) {
  Measurements m = measured(machine_of(parameters(2)));
  std::erase_if(m.observations,
                [](const Observation& row) { return row.experiment.kind != Kind::round_trip; });
  const Model model = fit(m);
  EXPECT_FALSE(model.has("logp") || model.has("loggp") || model.has("loggps"));
  EXPECT_NE(model.not_determined.find("logp, loggp, loggps, plogp: not measured"),
            std::string::npos);
  EXPECT_EQ(fit(m, {.models = {"hockney"}}).not_determined, "");
  for (const std::string& name : family) {
    EXPECT_THROW((void)fit(m, {.models = {name}}), FitError) << name;
  }
}

/// Of a campaign that a signal ended.
TEST(LogPNotMeasured, WhatIsMissingIsSaid) {
  Measurements m = measured(machine_of(parameters(2)));
  std::erase_if(m.observations,
                [](const Observation& row) { return row.experiment.kind == Kind::flood; });
  const Model model = fit(m);
  EXPECT_NE(model.not_determined.find("loggps: no pair has"), std::string::npos);
  EXPECT_NE(model.not_determined.find("plogp: no pair has"), std::string::npos);
}

TEST(LogPSteps, OfTheNumberOfProcessesAreNoPartOfIt) {
  const Machine machine = machine_of(parameters(2));
  std::vector<Experiment> all = experiments(2, plan());
  const Model without = fitted(with_limit(measure(machine, all)));
  for (const Experiment& e : growth_experiments(2, false)) all.push_back(e);
  Measurements m = with_limit(measure(machine, all));
  for (Observation& row : m.observations) {
    if (row.experiment.processes != 0) row.time_s *= 3;
  }
  testing::expect_close(fitted(m).loggps->value, without.loggps->value, 1e-15);
}

TEST(LogPLaunches, AreTheReplicatesOnceMerged) {
  const LogGpsParameters truth = parameters(2);
  const Machine machine = machine_of(truth);
  const Noise noise{.kind = Disturbance::gaussian, .relative = 0.01, .launch_common = 0.05};
  const Model model = fitted(measured(machine, noise, {.launches = 5, .passes = 3}));
  EXPECT_EQ(model.loggps->replicate_kind, ReplicateKind::launches);
  EXPECT_EQ(model.loggps->replicates.size(), 5U);
  EXPECT_LE(model.loggps->low.s, 1536);
  EXPECT_GE(model.loggps->high.s, 1536);
  testing::expect_close(model.loggps->value, truth, 0.3);
  testing::expect_ordered(*model.loggps);
  testing::expect_ordered(*model.plogp);
  EXPECT_EQ(model.plogp->replicate_kind, ReplicateKind::launches);
}

/// Each chose its own sizes: the curves of both are read at all of them.
TEST(LogPLaunches, MayHaveDifferentSizes) {
  const LogGpsParameters truth = parameters(2);
  const Machine machine = machine_of(truth);
  LogPPlan other = plan();
  for (auto* const sizes : {&other.round_trips, &other.floods}) {
    std::erase(*sizes, Bytes{3072});
    std::erase(*sizes, Bytes{160000});
    sizes->push_back(Bytes{60000});
  }
  const std::vector<Measurements> parts{measured(machine),
                                        with_limit(measure(machine, experiments(2, other)))};
  const Model model = fitted(merge(parts));
  const std::vector<Bytes>& sizes = model.plogp->value.sizes;
  EXPECT_TRUE(std::ranges::binary_search(sizes, Bytes{3072}));
  EXPECT_TRUE(std::ranges::binary_search(sizes, Bytes{60000}));
  EXPECT_EQ(sizes.back(), Bytes{80000});
  testing::expect_close(model.loggps->value, truth, 1e-9);
  EXPECT_TRUE(to_json(model_from_json(to_json(model), "model")) == to_json(model));
}

/// One launch knows both sides of the eager limit, the other has no size near it.
TEST(LogPLaunches, OfOtherSizesAreNotReadAcrossTheEagerLimit) {
  const Machine machine = machine_of(parameters(2));
  LogPPlan sparse = plan();
  for (auto* const sizes : {&sparse.round_trips, &sparse.overheads}) {
    std::erase_if(*sizes, [](Bytes size) { return Bytes{4096} < size && size < Bytes{80000}; });
  }
  const std::vector<Measurements> parts{measured(machine),
                                        with_limit(measure(machine, experiments(2, sparse)))};
  const Model model = fitted(merge(parts));
  const PLogPParameters& p = model.plogp->value;
  const PLogPParameters& second = model.plogp->replicates[1];
  const double nothing = machine.time(round_trip(0, 1, {}, {}));
  for (const Bytes size : {Bytes{8192}, limit, Bytes{limit.value + 1}, Bytes{40000}}) {
    const auto k = static_cast<std::size_t>(std::ranges::find(p.sizes, size) - p.sizes.begin());
    ASSERT_LT(k, p.sizes.size());
    EXPECT_TRUE(std::isnan(second.g[k](0, 1))) << size.value;
    EXPECT_TRUE(std::isnan(second.o_s[k](0, 1))) << size.value;
    EXPECT_TRUE(std::isnan(second.o_r[k](0, 1))) << size.value;
    const double time = machine.time(round_trip(0, 1, size, {}));
    EXPECT_NEAR(p.g[k](0, 1), time - nothing / 2 - p.L(0, 1), 1e-15) << size.value;
    EXPECT_NEAR(p.o_s[k](0, 1), machine.time(send_overhead(0, 1, size)), 1e-15) << size.value;
    EXPECT_NEAR(p.o_r[k](0, 1), machine.time(receive_overhead(1, 0, size)), 1e-15) << size.value;
    const Prediction one = predict(model, {"plogp", Operation::p2p, 0, 1, size});
    EXPECT_NEAR(one.time.value, time - nothing / 2, 1e-15);
    EXPECT_FALSE(one.extrapolated);
  }
  EXPECT_TRUE(to_json(model_from_json(to_json(model), "model")) == to_json(model));
}

TEST(LogPPasses, FewerThanThreeAreReplacedByDraws) {
  const Noise noise{.kind = Disturbance::gaussian, .relative = 0.01};
  const Model model = fitted(measured(machine_of(parameters(2)), noise, {.passes = 2}));
  EXPECT_EQ(model.loggps->replicate_kind, ReplicateKind::draws);
  testing::expect_ordered(*model.loggps);
  EXPECT_LT(model.loggps->low.mean_L, model.loggps->high.mean_L);
}

/// As where a stream takes small messages together.
TEST(LogGps, AGapThatFallsHasNoPacketSize) {
  const Change fall = longer_gap([](double k) { return k > 700 ? -6e-6 : 0; });
  const Model model = fitted(changed(fall, std::nan("")));
  EXPECT_TRUE(std::isnan(model.loggps->value.s));
  EXPECT_EQ(count(model.loggps->warnings, "the gap falls by"), 1) << joined(model.loggps->warnings);
}

TEST(LogGps, SendsThatWaitLongerThanTheHandshakeAreSaid) {
  const Change wait = [](const Experiment& e, double time) {
    return e.kind == Kind::send_overhead && e.out > limit ? 10 * time : time;
  };
  const Model model = fitted(changed(wait));
  EXPECT_EQ(count(model.loggps->warnings, "a send above the eager limit lasts 10 times"), 1)
      << joined(model.loggps->warnings);
}

}  // namespace commgauge::family_test
