#pragma once

#include <string>

#include "base/json_reader.hpp"

namespace commgauge::detail {

/// Text for people too: an object's members and an array's arrays on lines of their own, an array
/// of scalars and whatever is short on one line. NaN and infinity become null.
[[nodiscard]] std::string to_lines(const OrderedJson& json);

}  // namespace commgauge::detail
