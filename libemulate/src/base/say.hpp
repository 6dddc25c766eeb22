#pragma once

#include <string>

namespace commgauge::emulate {

/// Writes one line, `emulate: text`, on standard error.
void say(const std::string& text);

}  // namespace commgauge::emulate
