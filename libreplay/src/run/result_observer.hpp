#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commgauge/replay/run/result.hpp"
#include "commgauge/simulate/process/process.hpp"

namespace commgauge::replay {

/// Notes the largest message or access, what goes between which ranks, and a timeline: stretches of
/// one kind that touch are one.
class ResultObserver final : public simulate::Observer {
 public:
  /// @param ranks  of the timeline; 0: there is to be none
  ResultObserver(Result& result, int ranks, bool counts_traffic)
      : largest_{result.largest_message},
        timeline_{result.timeline},
        counts_traffic_{counts_traffic} {
    timeline_.ranks.resize(static_cast<std::size_t>(ranks));
  }
  void passed(const simulate::Process& process, double simulate::Shares::*share, double from,
              double to) override {
    const bool is_first = process.actor() == process.rank();
    if (timeline_.ranks.empty() || !is_first) return;
    auto& stretches = timeline_.ranks[static_cast<std::size_t>(process.rank())];
    const Doing what = doing(share);
    if (!stretches.empty() && stretches.back().what == what && stretches.back().to == from) {
      stretches.back().to = to;
    } else {
      stretches.push_back({what, from, to});
    }
  }
  void moved(const simulate::Transfer& data) override {
    largest_ = std::max(largest_, Bytes{data.bytes});
    if (counts_traffic_) count(data.from, data.to, data.bytes);
    if (timeline_.ranks.empty()) return;
    timeline_.messages.push_back({data.from, data.to, data.bytes, data.started, data.over});
  }

  /// @return what was counted, by sender and receiver
  [[nodiscard]] std::vector<Traffic> traffic() const {
    std::vector<Traffic> all;
    for (const auto& [pair, traffic] : traffic_) all.push_back(traffic);
    std::ranges::sort(all, {}, [](const Traffic& one) { return std::pair{one.from, one.to}; });
    return all;
  }

 private:
  void count(int from, int to, std::uint64_t bytes) {
    const auto pair = static_cast<std::uint64_t>(from) << 32U | static_cast<std::uint64_t>(to);
    Traffic& traffic = traffic_.try_emplace(pair, Traffic{from, to, 0, 0}).first->second;
    ++traffic.messages;
    traffic.bytes += bytes;
  }
  static Doing doing(double simulate::Shares::*share) {
    if (share == &simulate::Shares::computing) return Doing::computing;
    if (share == &simulate::Shares::sending) return Doing::sending;
    if (share == &simulate::Shares::receiving) return Doing::receiving;
    if (share == &simulate::Shares::sleeping) return Doing::sleeping;
    return Doing::waiting;
  }

  Bytes& largest_;
  Timeline& timeline_;
  bool counts_traffic_;
  std::unordered_map<std::uint64_t, Traffic> traffic_;
};

}  // namespace commgauge::replay
