#include "timing/eager_probe.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "commgauge/bench/clock/clock.hpp"
#include "messages/communicator.hpp"
#include "messages/tags.hpp"

namespace commgauge::bench {

namespace {

constexpr double shortest_delay = 2e-3;  ///< [s] far above any wake-up
constexpr int attempts = 5;              ///< sends of a size, before it counts as rendezvous

class Probe {
 public:
  Probe(MPI_Comm comm, int sender, int receiver, Bytes largest,
        const std::function<Seconds(Bytes)>& one_way)
      : comm_{comm},
        receiver_{receiver},
        sender_{sender},
        one_way_{one_way},
        buffer_(static_cast<std::size_t>(largest.value)) {
    check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  }

  /// The same answer on both ranks. One send that returns in time is proof; one that doesn't may
  /// have lost its core meanwhile, so it is tried again.
  [[nodiscard]] bool is_eager(Bytes size) {
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const double delay = shortest_delay + 4 * one_way_(size).value;
      if (rank_ == sender_ ? send(size, delay) : receive_late(size, delay)) return true;
    }
    return false;
  }

 private:
  /// The receiver's delay begins when it hears of the start, so not before `start`: a send that
  /// returns within the delay did so before the receive was posted.
  [[nodiscard]] bool send(Bytes size, double delay) {
    const char go = 1;
    const double start = Clock::now();
    check(MPI_Send(&go, 1, MPI_BYTE, receiver_, verdict_tag, comm_), "MPI_Send");
    check(MPI_Send(buffer_.data(), static_cast<int>(size.value), MPI_BYTE, receiver_, probe_tag,
                   comm_),
          "MPI_Send");
    const int eager = Clock::now() - start < 0.9 * delay;
    check(MPI_Send(&eager, 1, MPI_INT, receiver_, verdict_tag, comm_), "MPI_Send");
    return eager != 0;
  }

  [[nodiscard]] bool receive_late(Bytes size, double delay) {
    char go = 0;
    check(MPI_Recv(&go, 1, MPI_BYTE, sender_, verdict_tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    stay_in_mpi(delay);
    check(MPI_Recv(buffer_.data(), static_cast<int>(size.value), MPI_BYTE, sender_, probe_tag,
                   comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
    int eager = 0;
    check(MPI_Recv(&eager, 1, MPI_INT, sender_, verdict_tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    return eager != 0;
  }

  /// Some libraries' sends wait until the receiver has taken the message from a queue, in whichever
  /// call: that is no rendezvous.
  void stay_in_mpi(double seconds) const {
    const double end = Clock::now() + seconds;
#ifdef COMMGAUGE_SMPI
    wait_until(end, true);  // a look would take simulated time
#endif
    while (Clock::now() < end) {
      int found = 0;
      check(MPI_Iprobe(sender_, nothing_tag, comm_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
      sched_yield();
    }
  }

  MPI_Comm comm_;
  int rank_{};
  int receiver_;
  int sender_;
  const std::function<Seconds(Bytes)>& one_way_;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::optional<Bytes> probe_eager_limit(MPI_Comm comm, int sender, int receiver, Bytes largest,
                                       const std::function<Seconds(Bytes)>& one_way) {
  Probe probe(comm, sender, receiver, largest, one_way);
  std::uint64_t rendezvous = 1;
  while (probe.is_eager({rendezvous})) {
    if (rendezvous == largest.value) return std::nullopt;
    rendezvous = std::min(2 * rendezvous, largest.value);
  }
  std::uint64_t eager = rendezvous / 2;
  while (rendezvous - eager > 1) {
    const std::uint64_t middle = eager + (rendezvous - eager) / 2;
    (probe.is_eager({middle}) ? eager : rendezvous) = middle;
  }
  return Bytes{eager};
}

}  // namespace commgauge::bench
