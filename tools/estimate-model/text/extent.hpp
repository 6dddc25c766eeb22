#pragma once

namespace commgauge::tools {

/// How much of what stands out.
enum class Extent { worst, everything };

}  // namespace commgauge::tools
