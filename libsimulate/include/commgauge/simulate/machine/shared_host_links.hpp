#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/costs/curve.hpp"
#include "commgauge/model/parameters/host_links.hpp"

namespace commgauge::simulate {

/// What ranks of a host share beside what their pairs cost: messages to other hosts keep the host's
/// link out and the other's link in for M·λ each, and what either host has for both ways together;
/// those within a host what is inside it.
struct SharedHostLinks {
  std::vector<std::int32_t> places;  ///< by rank: its host
  // By host [s/byte]; 0: messages don't wait for one another there.
  std::vector<double> out;
  std::vector<double> in;
  std::vector<double> inside;
  std::vector<double> both;

  /// Whether there are any.
  [[nodiscard]] bool is_shared() const { return !places.empty(); }

  /// Where a message keeps a host's link.
  enum class Leg : std::uint8_t { out, out_of_both, in, in_of_both };
  static constexpr int legs = 4;
  struct Stay {
    std::int32_t link{-1};  ///< 4·host + out, in, inside, both; −1: none
    double keeps{};         ///< [s/byte]
  };
  /// What a message passes, by leg. Within a host: one link, as its way out.
  using Route = std::array<Stay, legs>;
  [[nodiscard]] Route route(int from, int to) const {
    const std::int32_t here = places[static_cast<std::size_t>(from)];
    const std::int32_t there = places[static_cast<std::size_t>(to)];
    const auto stay = [](const std::vector<double>& of_hosts, std::int32_t host, int which) {
      const double keeps = of_hosts[static_cast<std::size_t>(host)];
      return keeps > 0 ? Stay{4 * host + which, keeps} : Stay{};
    };
    if (here == there) return {stay(inside, here, 2)};
    return {stay(out, here, 0), stay(both, here, 3), stay(in, there, 1), stay(both, there, 3)};
  }
  [[nodiscard]] std::size_t links() const { return 4 * out.size(); }

  /// Calls visit(part) for each of its data. `L` may be const.
  template <class L, class Visit>
  static void visit_parts(L& links, Visit&& visit) {
    visit(links.places);
    visit(links.out);
    visit(links.in);
    visit(links.inside);
    visit(links.both);
  }
};

/// What the bytes of a message take of the time, without what is fixed [s].
[[nodiscard]] inline double of_bytes(const Curve& whole, double size) {
  return whole.at(size) - whole.line_at(size).fixed;
}

/// Where only a bound is known messages don't wait. None shared: no places.
/// @param hosts  of each rank
[[nodiscard]] SharedHostLinks shared_host_links(const HostLinks& fitted,
                                                const std::vector<std::string>& hosts);

}  // namespace commgauge::simulate
