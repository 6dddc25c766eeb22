#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commgauge/export/exported.hpp"
#include "commgauge/model/model.hpp"

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

/// @param name  of the model; empty: the best ranked that the format can express.
/// @throws InputError  no such model in the file, or one that the format can't take; values that
///                     would be nonsense there (a negative bandwidth).
/// O(n²), of the csv times the number of sizes of plogp. Rules for collectives: O(n·min(n, 32)) for
/// each of some hundred sizes, of some thirty times the number of replicates.
[[nodiscard]] Exported export_model(const Model& model, ExportFormat format,
                                    const std::string& name = {});

}  // namespace commgauge
