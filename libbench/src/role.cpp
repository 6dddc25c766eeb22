#include "role.hpp"

#include <algorithm>
#include <cassert>

#include "commgauge/predict/tree.hpp"

namespace commgauge::bench {

namespace {

/// Ranks count from the root, as in branches_of().
int position_of(const Experiment& experiment, int rank) {
  if (rank == experiment.root) return 0;
  const auto found = std::ranges::find(experiment.peers, rank);
  assert(found != experiment.peers.end());
  return static_cast<int>(found - experiment.peers.begin()) + 1;
}

int rank_at(const Experiment& experiment, int position) {
  return position == 0 ? experiment.root : experiment.peers[static_cast<std::size_t>(position - 1)];
}

/// In the order of service; a gather's the other way round.
std::vector<Branch> branches_of(const Experiment& experiment) {
  const int ranks = static_cast<int>(experiment.peers.size()) + 1;
  if (experiment.kind != Kind::bcast) return binomial_tree(ranks, 0);
  std::vector<Branch> star;
  for (int child = 1; child < ranks; ++child) star.push_back({0, child, 1});
  return star;
}

}  // namespace

bool has_roles(Kind kind) {
  return kind == Kind::bcast || kind == Kind::bcast_binomial || kind == Kind::scatter_binomial ||
         kind == Kind::gather_binomial;
}

Role role_of(const Experiment& experiment, int rank) {
  assert(has_roles(experiment.kind));
  const int own = position_of(experiment, rank);
  const bool gathers = ends_at_root(experiment.kind);
  const bool copies = experiment.kind == Kind::bcast || experiment.kind == Kind::bcast_binomial;
  const Bytes block = gathers ? experiment.back : experiment.out;
  const auto blocks = [&](int count) {
    return copies ? block.value : block.value * static_cast<std::uint64_t>(count);
  };
  Role role;
  role.data = Bytes{blocks(static_cast<int>(experiment.peers.size()) + 1)};
  for (const Branch& branch : branches_of(experiment)) {
    const Bytes size{blocks(branch.ranks)};
    if (branch.child == own) {
      role.data = size;
      role.steps.push_back({gathers, rank_at(experiment, branch.parent), 0, size});
    } else if (branch.parent == own) {
      const std::size_t offset = copies ? 0 : blocks(branch.child - own);
      role.steps.push_back({!gathers, rank_at(experiment, branch.child), offset, size});
    }
  }
  if (gathers) std::ranges::reverse(role.steps);
  return role;
}

}  // namespace commgauge::bench
