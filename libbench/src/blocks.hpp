#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "commgauge/units.hpp"

namespace commgauge::bench {

/// What one call of MPI sends or receives.
struct Part {
  std::byte* at;
  int count;
  MPI_Datatype type;
};

/// `size` bytes that are, or will be, packed. @pre size ≤ INT_MAX
[[nodiscard]] Part packed(std::byte* at, std::size_t size);

/// The blocks of a scatter's or a gather's buffer: that of rank k begins k blocks after the first.
class Blocks {
 public:
  /// @throws MpiError  no datatype.
  Blocks(const void* buffer, int count, MPI_Datatype type);

  [[nodiscard]] Bytes size() const { return size_; }  ///< of the data of one block
  [[nodiscard]] Part of(int rank) const;
  /// Whether a block's bytes lie together in the order in which they are sent.
  [[nodiscard]] bool dense() const { return dense_; }

  /// Copies block 0 from and to `bytes`. @pre bytes.size() == size().value
  void pack(std::span<std::byte> bytes, MPI_Comm comm) const;
  void unpack(std::span<const std::byte> bytes, int rank, MPI_Comm comm) const;

 private:
  std::byte* base_;
  int count_;
  MPI_Datatype type_;
  Bytes size_;
  std::size_t item_{};  ///< bytes of data of one item
  MPI_Aint extent_{};
  bool dense_{};
};

/// Some ranks' blocks as one message, counted from `first` on, after the last rank the rank 0: of
/// a tree's root. Move-only.
class Run {
 public:
  /// @pre all together are at most INT_MAX bytes
  Run(const Blocks& blocks, int first, int number, int ranks);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  [[nodiscard]] const Part& part() const { return part_; }

 private:
  Part part_;
  bool owns_type_{};
};

/// Copies this rank's own share. `comm` is one that nobody else sends on meanwhile.
void copy_block(const Blocks& from, int from_rank, const Blocks& to, int to_rank, int self,
                MPI_Comm comm);

}  // namespace commgauge::bench
