#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "commgauge/base/units.hpp"

namespace commgauge::bench {

/// What one call of MPI sends or receives.
struct Part {
  std::byte* at;
  int count;
  MPI_Datatype type;
};

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

/// Copies this rank's own share. @pre no other message is sent on `comm` meanwhile
void copy_block(const Blocks& from, int from_rank, const Blocks& to, int to_rank, int self,
                MPI_Comm comm);

}  // namespace commgauge::bench
