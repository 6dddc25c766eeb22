#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace commgauge {

/// Where a rank is, and what it is like.
struct GivenPlace {
  std::string host;
  std::string kind;
  friend bool operator==(const GivenPlace&, const GivenPlace&) = default;
};

/// A line for each rank or range of ranks, in any order, `0-15 n1 big`: ranks, host, kind. `#`
/// begins a comment. Every rank from 0 on stands once.
/// @param name  of the file, for messages. @throws InputError  line and reason
[[nodiscard]] std::vector<GivenPlace> places_from_text(const std::string& text,
                                                       const std::string& name);

/// From such a file, or from measurements of a sample: so that other launches measure the same
/// ones.
/// @return nothing for measurements of all ranks. @throws InputError  file, place and reason
[[nodiscard]] std::vector<GivenPlace> load_places(const std::filesystem::path& file);

}  // namespace commgauge
