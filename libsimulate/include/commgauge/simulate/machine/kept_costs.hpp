#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "commgauge/costs/costs_of_pairs.hpp"

namespace commgauge::simulate {

/// Costs of pairs, by number. Those of a machine that is made of bytes stay in them, and each is
/// read when it is asked for first: a rank of a large job asks for few of them. Several threads may
/// ask.
class KeptCosts {
 public:
  KeptCosts() = default;
  /// @param bytes  as write() makes them; they have to outlive what is made of them.
  explicit KeptCosts(std::string_view bytes);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const PairCosts& operator[](std::size_t number) const {
    return stored_ ? read(number) : own_[number];
  }
  /// The new last one. @pre not made of bytes
  void add(PairCosts costs) { own_.push_back(std::move(costs)); }
  /// To change all of them; they are of their own from here on.
  [[nodiscard]] std::vector<PairCosts>& all();

 private:
  class Stored;
  [[nodiscard]] const PairCosts& read(std::size_t number) const;

  std::vector<PairCosts> own_;
  std::shared_ptr<Stored> stored_;
};

}  // namespace commgauge::simulate
