#pragma once

#include <string_view>

namespace commgauge::c {

/// Keeps `text` as this thread's last message; what doesn't fit is cut between two characters.
/// Allocates nothing.
void keep_message(std::string_view text) noexcept;
/// Empty before the first.
[[nodiscard]] const char* last_message() noexcept;

}  // namespace commgauge::c
