#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/measurements/host_message.hpp"

namespace commgauge {

/// Times messages of equal size that all start at once.
/// @return of each pair from the common start to its own end, over its bytes [s/byte]
using MeasureAtOnce =
    std::function<std::vector<SecondsPerByte>(std::span<const HostMessage> pairs)>;

/// What a shared link takes for a byte.
struct SharedLinkTime {
  std::optional<SecondsPerByte> value;  ///< none: nothing was slower for it
  SecondsPerByte bound;                 ///< it takes at most so much: so many bytes did pass
  int round{-1};                        ///< of the search's rounds the one that shows it
};

/// Hosts behind one uplink.
struct FoundGroup {
  std::vector<int> hosts;     ///< ascending
  std::optional<int> parent;  ///< the group that holds this one; none at the top
  SharedLinkTime out;
  SharedLinkTime in;
};

/// What is between the hosts.
struct FoundFabric {
  std::vector<FoundGroup> groups;  ///< ascending by their hosts; only those that limit messages
  /// Shared by all messages between hosts of different `backbone_sides`, both ways.
  std::optional<SecondsPerByte> backbone;
  std::vector<int> backbone_sides;  ///< of each host; all different: all messages pass it
  int backbone_round{-1};           ///< that shows it
  /// All pairs of a random matching at once, each one way: the sum of their rates, in the mean.
  BytesPerSecond bisection;
  BytesPerSecond alone;    ///< the sum of the same pairs' rates, each measured alone
  int bisection_rounds{};  ///< of these matchings: the last ones
  /// Of these rounds nine in ten pairs differ by less from what the fabric foretells.
  double misfit{};
  int rounds{};
  std::vector<std::string> notes;  ///< what could not be seen, and up to which load
};

/// The group of these hosts; nullptr: there is none.
[[nodiscard]] const FoundGroup* group_of(const FoundFabric& fabric, const std::vector<int>& hosts);
/// Whether both have no backbone, or one between the same sides, however these are numbered.
[[nodiscard]] bool have_same_backbone(const FoundFabric& one, const FoundFabric& other);

struct FabricOptions {
  std::uint64_t seed{1};
  /// Rounds without a slow pair until nothing more is looked for. 0: as many as hosts, 32 at most.
  int patience{};
  /// Rounds after which no more links are looked for; those that were found are still measured. 0:
  /// eight times as many as hosts.
  int most_rounds{};
};

/// Which hosts are behind a common uplink, and what it carries.
///
/// Hosts exchange messages in random pairs, both ways at once: of all rounds of pairs these load
/// uplinks most. Of slow messages those that share the tightest link are sifted out. They keep it
/// busy while other hosts send to theirs, or receive from them: who is fast then is on the same
/// side of the link. So are the hosts on each side looked at in turn. At last each group sends and
/// receives as much as it can; what is slow there, and what no other link explains, is a limit.
///
/// Not every link can be seen. Of two large groups in unknown order half of the pairs cross, so an
/// uplink that carries more than about half of its hosts is found by luck only, and likewise what
/// is left when other groups are known. Racks whose uplinks are about as slow as their pod's are
/// taken for others in one of ten searches: a search with another seed should find the same.
///
/// In a round each host sends at most one message and receives at most one.
/// @pre hosts send and receive at once as fast as they do one of both
/// @param alone  of each ordered pair of hosts, measured alone [s/byte]
/// @throws InputError  a time is not positive, or `measure` returns another number of times.
/// @note Deterministic in `seed` and what `measure` returns. Fewer than 4 hosts have no fabric.
[[nodiscard]] FoundFabric find_fabric(const Matrix& alone, const MeasureAtOnce& measure,
                                      const FabricOptions& options = {});

}  // namespace commgauge
