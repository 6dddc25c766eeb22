// Whether messages that are under way together share what they pass, or take it in turn.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"

namespace commgauge {

namespace {

/// So much longer than one alone must two messages take together, to say that they take something
/// of each other.
constexpr double meet_clearly = 1.1;

/// Rows of the table: two messages at once until the first is there, and until both are; one alone.
struct Meeting {
  std::size_t first{};
  std::size_t both{};
  std::size_t alone{};
  double FairSharing::*tells{};
  Bytes size;
};

class SharingFit {
 public:
  SharingFit(const TimeTable& table, std::optional<Bytes> eager_limit)
      : table_{table}, eager_limit_{eager_limit} {
    for (std::size_t row = 0; row < table.experiments().size(); ++row) collect(row);
    std::erase_if(meetings_, [&](const Meeting& one) { return !takes_something(one); });
    for (const Meeting& one : meetings_) {
      used_.insert(used_.end(), {one.first, one.both, one.alone});
    }
    std::ranges::sort(used_);
    used_.erase(std::ranges::unique(used_).begin(), used_.end());
  }

  [[nodiscard]] bool is_determined() const { return !meetings_.empty(); }

  [[nodiscard]] Fitted<FairSharing> fit() const {
    auto fitted = fit_replicates<FairSharing>(table_, used_, [&](std::span<const double> times) {
      return Solution<FairSharing>{solve(times), {}};
    });
    const auto [first, last] = std::ranges::minmax(meetings_, {}, &Meeting::size);
    fitted.first = first.size;
    fitted.last = last.size;
    fitted.observations = static_cast<long>(used_.size());
    fitted.residual = unknown_value;
    return fitted;
  }

 private:
  void collect(std::size_t row) {
    const Experiment& e = table_.experiments()[row];
    if (e.kind != Kind::first_of_messages || e.check) return;
    const int from = e.peers.front();
    const auto both = table_.find(messages_at_once(from, e.root, e.messages, e.back));
    const auto alone = table_.find(round_trip(from, e.root, e.back, {}));
    if (!both || !alone) return;
    const bool is_eager = !eager_limit_ || e.back <= *eager_limit_;
    meetings_.push_back(
        {row, *both, *alone, is_eager ? &FairSharing::eager : &FairSharing::rendezvous, e.back});
  }

  [[nodiscard]] bool takes_something(const Meeting& one) const {
    return table_.times()[one.both] > meet_clearly * table_.times()[one.alone];
  }

  /// By how much the first is late, in parts of what it would be if both ended together.
  [[nodiscard]] static double share(const Meeting& one, std::span<const double> times) {
    const double alone = times[one.alone];
    return (times[one.first] - alone) / (times[one.both] - alone);
  }

  [[nodiscard]] FairSharing solve(std::span<const double> times) const {
    FairSharing found;
    for (double FairSharing::*const field : {&FairSharing::eager, &FairSharing::rendezvous}) {
      std::vector<double> shares;
      for (const Meeting& one : meetings_) {
        if (one.tells == field) shares.push_back(share(one, times));
      }
      found.*field = shares.empty() ? unknown_value : median(shares);
    }
    return found;
  }

  const TimeTable& table_;
  std::optional<Bytes> eager_limit_;
  std::vector<Meeting> meetings_;
  std::vector<std::size_t> used_;
};

}  // namespace

Estimation<FairSharing> estimate_sharing(const TimeTable& table, std::optional<Bytes> eager_limit) {
  const SharingFit fit(table, eager_limit);
  if (!fit.is_determined()) return {{}, "no messages that meet were measured"};
  return {fit.fit(), {}};
}

}  // namespace commgauge
