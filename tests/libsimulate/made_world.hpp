#pragma once

#include <vector>

#include "commgauge/simulate/world/world.hpp"
#include "simulated_job.hpp"

namespace commgauge::simulate {

/// Nobody's: the test itself lets ranks go on, and decisions fall.
class NotingDriver final : public Driver {
 public:
  void wake(int actor) override { woken.push_back(actor); }
  [[nodiscard]] double least_time() const override { return time; }
  [[nodiscard]] bool follows_real_time() const override { return is_live; }
  void changed(World&) override {}

  std::vector<int> woken;
  double time{};  ///< [s]
  bool is_live{};
};

/// The world of a job on the machine of lmo_model().
struct MadeWorld {
  explicit MadeWorld(int ranks)
      : machine{job::lmo_machine(ranks)},
        world{arena, World::set_up(arena, machine), machine, driver} {}

  Machine machine;
  Arena arena;
  NotingDriver driver;
  World world;
};

}  // namespace commgauge::simulate
