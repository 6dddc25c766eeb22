#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/model/operation.hpp"

namespace commgauge::schedule {

using commgauge::Algorithm;
using commgauge::Operation;
using commgauge::operation_count;

/// A collective operation as one of its ranks calls it. A unit is an element of a reduction, and a
/// byte of anything else.
struct Collective {
  Operation operation{};
  int ranks{1};
  int root{};
  /// Units of what a rank gives to another, or of its part: one for all, or one for each rank.
  /// Of a bcast, a reduction but reduce_scatter, and a scan: of the whole. Of a gatherv and
  /// scatterv all ranks' are needed at the root only.
  std::vector<std::uint64_t> counts{0};
  /// Of an alltoallv: units that come from each rank.
  std::vector<std::uint64_t> counts_in{};
  Bytes unit{1};
  /// Of an allgatherv: of an element in memory, which ring_in_chunks doesn't cut.
  Bytes extent{1};
  Bytes element{1};  ///< data in such an element
  bool is_commutative{true};
  bool is_built_in{true};  ///< the operator is MPI's own
  bool is_in_place{};      ///< of an alltoall or alltoallv: MPI_IN_PLACE
  /// Of flat and at_once: all ranks but the root, as it deals with them. Empty: ascending.
  std::vector<int> order{};

  /// Units that `rank` gives, or its part.
  [[nodiscard]] std::uint64_t count(int rank) const {
    return counts.size() == 1 ? counts.front() : counts[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::uint64_t count_in(int rank) const {
    return counts_in.empty() ? count(rank) : counts_in[static_cast<std::size_t>(rank)];
  }
};

/// A part of a rank's buffers.
struct Block {
  int buffer{};
  std::uint64_t offset{};  ///< [units]
  std::uint64_t count{};   ///< [units]
  friend bool operator==(const Block&, const Block&) = default;
};

struct Step {
  enum class Kind {
    send,
    receive,
    reduce,  ///< `here` (op) `there`, into `there`
    copy,    ///< `here` to `there`
  };
  Kind kind{};
  /// The messages of a round are all started, in their order, and all over before what follows.
  int round{};
  int peer{-1};
  Block here;
  Block there;
  [[nodiscard]] bool is_message() const { return kind == Kind::send || kind == Kind::receive; }
};

/// What one rank does.
struct Schedule {
  std::vector<std::uint64_t> buffers;  ///< their sizes [units]
  /// Where the rank's data have to be at first: as one, or in a block for each rank, that for
  /// rank 0 first. Empty: it gives nothing.
  std::vector<Block> gives;
  /// Where the rank finds its results, likewise. Empty: it gets nothing.
  std::vector<Block> gets;
  std::vector<Step> steps;  ///< in order
  /// Each round has data of one other rank after the other for this one, which goes on with the
  /// next when they are there.
  bool is_in_turn{};
};

}  // namespace commgauge::schedule
