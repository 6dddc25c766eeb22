#pragma once

#include <algorithm>

#include "commgauge/replay/replay.hpp"
#include "commgauge/simulate/process.hpp"

namespace commgauge::replay {

/// Notes the largest message, and a timeline: stretches of one kind that touch are one.
class ResultObserver final : public simulate::Observer {
 public:
  /// @param ranks  of the timeline; 0: there is to be none
  ResultObserver(Result& result, int ranks)
      : largest_{result.largest_message}, timeline_{result.timeline} {
    timeline_.ranks.resize(static_cast<std::size_t>(ranks));
  }
  void passed(const simulate::Process& process, double simulate::Shares::*share, double from,
              double to) override {
    if (timeline_.ranks.empty()) return;
    auto& stretches = timeline_.ranks[static_cast<std::size_t>(process.rank())];
    const Doing what = doing(share);
    if (!stretches.empty() && stretches.back().what == what && stretches.back().to == from) {
      stretches.back().to = to;
    } else {
      stretches.push_back({what, from, to});
    }
  }
  void received(const simulate::Process& process, const simulate::Message& message) override {
    largest_ = std::max(largest_, Bytes{message.size});
    if (timeline_.ranks.empty()) return;
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

  Bytes& largest_;
  Timeline& timeline_;
};

}  // namespace commgauge::replay
