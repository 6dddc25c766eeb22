#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

/// Whose input.
enum class ExportFormat {
  csv,         ///< every parameter with its interval, a row each
  simgrid,     ///< platform XML 4.1, from lmo, bottleneck, loggps or hockney
  loggopsim,   ///< flags, in picoseconds, from loggps, loggp or logp
  dimemas,     ///< .cfg, from hockney
  ompi_rules,  ///< rules of Open MPI's coll/tuned, from any model but logp
  mpich_coll   ///< collective selection of MPICH 4.0, JSON, from any model but logp
};

/// @throws InputError  unknown word; says which there are.
[[nodiscard]] ExportFormat parse_export_format(std::string_view text);
/// All of them, in the order of the enumeration.
[[nodiscard]] const std::vector<std::string>& export_format_names();

/// A model in another program's words.
struct Exported {
  std::string text;
  std::string model;  ///< it was made from; empty: from all
  /// Better ranked models that the format or their values don't allow: name and reason, a line
  /// each.
  std::vector<std::string> passed_over;
  std::vector<std::string> losses;  ///< what the format can't hold, each in one line
  std::vector<std::string> usage;   ///< what it takes beside the file, each in one line
  /// Largest relative error of a one-way time by the format's own formula against the model's, over
  /// all measured pairs and sizes that the model was fitted for; 0 of csv. Of rules for
  /// collectives: by how much the chosen algorithm takes longer than the faster of the two, over
  /// roots (of many 32), 16 sizes in an octave and both sides of wherever times jump or the
  /// algorithm changes.
  double worst_error{};
};

/// @param name  of the model; empty: the best ranked that the format can express.
/// @param predictor  tells what rules for collectives compare;
///                   simulate::predict_with_replicates() where ranks of hosts share links
/// @throws InputError  no such model in the file, or one that the format can't take; values that
///                     would be nonsense there (a negative bandwidth).
/// O(n²), of the csv times the number of sizes of plogp. Rules for collectives: O(n·min(n, 32)) for
/// each of some hundred sizes, of some thirty times the number of replicates.
[[nodiscard]] Exported export_model(const Model& model, ExportFormat format,
                                    const std::string& name = {},
                                    const Predictor& predictor = predict_with_replicates);

}  // namespace commgauge
