#pragma once

#include <string>
#include <vector>

namespace commgauge::tools {

/// A file of the command line.
struct NamedFile {
  std::string option;  ///< as the user knows it: `-o`
  std::string file;    ///< empty: not given
};

/// Finds out before a long measurement whether every output that is given can be written, and that
/// no two of them are the same file, nor one of them the input.
/// @throws InputError  with the reason.
void check_outputs(const std::vector<NamedFile>& outputs, const NamedFile& input = {});

/// `model.measurements.json` beside `model.json`: where measurements are kept that nothing could be
/// made of. Empty where the output is no regular file.
[[nodiscard]] std::string measurements_beside(const std::string& output);

}  // namespace commgauge::tools
