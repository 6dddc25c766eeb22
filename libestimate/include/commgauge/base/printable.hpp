#pragma once

#include <string>
#include <string_view>

/// Others' text on a terminal: names of hosts and regions, words of the command line.
namespace commgauge {

/// With `?` for each byte that is no UTF-8, and for each character that does something else than
/// show itself: control characters, line ends, what changes the direction of writing.
[[nodiscard]] std::string one_line(std::string_view text);

/// The same of a text of several lines, whose ends stay.
[[nodiscard]] std::string printable(std::string_view text);

/// The user's own words in a message: in single quotes, on one line, cut where they are long.
[[nodiscard]] std::string as_quoted(std::string_view text);

}  // namespace commgauge
