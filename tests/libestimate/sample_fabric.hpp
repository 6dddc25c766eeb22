#pragma once

#include <limits>
#include <string>
#include <vector>

#include "commgauge/base/places.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::samples {

/// Of a model with three hosts or more: a pair in a group of three, and a backbone of two sides.
inline Fabric fabric_of(const Model& model) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::string> of_ranks = model.hosts();
  std::vector<std::string> hosts;
  for (const std::vector<int>& ranks : places_of_numbers(numbered(of_ranks))) {
    hosts.push_back(of_ranks[at(ranks.front())]);
  }
  Fabric fabric;
  fabric.groups = {{{hosts[0], hosts[1]}, 1}, {{hosts[0], hosts[1], hosts[2]}, {}}};
  fabric.backbone_sides = {{hosts[0], hosts[1]}, {hosts[2]}};
  fabric.value = {{1e-9, 2e-9}, {1e-9, nothing}, 4e-9};
  fabric.low = {{0.9e-9, 1.9e-9}, {0.9e-9, nothing}, nothing};
  fabric.high = {{1.1e-9, 2.1e-9}, {1.1e-9, 0.5e-9}, nothing};
  fabric.replicates = {fabric.value, fabric.value};
  fabric.full_load = {2e9, 1.9e9, 2.1e9};
  fabric.alone = 3e9;
  fabric.misfit = 0.02;
  fabric.rounds = 44;
  fabric.message_bytes = 1 << 20;
  fabric.notes = {"something was not seen"};
  return fabric;
}

}  // namespace commgauge::samples
