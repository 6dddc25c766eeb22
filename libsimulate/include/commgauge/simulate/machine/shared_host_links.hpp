#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "commgauge/costs/curve.hpp"
#include "commgauge/model/parameters/fabric.hpp"
#include "commgauge/model/parameters/host_links.hpp"

namespace commgauge::simulate {

/// What ranks of a host share beside what their pairs cost: messages to other hosts keep the host's
/// link out and the other's link in for M·λ each, and what either host has for both ways together;
/// those within a host what is inside it.
///
/// Groups of hosts share links likewise: a message keeps the link out of each group that it leaves,
/// what is between sides, and the link in of each group that it comes to.
struct SharedHostLinks {
  std::vector<std::int32_t> places;  ///< by rank: its host
  // By host [s/byte]; 0: messages don't wait for one another there. Of the ways out and in, behind
  // hosts', those of groups.
  std::vector<double> out;
  std::vector<double> in;
  std::vector<double> inside;
  std::vector<double> both;
  /// By host, then by group: the least group that holds it, by its place in `out`; above all of
  /// those that it holds. Empty: there are no groups.
  std::vector<std::int32_t> groups{};
  std::vector<std::int32_t> sides{};  ///< by host: its side of the backbone, or −1. Empty: none
  double backbone{};                  ///< all messages between its sides [s/byte]

  static constexpr std::int32_t no_group = std::numeric_limits<std::int32_t>::max();
  /// So many groups hold a host at most.
  static constexpr int most_levels = 4;

  /// Whether there are any.
  [[nodiscard]] bool is_shared() const { return !places.empty(); }

  /// Where a message keeps a link.
  struct Stay {
    std::int32_t link{-1};  ///< 4·host + out, in, inside, both; of groups likewise; −1: none
    bool leads{};           ///< to the next one, where the message begins no sooner
    double keeps{};         ///< [s/byte]
  };
  /// What a message passes, by leg. Within a host: one link. Between hosts the sender's two and, in
  /// the end, the receiver's two, whichever limit anything.
  struct Route {
    static constexpr int most_legs = 4 + 2 * most_levels + 1;
    std::array<Stay, most_legs> stays;
    int legs{};

    [[nodiscard]] const Stay* begin() const { return stays.data(); }
    [[nodiscard]] const Stay* end() const { return stays.data() + legs; }
    void add(std::int32_t link, double keeps, bool leads) {
      stays[static_cast<std::size_t>(legs++)] = {keeps > 0 ? link : -1, leads, keeps};
    }
  };
  [[nodiscard]] Route route(int from, int to) const;
  /// Of a message from another host: the host's link in.
  [[nodiscard]] double way_in(int from, int to) const {
    const std::int32_t here = place(from);
    const std::int32_t there = place(to);
    return here == there ? 0 : in[static_cast<std::size_t>(there)];
  }
  [[nodiscard]] std::size_t links() const { return 4 * out.size() + 1; }

  [[nodiscard]] bool is_of_group(std::int32_t link) const {
    return link >= 4 * static_cast<std::int32_t>(inside.size()) && !is_backbone(link);
  }
  [[nodiscard]] bool is_backbone(std::int32_t link) const {
    return link == 4 * static_cast<std::int32_t>(out.size());
  }
  /// @return ranks of the hosts that share the link: of one, or of a group. @pre not the backbone
  [[nodiscard]] std::vector<int> ranks_of(std::int32_t link) const;
  [[nodiscard]] static bool is_way_in(std::int32_t link) { return link % 4 == 1; }

  /// Calls visit(part) for each of its data. `L` may be const.
  template <class L, class Visit>
  static void visit_parts(L& links, Visit&& visit) {
    visit(links.places);
    visit(links.out);
    visit(links.in);
    visit(links.inside);
    visit(links.both);
    visit(links.groups);
    visit(links.sides);
    visit(links.backbone);
  }

 private:
  [[nodiscard]] std::int32_t place(int rank) const {
    return places[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::int32_t group_of(std::int32_t place) const {
    return groups.empty() ? no_group : groups[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] bool passes_backbone(std::int32_t here, std::int32_t there) const;
};

/// What the bytes of a message take of the time, without what is fixed [s].
[[nodiscard]] inline double of_bytes(const Curve& whole, double size) {
  return whole.at(size) - whole.line_at(size).fixed;
}

/// Where only a bound is known messages don't wait. None shared: no places.
/// @param hosts  of each rank
[[nodiscard]] SharedHostLinks shared_host_links(const HostLinks& fitted,
                                                const std::vector<std::string>& hosts);

/// Adds the links between hosts. Hosts of the fabric that aren't there are left out.
/// @param links  of the same hosts, or none
/// @throws InputError  more than most_levels groups hold a host.
[[nodiscard]] SharedHostLinks with_uplinks(SharedHostLinks links, const Fabric& fabric,
                                           const std::vector<std::string>& hosts);

}  // namespace commgauge::simulate
