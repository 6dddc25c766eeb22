#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate {

/// Processors and the links between them: for each processor those that it has a link to (Demaine
/// 1996: incidence lists of a directed graph). Of several shortest routes a message takes, at each
/// processor, the link that stands first in its list.
struct Topology {
  std::vector<std::vector<int>> links;
  [[nodiscard]] int processors() const { return static_cast<int>(links.size()); }
};

/// Two matrices of their square are kept.
inline constexpr int most_processors = 4096;

// Generators. Their links lead both ways. @throws InputError  not from 1 to most_processors, or not
// a number that there is such a topology of

/// Numbered row by row, the last extent fastest, as by MPI_Cart_create. Links along the first
/// extent stand first, up before down: routes go along one extent after the other.
[[nodiscard]] Topology mesh(const std::vector<int>& extents);
/// A mesh whose ends are joined.
[[nodiscard]] Topology torus(const std::vector<int>& extents);
[[nodiscard]] Topology ring(int processors);
/// Neighbours' numbers differ in one bit; the lowest stands first. @param processors  a power of 2
[[nodiscard]] Topology hypercube(int processors);
/// Processor 0 is its root, those below p are p·children + 1 and so on.
[[nodiscard]] Topology tree(int processors, int children);
[[nodiscard]] Topology fully_connected(int processors);

/// Their names: `ring:8`, `mesh:4x4`, `torus:4x4x2`, `hypercube:16`, `tree:15` (binary),
/// `tree:13,3`, `full:8`. @return nothing: it begins like none of them. @throws InputError
[[nodiscard]] std::optional<Topology> generated(const std::string& text);

/// Reads a line for each processor, `0: 1 3`, in any order; # begins a comment.
/// @param name  of the file, for messages. @throws InputError  line and reason
[[nodiscard]] Topology topology_from_text(const std::string& text, const std::string& name);

/// Shortest routes from each processor to each other.
class Routes {
 public:
  /// @throws InputError  there is no way from some processor to another, or too many processors
  explicit Routes(const Topology& topology);
  [[nodiscard]] int hops(int from, int to) const { return hops_[index(from, to)]; }
  /// Of links in the order of the processors that have them, and of their lists: the one that a
  /// message takes that is at `at` and goes to `to`; −1: it is there.
  [[nodiscard]] const std::vector<std::int32_t>& links() const { return links_; }
  /// By link: the processor that it leads to.
  [[nodiscard]] const std::vector<std::int32_t>& ends() const { return ends_; }

 private:
  [[nodiscard]] std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * processors_ + static_cast<std::size_t>(to);
  }
  void find_ways_to(int to, const std::vector<std::vector<int>>& links_into);
  void choose_links(const Topology& topology);

  std::size_t processors_;
  std::vector<std::int32_t> hops_;
  std::vector<std::int32_t> links_;
  std::vector<std::int32_t> ends_;
};

enum class Switching : std::uint8_t {
  /// All of a message is at a processor before it goes on: d·(⌈s/b⌉·i + s·t), as in the paper.
  store_and_forward,
  /// Its head goes on at once, and the rest follows: d·i + s·t.
  wormhole
};

/// What a message of s bytes over d links costs. An empty one is one block.
struct LinkParameters {
  Seconds start_up;            ///< i
  SecondsPerByte per_byte;     ///< t
  std::optional<Bytes> block;  ///< b; nothing: a message is one block
  Switching switching{Switching::store_and_forward};
  /// A message keeps each link of its route in turn, and waits where another has it. Else messages
  /// of different pairs never meet.
  bool has_contention{};
};

/// Machine::kind of those made by machine_of(Topology).
inline constexpr const char* topology_kind = "topology";

/// A machine of these links: rank r on processor r. Messages leave at once and cost neither sender
/// nor receiver any time of their own; a standard send never waits for its receiver. A synchronous
/// one does: a request, the answer and then the message travel.
/// @throws InputError  start_up is not above zero, or a time not finite or below zero; a block of
///                     no bytes, or in wormhole switching; what Routes() throws.
[[nodiscard]] Machine machine_of(const Topology& topology, const LinkParameters& parameters);

}  // namespace commgauge::simulate
