#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/thresholds/threshold.hpp"

namespace commgauge {

/// Hockney (1994): T_ij(M) = alpha_ij + beta_ij·M. alpha [s], beta [s/byte], per ordered pair.
struct HockneyParameters {
  Matrix alpha;
  Matrix beta;
  double mean_alpha{};  ///< over all ordered pairs
  double mean_beta{};
};

/// LOM, LMO: T_ij(M) = C_i + L_ij + C_j + M·(t_i + 1/β_ij + t_j). In LOM L is absent.
struct AdditiveParameters {
  std::vector<double> C;  ///< fixed delay of a rank [s]
  std::vector<double> t;  ///< delay per byte of a rank [s/byte]
  Matrix L;               ///< latency of a link [s], symmetric; empty for LOM
  Matrix inverse_beta;    ///< of a link [s/byte], symmetric
};

/// Bottleneck: T_ij(M) = C_i + L_ij + C_j + M·g_ij with g_ij = max(s_i, 1/β_ij, r_j).
/// In `s`, `r` and `inverse_beta` a NaN says: only a bound is known (Fitted::high holds it).
struct BottleneckParameters {
  std::vector<double> C;  ///< fixed delay of a rank [s]
  std::vector<double> s;  ///< send gap per byte of a rank [s/byte]
  std::vector<double> r;  ///< receive gap per byte of a rank [s/byte]
  Matrix L;               ///< fixed part of a link in this range of sizes [s]
  Matrix inverse_beta;    ///< of a link [s/byte]
  Matrix g;               ///< per-byte time of the pair, the slowest of the three [s/byte]
};

// The LogP family: per ordered pair, i sends and j receives; o, o_s of i, o_r of j. A pair that was
// not measured is NaN everywhere. mean_…: over the measured pairs.

/// LogP (Culler et al. 1993), for messages of the smallest size. o: mean of sending and receiving.
struct LogPParameters {
  Matrix L;  ///< latency [s]
  Matrix o;  ///< overhead of one message, of either side [s]
  Matrix g;  ///< gap between messages [s]
  double mean_L{};
  double mean_o{};
  double mean_g{};
};

/// LogGP (Alexandrov et al. 1995): G·k beside LogP's parameters, one line for all sizes.
struct LogGpParameters {
  Matrix L;  ///< [s]
  Matrix o;  ///< [s]
  Matrix g;  ///< [s]
  Matrix G;  ///< gap per byte of long messages [s/byte]
  double mean_L{};
  double mean_o{};
  double mean_g{};
  double mean_G{};
};

/// LogGPS (Ino, Fujimoto, Hagihara 2001), o(k) = o′ + O·k for each side, up to the eager limit S.
/// The gap of a message of k bytes is g + G′·k below s, and grows by G for each byte beyond s.
struct LogGpsParameters {
  Matrix L;          ///< [s]
  Matrix o_prime_s;  ///< sending [s]
  Matrix O_s;        ///< [s/byte]
  Matrix o_prime_r;  ///< receiving [s]
  Matrix O_r;        ///< [s/byte]
  Matrix g;          ///< [s]
  Matrix G_prime;    ///< G′, below s [s/byte]
  Matrix G;          ///< above s [s/byte]; G′ where there is no s
  double mean_L{};
  double mean_o_prime_s{};
  double mean_O_s{};
  double mean_o_prime_r{};
  double mean_O_r{};
  double mean_g{};
  double mean_G_prime{};
  double mean_G{};
  double s{};  ///< above it a message travels in several packets [bytes]; NaN: one gap for all
};

/// Parameterised LogP (Kielmann, Bal, Verstoep 2000): L constant, the others piecewise linear
/// between `sizes`, each as one matrix a size.
struct PLogPParameters {
  std::vector<Bytes> sizes;  ///< ascending, the first is 0
  Matrix L;                  ///< [s]
  std::vector<Matrix> o_s;   ///< [s]
  std::vector<Matrix> o_r;   ///< [s]
  std::vector<Matrix> g;     ///< [s]
};

/// Overhead against the number of processes (Mizutani, Ino, Hagihara 2004):
/// o′(P) = o′_a + o′_b·P, sending, receiving, and their mean as the paper has it. [s], and [s] a
/// process.
struct OverheadGrowth {
  double o_prime_a_s{};
  double o_prime_b_s{};
  double o_prime_a_r{};
  double o_prime_b_r{};
  double o_prime_a{};
  double o_prime_b{};
};

/// Network evaluator (1996): T(m) = i + t·m by a regression that resists outliers.
struct StartUpParameters {
  Matrix i;  ///< start-up [s]
  Matrix t;  ///< time per byte [s/byte]
  double mean_i{};
  double mean_t{};
};

/// Calls visit(name, field) for every field, in the order of the file. `Parameters` may be const;
/// `visit` takes double&, std::vector<double>&, Matrix& and std::vector<Matrix>&.
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, HockneyParameters>
void visit_fields(P& p, Visit&& visit) {
  visit("alpha", p.alpha);
  visit("beta", p.beta);
  visit("mean_alpha", p.mean_alpha);
  visit("mean_beta", p.mean_beta);
}
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, AdditiveParameters>
void visit_fields(P& p, Visit&& visit) {
  visit("C", p.C);
  visit("t", p.t);
  visit("L", p.L);
  visit("inverse_beta", p.inverse_beta);
}
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, BottleneckParameters>
void visit_fields(P& p, Visit&& visit) {
  visit("C", p.C);
  visit("s", p.s);
  visit("r", p.r);
  visit("L", p.L);
  visit("inverse_beta", p.inverse_beta);
  visit("g", p.g);
}

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, LogPParameters>
void visit_fields(P& p, Visit&& visit) {
  visit("L", p.L);
  visit("o", p.o);
  visit("g", p.g);
  visit("mean_L", p.mean_L);
  visit("mean_o", p.mean_o);
  visit("mean_g", p.mean_g);
}
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, LogGpParameters>
void visit_fields(P& p, Visit&& visit) {
  visit("L", p.L);
  visit("o", p.o);
  visit("g", p.g);
  visit("G", p.G);
  visit("mean_L", p.mean_L);
  visit("mean_o", p.mean_o);
  visit("mean_g", p.mean_g);
  visit("mean_G", p.mean_G);
}
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, LogGpsParameters>
void visit_fields(P& p, Visit&& visit) {
  visit("L", p.L);
  visit("o_prime_s", p.o_prime_s);
  visit("O_s", p.O_s);
  visit("o_prime_r", p.o_prime_r);
  visit("O_r", p.O_r);
  visit("g", p.g);
  visit("G_prime", p.G_prime);
  visit("G", p.G);
  visit("mean_L", p.mean_L);
  visit("mean_o_prime_s", p.mean_o_prime_s);
  visit("mean_O_s", p.mean_O_s);
  visit("mean_o_prime_r", p.mean_o_prime_r);
  visit("mean_O_r", p.mean_O_r);
  visit("mean_g", p.mean_g);
  visit("mean_G_prime", p.mean_G_prime);
  visit("mean_G", p.mean_G);
  visit("s", p.s);
}
/// `sizes` are given, not fitted: they are no field.
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, PLogPParameters>
void visit_fields(P& p, Visit&& visit) {
  visit("L", p.L);
  visit("o_s", p.o_s);
  visit("o_r", p.o_r);
  visit("g", p.g);
}
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, OverheadGrowth>
void visit_fields(P& p, Visit&& visit) {
  visit("o_prime_a_s", p.o_prime_a_s);
  visit("o_prime_b_s", p.o_prime_b_s);
  visit("o_prime_a_r", p.o_prime_a_r);
  visit("o_prime_b_r", p.o_prime_b_r);
  visit("o_prime_a", p.o_prime_a);
  visit("o_prime_b", p.o_prime_b);
}
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, StartUpParameters>
void visit_fields(P& p, Visit&& visit) {
  visit("i", p.i);
  visit("t", p.t);
  visit("mean_i", p.mean_i);
  visit("mean_t", p.mean_t);
}

/// What varies between the sets of parameters that a fit keeps beside the central one.
enum class ReplicateKind {
  passes,    ///< each from one pass of one launch
  launches,  ///< each from one launch
  draws      ///< each from times drawn within the observations' own intervals: too few passes
};
[[nodiscard]] std::string_view to_text(ReplicateKind kind);

/// Parameters with their uncertainty. `value`, `low`, `high` and each replicate have one shape, so
/// anything computed from parameters has its joint interval: compute it from every replicate.
template <class Parameters>
struct Fitted {
  Parameters value;
  Parameters low;   ///< NaN where `value` is only bounded
  Parameters high;  ///< the bound where `value` is NaN
  std::vector<Parameters> replicates;
  ReplicateKind replicate_kind{};
  Bytes first;          ///< smallest and
  Bytes last;           ///< largest message size of the fit
  double residual{};    ///< relative: RMS of (observed − fitted) / observed; NaN: unknown
  long observations{};  ///< experiments that entered
  std::vector<std::string> warnings;
};

/// How one model did on one operation that no fit saw.
struct Check {
  std::string model;
  std::string operation;  ///< p2p | scatter | gather
  Bytes size;
  int from{};
  int to{-1};  ///< −1 for collectives
  double measured_s{};
  double predicted_s{};
  bool extrapolated{};  ///< outside the model's range of sizes
  [[nodiscard]] double relative_error() const { return (predicted_s - measured_s) / measured_s; }
};

/// What an error is made of, as far as the measured times tell.
enum class Verdict {
  quiet,       ///< as good as the machine is quiet
  unclear,     ///< beyond the machine's noise, but not surely to one side, or hardly beyond it
  leaves_out,  ///< to one side, beyond the noise: the model leaves something out
  differs,     ///< the same in a launch that the model, of one launch, doesn't know
  unknown      ///< nothing tells the noise
};
[[nodiscard]] std::string_view to_text(Verdict verdict);

/// How one model did on all checks of one operation and size. Relative to the measured times.
struct Judgement {
  std::string model;
  std::string operation;  ///< p2p | scatter | gather | bcast
  std::string algorithm;  ///< flat | binomial; empty for p2p
  Bytes size;
  long checks{};
  double error{};       ///< median |predicted − measured|
  Estimate bias;        ///< median (predicted − measured)
  double noise{};       ///< what a perfect model's error would be; NaN: not known
  bool extrapolated{};  ///< outside the model's range of sizes
  Verdict verdict{Verdict::unknown};
};

/// A model's place among the others: median |relative error| of its checks at one size, averaged
/// over the sizes, by operation.
struct Ranking {
  std::string model;
  double error{};  ///< mean over the operations
  std::vector<std::pair<std::string, double>> operations;
};

/// Everything that was learnt about a machine.
struct Model {
  std::vector<Launch> launches;
  double confidence{0.95};
  int ranks{};
  std::optional<Bytes> eager_limit;  ///< largest size still sent asynchronously
  std::optional<MachineThresholds> thresholds;
  /// By the additive model that they correct: lom, lmo.
  std::vector<std::pair<std::string, Kappas>> kappas;

  std::optional<Fitted<HockneyParameters>> hockney;             ///< sizes up to the eager limit
  std::optional<Fitted<HockneyParameters>> hockney_rendezvous;  ///< sizes above it
  std::optional<Fitted<AdditiveParameters>> lom;
  std::optional<Fitted<AdditiveParameters>> lmo;
  std::optional<Fitted<BottleneckParameters>> bottleneck;
  std::optional<Fitted<LogPParameters>> logp;
  std::optional<Fitted<LogGpParameters>> loggp;
  std::optional<Fitted<LogGpsParameters>> loggps;
  /// Beside loggps: how receiving overheads were measured. quiet: no call of MPI while the message
  /// arrives; progress: MPI is kept going.
  std::string receive_wait;
  std::optional<Fitted<PLogPParameters>> plogp;
  std::optional<Fitted<StartUpParameters>> start_up;
  std::optional<Fitted<OverheadGrowth>> overhead_growth;

  std::vector<Check> checks;
  std::vector<Ranking> ranking;  ///< best first
  /// Best model first; by operation, algorithm and size. Empty in files of older versions.
  std::vector<Judgement> judgements;
  std::vector<std::string> warnings;
  std::string not_determined;  ///< which models are missing and why, or empty

  [[nodiscard]] std::string host(int rank) const;
  /// The best-ranked model that is there, or the only one. @throws InputError when there is none.
  [[nodiscard]] std::string preferred() const;
  [[nodiscard]] bool has(std::string_view model) const;
  /// Names of the models that are there, best-ranked first, unranked ones last.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Those of the file and of each fit, which then begin with its name; of one kind only the first.
  [[nodiscard]] std::vector<std::string> all_warnings() const;
};

/// Names of the models, in the order of files and tables.
[[nodiscard]] const std::vector<std::string>& model_names();

/// @throws InputError  unknown name; says which there are.
void require_model_name(std::string_view name);
/// Whether it is fitted to experiments with two peers.
[[nodiscard]] bool needs_three_ranks(std::string_view model);

/// Schema `commgauge.model/1`, see docs/formats.md.
/// @throws InputError  one line that names file, place and reason.
[[nodiscard]] Model load_model(const std::filesystem::path& file);
[[nodiscard]] Model model_from_json(const std::string& text, const std::string& name);
[[nodiscard]] std::string to_json(const Model& model);

}  // namespace commgauge
