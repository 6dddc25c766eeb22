// Partitioned communication. Each of the sender's partitions is a message of its own, which leaves
// when it is ready; the receiver puts them together into its own partitions, which may be others.
// How many there are the sender tells once, by a message, when it prepares.

#include <algorithm>
#include <vector>

#include "collective_algorithms.hpp"
#include "commgauge/simulate/collective.hpp"
#include "datatypes.hpp"
#include "job.hpp"

using namespace commgauge::emulate;
using commgauge::simulate::Over;
using commgauge::simulate::Requests;

namespace {

/// Of a sender's data.
struct Division {
  int partitions;
  int context;          ///< of their messages, whose tags are the partitions' numbers
  std::uint64_t bytes;  ///< of each
};

constexpr int all_are_ready = -1;  ///< tag

int tag_of_division(int tag) { return -tags_of_collectives - 1 - tag; }

/// One that may be over later than anybody asks.
void send_unawaited(const CommunicatorPtr& comm, const Place& place, int to, int tag, int context) {
  Emulator& e = emulator();
  auto request = e.start_send(comm, place, to, tag, context, Mode::buffered);
  if (!request->done) e.leave_alone(std::move(request));
}

/// Of one side. Its `place` is the first partition.
struct Partitioned : Request {
  int partitions;

  Partitioned(const CommunicatorPtr& of, int count, const Place& first) : partitions{count} {
    place = first;
    kind = Kind::collective;
    comm = of;
    persistent = true;
    active = false;
  }

  void require_partition(int partition) const {
    require(partition >= 0 && partition < partitions, comm->handle, MPI_ERR_ARG);
  }
  [[nodiscard]] Place part(int partition) const {
    return {element(place.buffer, partition * place.count, place.type), place.count, place.type};
  }
};

struct PartitionedSend final : Partitioned {
  PartitionedSend(const CommunicatorPtr& of, int count, const Place& first, int to)
      : Partitioned{of, count, first}, context_{2 * emulator().live().next_number()} {
    peer = to;
    make_task = [this] { return send(); };
  }

  [[nodiscard]] Division division() const { return {partitions, context_, bytes_of(place)}; }

  void ready(int partition) {
    require_partition(partition);
    require(active, comm->handle, MPI_ERR_REQUEST);
    auto& message = messages_[static_cast<std::size_t>(partition)];
    require(message == nullptr, comm->handle, MPI_ERR_ARG);
    message =
        emulator().start_send(comm, part(partition), peer, partition, context_, Mode::standard);
    if (++ready_ == partitions) {
      send_unawaited(comm, {}, emulator().rank(), all_are_ready, context_);
    }
  }

 private:
  Task send() {
    ready_ = 0;
    messages_.clear();
    messages_.resize(static_cast<std::size_t>(partitions));
    if (partitions == 0) co_return;
    Requests last_one;
    last_one.push_back(
        emulator().start_receive(comm, {}, emulator().rank(), all_are_ready, context_));
    co_await Over{last_one};
    co_await Over{messages_};
  }

  int context_;
  int ready_{};
  Requests messages_;
};

struct PartitionedReceive final : Partitioned {
  PartitionedReceive(const CommunicatorPtr& of, int count, const Place& first, int from, int of_tag)
      : Partitioned{of, count, first} {
    peer = from;
    tag = of_tag;
    make_task = [this] { return receive(); };
    if (peer == MPI_PROC_NULL) return;
    const Place told{&division_, sizeof division_, MPI_BYTE};
    divisions_.push_back(emulator().start_receive(comm, told, peer, tag_of_division(tag),
                                                  comm->collective_context()));
  }

  /// Whether it is known to have come; then it is in its place.
  [[nodiscard]] bool has(int partition) {
    require_partition(partition);
    if (messages_.empty() || division_.bytes == 0) return false;
    const std::uint64_t start = static_cast<std::uint64_t>(partition) * bytes_of(place);
    const std::uint64_t end = start + bytes_of(place);
    for (std::uint64_t k = start / division_.bytes; k * division_.bytes < end; ++k) {
      if (k < messages_.size() && !messages_[k]->done) return false;
    }
    put(partition);
    return true;
  }

 private:
  Task receive() {
    source = peer;
    found_tag = peer == MPI_PROC_NULL ? MPI_ANY_TAG : tag;
    bytes = 0;
    messages_.clear();
    is_put_.assign(static_cast<std::size_t>(partitions), false);
    if (peer == MPI_PROC_NULL) co_return;
    co_await Over{divisions_};
    bytes = division_.bytes * static_cast<std::uint64_t>(division_.partitions);
    require(bytes <= bytes_of(place) * static_cast<std::uint64_t>(partitions), comm->handle,
            MPI_ERR_TRUNCATE);
    data_.resize(bytes);
    for (int k = 0; k < division_.partitions; ++k) {
      const Place here{data_.data() + static_cast<std::uint64_t>(k) * division_.bytes,
                       static_cast<MPI_Count>(division_.bytes), MPI_BYTE};
      messages_.push_back(emulator().start_receive(comm, here, peer, k, division_.context));
    }
    co_await Over{messages_};
    for (int partition = 0; partition < partitions; ++partition) put(partition);
  }

  /// From `data_` into the program's buffer.
  void put(int partition) {
    const auto index = static_cast<std::size_t>(partition);
    if (is_put_[index]) return;
    is_put_[index] = true;
    const std::uint64_t start = index * bytes_of(place);
    if (start >= data_.size()) return;
    const Place to = part(partition);
    unpack(data_.data() + start, std::min(bytes_of(to), data_.size() - start), to.buffer, to.type);
  }

  Division division_{};
  Requests divisions_;  ///< the one, which comes once
  Requests messages_;
  std::vector<std::byte> data_;
  std::vector<bool> is_put_;
};

Place place_of(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type,
               MPI_Comm comm) {
  require(partitions >= 0, comm, MPI_ERR_ARG);
  require(count >= 0, comm, MPI_ERR_COUNT);
  require(type != MPI_DATATYPE_NULL, comm, MPI_ERR_TYPE);
  if (const int error = error_of(type); error != MPI_SUCCESS) throw MpiFailure{comm, error};
  return {const_cast<void*>(buffer), count, type};
}

int peer_of(const Communicator& comm, int rank) {
  if (rank == MPI_PROC_NULL) return rank;
  require(rank >= 0 && rank < comm.size(), comm.handle, MPI_ERR_RANK);
  return comm.peers[static_cast<std::size_t>(rank)];
}

PartitionedSend& send_of(MPI_Request handle) {
  auto* const send = dynamic_cast<PartitionedSend*>(from_handle(handle));
  require(send != nullptr, MPI_COMM_WORLD, MPI_ERR_REQUEST);
  return *send;
}

}  // namespace

extern "C" {

int MPI_Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int to,
                   int tag, MPI_Comm handle, MPI_Info, MPI_Request* request) {
  return call("MPI_Psend_init", [&](Emulator&) {
    const CommunicatorPtr comm = communicator(handle);
    const Place place = place_of(buffer, partitions, count, type, handle);
    require(tag >= 0, handle, MPI_ERR_TAG);
    auto send = std::make_unique<PartitionedSend>(comm, partitions, place, peer_of(*comm, to));
    Division division = send->division();
    send_unawaited(comm, {&division, sizeof division, MPI_BYTE}, send->peer, tag_of_division(tag),
                   comm->collective_context());
    *request = to_handle(std::move(send));
  });
}

int MPI_Precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int from,
                   int tag, MPI_Comm handle, MPI_Info, MPI_Request* request) {
  return call("MPI_Precv_init", [&](Emulator&) {
    const CommunicatorPtr comm = communicator(handle);
    const Place place = place_of(buffer, partitions, count, type, handle);
    require(tag >= 0, handle, MPI_ERR_TAG);
    *request = to_handle(
        std::make_unique<PartitionedReceive>(comm, partitions, place, peer_of(*comm, from), tag));
  });
}

int MPI_Pready(int partition, MPI_Request request) {
  return call("MPI_Pready", [&](Emulator&) { send_of(request).ready(partition); });
}

int MPI_Pready_range(int first, int last, MPI_Request request) {
  return call("MPI_Pready_range", [&](Emulator&) {
    for (int partition = first; partition <= last; ++partition) send_of(request).ready(partition);
  });
}

int MPI_Pready_list(int count, int partitions[], MPI_Request request) {
  return call("MPI_Pready_list", [&](Emulator&) {
    for (int i = 0; i < count; ++i) send_of(request).ready(partitions[i]);
  });
}

int MPI_Parrived(MPI_Request handle, int partition, int* flag) {
  return call("MPI_Parrived", [&](Emulator& e) {
    Request* const request = from_handle(handle);
    *flag = 1;
    if (request == nullptr || !request->active) return;
    auto* const receive = dynamic_cast<PartitionedReceive*>(request);
    require(receive != nullptr, MPI_COMM_WORLD, MPI_ERR_REQUEST);
    commgauge::simulate::Request* const one[]{receive};
    *flag = receive->has(partition) || e.test_all(one) || receive->has(partition);
    if (!*flag) e.poll_in_vain();
  });
}

}  // extern "C"
