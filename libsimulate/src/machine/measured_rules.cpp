#include "commgauge/simulate/machine/measured_rules.hpp"

#include <cmath>

namespace commgauge::simulate {

std::optional<MessageJitter> measured_jitter(const Model& model) {
  if (!model.jitter) return std::nullopt;
  MessageJitter jitter = model.jitter->value;
  if (std::isnan(jitter.per_byte)) jitter.per_byte = 0;
  return jitter;
}

std::optional<Sharing> measured_sharing(const Model& model) {
  if (!model.sharing) return std::nullopt;
  constexpr double between = 0.5;
  const auto is_known = [&](double FairSharing::*one) {
    return !std::isnan(model.sharing->value.*one);
  };
  const auto is_shared = [&](double FairSharing::*one) {
    return model.sharing->low.*one > between;
  };
  const auto is_in_turn = [&](double FairSharing::*one) {
    return model.sharing->high.*one < between;
  };
  const auto eager = &FairSharing::eager;
  const auto large = is_known(&FairSharing::rendezvous) ? &FairSharing::rendezvous : eager;
  if (is_in_turn(large)) return Sharing::none;
  if (!is_shared(large)) return std::nullopt;
  if (is_shared(eager)) return Sharing::all;
  return is_in_turn(eager) || !is_known(eager) ? std::optional{Sharing::rendezvous} : std::nullopt;
}

}  // namespace commgauge::simulate
