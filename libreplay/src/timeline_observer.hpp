#pragma once

#include "commgauge/replay/timeline.hpp"
#include "commgauge/simulate/process.hpp"

namespace commgauge::replay {

/// Writes a timeline. Stretches of one kind that touch are one.
class TimelineObserver final : public simulate::Observer {
 public:
  TimelineObserver(Timeline& timeline, int ranks) : timeline_{timeline} {
    timeline_.ranks.resize(static_cast<std::size_t>(ranks));
  }
  void passed(const simulate::Process& process, double simulate::Shares::*share, double from,
              double to) override {
    auto& stretches = timeline_.ranks[static_cast<std::size_t>(process.rank())];
    const Doing what = doing(share);
    if (!stretches.empty() && stretches.back().what == what && stretches.back().to == from) {
      stretches.back().to = to;
    } else {
      stretches.push_back({what, from, to});
    }
  }
  void received(const simulate::Process& process, const simulate::Message& message) override {
    timeline_.messages.push_back(
        {message.envelope.source, process.rank(), message.size, message.start, process.clock()});
  }

 private:
  static Doing doing(double simulate::Shares::*share) {
    if (share == &simulate::Shares::computing) return Doing::computing;
    if (share == &simulate::Shares::sending) return Doing::sending;
    if (share == &simulate::Shares::receiving) return Doing::receiving;
    return Doing::waiting;
  }

  Timeline& timeline_;
};

}  // namespace commgauge::replay
