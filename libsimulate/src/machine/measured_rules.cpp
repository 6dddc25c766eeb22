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

/// Whether anything is known of messages above the eager limit.
bool tells_of_large(const FairSharing& shares) {
  return !(std::isnan(shares.rendezvous) && std::isnan(shares.rendezvous_in) &&
           std::isnan(shares.rendezvous_out));
}

}  // namespace

std::optional<Sharing> measured_sharing(const Model& model) {
  if (!model.sharing) return std::nullopt;
  const Fitted<FairSharing>& sharing = *model.sharing;
  const auto told = [&](double FairSharing::*one) { return told_by(sharing, one); };
  const Told eager = told(&FairSharing::eager);
  if (!tells_of_large(sharing.value)) {
    if (eager == Told::unknown) return std::nullopt;
    if (eager == Told::fairly) return Sharing::all;
    const bool different_pairs_share = told(&FairSharing::eager_in) == Told::fairly &&
                                       told(&FairSharing::eager_out) == Told::fairly;
    return different_pairs_share ? Sharing::rendezvous : Sharing::none;
  }
  switch (told(&FairSharing::rendezvous)) {
    case Told::unknown:
      return std::nullopt;
    case Told::in_turn:
      return Sharing::none;
    case Told::fairly:
      break;
  }
  if (eager == Told::fairly) return Sharing::all;
  const bool is_known = eager == Told::in_turn || std::isnan(sharing.value.eager);
  return is_known ? std::optional{Sharing::rendezvous} : std::nullopt;
}

}  // namespace commgauge::simulate
