#include "commgauge/model/parameters/message_jitter.hpp"

#include "commgauge/base/units.hpp"

namespace commgauge {

std::string to_text(const MessageJitter& jitter) {
  const std::string fixed = to_text(Seconds{jitter.mean});
  if (!(jitter.per_byte > 0)) return fixed;
  return fixed + " and " + per_byte_text(SecondsPerByte{jitter.per_byte}) + " more";
}

}  // namespace commgauge
