// How many messages reach or leave the root of a collective, whatever algorithm MPI chose.
//
//   collective_messages OPERATION SIZE [SIZE...]
//
// OPERATION is scatter, gather or bcast with root 0, SIZE a block's items: bytes, or, where
// OPERATION ends in -double, those. After scatter-in-place the root has its block where it was.
// Checks the data, too. With MPICH prints a line for each size: the messages that rank 0 sent, and
// that it asked for, in the collective. MPICH hands them to UCX: the functions here stand in front
// of UCX's. With Open MPI, which counts itself (pml_monitoring), nothing is printed, and only the
// last size is to be given.

#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Counts {
  long sent{};
  long asked_for{};
};
Counts counts;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

char byte_of(int rank) { return static_cast<char>(rank + 1); }

bool all_are(const std::vector<char>& bytes, std::size_t first, std::size_t count, char expected) {
  for (std::size_t k = first; k < first + count; ++k) {
    if (bytes[k] != expected) return false;
  }
  return true;
}

/// A collective, and what it is done with.
struct Task {
  std::string operation;
  MPI_Datatype type{MPI_BYTE};
  std::size_t item_bytes{1};
  bool in_place{};
};

Task task_of(const std::string& name) {
  const std::size_t dash = name.find('-');
  Task task{name.substr(0, dash)};
  const std::string how = dash == std::string::npos ? "" : name.substr(dash + 1);
  if (how == "double") {
    task.type = MPI_DOUBLE;
    task.item_bytes = sizeof(double);
  }
  task.in_place = how == "in-place";
  return task;
}

/// @return whether the data are right on this rank.
bool run(const Task& task, std::size_t items) {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = static_cast<int>(items);
  const std::size_t size = items * task.item_bytes;
  std::vector<char> all;
  std::vector<char> one(size, byte_of(rank));
  for (int i = 0; i < ranks; ++i) all.insert(all.end(), size, byte_of(i));
  if (task.operation == "bcast") {
    MPI_Bcast(one.data(), count, task.type, 0, MPI_COMM_WORLD);
    return all_are(one, 0, size, byte_of(0));
  }
  if (task.operation == "scatter") {
    const bool stays = task.in_place && rank == 0;
    if (!stays) one.assign(size, 0);
    MPI_Scatter(all.data(), count, task.type, stays ? MPI_IN_PLACE : one.data(), count, task.type,
                0, MPI_COMM_WORLD);
    return all_are(one, 0, size, byte_of(rank));
  }
  all.assign(all.size(), 0);
  MPI_Gather(one.data(), count, task.type, all.data(), count, task.type, 0, MPI_COMM_WORLD);
  bool right = true;
  for (int i = 0; rank == 0 && i < ranks; ++i) {
    right = right && all_are(all, static_cast<std::size_t>(i) * size, size, byte_of(i));
  }
  return right;
}

}  // namespace

#ifndef OPEN_MPI
extern "C" void* ucp_tag_send_nbx(void* ep, const void* buffer, std::size_t count,
                                  std::uint64_t tag, const void* options) {
  static auto* const real = next<decltype(ucp_tag_send_nbx)>("ucp_tag_send_nbx");
  ++counts.sent;
  return real(ep, buffer, count, tag, options);
}

extern "C" void* ucp_tag_recv_nbx(void* worker, void* buffer, std::size_t count, std::uint64_t tag,
                                  std::uint64_t mask, const void* options) {
  static auto* const real = next<decltype(ucp_tag_recv_nbx)>("ucp_tag_recv_nbx");
  ++counts.asked_for;
  return real(worker, buffer, count, tag, mask, options);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 2; k < argc; ++k) {
    MPI_Barrier(MPI_COMM_WORLD);
    counts = {};
    const bool right = run(task_of(argv[1]), std::stoul(argv[k]));
    const Counts used = counts;
    if (!right) std::fprintf(stderr, "rank %d: wrong data in a %s of %s\n", rank, argv[1], argv[k]);
    if (!right) MPI_Abort(MPI_COMM_WORLD, 1);
#ifndef OPEN_MPI
    if (rank == 0) std::printf("%ld %ld\n", used.sent, used.asked_for);
#else
    (void)used;
#endif
  }
  std::fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
#ifndef OPEN_MPI
  // With more ranks than cores MPICH's MPI_Finalize may never return over UCX.
  std::_Exit(0);
#endif
  MPI_Finalize();
}
