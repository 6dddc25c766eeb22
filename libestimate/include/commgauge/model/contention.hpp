#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// Of each host, by its name: how many cores its ranks may be on, at least one.
[[nodiscard]] std::map<std::string, int> cores_of_hosts(std::span<const RankPlace> ranks);
/// Whether some host has more ranks than cores for them.
[[nodiscard]] bool cores_are_shared(std::span<const RankPlace> ranks);

/// Whether a link or memory that ranks of a host share limits what was measured.
[[nodiscard]] bool has_host_limits(const Model& model);

/// How much longer disjoint pairs of ranks take at once than alone, as it was measured to choose
/// the schedule; of several launches the most. Nothing: no longer than noise explains, not
/// measured, or `host_links` (has_host_limits()) or `fabric` tell what is shared.
[[nodiscard]] std::optional<Contention> contention_of(const Model& model);
constexpr const char* contention_kind = "contention";
/// The same for everybody who tells times by the model to say.
[[nodiscard]] std::optional<Diagnostic> contention_note(const Model& model);

}  // namespace commgauge
