#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/output/outputs.hpp"
#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// What `replay run` is to show and to write. Files that aren't given are empty.
struct RunOutputs {
  bool shows_timeline{};
  bool shows_matrix{};
  std::string json;
  std::string page;
  std::string perfetto;
  std::string paje;
  std::string otf2;  ///< a directory
  /// Whether one of them is standard output, so that no text is.
  [[nodiscard]] bool take_standard_output() const;
};

/// --timeline, --matrix, --page, --perfetto, --paje, --otf2, -o
void add_output_options(CLI::App& app, RunOutputs& outputs);

/// @param trace  the archive that is read
/// @throws InputError  the output is somewhere within it
void check_is_outside(const NamedFile& output, const std::string& trace);

/// Before a long replay.
/// @param trace  the archive that is read
/// @throws InputError  an output can't be written, or would replace an input; options that
///   contradict each other
void check(const RunOutputs& outputs, const std::string& trace,
           const std::vector<NamedFile>& inputs, const replay::Options& options);

/// Has the replay keep what the outputs need.
void prepare(replay::Options& options, const RunOutputs& outputs);

/// Prints and writes all of it, each file whole or not at all. @throws InputError  with the reason
void write(const Outcome& outcome, const RunOutputs& outputs, const replay::Options& options);

}  // namespace commgauge::tools
