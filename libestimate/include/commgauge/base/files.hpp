#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge {

/// A file can't be written.
class WriteError : public InputError {
 public:
  /// @param problem  with the reason in parentheses
  WriteError(const std::string& problem, const std::string& advice)
      : InputError(problem + ": " + advice), problem_{problem} {}

  /// Without what to do: "cannot write x (No space left on device)".
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

/// Whether something is there, a directory or what else. @throws InputError  that can't be told:
/// no permission to look, links in a circle, a name that is too long.
[[nodiscard]] bool is_there(const std::filesystem::path& file);
/// Whether it is there, and a directory. @throws InputError  likewise
[[nodiscard]] bool is_a_directory(const std::filesystem::path& file);
/// Whether it is there, and a file: no directory, pipe or device. @throws InputError  likewise
[[nodiscard]] bool is_a_file(const std::filesystem::path& file);
/// What is in a directory, in no order. @throws InputError  it can't be read.
[[nodiscard]] std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory);
/// From the root on. @throws InputError  the current directory is gone.
[[nodiscard]] std::filesystem::path absolute_path(const std::filesystem::path& file);

/// Reads a whole file; `-` is standard input. @throws InputError  with the reason; a device, which
/// has no end.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// The first few KiB of a file, or all of it. @throws InputError  with the reason.
[[nodiscard]] std::string beginning_of(const std::filesystem::path& file);

/// Writes all or nothing: a temporary file beside it, fsync, rename. `-` is standard output, and
/// what is no regular file (a pipe, /dev/stdout) is written in place.
/// @throws WriteError  what was there before stays untouched.
void write_file(const std::filesystem::path& file, std::string_view content);

/// Finds out before a long measurement whether write_file could work.
/// Leaves nothing behind. @throws WriteError  it couldn't.
void check_writable(const std::filesystem::path& file);

/// Whether writing `output` would replace, or add to, what `input` is read from: one regular file,
/// by whatever path or link, hard ones too. `-` is standard output, of an input standard input.
[[nodiscard]] bool would_replace(const std::filesystem::path& output,
                                 const std::filesystem::path& input);

/// Whether both would be written into the same file, pipe or device, which need not exist yet.
/// @throws InputError  links that lead nowhere.
[[nodiscard]] bool is_same_output(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace commgauge
