#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "commgauge/trace/events/trace.hpp"

struct Dwfl;

namespace commgauge::record {

/// A site of which only the place in a program's file or library is known.
/// @param offset  that a call returns to, as the file itself counts addresses
[[nodiscard]] trace::Site place_in(const std::string& file, std::uint64_t offset);

/// Symbols and debug information of files, read by elfutils when they are first asked for.
class Symbols {
 public:
  /// @param place  of place_in()
  /// @return with its function, if there are symbols; with its line, if there is debug information
  [[nodiscard]] trace::Site resolve(const trace::Site& place);

 private:
  using File = std::shared_ptr<Dwfl>;
  [[nodiscard]] Dwfl& file(const std::string& path);

  std::map<std::string, File> files_;
};

}  // namespace commgauge::record
