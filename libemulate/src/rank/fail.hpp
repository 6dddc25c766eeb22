#pragma once

#include <string>

#include "commgauge/base/exit_code.hpp"

namespace commgauge::emulate {

/// Says `emulate: text` and ends the whole job.
[[noreturn]] void fail(ExitCode code, const std::string& text);

}  // namespace commgauge::emulate
