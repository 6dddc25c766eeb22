#pragma once

#include <string>
#include <vector>

#include "commgauge/model/model.hpp"

namespace commgauge::tools {

/// A machine's model for this job's ranks, by the names of their hosts (model_of_job()). Says what
/// is assumed. A job of as many ranks as the model, on hosts of other names, is taken for the same
/// ranks. A line says so.
/// @throws InputError  a host that the model doesn't know, in a job of another number of ranks.
[[nodiscard]] Model model_of_this_job(const Model& machine, const std::vector<std::string>& hosts);

}  // namespace commgauge::tools
