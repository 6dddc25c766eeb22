#pragma once

#include <functional>
#include <optional>
#include <string>

#include "commgauge/export/exported.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

[[nodiscard]] Exported export_csv(const Model& model);
/// @param name  lmo, bottleneck, loggps or hockney
[[nodiscard]] Exported export_simgrid(const Model& model, const std::string& name);
/// The models with steps: at the eager limit S, of loggps also at s.
/// @param name  loggps or hockney
[[nodiscard]] Exported export_simgrid_protocols(const Model& model, const std::string& name);
/// @param name  loggps, loggp or logp
[[nodiscard]] Exported export_loggopsim(const Model& model, const std::string& name);
[[nodiscard]] Exported export_dimemas(const Model& model);
/// @param name  of a model that predicts collectives
[[nodiscard]] Exported export_ompi_rules(const Model& model, const std::string& name);
[[nodiscard]] Exported export_mpich_coll(const Model& model, const std::string& name);

/// Nothing where the model has none.
[[nodiscard]] std::optional<std::string> loss_of_host_links(const Model& model);
[[nodiscard]] std::optional<std::string> loss_of_fabric(const Model& model);

/// Of a message of so many bytes, by a format's own formula [s]. NaN: the pair is not exported.
using OneWay = std::function<double(int from, int to, double size)>;
/// See Exported::worst_error.
[[nodiscard]] double worst_error(const Model& model, const std::string& name,
                                 const OneWay& one_way);

/// All ranks, or as many of them evenly spread.
[[nodiscard]] std::vector<int> compared_ranks(int n);

/// With as many digits as give the number back.
[[nodiscard]] std::string exact(double value);

}  // namespace commgauge
