#include "collective/members.hpp"

#include "shared/live_world.hpp"

namespace commgauge::emulate {

namespace {

/// Of operations, before tags are used again: older operations are over then.
constexpr int numbers = tags_of_collectives / tags_of_one;

}  // namespace

Members members_of(const CommunicatorPtr& comm) {
  const int number = comm->collectives++ % numbers;
  return {comm, comm->members(), comm->rank, comm->collective_context(), number * tags_of_one};
}

Members persistent_members_of(const CommunicatorPtr& comm) {
  // Negative tags: a persistent operation keeps its own for as long as it may be started, while
  // those of the others come again.
  const int number = 1 + comm->persistent_collectives++ % numbers;
  return {comm, comm->members(), comm->rank, comm->collective_context(), -number * tags_of_one};
}

}  // namespace commgauge::emulate
