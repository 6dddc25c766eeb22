#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commgauge/base/exit_code.hpp"

namespace commgauge::tools {

/// A file of the command line.
struct NamedFile {
  std::string option;  ///< as the user knows it: `-o`
  std::string file;    ///< empty: not given
};

/// Finds out before a long measurement whether every output that is given can be written, and that
/// no two of them are the same file, nor one of them an input, by whatever path or link.
/// @throws InputError  with the reason.
void check_outputs(std::vector<NamedFile> outputs, const std::vector<NamedFile>& inputs = {});

/// Writes what took long to measure.
class Results {
 public:
  /// Where `file` can't be written any more it goes elsewhere, which is said: into the current
  /// directory, $TMPDIR or /tmp, over nothing that is there.
  /// @return where it is. @throws InputError  nowhere
  std::string write(const std::string& file, std::string_view content);

  /// @return `code`, or bad_input where a file isn't where it was to be.
  [[nodiscard]] ExitCode judged(ExitCode code) const {
    return elsewhere_ ? ExitCode::bad_input : code;
  }

 private:
  bool elsewhere_{};
};

/// `model.measurements.json` beside `model.json`: where measurements are kept that nothing could be
/// made of; with a number where that is there already. Empty where the output is no regular file.
[[nodiscard]] std::string measurements_beside(const std::string& output);

}  // namespace commgauge::tools
