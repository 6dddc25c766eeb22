#include <algorithm>
#include <cmath>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

constexpr double MB = 1 << 20;  ///< Dimemas's

/// Mean of what rank i pays to all others before the first byte [s].
double latency(const Matrix& alpha, int i) {
  std::vector<double> known;
  for (int j = 0; j < alpha.size(); ++j) {
    if (!std::isnan(alpha(i, j))) known.push_back(alpha(i, j));
  }
  if (known.empty()) {
    throw InputError("rank " + std::to_string(i) + " has no measured pair: calibrate again");
  }
  return mean(known);
}

/// One node, one machine: processors and speeds as in the trace, one link in and one out.
std::string node_record(double startup) {
  return "\"node information\" {0, \"\", 1, 1.0, 0.0, 0.0, 1, 1, 0, " + exact(startup) +
         ", 1, 1, 0.0};;\n";
}

}  // namespace

/// Latencies from messages up to the eager limit, bandwidth from those above it, if there are any.
Exported export_dimemas(const Model& model) {
  const HockneyParameters& small = model.hockney->value;
  const HockneyParameters& large =
      model.hockney_rendezvous ? model.hockney_rendezvous->value : small;
  if (!(large.mean_beta > 0)) {
    throw InputError(
        "the mean time per byte is not positive, so there is no bandwidth: calibrate "
        "again, with larger messages");
  }
  Exported result;
  result.model = "hockney";
  std::vector<double> latencies;
  std::string nodes;
  for (int i = 0; i < model.ranks; ++i) {
    latencies.push_back(latency(small.alpha, i));
    if (latencies.back() < 0) {
      throw InputError("the latency of rank " + std::to_string(i) +
                       " is negative, which Dimemas can't hold: calibrate again");
    }
    nodes += node_record(latencies.back());
  }
  result.text =
      "#DIMEMAS_CONFIGURATION\n"
      "\"wide area network information\" {\"\", 1, 0, 4, 0.0, 0.0, 1};;\n"
      "\"environment information\" {\"\", 0, \"\", " +
      std::to_string(model.ranks) + ", " + exact(1 / large.mean_beta / MB) + ", 0, 1};;\n" + nodes +
      "\"predefined mapping information\" {\"1 TASKS_PER_NODE\"};;\n"
      "\"configuration files\" {\"\", \"\", \"\", \"\"};;\n"
      "\"file system parameters\" {0.0, 0.0, 8.0, 0, 1.0};;\n";
  result.losses = {"one bandwidth for all pairs: their mean time per byte",
                   "one latency for each sender: its mean to all others",
                   "no eager limit: waiting for a receiver is not modelled"};
  result.worst_error = worst_error(model, "hockney", [&](int i, int j, double size) {
    if (std::isnan(small.alpha(i, j))) return std::nan("");
    return latencies[static_cast<std::size_t>(i)] + size * large.mean_beta;
  });
  return result;
}

}  // namespace commgauge
