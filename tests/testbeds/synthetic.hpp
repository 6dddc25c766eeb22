#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/plan/campaign_plan.hpp"

/// Machines that are nothing but parameters, and measurements of them with a known noise.
namespace commgauge::synthetic {

/// What an experiment takes, undisturbed.
struct Machine {
  int ranks{};
  std::function<double(const Experiment&)> time;  ///< [s]
};

/// Follows LMO: a rank serves and takes in one message at a time, what is under way overlaps.
[[nodiscard]] Machine lmo_machine(AdditiveParameters parameters);
/// Follows LOM's own formulas (Lastovetsky, Rychkov, O'Flynn 2008): a one-to-two costs its root
/// 4C + 2tM whatever overlaps. `parameters.L` is not used.
[[nodiscard]] Machine lom_machine(AdditiveParameters parameters);
/// Fixed costs as LMO, per byte the slowest of sender, link and receiver. @pre s, r are numbers;
/// `parameters.g` is not used.
[[nodiscard]] Machine bottleneck_machine(BottleneckParameters parameters);

/// Uneven parameters, none of them extreme: every estimator can determine all of them.
/// C about 10 us, t about 1 ns/B, L about 25 us, 1/beta about 8 ns/B.
[[nodiscard]] AdditiveParameters lmo_parameters(int n, std::uint64_t seed = 1);
/// The same without L.
[[nodiscard]] AdditiveParameters lom_parameters(int n, std::uint64_t seed = 1);
/// s and r about 9 ns/B, 1/beta 5 ns/B but for the link of ranks 0 and 1 with 30 ns/B; the last
/// rank, where there are four, takes 2 ns/B, so that its peers keep it from being busy.
[[nodiscard]] BottleneckParameters bottleneck_parameters(int n, std::uint64_t seed = 1);

/// g_ij = max(s_i, 1/beta_ij, r_j).
[[nodiscard]] Matrix pair_gaps(const BottleneckParameters& parameters);

/// All experiments of one pass of a campaign, planned with a pilot of the machine's true times.
[[nodiscard]] std::vector<Experiment> campaign(const Machine& machine, const CampaignSizes& sizes,
                                               const CampaignOptions& options = {});

/// What disturbs a block: time · (1 + disturbance), independent from block to block.
enum class Disturbance {
  none,
  gaussian,  ///< of standard deviation `relative`
  spikes,    ///< gaussian; on a `share` of the blocks an exponential of mean `height` is added
  bimodal    ///< gaussian; a `share` of the blocks takes `height` longer
};

struct Noise {
  Disturbance kind{Disturbance::none};
  double relative{0.01};
  double share{0.03};
  double height{0.5};
  double drift{};              ///< the last pass is slower than the first by this
  double launch_common{};      ///< standard deviation of a factor of all times of a launch
  double launch_individual{};  ///< the same for each experiment of a launch
  /// Of what each experiment takes in one pass of a launch, another one for each seed, instead of
  /// its time. Nothing: all passes are alike.
  std::function<double(const Experiment&, double time, std::mt19937_64&)> lost_pass{};

  /// What a long calibration finds, relative to the undisturbed time: median over the blocks, mean
  /// over the passes.
  [[nodiscard]] double usual() const;
};

/// How long a campaign measures.
struct Protocol {
  int launches{1};
  int passes{8};
  int least_blocks{7};
  int most_blocks{7};  ///< above the least one: stop at the precision
  double precision{0.025};
  double confidence{0.95};
};

/// Measures the same experiments again and again: measure(seed) is one complete calibration.
class TestBed {
 public:
  TestBed(const Machine& machine, const std::vector<Experiment>& experiments, const Noise& noise,
          const Protocol& protocol = {});

  /// Valid until the next call.
  [[nodiscard]] const Measurements& measure(std::uint64_t seed);

 private:
  using Random = std::mt19937_64;
  /// Which ordered values make the interval of so many blocks.
  struct OrderedEnds {
    std::size_t low{};
    std::size_t high{};
    double level{};
  };

  [[nodiscard]] double disturbed(double time);
  [[nodiscard]] const OrderedEnds& ends(std::size_t count);
  void observe(Observation& row, double time);
  static void replace(Observation& row, double time);

  std::vector<double> times_;  ///< undisturbed, of each experiment
  Noise noise_;
  Protocol protocol_;
  Measurements measurements_;
  std::vector<OrderedEnds> ends_;
  std::vector<double> blocks_;
  Random random_;
  std::normal_distribution<double> normal_;
  std::exponential_distribution<double> exponential_;
  std::uniform_real_distribution<double> uniform_;
};

/// One calibration.
[[nodiscard]] Measurements measure(const Machine& machine,
                                   const std::vector<Experiment>& experiments,
                                   const Noise& noise = {}, const Protocol& protocol = {},
                                   std::uint64_t seed = 1);

}  // namespace commgauge::synthetic
