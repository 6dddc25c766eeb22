// Whether messages that are under way together share what they pass, or take it in turn.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
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

/// Of different pairs, whose messages alone differ by no more than this part of what they take of
/// each other: else the first one doesn't tell whether it was late.
constexpr double alike = 0.1;

/// Rows of the table: two messages at once until the first is there, and until both are; each
/// alone.
struct Meeting {
  std::size_t first{};
  std::size_t both{};
  std::vector<std::size_t> alone;
  double FairSharing::*tells{};
  Bytes size;
};

/// What a meeting tells about.
double FairSharing::*field_of(const Experiment& e, bool is_eager) {
  if (e.peers.size() == 1) return is_eager ? &FairSharing::eager : &FairSharing::rendezvous;
  const bool comes_in = e.back.value > 0;
  if (is_eager) return comes_in ? &FairSharing::eager_in : &FairSharing::eager_out;
  return comes_in ? &FairSharing::rendezvous_in : &FairSharing::rendezvous_out;
}

class SharingFit {
 public:
  SharingFit(const TimeTable& table, std::optional<Bytes> eager_limit)
      : table_{table}, eager_limit_{eager_limit} {
    for (std::size_t row = 0; row < table.experiments().size(); ++row) collect(row);
    std::erase_if(meetings_, [&](const Meeting& one) { return !takes_something(one); });
    for (const Meeting& one : meetings_) {
      used_.insert(used_.end(), {one.first, one.both});
      used_.insert(used_.end(), one.alone.begin(), one.alone.end());
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
    Experiment together = e;
    together.kind = Kind::messages_at_once;
    const auto both = table_.find(together);
    if (!both) return;
    const Bytes size = std::max(e.out, e.back);
    const bool is_eager = !eager_limit_ || size <= *eager_limit_;
    Meeting meeting{row, *both, {}, field_of(e, is_eager), size};
    for (const int peer : e.peers) {
      const auto alone = table_.find(e.back.value > 0 ? round_trip(peer, e.root, size, {})
                                                      : round_trip(e.root, peer, size, {}));
      if (!alone) return;
      meeting.alone.push_back(*alone);
    }
    meetings_.push_back(std::move(meeting));
  }

  [[nodiscard]] bool takes_something(const Meeting& one) const {
    const auto time = [&](std::size_t row) { return table_.times()[row]; };
    const auto [least, most] = std::ranges::minmax(one.alone, {}, time);
    const double taken = time(one.both) - time(most);
    return time(one.both) > meet_clearly * time(most) && time(most) - time(least) <= alike * taken;
  }

  /// By how much the first is late, in parts of what it would be if both ended together.
  [[nodiscard]] static double share(const Meeting& one, std::span<const double> times) {
    double alone = 0;
    for (const std::size_t row : one.alone) alone = std::max(alone, times[row]);
    return (times[one.first] - alone) / (times[one.both] - alone);
  }

  [[nodiscard]] FairSharing solve(std::span<const double> times) const {
    FairSharing found;
    visit_fields(found, [](const FieldFacts&, double& field) { field = unknown_value; });
    for (const Meeting& one : meetings_) {
      if (!std::isnan(found.*one.tells)) continue;
      std::vector<double> shares;
      for (const Meeting& like : meetings_) {
        if (like.tells == one.tells) shares.push_back(share(like, times));
      }
      found.*one.tells = median(shares);
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
