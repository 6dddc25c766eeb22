#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <typeinfo>
#include <vector>

#include "closeness.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// What a lost pass did to the parameters of several calibrations.
class Effect {
 public:
  template <class Parameters>
  void add(const Fitted<Parameters>& whole, const Fitted<Parameters>& without) {
    const auto values = testing::entries(whole.value);
    const auto highs = testing::entries(whole.high);
    const auto usual = testing::entries(without.value);
    const auto usual_highs = testing::entries(without.high);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double half = usual_highs[i].value - usual[i].value;
      if (!(half > 0)) continue;  // a bound, or the mean of the rest
      moves_.push_back(std::abs(values[i].value - usual[i].value) / half);
      Widths& widths = widths_[std::string{typeid(Parameters).name()} + values[i].name];
      widths.whole += highs[i].value - values[i].value;
      widths.without += half;
    }
  }
  /// In units of the interval without the pass: 99 of 100 moves are shorter.
  [[nodiscard]] double moved() const { return quantile(moves_, 0.99); }
  [[nodiscard]] double median_move() const { return median(moves_); }
  /// Of the parameter that suffers most: mean width with the pass / without it.
  [[nodiscard]] double widened() const {
    double most = 0;
    for (const auto& [name, widths] : widths_) most = std::max(most, widths.whole / widths.without);
    return most;
  }

 private:
  struct Widths {
    double whole{};
    double without{};
  };
  std::vector<double> moves_;
  std::map<std::string, Widths> widths_;
};

inline bool takes_part(const Experiment& e, int rank) {
  return e.root == rank || std::ranges::find(e.peers, rank) != e.peers.end();
}

inline Measurements without_pass(Measurements all, int pass) {
  std::erase_if(all.observations, [&](const Observation& row) { return row.pass == pass; });
  return all;
}

}  // namespace commgauge
