#pragma once

#include "commgauge/base/units.hpp"

namespace commgauge::bench {

/// When what is complete is kept: at the end of a pass, and in long ones every half a minute; less
/// often where it takes more than a twentieth of the time.
class KeepRhythm {
 public:
  [[nodiscard]] bool is_due(Seconds now, bool pass_is_over) const {
    const Seconds since = now - end_;
    return since >= pause * cost_ && (pass_is_over || since >= longest);
  }
  void kept(Seconds begin, Seconds end) {
    end_ = end;
    cost_ = end - begin;
  }

 private:
  static constexpr double pause = 19;  ///< of what it took
  static constexpr Seconds longest{30};

  Seconds end_{};
  Seconds cost_{};
};

}  // namespace commgauge::bench
