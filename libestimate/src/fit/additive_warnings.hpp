#pragma once

#include <string>

#include "commgauge/model/model.hpp"
#include "fit/time_table.hpp"

// What is said of a fit of LOM or LMO.

namespace commgauge {

void warn_of_negative(Fitted<AdditiveParameters>& fitted);

/// β_ij = β_ji is an assumption: says how far it is off.
void warn_of_asymmetry(Fitted<AdditiveParameters>& fitted, const TimeTable& table, Bytes size);

/// @param name  of the model, for people
void warn_of_poor_fit(Fitted<AdditiveParameters>& fitted, const std::string& name);

}  // namespace commgauge
