#pragma once

namespace commgauge {

enum class Unit { seconds, seconds_per_byte, bytes };

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
  bool is_shown{};  ///< among the few that show a machine at a glance
};

}  // namespace commgauge
