// Random programs of point-to-point messages: matched, and correct if every send waited for its
// receive. A third of the receives are from any source.
//
//   emulated-random-programs COUNT FIRST_SEED
//
// Prints a line for each program: its seed and every rank's virtual time at its end, to the bit.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "random_run.hpp"

namespace {

using namespace random_run;
using Values = std::vector<unsigned char>;

void require(bool holds, const char* what, std::uint64_t seed) {
  if (holds) return;
  std::fprintf(stderr, "program %lu, rank %d: %s\n", static_cast<unsigned long>(seed), own, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

class Program {
 public:
  explicit Program(std::uint64_t seed) : seed_{seed}, random_{seed} {}

  void run() {
    const int steps = 3 + draw(random_, 9);
    // Ranks may be a program ahead of others.
    tag_ = 100 * static_cast<int>(seed_ % 100);
    for (const int end = tag_ + steps; tag_ < end; ++tag_) {
      compute_by(draw(random_, ranks - 1), draw(random_, 200));
      switch (draw(random_, 5)) {
        case 0:
        case 1:
          one_message();
          break;
        case 2:
          ring();
          break;
        case 3:
          from_anyone();
          break;
        case 4:
          in_any_order();
          break;
        default:
          hand_out_tasks();
      }
    }
  }

 private:
  void compute_by(int rank, int microseconds) const {
    if (rank == own) compute(microseconds);
  }

  Values data(int from, int size) const {
    return Values(at(size), static_cast<unsigned char>(from));
  }

  void send(int to, int size, int mode) const {
    const Values values = data(own, size);
    MPI_Request request = MPI_REQUEST_NULL;
    switch (mode) {
      case 0:
        MPI_Send(values.data(), size, MPI_BYTE, to, tag_, MPI_COMM_WORLD);
        return;
      case 1:
        MPI_Ssend(values.data(), size, MPI_BYTE, to, tag_, MPI_COMM_WORLD);
        return;
      default:
        MPI_Isend(values.data(), size, MPI_BYTE, to, tag_, MPI_COMM_WORLD, &request);
        wait(request, mode);
    }
  }

  static void wait(MPI_Request& request, int mode) {
    if (mode != 3) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      return;
    }
    for (int done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }

  /// @return who sent it
  int receive(int from, int size, int mode) const {
    Values values(at(size));
    MPI_Status status;
    if (mode == 0) {
      MPI_Recv(values.data(), size, MPI_BYTE, from, tag_, MPI_COMM_WORLD, &status);
    } else if (mode == 1) {
      MPI_Probe(from, tag_, MPI_COMM_WORLD, &status);
      MPI_Recv(values.data(), size, MPI_BYTE, status.MPI_SOURCE, tag_, MPI_COMM_WORLD, &status);
    } else if (mode == 2) {
      for (int found = 0; found == 0;) MPI_Iprobe(from, tag_, MPI_COMM_WORLD, &found, &status);
      MPI_Recv(values.data(), size, MPI_BYTE, status.MPI_SOURCE, tag_, MPI_COMM_WORLD, &status);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(values.data(), size, MPI_BYTE, from, tag_, MPI_COMM_WORLD, &request);
      compute(5);
      MPI_Wait(&request, &status);
    }
    require(values == data(status.MPI_SOURCE, size), "wrong data", seed_);
    require(from == MPI_ANY_SOURCE || status.MPI_SOURCE == from, "wrong source", seed_);
    return status.MPI_SOURCE;
  }

  void one_message() {
    const int from = draw(random_, ranks - 1);
    const int to = (from + 1 + draw(random_, ranks - 2)) % ranks;
    const int size = draw(random_, 1000);
    const int send_mode = draw(random_, 3);
    const int receive_mode = draw(random_, 3);
    if (own == from) send(to, size, send_mode);
    if (own == to) receive(from, size, receive_mode);
  }

  void ring() {
    const int size = draw(random_, 1000);
    const int distance = 1 + draw(random_, ranks - 2);
    const Values out = data(own, size);
    Values in(at(size));
    MPI_Request requests[2];
    MPI_Irecv(in.data(), size, MPI_BYTE, (own - distance + ranks) % ranks, tag_, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(out.data(), size, MPI_BYTE, (own + distance) % ranks, tag_, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    require(in == data((own - distance + ranks) % ranks, size), "wrong data in a ring", seed_);
  }

  void from_anyone() {
    const int to = draw(random_, ranks - 1);
    const int size = draw(random_, 1000);
    const int modes = draw(random_, 15);
    const int delay = draw(random_, 100);
    if (own != to) {
      compute(delay * own / ranks);
      send(to, size, modes % 4);
      return;
    }
    for (int i = 1; i < ranks; ++i) compute(3 * receive(MPI_ANY_SOURCE, size, modes / 4));
  }

  /// Posted at once, some from any source, taken as they come.
  void in_any_order() {
    const int to = draw(random_, ranks - 1);
    const int size = draw(random_, 600);
    const bool anyone = draw(random_, 1) == 0;
    const bool some = draw(random_, 1) == 0;
    if (own != to) {
      compute(10 * ((own * 7) % ranks));
      send(to, size, own % 4);
      return;
    }
    std::vector<Values> in(at(ranks), Values(at(size)));
    std::vector<MPI_Request> requests;
    for (int from = 0; from < ranks; ++from) {
      if (from == own) continue;
      requests.emplace_back();
      MPI_Irecv(in[at(from)].data(), size, MPI_BYTE, anyone ? MPI_ANY_SOURCE : from, tag_,
                MPI_COMM_WORLD, &requests.back());
    }
    const int count = static_cast<int>(requests.size());
    std::vector<int> indices(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    for (int left = count; left > 0;) {
      int found = 1;
      if (some) {
        MPI_Waitsome(count, requests.data(), &found, indices.data(), statuses.data());
      } else {
        MPI_Waitany(count, requests.data(), indices.data(), statuses.data());
      }
      for (int i = 0; i < found; ++i) compute(2 * statuses[at(i)].MPI_SOURCE + indices[at(i)]);
      left -= found;
    }
  }

  /// Who asks gets one, until there are none.
  void hand_out_tasks() {
    const int master = draw(random_, ranks - 1);
    int tasks = draw(random_, 3 * ranks);
    const int cost = 5 + draw(random_, 40);
    if (own == master) {
      for (int busy = ranks - 1; busy > 0;) {
        int nothing = 0;
        MPI_Status status;
        MPI_Recv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, tag_, MPI_COMM_WORLD, &status);
        const int task = tasks > 0 ? tasks-- : -1;
        if (task < 0) --busy;
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, tag_, MPI_COMM_WORLD);
      }
      return;
    }
    for (int task = 0; task >= 0;) {
      MPI_Send(&task, 1, MPI_INT, master, tag_, MPI_COMM_WORLD);
      MPI_Recv(&task, 1, MPI_INT, master, tag_, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (task > 0) compute(cost + (task * 13 + own * 5) % 30);
    }
  }

  std::uint64_t seed_;
  Random random_;
  int tag_{};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  run_all(count, first, [](std::uint64_t seed) { Program(seed).run(); });
  MPI_Finalize();
}
