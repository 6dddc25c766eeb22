#pragma once

namespace commgauge {

enum class Unit { seconds, seconds_per_byte, bytes, ratio };

/// What of a message's time a parameter is, for questions such as "what if latency were half?".
enum class Part {
  none,      ///< it is no time
  latency,   ///< of any message; where a model has no overheads these are in it
  per_byte,  ///< what a byte adds
  overhead,  ///< of a rank's processor, what it does for each byte as well
  gap        ///< between messages that follow one another, but for what their bytes take
};

/// What is known of a parameter beside its shape, which is its type's: a number, one for each rank
/// (std::vector), for each pair (Matrix), or for each pair and size (std::vector<Matrix>).
///
/// visit_fields(parameters, visit) calls visit(facts, field) for every field of a model, in the
/// order of files; `parameters` may be const.
struct FieldFacts {
  const char* name;     ///< in files
  const char* symbol;   ///< for people
  const char* meaning;  ///< follows the symbol
  Unit unit;
  Part part;
  bool is_shown{};  ///< among the few that show a machine at a glance
};

}  // namespace commgauge
