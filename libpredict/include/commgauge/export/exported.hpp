#pragma once

#include <string>
#include <vector>

namespace commgauge {

/// A model in another program's words.
struct Exported {
  std::string text;
  std::string model;  ///< it was made from; empty: from all
  /// Better ranked models that the format or their values don't allow: name and reason, a line
  /// each.
  std::vector<std::string> passed_over;
  std::vector<std::string> losses;  ///< what the format can't hold, each in one line
  std::vector<std::string> usage;   ///< what it takes beside the file, each in one line
  /// Largest relative error of a one-way time by the format's own formula against the model's, over
  /// all measured pairs and sizes that the model was fitted for; 0 of csv. Of rules for
  /// collectives: by how much the chosen algorithm takes longer than the faster of the two, over
  /// roots (of many 32), 16 sizes in an octave and both sides of wherever times jump or the
  /// algorithm changes.
  double worst_error{};
};

}  // namespace commgauge
