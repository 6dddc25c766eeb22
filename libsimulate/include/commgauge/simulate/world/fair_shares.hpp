#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace commgauge::simulate {

/// Rates of flows that share carriers, by max-min fairness: no rate can be raised without lowering
/// one that is no larger (Bertsekas, Gallager: Data Networks, 1992, 6.5.2). Kept to be used again:
/// clear() gives no memory back.
class FairShares {
 public:
  static constexpr int own_rate = -1;

  struct Use {
    int carrier{};
    double per_byte{};  ///< of the carrier's time [s/byte]; above zero
  };

  void clear();
  /// @param left  of each of its seconds, what others leave; at most 1. @return its number
  int add_carrier(double left);
  /// @param most  its rate when it is alone [bytes/s]. @return its number
  int add_flow(double most, std::span<const Use> uses);
  /// Gives all flows their rates. O(flows · carriers) at worst.
  void fill();

  /// @pre fill()
  [[nodiscard]] double rate(int flow) const { return flows_[static_cast<std::size_t>(flow)].rate; }
  /// The full carrier that keeps it from more; own_rate: it has all that it can use.
  [[nodiscard]] int bottleneck(int flow) const {
    return flows_[static_cast<std::size_t>(flow)].bottleneck;
  }

 private:
  struct Flow {
    double most{};
    double rate{};
    int bottleneck{own_rate};
    std::size_t first{};  ///< of its uses
    std::size_t count{};
    bool is_given{};
  };
  struct Carrier {
    double left{};
    double asked{};  ///< for a rate of 1 byte/s of all flows that have none yet
    [[nodiscard]] double level() const;
  };
  [[nodiscard]] std::span<const Use> uses_of(const Flow& flow) const;
  void ask();
  void give(Flow& flow, double rate, int bottleneck);
  std::size_t give_all_wanted(double level);
  std::size_t give_level(double level);

  std::vector<Flow> flows_;
  std::vector<Carrier> carriers_;
  std::vector<Use> uses_;
  std::vector<bool> is_full_;
};

}  // namespace commgauge::simulate
