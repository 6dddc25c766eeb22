#pragma once

#include "commgauge/costs/formulas.hpp"
#include "commgauge/model/parameters/overhead_growth.hpp"

namespace commgauge {

/// What o'(P) = o'_a + o'_b·P adds to overheads, as it takes the place of those of empty messages
/// [s].
struct GrowthShift {
  double sender;
  double receiver;
  double replier;  ///< of the receiver's reply to a rendezvous's request

  GrowthShift(const OverheadGrowth& growth, double processes, double send_overhead,
              double receive_overhead, double reply_overhead)
      : sender{growth.o_prime_a_s + growth.o_prime_b_s * processes - send_overhead},
        receiver{growth.o_prime_a_r + growth.o_prime_b_r * processes - receive_overhead},
        replier{growth.o_prime_a_s + growth.o_prime_b_s * processes - reply_overhead} {}
  [[nodiscard]] double both() const { return sender + receiver; }
};

/// A pair's costs in a job of so many processes.
template <class Costs>
class GrownCosts : public Costs {
 public:
  GrownCosts(const Costs& costs, const OverheadGrowth& growth, double processes)
      : Costs{costs},
        shift_{growth, processes, costs.send_overhead(0).fixed, costs.receive_overhead(0).fixed,
               costs.reply_overhead()} {}
  [[nodiscard]] CostLine send_overhead(double size) const {
    return Costs::send_overhead(size) + CostLine{shift_.sender, 0};
  }
  [[nodiscard]] CostLine receive_overhead(double size) const {
    return Costs::receive_overhead(size) + CostLine{shift_.receiver, 0};
  }
  [[nodiscard]] CostLine arrival(double size) const {
    return Costs::arrival(size) + CostLine{shift_.sender, 0};
  }
  [[nodiscard]] CostLine one_way(double size) const {
    return Costs::one_way(size) + CostLine{shift_.both(), 0};
  }
  [[nodiscard]] CostLine rendezvous_sender(double size) const {
    return Costs::rendezvous_sender(size) + CostLine{shift_.sender, 0};
  }
  [[nodiscard]] CostLine rendezvous_receiver(double size) const {
    return Costs::rendezvous_receiver(size) + CostLine{shift_.both(), 0};
  }
  [[nodiscard]] double request() const {
    return Costs::has_handshake ? Costs::request() + shift_.sender : Costs::request();
  }
  [[nodiscard]] double reply() const {
    return Costs::has_handshake ? Costs::reply() + shift_.replier : Costs::reply();
  }

 private:
  GrowthShift shift_;
};

template <class Parameters>
struct GrownView {
  const Parameters& p;
  const OverheadGrowth& growth;
  double processes;
};

template <class Parameters>
GrownCosts<CostsOf<Parameters>> costs_of(const GrownView<Parameters>& view, const Message& m) {
  return {costs_of(view.p, m), view.growth, view.processes};
}

}  // namespace commgauge
