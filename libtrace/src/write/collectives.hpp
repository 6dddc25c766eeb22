#pragma once

#include <otf2/otf2.h>

#include "commgauge/trace/write/together.hpp"

/// OTF2 leaves this to whoever gives it the functions.
struct OTF2_CollectiveContext {
  commgauge::trace::Together* together{};
  bool is_given_up{};  ///< others no longer take part
};

namespace commgauge::trace {

/// OTF2's collective operations by those of Together.
[[nodiscard]] const OTF2_CollectiveCallbacks& collective_callbacks();

}  // namespace commgauge::trace
