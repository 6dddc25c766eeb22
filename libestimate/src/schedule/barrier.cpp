#include "schedule/draft.hpp"

namespace commgauge::schedule {

void barrier_dissemination(Draft& d) {
  for (int distance = 1; distance < d.ranks(); distance *= 2) {
    d.exchange(d.after(distance), {}, d.before(distance), {});
  }
}

void barrier_flat(Draft& d) {
  const bool is_root = d.rank == 0;
  if (!is_root) d.send(0, {});
  for (int peer = 1; is_root && peer < d.ranks(); ++peer) d.receive(peer, {});
  if (!is_root) d.receive(0, {});
  for (int peer = 1; is_root && peer < d.ranks(); ++peer) d.send(peer, {});
}

}  // namespace commgauge::schedule
