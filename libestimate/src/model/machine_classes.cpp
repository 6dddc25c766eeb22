#include "commgauge/model/machine_classes.hpp"

#include <cmath>

#include "commgauge/base/text.hpp"

namespace commgauge {

namespace {

std::string subject(const Deviation& deviation) {
  const auto host = [&](std::size_t i) {
    return i < deviation.hosts.size() ? deviation.hosts[i] : std::string{"?"};
  };
  switch (deviation.where) {
    case Deviation::Where::within_host:
      return "messages within host " + host(0);
    case Deviation::Where::host:
      return "messages between host " + host(0) + " and others";
    case Deviation::Where::between_hosts:
      break;
  }
  return "messages between hosts " + host(0) + " and " + host(1);
}

/// "2 times (1.9 to 2.1)"
std::string times_text(const Estimate& ratio) {
  const std::string text = two_digits(ratio.value) + " times";
  if (std::isnan(ratio.low) || std::isnan(ratio.high)) return text;
  return text + " (" + two_digits(ratio.low) + " to " + two_digits(ratio.high) + ")";
}

}  // namespace

std::string Deviation::sentence() const {
  const bool some_differ = excludes_1(fixed) || excludes_1(per_byte);
  const auto is_told = [&](const Estimate& ratio) {
    return !std::isnan(ratio.value) && (excludes_1(ratio) || !some_differ);
  };
  std::string text;
  if (is_told(fixed)) text = "empty ones take " + times_text(fixed);
  if (is_told(per_byte)) {
    text += std::string{text.empty() ? "" : ", "} + "a byte adds " + times_text(per_byte);
  }
  if (text.empty()) return subject(*this) + " aren't like those of their kind";
  return subject(*this) + ": " + text + " what those of their kind do";
}

std::string MachineClasses::name_of_class(int of_pairs) const {
  const int count = pairs->kinds();
  const auto name = [&](int kind) { return "kind " + kinds[static_cast<std::size_t>(kind)].name; };
  const int from = of_pairs / count % count;
  const int to = of_pairs % count;
  const bool is_within = of_pairs >= count * count;
  const std::string where = is_within ? "within a host" : "between hosts";
  if (count == 1) return where;
  return from == to ? where + " of " + name(from) : where + ", " + name(from) + " to " + name(to);
}

}  // namespace commgauge
