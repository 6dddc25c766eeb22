#pragma once

#include "base/json_reader.hpp"
#include "commgauge/thresholds/threshold.hpp"

namespace commgauge::detail {

[[nodiscard]] OrderedJson size_or_null(std::optional<Bytes> size);

/// Adds `eager_limit_bytes`, `scatter_break_bytes`, `gather_m1_bytes` and `gather_m2_bytes`, each
/// an object {value, low, high}, with a reason where there is one; and `scatter_sweep` and
/// `gather_sweep`, off which they were read.
void add_thresholds(OrderedJson& object, const MachineThresholds& thresholds);
/// What add_thresholds() wrote, and `confidence`.
[[nodiscard]] MachineThresholds read_thresholds(const Reader& json);

[[nodiscard]] OrderedJson as_json(const Kappas& kappas);
/// Of a job of n ranks.
[[nodiscard]] Kappas read_kappas(const Reader& json, int n);

}  // namespace commgauge::detail
