#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/costs/curve.hpp"
#include "commgauge/model/host_links.hpp"

namespace commgauge::simulate {

/// What ranks of a host share beside what their pairs cost: messages to other hosts keep the host's
/// link out and the other's link in for M·λ each, those within a host what is inside it.
struct SharedHostLinks {
  std::vector<std::int32_t> places;  ///< by rank: its host
  // By host [s/byte]; 0: messages don't wait for one another there.
  std::vector<double> out;
  std::vector<double> in;
  std::vector<double> inside;

  /// Whether there are any.
  [[nodiscard]] bool is_shared() const { return !places.empty(); }

  /// What a message passes: one link or two; −1: none. Links of host h are 3·h, 3·h + 1, 3·h + 2.
  struct Way {
    std::int32_t out{-1};
    std::int32_t in{-1};
    double keeps_out{};  ///< [s/byte]
    double keeps_in{};
    [[nodiscard]] bool is_shared() const { return out >= 0 || in >= 0; }
  };
  [[nodiscard]] Way way(int from, int to) const {
    const std::int32_t here = places[static_cast<std::size_t>(from)];
    const std::int32_t there = places[static_cast<std::size_t>(to)];
    Way found;
    const auto take = [](std::int32_t link, double keeps, std::int32_t& which, double& how_long) {
      if (!(keeps > 0)) return;
      which = link;
      how_long = keeps;
    };
    if (here == there) {
      take(3 * here + 2, inside[static_cast<std::size_t>(here)], found.out, found.keeps_out);
    } else {
      take(3 * here, out[static_cast<std::size_t>(here)], found.out, found.keeps_out);
      take(3 * there + 1, in[static_cast<std::size_t>(there)], found.in, found.keeps_in);
    }
    return found;
  }
  [[nodiscard]] std::size_t links() const { return 3 * out.size(); }

  /// Calls visit(part) for each of its data. `L` may be const.
  template <class L, class Visit>
  static void visit_parts(L& links, Visit&& visit) {
    visit(links.places);
    visit(links.out);
    visit(links.in);
    visit(links.inside);
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
/// On a machine whose ranks are where others were. @param like  by rank: whom its host is like.
/// @param places  by rank: its host, counted from 0
[[nodiscard]] SharedHostLinks rearranged(const SharedHostLinks& links, const std::vector<int>& like,
                                         std::vector<std::int32_t> places);

}  // namespace commgauge::simulate
