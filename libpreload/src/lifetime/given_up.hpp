#pragma once

#include <filesystem>
#include <string>

namespace commgauge::preload {

/// Whether a process has said why an archive stays unfinished: trace::Writer::give_up() leaves a
/// file for each rank.
[[nodiscard]] inline bool is_given_up(const std::string& archive) {
  std::error_code none;
  for (std::filesystem::directory_iterator file{archive, none}, end; !none && file != end;
       file.increment(none)) {
    if (file->path().filename().string().starts_with("unfinished.")) return true;
  }
  return false;
}

}  // namespace commgauge::preload
