#pragma once

#include <vector>

namespace commgauge {

/// A message of a tree-shaped collective.
struct Branch {
  int parent{};
  int child{};
  int ranks{};  ///< in the child's subtree, itself among them: blocks of a scatter or a gather
  friend bool operator==(const Branch&, const Branch&) = default;
};

/// MPICH's binomial tree: ranks count from the root; a rank's parent is itself without its lowest
/// bit set, and comes before it; the farthest child is served first (a gather takes them in the
/// other way round). n − 1 branches, ordered by parent, counted from the root;
/// of one parent in the order of service. @pre 0 ≤ root < ranks
[[nodiscard]] std::vector<Branch> binomial_tree(int ranks, int root);

}  // namespace commgauge
