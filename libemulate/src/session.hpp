#pragma once

#include <memory>

#include "emulator.hpp"

namespace commgauge::emulate {

struct Session {
  std::unique_ptr<Emulator> emulator;
  double last_clock{};  ///< of what is over
  bool was_active{};
};
[[nodiscard]] Session& session();

}  // namespace commgauge::emulate
