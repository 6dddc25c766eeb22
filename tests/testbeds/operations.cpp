// One operation, for what it costs on a machine: emulated and in SMPI it must be the same.
//
//   operations NAME BYTES

#include <mpi.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

const MPI_Comm all = MPI_COMM_WORLD;

struct Case {
  int own;
  int ranks;
  int bytes;
  std::vector<char> out;
  std::vector<char> in;
  std::vector<int> counts;
  std::vector<int> first;

  [[nodiscard]] int after(int step) const { return (own + step) % ranks; }
  [[nodiscard]] int before(int step) const { return (own - step + ranks) % ranks; }
  [[nodiscard]] char* block(int i) {
    return in.data() + static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(bytes);
  }
};

void send(Case& c, int to) { MPI_Send(c.out.data(), c.bytes, MPI_BYTE, to, 0, all); }
void receive(Case& c, int from) {
  MPI_Recv(c.in.data(), c.bytes, MPI_BYTE, from, 0, all, MPI_STATUS_IGNORE);
}

/// Everybody passes on what comes, while more of it is under way on the same link.
void pipeline(Case& c) {
  for (int i = 0; i < 8; ++i) {
    if (c.own > 0) receive(c, c.own - 1);
    if (c.own + 1 < c.ranks) send(c, c.own + 1);
  }
}

/// One message goes round once.
void ring(Case& c) {
  if (c.own > 0) receive(c, c.before(1));
  send(c, c.after(1));
  if (c.own == 0) receive(c, c.before(1));
}

void sendrecv(Case& c) {
  for (int step = 1; step < c.ranks; ++step) {
    MPI_Sendrecv(c.out.data(), c.bytes, MPI_BYTE, c.after(step), 0, c.in.data(), c.bytes, MPI_BYTE,
                 c.before(step), 0, all, MPI_STATUS_IGNORE);
  }
}

/// Receives, sends, and one wait for all: those are taken in as they arrive.
void halo(Case& c) {
  for (int i = 0; i < 3; ++i) {
    std::vector<MPI_Request> requests;
    for (const int step : {1, 2}) {
      for (const int other : {c.after(step), c.before(step)}) {
        MPI_Irecv(c.block(static_cast<int>(requests.size())), c.bytes, MPI_BYTE, other, step, all,
                  &requests.emplace_back());
      }
    }
    for (const int step : {1, 2}) {
      for (const int other : {c.after(step), c.before(step)}) {
        MPI_Isend(c.out.data(), c.bytes, MPI_BYTE, other, step, all, &requests.emplace_back());
      }
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
}

/// The first half of the ranks sends to the other, and then both ways at once.
void across(Case& c) {
  const int half = c.ranks / 2;
  const int other = c.own < half ? c.own + half : c.own - half;
  if (other >= c.ranks) return;
  c.own < half ? send(c, other) : receive(c, other);
  MPI_Sendrecv(c.out.data(), c.bytes, MPI_BYTE, other, 0, c.in.data(), c.bytes, MPI_BYTE, other, 0,
               all, MPI_STATUS_IGNORE);
}

/// Two that wait for their receiver, the first on a slower way: the second passes its answer on.
void two_to_one(Case& c) {
  std::vector<MPI_Request> requests(2);
  for (int i = 0; c.own == 0 && i < 2; ++i) {
    MPI_Irecv(c.block(i), c.bytes, MPI_BYTE, i + 1, 0, all, &requests[static_cast<std::size_t>(i)]);
  }
  if (c.own == 1 || c.own == 2) MPI_Ssend(c.out.data(), c.bytes, MPI_BYTE, 0, 0, all);
  if (c.own == 0) {
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    send(c, 2);
    MPI_Wait(requests.data(), MPI_STATUS_IGNORE);
  }
  if (c.own == 2) receive(c, 0);
}

/// Two that wait for their receivers, of which the first one's is late.
void late_receiver(Case& c) {
  if (c.own == 2) usleep(45);
  if (c.own == 0 || c.own == 2) receive(c, 1);
  if (c.own != 1) return;
  std::vector<MPI_Request> requests;
  for (const int to : {2, 0}) {
    MPI_Issend(c.out.data(), c.bytes, MPI_BYTE, to, 0, all, &requests.emplace_back());
  }
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
}

/// A large message, and a small one on the same link when it is under way.
void later(Case& c) {
  MPI_Request large = MPI_REQUEST_NULL;
  const int small = c.bytes / 20;
  if (c.own == 0) {
    MPI_Issend(c.out.data(), c.bytes, MPI_BYTE, 1, 0, all, &large);
    usleep(60);
    MPI_Send(c.out.data(), small, MPI_BYTE, 1, 1, all);
  } else if (c.own == 1) {
    MPI_Irecv(c.in.data(), c.bytes, MPI_BYTE, 0, 0, all, &large);
    MPI_Recv(c.block(1), small, MPI_BYTE, 0, 1, all, MPI_STATUS_IGNORE);
  }
  MPI_Wait(&large, MPI_STATUS_IGNORE);
}

/// A master answers whoever asks.
void wildcard(Case& c) {
  for (int i = 0; i < 3; ++i) {
    if (c.own > 0) {
      send(c, 0);
      receive(c, 0);
      continue;
    }
    for (int worker = 1; worker < c.ranks; ++worker) {
      MPI_Status status;
      MPI_Recv(c.in.data(), c.bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, all, &status);
      send(c, status.MPI_SOURCE);
    }
  }
}

const std::map<std::string, void (*)(Case&)> operations{
    {"pipeline", pipeline},
    {"ring", ring},
    {"sendrecv", sendrecv},
    {"halo", halo},
    {"across", across},
    {"two_to_one", two_to_one},
    {"late_receiver", late_receiver},
    {"later", later},
    {"wildcard", wildcard},
    {"barrier", [](Case&) { MPI_Barrier(all); }},
    {"bcast", [](Case& c) { MPI_Bcast(c.out.data(), c.bytes, MPI_BYTE, 1, all); }},
    {"reduce",
     [](Case& c) {
       for (int i = 0; i < 3; ++i) {
         MPI_Reduce(c.out.data(), c.in.data(), c.bytes, MPI_BYTE, MPI_BOR, 1, all);
       }
     }},
    {"allreduce",
     [](Case& c) { MPI_Allreduce(c.out.data(), c.in.data(), c.bytes, MPI_BYTE, MPI_BOR, all); }},
    {"gather",
     [](Case& c) {
       MPI_Gather(c.out.data(), c.bytes, MPI_BYTE, c.in.data(), c.bytes, MPI_BYTE, 1, all);
     }},
    {"scatterv",
     [](Case& c) {
       MPI_Scatterv(c.out.data(), c.counts.data(), c.first.data(), MPI_BYTE, c.in.data(), c.bytes,
                    MPI_BYTE, 1, all);
     }},
    {"allgather",
     [](Case& c) {
       MPI_Allgather(c.out.data(), c.bytes, MPI_BYTE, c.in.data(), c.bytes, MPI_BYTE, all);
     }},
    {"allgatherv",
     [](Case& c) {
       MPI_Allgatherv(c.out.data(), c.bytes, MPI_BYTE, c.in.data(), c.counts.data(), c.first.data(),
                      MPI_BYTE, all);
     }},
    {"alltoall",
     [](Case& c) {
       MPI_Alltoall(c.out.data(), c.bytes, MPI_BYTE, c.in.data(), c.bytes, MPI_BYTE, all);
     }},
    {"alltoallv",
     [](Case& c) {
       MPI_Alltoallv(c.out.data(), c.counts.data(), c.first.data(), MPI_BYTE, c.in.data(),
                     c.counts.data(), c.first.data(), MPI_BYTE, all);
     }},
    {"reduce_scatter",
     [](Case& c) {
       MPI_Reduce_scatter(c.out.data(), c.in.data(), c.counts.data(), MPI_BYTE, MPI_BOR, all);
     }},
    {"scatter",
     [](Case& c) {
       MPI_Scatter(c.out.data(), c.bytes, MPI_BYTE, c.in.data(), c.bytes, MPI_BYTE, 1, all);
     }},
    {"gatherv",
     [](Case& c) {
       MPI_Gatherv(c.out.data(), c.bytes, MPI_BYTE, c.in.data(), c.counts.data(), c.first.data(),
                   MPI_BYTE, 1, all);
     }},
    {"scan", [](Case& c) { MPI_Scan(c.out.data(), c.in.data(), c.bytes, MPI_BYTE, MPI_BOR, all); }},
    {"self",
     [](Case& c) {
       MPI_Sendrecv(c.out.data(), c.bytes, MPI_BYTE, c.own, 0, c.in.data(), c.bytes, MPI_BYTE,
                    c.own, 0, all, MPI_STATUS_IGNORE);
       MPI_Request request;
       MPI_Irecv(c.in.data(), c.bytes, MPI_BYTE, c.own, 0, all, &request);
       send(c, c.own);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
     }},
    {"dup",
     [](Case&) {
       MPI_Comm same = MPI_COMM_NULL;
       MPI_Comm_dup(all, &same);
     }},
    {"split",
     [](Case& c) {
       MPI_Comm half = MPI_COMM_NULL;
       MPI_Comm_split(all, c.own % 2, c.own, &half);
     }},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto found = argc == 3 ? operations.find(argv[1]) : operations.end();
  if (found == operations.end()) {
    std::cerr << "operations: no operation (or no bytes): give its name and BYTES\n";
    MPI_Abort(all, 2);
    return 2;
  }
  Case c{};
  MPI_Comm_rank(all, &c.own);
  MPI_Comm_size(all, &c.ranks);
  c.bytes = std::atoi(argv[2]);
  const auto ranks = static_cast<std::size_t>(c.ranks);
  const std::size_t size = static_cast<std::size_t>(c.bytes) * (ranks + 4);
  c.out.resize(size);
  c.in.resize(size);
  c.counts.assign(ranks, c.bytes);
  for (int i = 0; i < c.ranks; ++i) c.first.push_back(i * c.bytes);
  found->second(c);
  MPI_Finalize();
  return 0;
}
