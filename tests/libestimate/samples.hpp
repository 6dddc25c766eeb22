#pragma once

#include <limits>
#include <string>
#include <type_traits>

#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge::samples {

inline Launch launch(int n) {
  Launch launch;
  launch.time_utc = "2024-05-06T07:08:09Z";
  launch.commgauge_version = "0.1.0";
  launch.mpi_library = "MPICH Version: 4.0.2";
  launch.mpi_standard = "4.0";
  for (int i = 0; i < n; ++i) {
    launch.ranks.push_back({"h" + std::to_string(i), {2 * i, 2 * i + 1}, 1e-3 * (1 + i / 7.0)});
  }
  launch.environment = {{"UCX_TLS", "tcp,self"}, {"MPIR_CVAR_NOLOCAL", "1"}};
  launch.options = {{"--precision", "0.025"}};
  launch.seed = std::numeric_limits<std::uint64_t>::max();
  launch.confidence = 0.95;
  launch.precision = 0.025;
  launch.clock_resolution_s = 1e-9;
  launch.clock_cost_s = 2.5e-8;
  launch.wait = "blocking";
  launch.buffers = "rotating";
  launch.schedule = "parallel";
  launch.contention = {true, 1.01, 0.99, 1.03};
  launch.eager_limit_bytes = 19493;
  launch.eager_probed_bytes = 1 << 20;
  launch.passes = 2;
  launch.rounds = 12;
  launch.elapsed_s = 3.5;
  launch.timed_s = 1.25;
  launch.disturbance = {"", 4321, 98, 14, 1, 3, 0.015625};
  return launch;
}

inline Observation observation(Experiment experiment, double time_s) {
  Observation o;
  o.experiment = std::move(experiment);
  o.time_s = time_s;
  o.low_s = 0.98 * time_s;
  o.high_s = 1.04 * time_s;
  o.sd_s = 0.01 * time_s;
  o.level = 0.96875;
  o.blocks = 6;
  o.block_length = 100;
  o.converged = true;
  return o;
}

/// An observation of a pass, with an interval of 1 % either way.
inline Observation row(Experiment experiment, int pass, double time_s) {
  Observation o;
  o.experiment = std::move(experiment);
  o.pass = pass;
  o.time_s = time_s;
  o.low_s = 0.99 * time_s;
  o.high_s = 1.01 * time_s;
  o.level = 0.95;
  o.blocks = 7;
  o.block_length = 1;
  o.converged = true;
  return o;
}

/// A gather of three sizes, the second with three repetitions.
inline Sweep sweep() {
  Sweep gather{"gather", 1, 0, {}};
  add_times(gather, Bytes{0}, {{1.5e-5}}, {{0}});
  add_times(gather, Bytes{1024}, {{2.0e-5, 2.5e-5, 2.25e-5}}, {{0, 1, 2}});
  add_times(gather, Bytes{4096}, {{4.0e-5, 1.0 / 3.0}}, {{0, 2}});
  return gather;
}

/// Of the collectives that validations measure, on four ranks.
inline std::vector<Observation> validated() {
  return {observation(flat_bcast(4, 3, Bytes{1024}), 6e-5),
          observation(binomial_scatter(4, 2, Bytes{1024}), 6e-5),
          observation(binomial_gather(4, 1, Bytes{1024}), 6e-5),
          observation(binomial_bcast(4, 3, Bytes{1024}), 6e-5)};
}

/// Experiments of several kinds on four ranks, in two passes, the first with its block means; and a
/// sweep.
inline Measurements measurements() {
  Measurements m;
  m.launches.push_back(launch(4));
  Experiment scatter{Kind::scatter, 0, {1, 2, 3}, {}, Bytes{1024}, Bytes{0}, true};
  Experiment gather{Kind::gather, 0, {1, 2, 3}, {}, Bytes{0}, Bytes{1024}, true};
  m.observations = {
      observation(round_trip(0, 1, Bytes{0}, Bytes{0}), 2.0e-5),
      observation(round_trip(2, 3, Bytes{std::uint64_t{1} << 63U}, Bytes{1024}), 0.1),
      observation(one_to_two(0, 1, 2, Bytes{1024}), 5.0e-5),
      observation({Kind::one_to_k_concurrent, 1, {0, 2}, {0, 2}, Bytes{8}, Bytes{0}, false}, 3e-5),
      observation({Kind::k_to_one_concurrent, 1, {0, 2}, {2, 0}, Bytes{0}, Bytes{8}, false}, 3e-5),
      observation(scatter, 7e-5),
      observation(gather, 1.0 / 3.0)};
  m.observations.back().pass = 1;
  m.observations.back().converged = false;
  m.observations.back().lost_blocks = 9;
  m.observations.back().repeated_blocks = 7;
  m.observations.front().block_means_s = {1.9e-5, 2.0e-5, 2.1e-5};
  m.sweeps = {sweep()};
  return m;
}

/// The same, incomplete, resumed, and with a plan of two rounds, the first of two groups.
inline Measurements unfinished() {
  Measurements m = measurements();
  m.launches.front().complete = false;
  m.launches.front().incomplete_reason = "it was still going on";
  m.launches.front().resumed = 2;
  m.plan = LaunchPlan{{{"passes", "2"}, {"models", ""}},
                      {{round_trip(0, 1, Bytes{0}, Bytes{0}), 0, 0},
                       {round_trip(1, 0, Bytes{0}, Bytes{0}), 0, 0},
                       {flood(2, 3, 16, Seconds{1.0 / 3.0}, Bytes{8}), 0, 1},
                       {one_to_two(0, 1, 2, Bytes{1024}), 1, 0}}};
  return m;
}

/// The same ranks as a sample of eight, on four hosts.
inline Measurements surveyed() {
  Measurements m = measurements();
  Survey survey;
  for (int rank = 0; rank < 8; ++rank) {
    survey.ranks.push_back({"h" + std::to_string(rank / 2), {}});
    survey.kinds.emplace_back(rank < 4 ? "big" : "small");
  }
  survey.trips = {{0, 2, Bytes{0}, 2e-5}, {0, 1, Bytes{1024}, 1.0 / 3.0}};
  survey.sample = {0, 2, 4, 6};
  m.survey = survey;
  return m;
}

/// An eager limit exact to the byte, a scatter's break, no M1, an M2 without an end.
inline MachineThresholds machine_thresholds() {
  MachineThresholds t;
  t.eager_limit = {Bytes{19493}, Bytes{19493}, Bytes{19494}, ""};
  t.scatter_break = {Bytes{65536}, Bytes{32768}, Bytes{81920}, ""};
  t.gather_m1.reason = "gather was not swept";
  t.gather_m2 = {Bytes{131072}, Bytes{65536}, std::nullopt, "the largest size escalates"};
  t.scatter_sweep = {"flat", "global", 1, {0, 1}};
  t.gather_sweep = {"library", "", std::nullopt, {}};
  return t;
}

/// A value with its interval, and one that is not known.
inline Kappas kappas(int root) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  return {root,
          {{2e-9, -1e-9, 5e-9}, ""},
          {{nothing, nothing, nothing}, "no size above M2 was measured"}};
}

/// What might have been made of sweep(): a break after its second point. Numbers by hand.
inline Thresholds thresholds() {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  Thresholds t;
  static_cast<MachineThresholds&>(t) = machine_thresholds();
  t.launches = {launch(4)};
  SweepAnalysis a;
  a.sweep = sweep();
  a.launches = {0};
  a.fitted_s = {1.5e-5, nothing, 4e-5};
  a.weights = Weights::relative;
  a.segmentation.segments = {{0, 1, {1.5e-5, 1e-5, 2e-5}, {7e-9, 6e-9, 8e-9}, 1e-12},
                             {2, 2, {4e-5, nothing, nothing}, {0, nothing, nothing}, 0}};
  a.segmentation.breaks = {{1, 0, 1, ""}};
  a.segmentation.rss = 1e-12;
  a.segmentation.bic = -70.5;
  a.segmentation.lwz = -60.25;
  a.segmentation.candidates = {{{}, 1e-10, -60.5, -58}, {{1}, 1e-12, -70.5, -60.25}};
  a.escalations.reason = "too few repetitions";
  a.warnings = {{.kind = "few_sizes", .count = 3, .problem = "few sizes"}};
  t.sweeps = {a};
  t.warnings = {{.kind = "eager_limits_differ",
                 .problem = "the launches disagree about the eager limit",
                 .reason = "19493 and 8192",
                 .advice = "the smallest is used"}};
  return t;
}

/// n x n with entry (i, j) = base * (1 + 10 * i + j), or symmetric in i and j.
inline Matrix matrix(int n, double base, bool symmetric) {
  Matrix m{n};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int low = symmetric && j < i ? j : i;
      const int high = symmetric && j < i ? i : j;
      if (i != j) m(i, j) = base * (1 + 10 * low + high);
    }
  }
  return m;
}

inline HockneyParameters hockney(int n, double scale) {
  return {matrix(n, 1e-6 * scale, true), matrix(n, 1e-9 * scale, false), 1e-5 * scale,
          1e-8 * scale};
}

inline AdditiveParameters additive(int n, double scale, bool with_latency) {
  const auto count = static_cast<std::size_t>(n);
  return {std::vector<double>(count, 1e-5 * scale), std::vector<double>(count, 1e-9 * scale),
          with_latency ? matrix(n, 2e-6 * scale, true) : Matrix{}, matrix(n, 3e-9 * scale, true)};
}

inline BottleneckParameters bottleneck(int n, double scale) {
  const auto count = static_cast<std::size_t>(n);
  return {std::vector<double>(count, 1e-5 * scale), std::vector<double>(count, 4e-9 * scale),
          std::vector<double>(count, 5e-9 * scale), matrix(n, 2e-6 * scale, true),
          matrix(n, 3e-9 * scale, false),           matrix(n, 6e-9 * scale, false)};
}

inline LogPParameters logp(int n, double scale) {
  return {matrix(n, 2e-6 * scale, true),
          matrix(n, 1e-6 * scale, false),
          matrix(n, 3e-6 * scale, false),
          2e-5 * scale,
          1e-5 * scale,
          3e-5 * scale};
}

inline LogGpParameters loggp(int n, double scale) {
  const auto [L, o, g, mean_L, mean_o, mean_g] = logp(n, scale);
  return {L, o, g, matrix(n, 1e-9 * scale, false), mean_L, mean_o, mean_g, 1e-8 * scale};
}

inline LogGpsParameters loggps(int n, double scale) {
  LogGpsParameters p;
  double unit = 1e-6 * scale;
  visit_fields(p, [&](const FieldFacts&, auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Matrix>) {
      field = matrix(n, unit, false);
    } else {
      field = 10 * unit;
    }
    unit *= 0.75;
  });
  p.s = 1460;
  return p;
}

inline PLogPParameters plogp(int n, double scale) {
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{1024}, Bytes{65536}};
  p.L = matrix(n, 2e-6 * scale, true);
  for (double k = 1; k <= 3; ++k) {
    p.o_s.push_back(matrix(n, 1e-6 * k * scale, false));
    p.o_r.push_back(matrix(n, 1e-6 / k * scale, true));
    p.g.push_back(matrix(n, 3e-6 * k * scale, false));
  }
  return p;
}

inline CurvesParameters curves(int n, double scale) {
  CurvesParameters p;
  p.sizes = {Bytes{0}, Bytes{1024}, Bytes{19493}, Bytes{19494}, Bytes{65536}};
  for (const double time : {2e-6, 3e-6, 9e-6, 2e-5, 5e-5}) {
    p.time.push_back(matrix(n, time * scale, false));
  }
  return p;
}

inline OverheadGrowth overhead_growth(double scale) {
  return {1e-6 * scale, 2e-9 * scale, 2e-6 * scale, 2e-8 * scale, 1.5e-6 * scale, 1.1e-8 * scale};
}

inline StartUpParameters start_up(int n, double scale) {
  return {matrix(n, 1e-6 * scale, false), matrix(n, 1e-9 * scale, true), 1e-5 * scale,
          1e-8 * scale};
}

/// The value, an interval of 10 % either way, and three replicates.
template <class Make>
auto fitted(Make make) {
  Fitted<decltype(make(1.0))> f;
  f.value = make(1.0);
  f.low = make(0.9);
  f.high = make(1.1);
  f.replicates = {make(0.95), make(1.0), make(1.0 / 1.05)};
  f.replicate_kind = ReplicateKind::passes;
  f.last = Bytes{65536};
  f.residual = 0.0125;
  f.observations = 42;
  f.warnings = {
      {.kind = "odd_times", .count = 2, .problem = "2 times are odd"},
      {.kind = "poor_fit", .problem = "a poor fit", .reason = "7 %", .advice = "measure again"}};
  return f;
}

/// Every model on n ranks. In `bottleneck`, s of rank 0 and the link 0-1 are bounds.
inline Model model(int n = 3) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  Model m;
  m.launches = {launch(n), launch(n)};
  m.ranks = n;
  m.eager_limit = Bytes{19493};
  m.thresholds = machine_thresholds();
  m.kappas = {{"lom", kappas(0)}, {"lmo", kappas(n - 1)}};
  m.hockney = fitted([n](double scale) { return hockney(n, scale); });
  m.hockney_rendezvous = fitted([n](double scale) { return hockney(n, 2 * scale); });
  m.lom = fitted([n](double scale) { return additive(n, scale, false); });
  m.lmo = fitted([n](double scale) { return additive(n, scale, true); });
  m.lmo->replicate_kind = ReplicateKind::draws;
  m.bottleneck = fitted([n](double scale) { return bottleneck(n, scale); });
  m.bottleneck->value.s[0] = m.bottleneck->low.s[0] = nothing;
  m.bottleneck->value.inverse_beta(0, 1) = m.bottleneck->low.inverse_beta(0, 1) = nothing;
  m.logp = fitted([n](double scale) { return logp(n, scale); });
  m.loggp = fitted([n](double scale) { return loggp(n, scale); });
  m.loggps = fitted([n](double scale) { return loggps(n, scale); });
  for (LogGpsParameters& replicate : m.loggps->replicates) replicate.s = 1460;
  m.receive_wait = "quiet";
  m.plogp = fitted([n](double scale) { return plogp(n, scale); });
  m.curves = fitted([n](double scale) { return curves(n, scale); });
  m.start_up = fitted([n](double scale) { return start_up(n, scale); });
  m.overhead_growth = fitted([](double scale) { return overhead_growth(scale); });
  m.checks = {{"lmo", Operation::p2p, Bytes{4096}, 0, 1, 1.0e-4, 1.1e-4, false},
              {"lmo", Operation::scatter, Bytes{4096}, 2, -1, 3.0e-4, 2.9e-4, true}};
  m.ranking = {{"lmo", 0.05, {{Operation::p2p, 0.1}, {Operation::scatter, 1.0 / 30.0}}},
               {"lom", 0.25, {}}};
  m.judgements = {{"lmo",
                   Operation::p2p,
                   {},
                   Bytes{4096},
                   1,
                   0.1,
                   {0.1, 0.05, 0.15},
                   0.04,
                   false,
                   Verdict::leaves_out},
                  {"lmo",
                   Operation::scatter,
                   Algorithm::flat,
                   Bytes{4096},
                   1,
                   1.0 / 30.0,
                   {-1.0 / 30.0, nothing, nothing},
                   nothing,
                   true,
                   Verdict::unknown}};
  m.warnings = {{.kind = "asymmetric_links",
                 .problem = "the two directions of a link differ by up to 7 %",
                 .reason = "ranks 0 and 1",
                 .advice = "the model takes them for equal"}};
  m.not_determined = "";
  return m;
}

}  // namespace commgauge::samples
