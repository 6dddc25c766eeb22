#include "commgauge/simulate/machine/measured_rules.hpp"

#include <cmath>
#include <cstdint>

namespace commgauge::simulate {

std::optional<MessageJitter> measured_jitter(const Model& model) {
  if (!model.jitter) return std::nullopt;
  MessageJitter jitter = model.jitter->value;
  if (std::isnan(jitter.per_byte)) jitter.per_byte = 0;
  return jitter;
}

namespace {

enum class Told : std::uint8_t { unknown, in_turn, fairly };

/// By which side of one half its interval is.
Told told_by(const Fitted<FairSharing>& sharing, double FairSharing::*one) {
  constexpr double between = 0.5;
  if (std::isnan(sharing.value.*one)) return Told::unknown;
  if (sharing.low.*one > between) return Told::fairly;
  return sharing.high.*one < between ? Told::in_turn : Told::unknown;
}

/// Of messages of different pairs: at a sender's link and at a receiver's, if both are known.
bool different_pairs_share(const Fitted<FairSharing>& sharing, bool is_large) {
  const auto in = is_large ? &FairSharing::rendezvous_in : &FairSharing::eager_in;
  const auto out = is_large ? &FairSharing::rendezvous_out : &FairSharing::eager_out;
  return told_by(sharing, in) == Told::fairly && told_by(sharing, out) == Told::fairly;
}

}  // namespace

std::optional<Sharing> measured_sharing(const Model& model) {
  if (!model.sharing) return std::nullopt;
  const Fitted<FairSharing>& sharing = *model.sharing;
  const bool has_large = !std::isnan(sharing.value.rendezvous);
  const Told eager = told_by(sharing, &FairSharing::eager);
  const Told large = has_large ? told_by(sharing, &FairSharing::rendezvous) : eager;
  switch (large) {
    case Told::unknown:
      return std::nullopt;
    case Told::in_turn:
      return different_pairs_share(sharing, has_large) ? Sharing::rendezvous : Sharing::none;
    case Told::fairly:
      break;
  }
  if (eager == Told::fairly) return Sharing::all;
  const bool is_known = eager == Told::in_turn || std::isnan(sharing.value.eager);
  return is_known ? std::optional{Sharing::rendezvous} : std::nullopt;
}

}  // namespace commgauge::simulate
