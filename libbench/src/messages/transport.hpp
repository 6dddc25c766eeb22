#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/bench/base/options.hpp"

namespace commgauge::bench {

/// How a timed region waits. Decided once for a whole calibration.
enum class WaitMode { blocking, yield };
/// @param cores_are_shared  by ranks, which is what `automatic` goes by.
[[nodiscard]] WaitMode decide_wait(Wait asked, bool cores_are_shared);

/// Messages in either way of waiting: MPI's blocking calls, which spin, or non-blocking ones polled
/// with sched_yield() between, for machines whose cores are shared.
class Transport {
 public:
  Transport(MPI_Comm comm, WaitMode mode) : comm_{comm}, mode_{mode} {}

  void send(const std::byte* buffer, Bytes size, int destination, int tag) const;
  void receive(std::byte* buffer, Bytes size, int source, int tag) const;
  [[nodiscard]] MPI_Request start_send(const std::byte* buffer, Bytes size, int destination,
                                       int tag) const;
  [[nodiscard]] MPI_Request start_receive(std::byte* buffer, Bytes size, int source, int tag) const;
  void wait(MPI_Request& request) const;
  /// For one of them, which is MPI_REQUEST_NULL then. @pre one is not
  void wait_any(std::vector<MPI_Request>& requests) const;
  void wait_all(std::vector<MPI_Request>& requests) const;

  /// Lets MPI do whatever it does inside a call, yielding if that is the way of waiting.
  void make_progress(int peer) const;

  void barrier() const;
  /// MPI_Scatter and MPI_Gather, with MPI's own arguments.
  void scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root) const;
  void gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
              int recvcount, MPI_Datatype recvtype, int root) const;
  /// The same of `size` bytes a rank. The root's own share stays where it is: on the root `part` is
  /// nullptr, elsewhere `whole` is.
  void scatter(const std::byte* whole, std::byte* part, Bytes size, int root) const;
  void gather(const std::byte* part, std::byte* whole, Bytes size, int root) const;

  template <class T>
  void send_value(const T& value, int destination, int tag) const {
    send(reinterpret_cast<const std::byte*>(&value), Bytes{sizeof(T)}, destination, tag);
  }
  template <class T>
  [[nodiscard]] T receive_value(int source, int tag) const {
    T value;
    receive(reinterpret_cast<std::byte*>(&value), Bytes{sizeof(T)}, source, tag);
    return value;
  }

  template <class T>
  void send_values(std::span<const T> values, int destination, int tag) const {
    send(reinterpret_cast<const std::byte*>(values.data()), Bytes{values.size_bytes()}, destination,
         tag);
  }
  template <class T>
  void receive_values(std::span<T> values, int source, int tag) const {
    receive(reinterpret_cast<std::byte*>(values.data()), Bytes{values.size_bytes()}, source, tag);
  }

  [[nodiscard]] bool yielding() const { return mode_ == WaitMode::yield; }

 private:
  MPI_Comm comm_;
  WaitMode mode_;
};

}  // namespace commgauge::bench
