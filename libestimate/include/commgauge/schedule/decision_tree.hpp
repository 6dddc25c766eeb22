#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commgauge/schedule/schedule.hpp"

namespace commgauge::schedule {

/// What a library takes from a size on, by its own name.
struct OwnChoice {
  Bytes first;
  std::string name;
};

/// A library's decisions, taken apart once: a decision then compares a few numbers.
class DecisionTree {
 public:
  /// What a name means for an operation.
  using Meaning = std::function<Algorithm(Operation, const std::string& name)>;

  /// @param json  as data/mpich/selection.json; the order of keys counts. Only what is decided on
  ///              hosts of one rank each, within one communicator, is kept.
  /// @pre a well-formed tree: its rules are known, the last of a node fits everything.
  DecisionTree(const char* json, const Meaning& meaning);

  /// @pre the tree has the operation.
  [[nodiscard]] Algorithm algorithm_for(const Collective& what) const;
  /// What it takes for each size, whatever counts the call has, of one size for all ranks: from 0
  /// on, ascending; no name stands twice in a row. @pre likewise
  [[nodiscard]] std::vector<OwnChoice> by_size(Collective what) const;

  /// What a rule looks at.
  enum class Subject {
    ranks,
    count,         ///< [units]
    average_size,  ///< [bytes] of a rank's part
    total_size,    ///< [bytes]
    is_commutative,
    is_built_in,
    is_in_place,
    is_regular,  ///< all ranks' counts are the same
  };
  struct Rule {
    enum class Test { always, never, equals, below, up_to, below_power, up_to_power, is_power };
    Test test{};
    Subject subject{};
    std::uint64_t limit{};  ///< of equals (1: yes), below and up_to
  };
  struct Branch;
  struct Node {
    Algorithm algorithm{};         ///< where it has no branches
    std::string name;              ///< likewise
    std::vector<Branch> branches;  ///< the first that fits counts
  };
  struct Branch {
    Rule rule;
    Node then;
  };

 private:
  [[nodiscard]] const Node& leaf(const Collective& what) const;

  std::map<Operation, Node> roots_;
};

}  // namespace commgauge::schedule
