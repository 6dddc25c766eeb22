#include "base/role.hpp"

#include <algorithm>
#include <cassert>

#include "commgauge/schedule/schedule.hpp"

namespace commgauge::bench {

namespace {

/// Ranks count from the root.
int position_of(const Experiment& experiment, int rank) {
  if (rank == experiment.root) return 0;
  const auto found = std::ranges::find(experiment.peers, rank);
  assert(found != experiment.peers.end());
  return static_cast<int>(found - experiment.peers.begin()) + 1;
}

int rank_at(const Experiment& experiment, int position) {
  return position == 0 ? experiment.root : experiment.peers[static_cast<std::size_t>(position - 1)];
}

schedule::Operation operation_of(Kind kind) {
  if (kind == Kind::scatter_binomial) return schedule::Operation::scatter;
  if (kind == Kind::gather_binomial) return schedule::Operation::gather;
  return kind == Kind::ring ? schedule::Operation::ring : schedule::Operation::bcast;
}

bool is_binomial(Kind kind) {
  return kind == Kind::scatter_binomial || kind == Kind::gather_binomial ||
         kind == Kind::bcast_binomial;
}

/// Ranks count from the root, in the order of the peers.
schedule::Collective collective_of(const Experiment& experiment) {
  schedule::Collective what;
  what.operation = operation_of(experiment.kind);
  what.ranks = static_cast<int>(experiment.peers.size()) + 1;
  what.counts = {(ends_at_root(experiment.kind) ? experiment.back : experiment.out).value};
  return what;
}

}  // namespace

bool has_roles(Kind kind) { return is_binomial(kind) || kind == Kind::bcast || kind == Kind::ring; }

Role role_of(const Experiment& experiment, int rank) {
  assert(has_roles(experiment.kind));
  const auto algorithm =
      is_binomial(experiment.kind) ? schedule::Algorithm::binomial : schedule::Algorithm::flat;
  const schedule::Schedule whole =
      schedule_of(collective_of(experiment), algorithm, position_of(experiment, rank));
  Role role;
  role.data = Bytes{whole.buffers.front()};
  role.is_at_once = experiment.kind == Kind::ring;
  for (const schedule::Step& step : whole.steps) {
    role.steps.push_back({step.kind == schedule::Step::Kind::send, rank_at(experiment, step.peer),
                          step.here.offset, Bytes{step.here.count}});
  }
  return role;
}

}  // namespace commgauge::bench
