#include "commgauge/simulate/machine/jitter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"

namespace commgauge::simulate {

namespace {

/// SplitMix64's mixing of bits (Steele, Lea, Flood, 2014).
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

double Jitter::lateness(int from, int to, int number, Leg leg) const {
  std::uint64_t bits = mixed(seed);
  for (const int part : {from, to, number, static_cast<int>(leg)}) {
    bits = mixed(bits ^ static_cast<std::uint32_t>(part));
  }
  constexpr double most = 30;
  const double uniform = static_cast<double>(bits >> 11) * 0x1p-53;
  return std::min(most, -std::log1p(-uniform));
}

WantedJitter parse_jitter(std::string_view text) {
  if (text == "none") return {.none = true};
  constexpr double longest = 3600;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view digits = text.substr(0, colon);
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), seed);
  if (error != std::errc{} || end != digits.end()) {
    throw InputError("'" + std::string(text) +
                     "' is no seed, with a mean lateness or without (which messages are late, and "
                     "by how much): give such as 7, 7:50us or none");
  }
  if (colon == text.size()) return {.seed = seed};
  const double mean = parse_duration(text.substr(colon + 1)).value;
  if (!(mean > 0 && mean <= longest)) {
    throw InputError("'" + std::string(text) +
                     "' has a mean lateness that isn't above zero, or beyond an hour: give such as "
                     "7:50us");
  }
  return {.seed = seed, .mean = mean, .is_whole = true};
}

}  // namespace commgauge::simulate
