// Whether MPI-4's functions with large counts do what the standard says. Runs with and without the
// emulation, at any number of ranks; exit code 1 and a line for what is wrong.
//
//   emulated-large-counts       counts that are ints
//   emulated-large-counts huge  more than 2^31 elements: 2 ranks, and 12 GB of memory

#include <mpi.h>

#include <cstdio>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

namespace {

int own = 0;
int ranks = 0;
int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d of %d: WRONG: %s\n", own, ranks, what);
}

using Ints = std::vector<int>;
std::size_t at(MPI_Count i) { return static_cast<std::size_t>(i); }

/// Rank r gives r + 1 ints, all of them r.
struct Blocks {
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displacements;
  MPI_Count sum{};
  Blocks() {
    for (int r = 0; r < ranks; ++r) {
      counts.push_back(r + 1);
      displacements.push_back(sum);
      sum += r + 1;
    }
  }
  [[nodiscard]] bool has(const Ints& values) const {
    bool is_right = true;
    for (int r = 0; r < ranks; ++r) {
      for (MPI_Count i = 0; i < counts[at(r)]; ++i)
        is_right &= values[at(displacements[at(r)] + i)] == r;
    }
    return is_right;
  }
};

void arrays_of_counts(MPI_Comm comm) {
  const Blocks blocks;
  const Ints mine(at(own + 1), own);
  Ints all(at(blocks.sum), -1);
  MPI_Allgatherv_c(mine.data(), own + 1, MPI_INT, all.data(), blocks.counts.data(),
                   blocks.displacements.data(), MPI_INT, comm);
  check(blocks.has(all), "Allgatherv_c");

  all.assign(all.size(), -1);
  MPI_Gatherv_c(mine.data(), own + 1, MPI_INT, all.data(), blocks.counts.data(),
                blocks.displacements.data(), MPI_INT, 0, comm);
  if (own == 0) check(blocks.has(all), "Gatherv_c");
  Ints back(at(own + 1), -1);
  MPI_Scatterv_c(all.data(), blocks.counts.data(), blocks.displacements.data(), MPI_INT,
                 back.data(), own + 1, MPI_INT, 0, comm);
  check(back == mine, "Scatterv_c");

  MPI_Request request = MPI_REQUEST_NULL;
  all.assign(all.size(), -1);
  MPI_Iallgatherv_c(mine.data(), own + 1, MPI_INT, all.data(), blocks.counts.data(),
                    blocks.displacements.data(), MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(blocks.has(all), "Iallgatherv_c");

  all.assign(all.size(), -1);
  MPI_Allgatherv_init_c(mine.data(), own + 1, MPI_INT, all.data(), blocks.counts.data(),
                        blocks.displacements.data(), MPI_INT, comm, MPI_INFO_NULL, &request);
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  check(blocks.has(all), "Allgatherv_init_c");
}

void exchanges(MPI_Comm comm) {
  // One int to each, in reverse order.
  std::vector<MPI_Count> ones(at(ranks), 1);
  std::vector<MPI_Aint> back(at(ranks));
  std::vector<MPI_Aint> back_bytes(at(ranks));
  std::vector<MPI_Datatype> types(at(ranks), MPI_INT);
  Ints out(at(ranks));
  for (int r = 0; r < ranks; ++r) {
    back[at(r)] = ranks - 1 - r;
    back_bytes[at(r)] = back[at(r)] * static_cast<MPI_Aint>(sizeof(int));
    out[at(back[at(r)])] = 100 * own + r;
  }
  const auto has_all = [](const Ints& in) {
    bool is_right = true;
    for (int r = 0; r < ranks; ++r) is_right &= in[at(ranks - 1 - r)] == 100 * r + own;
    return is_right;
  };
  Ints in(at(ranks), -1);
  MPI_Alltoallv_c(out.data(), ones.data(), back.data(), MPI_INT, in.data(), ones.data(),
                  back.data(), MPI_INT, comm);
  check(has_all(in), "Alltoallv_c");
  in.assign(in.size(), -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallw_c(out.data(), ones.data(), back_bytes.data(), types.data(), in.data(), ones.data(),
                   back_bytes.data(), types.data(), comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(has_all(in), "Ialltoallw_c");

  Ints sum(1, -1);
  MPI_Reduce_scatter_c(Ints(at(ranks), own).data(), sum.data(), ones.data(), MPI_INT, MPI_SUM,
                       comm);
  check(sum[0] == ranks * (ranks - 1) / 2, "Reduce_scatter_c");

  const int sizes[] = {ranks};
  const int periods[] = {1};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(comm, 1, sizes, periods, 0, &grid);
  const int mine[] = {own, -own};
  int both[] = {-1, -1};
  const MPI_Count pair[] = {1, 1};
  const MPI_Aint places[] = {0, 1};
  MPI_Neighbor_alltoallv_c(mine, pair, places, MPI_INT, both, pair, places, MPI_INT, grid);
  // Where both neighbours are one rank, MPICH takes them for each other.
  const bool is_right = both[0] == -((own - 1 + ranks) % ranks) && both[1] == (own + 1) % ranks;
  check(is_right || ranks == 2, "Neighbor_alltoallv_c");
  MPI_Comm_free(&grid);
}

constexpr MPI_Count beyond = (MPI_Count{1} << 31) + 9;  ///< an int

struct Bytes {
  std::unique_ptr<unsigned char[]> data{new unsigned char[at(beyond)]()};
  void mark(unsigned char with) {
    for (const MPI_Count i : {MPI_Count{0}, beyond / 2, beyond - 1}) data[at(i)] = with;
  }
  [[nodiscard]] bool is_marked(unsigned char with) const {
    return data[0] == with && data[at(beyond / 2)] == with && data[at(beyond - 1)] == with;
  }
};

void huge_message(MPI_Comm comm) {
  Bytes bytes;
  if (own == 0) {
    bytes.mark(7);
    MPI_Send_c(bytes.data.get(), beyond, MPI_BYTE, 1, 0, comm);
    MPI_Send(bytes.data.get(), 5, MPI_BYTE, 1, 1, comm);
    return;
  }
  MPI_Status status;
  MPI_Recv_c(bytes.data.get(), beyond, MPI_BYTE, 0, 0, comm, &status);
  MPI_Count count = 0;
  int too_few = 0;
  MPI_Get_count_c(&status, MPI_BYTE, &count);
  MPI_Get_count(&status, MPI_BYTE, &too_few);
  check(bytes.is_marked(7) && count == beyond && too_few == MPI_UNDEFINED, "Recv_c");
  bytes.data[5] = 3;
  MPI_Recv_c(bytes.data.get(), beyond, MPI_BYTE, 0, 1, comm, &status);
  MPI_Get_count_c(&status, MPI_BYTE, &count);
  check(count == 5 && bytes.data[0] == 7 && bytes.data[5] == 3, "few bytes in a large buffer");
}

void huge_broadcast(MPI_Comm comm) {
  Bytes bytes;
  if (own == 1) bytes.mark(9);
  MPI_Bcast_c(bytes.data.get(), beyond, MPI_BYTE, 1, comm);
  check(bytes.is_marked(9), "Bcast_c");
}

void huge_reduction(MPI_Comm comm) {
  Bytes bytes;
  bytes.mark(static_cast<unsigned char>(own == 0 ? 1 : 4));
  if (own == 0) {
    MPI_Reduce_c(MPI_IN_PLACE, bytes.data.get(), beyond, MPI_BYTE, MPI_BOR, 0, comm);
    check(bytes.is_marked(5) && bytes.data[1] == 0, "Reduce_c");
  } else {
    MPI_Reduce_c(bytes.data.get(), nullptr, beyond, MPI_BYTE, MPI_BOR, 0, comm);
  }
}

void huge_accumulation(MPI_Comm comm) {
  Bytes bytes;
  bytes.mark(static_cast<unsigned char>(own == 0 ? 1 : 4));
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(bytes.data.get(), own == 0 ? beyond : 0, 1, MPI_INFO_NULL, comm, &win);
  MPI_Win_fence(0, win);
  if (own == 1) {
    MPI_Accumulate_c(bytes.data.get(), beyond, MPI_BYTE, 0, 0, beyond, MPI_BYTE, MPI_BOR, win);
  }
  MPI_Win_fence(0, win);
  check(own == 1 || (bytes.is_marked(5) && bytes.data[1] == 0), "Accumulate_c");
  MPI_Win_free(&win);
}

/// In all more than there is memory for.
void huge_epoch(MPI_Comm comm) {
  constexpr int size = 8 << 20;
  constexpr int accesses = 1000;
  std::vector<char> out(size, static_cast<char>(1 + own));
  std::vector<char> in(size);
  char* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(2 * MPI_Aint{size}, 1, MPI_INFO_NULL, comm, &memory, &win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < accesses; ++i) {
    MPI_Put(out.data(), size, MPI_CHAR, 1 - own, 0, size, MPI_CHAR, win);
    MPI_Get(in.data(), size, MPI_CHAR, own, size, size, MPI_CHAR, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(comm);
  check(memory[0] == 2 - own && memory[size - 1] == 2 - own, "an epoch of many accesses");
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  arrays_of_counts(MPI_COMM_WORLD);
  exchanges(MPI_COMM_WORLD);
  if (argc > 1 && std::string_view{argv[1]} == "huge") {
    huge_message(MPI_COMM_WORLD);
    huge_broadcast(MPI_COMM_WORLD);
    huge_reduction(MPI_COMM_WORLD);
    huge_accumulation(MPI_COMM_WORLD);
    huge_epoch(MPI_COMM_WORLD);
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
