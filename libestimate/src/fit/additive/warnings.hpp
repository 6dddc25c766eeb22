#pragma once

#include <string>

#include "commgauge/model/model.hpp"
#include "fit/time_table.hpp"

namespace commgauge {

/// What is said of a fit of LOM or LMO: that it misses its own experiments, parameters below zero,
/// directions of a link that differ.
/// @param name  of the model, for people  @param size  of the links' experiments
void warn_of_fit(Fitted<AdditiveParameters>& fitted, const std::string& name,
                 const TimeTable& table, Bytes size);

}  // namespace commgauge
