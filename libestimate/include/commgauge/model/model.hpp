#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/machine_classes.hpp"
#include "commgauge/model/operation.hpp"
#include "commgauge/model/parameters/additive.hpp"
#include "commgauge/model/parameters/bottleneck.hpp"
#include "commgauge/model/parameters/curves.hpp"
#include "commgauge/model/parameters/fabric.hpp"
#include "commgauge/model/parameters/fair_sharing.hpp"
#include "commgauge/model/parameters/hockney.hpp"
#include "commgauge/model/parameters/host_links.hpp"
#include "commgauge/model/parameters/logp_family.hpp"
#include "commgauge/model/parameters/message_jitter.hpp"
#include "commgauge/model/parameters/overhead_growth.hpp"
#include "commgauge/model/parameters/start_up.hpp"
#include "commgauge/thresholds/threshold.hpp"

namespace commgauge {

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
  std::vector<Diagnostic> warnings;
};

/// How one model did on one operation that no fit saw.
struct Check {
  std::string model;
  Operation operation{};  ///< not bcast
  Bytes size;
  int from{};
  int to{-1};  ///< of a ring, who comes next; −1 for collectives
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
  Operation operation{};
  Algorithm algorithm{Algorithm::flat};  ///< without meaning where it is no collective
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
  std::vector<std::pair<Operation, double>> operations;
};

/// A warning of a model file or of one of its fits.
struct Warning {
  std::string label;  ///< of the fit, within a sentence; empty: it is the file's
  std::string model;  ///< that the fit predicts for; empty: for none, or it is the file's
  Diagnostic diagnostic;
  long more{};  ///< how many of the same fit and kind are left out

  /// "poor (numbers): advice (and 2 more of this kind)"
  [[nodiscard]] std::string sentence() const;
  /// The same, which begins with the fit's label.
  [[nodiscard]] std::string text() const;
};

/// Everything that was learnt about a machine.
struct Model {
  std::vector<Launch> launches;
  double confidence{0.95};
  int ranks{};
  /// Which ranks and pairs are alike, where parameters are by class: every matrix and, by kind,
  /// every list of ranks' values. Nothing: each pair and rank has its own.
  std::optional<MachineClasses> classes;
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
  std::optional<Fitted<CurvesParameters>> curves;
  std::optional<Fitted<StartUpParameters>> start_up;
  std::optional<Fitted<OverheadGrowth>> overhead_growth;
  std::optional<Fitted<HostLinks>> host_links;
  std::optional<Fitted<MessageJitter>> jitter;
  std::optional<Fitted<FairSharing>> sharing;
  /// Nothing: not looked for, or no link between hosts was seen that limits messages.
  std::optional<Fabric> fabric;

  std::vector<Check> checks;
  std::vector<Ranking> ranking;  ///< best first
  /// Best model first; by operation, algorithm and size. Empty in files of older versions.
  std::vector<Judgement> judgements;
  std::vector<Diagnostic> warnings;
  std::string not_determined;  ///< which models are missing and why, or empty

  [[nodiscard]] std::string host(int rank) const;
  /// Of each rank.
  [[nodiscard]] std::vector<std::string> hosts() const;
  /// The best-ranked model that is there, or the only one. @throws InputError when there is none.
  [[nodiscard]] std::string preferred() const;
  [[nodiscard]] bool has(std::string_view model) const;
  /// Names of the models that are there, best-ranked first, unranked ones last.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Those of the file and of each fit; of a fit's of one kind only the first.
  [[nodiscard]] std::vector<Warning> all_warnings() const;
  /// The text() of each.
  [[nodiscard]] std::vector<std::string> warning_texts() const;
};

/// Names of the models, in the order of files and tables.
[[nodiscard]] const std::vector<std::string>& model_names();

/// @throws InputError  unknown name; says which there are.
void require_model_name(std::string_view name);
/// Whether it is fitted to experiments with two peers.
[[nodiscard]] bool needs_three_ranks(std::string_view model);

/// Schema `commgauge.model/1`, of models by classes `commgauge.model/2`, see docs/formats.md.
/// @throws InputError  one line that names file, place and reason.
[[nodiscard]] Model load_model(const std::filesystem::path& file);
[[nodiscard]] Model model_from_json(const std::string& text, const std::string& name);
[[nodiscard]] std::string to_json(const Model& model);

/// Both ends included.
struct SizeSpan {
  Bytes first;
  Bytes last;
};
/// That a model was fitted for. @pre model.has(name)
[[nodiscard]] SizeSpan fitted_sizes(const Model& model, const std::string& name);

}  // namespace commgauge
