#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "commgauge/base/error.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

constexpr double pico = 1e12;
constexpr std::int32_t largest_option =
    std::numeric_limits<std::int32_t>::max();  ///< its options are ints

/// Means over the pairs, as its options take them.
struct LogGops {
  double L{};  ///< [s]
  double o{};  ///< [s], of either side
  double g{};  ///< [s]
  double G{};  ///< [s/byte]
  double O{};  ///< [s/byte], of either side
  bool has_sides{};
  const Matrix* L_of_pairs{};
};

LogGops means_of(const Model& model, const std::string& name) {
  if (name == "logp") {
    const LogPParameters& p = model.logp->value;
    return {p.mean_L, p.mean_o, p.mean_g, 0, 0, false, &p.L};
  }
  if (name == "loggp") {
    const LogGpParameters& p = model.loggp->value;
    return {p.mean_L, p.mean_o, p.mean_g, p.mean_G, 0, false, &p.L};
  }
  const LogGpsParameters& p = model.loggps->value;
  return {p.mean_L,
          (p.mean_o_prime_s + p.mean_o_prime_r) / 2,
          p.mean_g,
          p.mean_G,
          (p.mean_O_s + p.mean_O_r) / 2,
          true,
          &p.L};
}

std::int64_t in_picoseconds(double value, const std::string& name) {
  if (!(value >= 0)) {
    throw InputError("the mean " + name +
                     " is negative or unknown, which LogGOPSim can't hold: "
                     "take another model, or calibrate again");
  }
  if (value * pico > largest_option) {
    throw InputError("the mean " + name + " is " + to_text(Seconds{value}) +
                     ", and LogGOPSim's options are picoseconds up to 2.147 ms: take a model of a "
                     "faster network, or another format");
  }
  return std::llround(value * pico);
}

}  // namespace

Exported export_loggopsim(const Model& model, const std::string& name) {
  const LogGops mean = means_of(model, name);
  const std::int64_t L = in_picoseconds(mean.L, "L");
  const std::int64_t o = in_picoseconds(mean.o, "o");
  const std::int64_t g = in_picoseconds(mean.g, "g");
  const std::int64_t G = in_picoseconds(mean.G, "G");
  const std::int64_t O = in_picoseconds(mean.O, "O");
  const std::uint64_t S = std::min<std::uint64_t>(
      largest_option, model.eager_limit.value_or(Bytes{largest_option}).value);
  Exported result;
  result.model = name;
  result.text = "-L " + std::to_string(L) + " -o " + std::to_string(o) + " -g " +
                std::to_string(g) + " -G " + std::to_string(G) + " -O " + std::to_string(O) +
                " -S " + std::to_string(S) + "\n";
  result.losses = {"picoseconds: computation in the schedule takes the same unit, 1000 for 1 ns",
                   "one value for all pairs: their mean",
                   "messages above S are not compared: the simulator waits for receivers in its "
                   "own way"};
  if (mean.has_sides) {
    result.losses.emplace_back("one o and one O for both sides: their mean");
    result.losses.emplace_back("a byte takes the larger of G and O, not their sum; no G' below s");
  }
  result.worst_error = worst_error(model, name, [&](int i, int j, double size) {
    const bool is_measured = !std::isnan((*mean.L_of_pairs)(i, j));
    if (!is_measured || size > static_cast<double>(S)) return std::nan("");
    const double bytes = std::max(size - 1, 0.0) * static_cast<double>(std::max(O, G));
    return (2 * static_cast<double>(o) + static_cast<double>(L) + bytes) / pico;
  });
  return result;
}

}  // namespace commgauge
