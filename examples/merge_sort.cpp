// Sorts integers in parallel (one of the programs of Demaine 1996): each rank sorts its part, and
// then pairs of ranks merge theirs, until rank 0 has all.
//
//   mpiexec -n 4 merge-sort bubble|quick [SIZE]
//
// The parts are equal, but for one integer. In step s ranks that are odd multiples of 2^s send what
// they have to the rank 2^s before them, which merges. Any number of ranks will do. Prints how long
// it took, and ends with 1 if the result is wrong.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

namespace {

using Numbers = std::vector<std::int32_t>;

/// Number `index` of those to be sorted: any, but always the same (SplitMix64).
std::int32_t number_at(std::int64_t index) {
  auto x = static_cast<std::uint64_t>(index + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return static_cast<std::int32_t>(x >> 33);
}

/// Where a rank's part begins.
std::int64_t start_of(int rank, int ranks, std::int64_t size) { return size * rank / ranks; }

Numbers part_of(int rank, int ranks, std::int64_t size) {
  Numbers part;
  for (auto i = start_of(rank, ranks, size); i < start_of(rank + 1, ranks, size); ++i) {
    part.push_back(number_at(i));
  }
  return part;
}

void bubble_sort(Numbers& numbers) {
  for (std::size_t end = numbers.size(); end > 1; --end) {
    for (std::size_t i = 1; i < end; ++i) {
      if (numbers[i] < numbers[i - 1]) std::swap(numbers[i], numbers[i - 1]);
    }
  }
}

/// Between two positions, by the middle one of three.
void quick_sort(Numbers& numbers, std::ptrdiff_t first, std::ptrdiff_t last) {
  const auto at = numbers.begin();
  while (last - first > 1) {
    const std::int32_t a = at[first];
    const std::int32_t b = at[first + (last - first) / 2];
    const std::int32_t c = at[last - 1];
    const std::int32_t pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    const auto middle =
        std::partition(at + first, at + last, [=](auto one) { return one < pivot; });
    const auto above = std::partition(middle, at + last, [=](auto one) { return one == pivot; });
    quick_sort(numbers, first, middle - at);
    first = above - at;
  }
}

Numbers merged(const Numbers& one, const Numbers& other) {
  Numbers all(one.size() + other.size());
  std::merge(one.begin(), one.end(), other.begin(), other.end(), all.begin());
  return all;
}

Numbers receive_from(int rank) {
  MPI_Status status;
  MPI_Probe(rank, 0, MPI_COMM_WORLD, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_INT32_T, &count);
  Numbers numbers(static_cast<std::size_t>(count));
  MPI_Recv(numbers.data(), count, MPI_INT32_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return numbers;
}

/// @return at rank 0 all numbers
Numbers merge_with_others(Numbers own, int rank, int ranks) {
  for (int distance = 1; distance < ranks; distance *= 2) {
    if (rank % (2 * distance) != 0) {
      MPI_Send(own.data(), static_cast<int>(own.size()), MPI_INT32_T, rank - distance, 0,
               MPI_COMM_WORLD);
      return {};
    }
    if (rank + distance < ranks) own = merged(own, receive_from(rank + distance));
  }
  return own;
}

bool is_right(const Numbers& sorted, std::int64_t size) {
  if (static_cast<std::int64_t>(sorted.size()) != size) return false;
  Numbers expected = part_of(0, 1, size);
  std::ranges::sort(expected);
  return sorted == expected;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string_view how = argc > 1 ? argv[1] : "quick";
  const std::int64_t size = argc > 2 ? std::atoll(argv[2]) : 10000;
  if ((how != "bubble" && how != "quick") || size < 0) {
    if (rank == 0) std::fputs("merge-sort: give bubble or quick, and a size\n", stderr);
    MPI_Finalize();
    return 2;
  }

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  Numbers own = part_of(rank, ranks, size);
  if (how == "bubble") {
    bubble_sort(own);
  } else {
    quick_sort(own, 0, static_cast<std::ptrdiff_t>(own.size()));
  }
  const Numbers all = merge_with_others(std::move(own), rank, ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double time = MPI_Wtime() - start;
  if (rank == 0) std::printf("sorted in %.6f s\n", time);
  std::fflush(stdout);
  MPI_Finalize();

  if (rank != 0 || is_right(all, size)) return 0;
  std::fputs("merge-sort: the result is wrong\n", stderr);
  return 1;
}
