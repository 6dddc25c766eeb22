// Partitioned communication (commgauge/simulate/process/partitioned.hpp), with its data. How many
// partitions the sender has, and of what, it tells once, by a message, when it prepares.

#include "commgauge/simulate/process/partitioned.hpp"
#include "job/call.hpp"
#include "job/communicators.hpp"
#include "job/requests.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/failure.hpp"
#include "rank/request.hpp"

#include <algorithm>
#include <vector>

using namespace commgauge::emulate;
using commgauge::simulate::Division;
namespace simulate = commgauge::simulate;

namespace {

/// Of one side. Its `place` is the first partition.
struct Partitioned : Request {
  int partitions;

  Partitioned(const CommunicatorPtr& of, int count, const Place& first, int with, int of_tag)
      : partitions{count} {
    place = first;
    kind = Kind::collective;
    comm = of;
    persistent = true;
    active = false;
    peer = with;
    tag = of_tag;
  }

  void require_partition(int partition) const {
    require(partition >= 0 && partition < partitions, comm->handle, MPI_ERR_ARG);
  }
  [[nodiscard]] Place part(int partition) const {
    return {element(place.buffer, partition * place.count, place.type), place.count, place.type};
  }
  [[nodiscard]] std::unique_ptr<Request> start_division(Kind which, Division& division) const {
    const Place told{&division, sizeof division, MPI_BYTE};
    const int of_divisions = simulate::division_context(comm->id);
    Emulator& e = emulator();
    return which == Kind::send ? e.start_send(comm, told, peer, tag, of_divisions, Mode::buffered)
                               : e.start_receive(comm, told, peer, tag, of_divisions);
  }
};

struct PartitionedSend final : Partitioned {
  PartitionedSend(const CommunicatorPtr& of, int count, const Place& first, int to, int of_tag)
      : Partitioned{of, count, first, to, of_tag},
        division_{count, simulate::partition_context(emulator().live().next_number()),
                  bytes_of(first)},
        messages_{count, [this](Kind which, int partition) { return start(which, partition); }} {
    make_task = [this] { return messages_.send(); };
    messages_.prepare();
  }

  void ready(int partition) {
    require_partition(partition);
    require(active, comm->handle, MPI_ERR_REQUEST);
    require(messages_.lacks(partition), comm->handle, MPI_ERR_ARG);
    messages_.ready(partition);
  }

 private:
  std::unique_ptr<Request> start(Kind which, int partition) {
    if (partition == simulate::tells_division) return start_division(which, division_);
    Emulator& e = emulator();
    if (partition != simulate::tells_all_ready) {
      return e.start_send(comm, part(partition), peer, partition, division_.context,
                          Mode::standard);
    }
    return which == Kind::send
               ? e.start_send(comm, {}, e.rank(), partition, division_.context, Mode::buffered)
               : e.start_receive(comm, {}, e.rank(), partition, division_.context);
  }

  Division division_;
  simulate::PartitionedSend messages_;
};

struct PartitionedReceive final : Partitioned {
  PartitionedReceive(const CommunicatorPtr& of, int count, const Place& first, int from, int of_tag)
      : Partitioned{of, count, first, from, of_tag},
        messages_{[this](Kind which, int partition) { return start(which, partition); },
                  [this] { return make_room(); }, bytes_of(first)} {
    make_task = [this] { return receive(); };
    messages_.prepare();
  }

  /// Whether it is known to have come; then it is in its place.
  [[nodiscard]] bool has(int partition) {
    require_partition(partition);
    if (!messages_.has(partition)) return false;
    put(partition);
    return true;
  }

 private:
  std::unique_ptr<Request> start(Kind which, int partition) {
    if (partition == simulate::tells_division) return start_division(which, division_);
    const Place here{data_.data() + static_cast<std::uint64_t>(partition) * division_.bytes,
                     static_cast<MPI_Count>(division_.bytes), MPI_BYTE};
    return emulator().start_receive(comm, here, peer, partition, division_.context);
  }

  Division make_room() {
    bytes = division_.bytes * static_cast<std::uint64_t>(division_.partitions);
    require(bytes <= bytes_of(place) * static_cast<std::uint64_t>(partitions), comm->handle,
            MPI_ERR_TRUNCATE);
    data_.resize(bytes);
    return division_;
  }

  Task receive() {
    source = peer;
    found_tag = peer == MPI_PROC_NULL ? MPI_ANY_TAG : tag;
    bytes = 0;
    is_put_.assign(static_cast<std::size_t>(partitions), false);
    co_await messages_.receive();
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
  simulate::PartitionedReceive messages_;
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
    *request = to_handle(
        std::make_unique<PartitionedSend>(comm, partitions, place, peer_of(*comm, to), tag));
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
    if (!*flag) e.poll_unsuccessfully();
  });
}

}  // extern "C"
