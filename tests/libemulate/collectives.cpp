// Every collective operation, blocking and not, with sizes at which MPI libraries change their
// algorithms.
//
//   emulated-collectives exact|rounded [times]
//   emulated-collectives alone COUNT
//
// Data are integers, of which any order makes the same results, or floating-point numbers that are
// rounded, so that each order has its own. Prints a line for each call: what it was, a number that
// stands for all ranks' results and, with `times`, the virtual time at which the last rank had
// them, to the bit.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int ranks = 0;
int own = 0;
bool is_exact = true;
bool tells_times = false;

using Numbers = std::vector<double>;
using Ints = std::vector<int>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Of this rank.
Numbers data(int count) {
  Numbers numbers(at(count));
  for (int i = 0; i < count; ++i) {
    const int whole = 1 + (i * 31 + own * 17) % 101;
    numbers[at(i)] = is_exact ? whole : std::sin(whole) * std::pow(10, whole % 7);
  }
  return numbers;
}

std::uint64_t hash(const Numbers& numbers) {
  std::uint64_t result = 1469598103934665603U;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  for (std::size_t i = 0; i < numbers.size() * sizeof(double); ++i) {
    result = (result ^ bytes[i]) * 1099511628211U;
  }
  return result;
}

void tell(const std::string& name, int count, const Numbers& result) {
  const double now = MPI_Wtime();
  std::vector<std::uint64_t> hashes(at(ranks));
  Numbers times(at(ranks));
  const std::uint64_t mine = hash(result) * static_cast<std::uint64_t>(2 * own + 1);
  MPI_Gather(&mine, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, 0, world);
  MPI_Gather(&now, 1, MPI_DOUBLE, times.data(), 1, MPI_DOUBLE, 0, world);
  if (own != 0) return;
  std::printf("%s %d %016lx", name.c_str(), count,
              std::accumulate(hashes.begin(), hashes.end(), std::uint64_t{0}));
  if (tells_times) std::printf(" %a", *std::max_element(times.begin(), times.end()));
  std::printf("\n");
}

/// The call and its form that doesn't block.
/// @param run  (result, request) → nothing; no request: blocking
void both(const std::string& name, int count, const Numbers& before,
          const std::function<void(Numbers&, MPI_Request*)>& run) {
  for (const bool blocks : {true, false}) {
    Numbers result = before;
    MPI_Request request = MPI_REQUEST_NULL;
    run(result, blocks ? nullptr : &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell((blocks ? "" : "i") + name, count, result);
  }
}

Ints uneven(int largest) {
  Ints counts;
  for (int i = 0; i < ranks; ++i) counts.push_back(i % 3 == 1 ? 0 : largest / (1 + i % 2));
  return counts;
}
Ints starts_of(const Ints& counts) {
  Ints starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  return starts;
}
int sum(const Ints& counts) { return std::accumulate(counts.begin(), counts.end(), 0); }

/// Not commutative: pairs (a, b) of maps x → a x + b, one after the other.
void compose(void* left, void* right, int* count, MPI_Datatype*) {
  const auto* const l = static_cast<const double*>(left);
  auto* const r = static_cast<double*>(right);
  for (int i = 0; i < *count; ++i) {
    const double a = std::fmod(l[2 * i] * r[2 * i], 1009);
    const double b = std::fmod(r[2 * i] * l[2 * i + 1] + r[2 * i + 1], 1009);
    r[2 * i] = a;
    r[2 * i + 1] = b;
  }
}
void add(void* left, void* right, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<double*>(right)[i] += static_cast<double*>(left)[i];
}

struct Operator {
  std::string name;
  MPI_Op op;
  MPI_Datatype type;
  int numbers;  ///< in an element
};

// A call and its form with a request.
#define EITHER(NAME, INAME, ...) \
  (request != nullptr ? MPI_##INAME(__VA_ARGS__, request) : MPI_##NAME(__VA_ARGS__))

void move_data(int count) {
  const Numbers mine = data(count * ranks);
  const Numbers room(at(count * ranks));
  for (const int root : {0, ranks - 1}) {
    const std::string to = " of " + std::to_string(root);
    both("bcast" + to, count, mine, [&](Numbers& result, MPI_Request* request) {
      EITHER(Bcast, Ibcast, result.data(), count, MPI_DOUBLE, root, world);
    });
    both("gather" + to, count, room, [&](Numbers& result, MPI_Request* request) {
      EITHER(Gather, Igather, mine.data(), count, MPI_DOUBLE, result.data(), count, MPI_DOUBLE,
             root, world);
    });
    both("scatter" + to, count, room, [&](Numbers& result, MPI_Request* request) {
      EITHER(Scatter, Iscatter, mine.data(), count, MPI_DOUBLE, result.data(), count, MPI_DOUBLE,
             root, world);
    });
    const Ints counts = uneven(count);
    const Ints starts = starts_of(counts);
    both("gatherv" + to, count, room, [&](Numbers& result, MPI_Request* request) {
      EITHER(Gatherv, Igatherv, mine.data(), counts[at(own)], MPI_DOUBLE, result.data(),
             counts.data(), starts.data(), MPI_DOUBLE, root, world);
    });
    both("scatterv" + to, count, room, [&](Numbers& result, MPI_Request* request) {
      EITHER(Scatterv, Iscatterv, mine.data(), counts.data(), starts.data(), MPI_DOUBLE,
             result.data(), counts[at(own)], MPI_DOUBLE, root, world);
    });
  }
}

void exchange_data(int count) {
  const Numbers mine = data(count * ranks);
  const Numbers room(at(count * ranks));
  both("allgather", count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Allgather, Iallgather, mine.data(), count, MPI_DOUBLE, result.data(), count, MPI_DOUBLE,
           world);
  });
  both("allgather in place", count, mine, [&](Numbers& result, MPI_Request* request) {
    EITHER(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, result.data(), count,
           MPI_DOUBLE, world);
  });
  const Ints counts = uneven(count);
  const Ints starts = starts_of(counts);
  both("allgatherv", count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Allgatherv, Iallgatherv, mine.data(), counts[at(own)], MPI_DOUBLE, result.data(),
           counts.data(), starts.data(), MPI_DOUBLE, world);
  });
  both("alltoall", count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Alltoall, Ialltoall, mine.data(), count, MPI_DOUBLE, result.data(), count, MPI_DOUBLE,
           world);
  });
  both("alltoall in place", count, mine, [&](Numbers& result, MPI_Request* request) {
    EITHER(Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, result.data(), count,
           MPI_DOUBLE, world);
  });
  Ints out;
  Ints in;
  for (int peer = 0; peer < ranks; ++peer) {
    out.push_back((own + 2 * peer) % 3 * count / 3);
    in.push_back((peer + 2 * own) % 3 * count / 3);
  }
  const Ints out_starts = starts_of(out);
  const Ints in_starts = starts_of(in);
  both("alltoallv", count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Alltoallv, Ialltoallv, mine.data(), out.data(), out_starts.data(), MPI_DOUBLE,
           result.data(), in.data(), in_starts.data(), MPI_DOUBLE, world);
  });
  // Nobody sends the last rank anything, and it sends all to others.
  const bool is_last = own == ranks - 1;
  const Ints all(at(ranks), is_last ? count : 0);
  Ints some(at(ranks), 0);
  some.back() = count;
  const Ints all_starts = starts_of(all);
  const Ints some_starts = starts_of(some);
  both("alltoallv of one", count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Alltoallv, Ialltoallv, mine.data(), all.data(), all_starts.data(), MPI_DOUBLE,
           result.data(), some.data(), some_starts.data(), MPI_DOUBLE, world);
  });
}

void reduce_data(const Operator& with, int count) {
  const int numbers = count * with.numbers;
  const Numbers mine = data(numbers * ranks);
  const Numbers room(at(numbers * ranks));
  const std::string by = " by " + with.name;
  for (const int root : {0, ranks - 1}) {
    both("reduce" + by + " to " + std::to_string(root), count, room,
         [&](Numbers& result, MPI_Request* request) {
           EITHER(Reduce, Ireduce, mine.data(), result.data(), count, with.type, with.op, root,
                  world);
         });
  }
  both("allreduce" + by, count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Allreduce, Iallreduce, mine.data(), result.data(), count, with.type, with.op, world);
  });
  both("allreduce in place" + by, count, mine, [&](Numbers& result, MPI_Request* request) {
    EITHER(Allreduce, Iallreduce, MPI_IN_PLACE, result.data(), count, with.type, with.op, world);
  });
  both("scan" + by, count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Scan, Iscan, mine.data(), result.data(), count, with.type, with.op, world);
  });
  both("exscan" + by, count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Exscan, Iexscan, mine.data(), result.data(), count, with.type, with.op, world);
  });
  both("reduce_scatter_block" + by, count, room, [&](Numbers& result, MPI_Request* request) {
    EITHER(Reduce_scatter_block, Ireduce_scatter_block, mine.data(), result.data(), count,
           with.type, with.op, world);
  });
  for (const Ints& counts : {Ints(at(ranks), count), uneven(count)}) {
    both("reduce_scatter" + by, sum(counts), room, [&](Numbers& result, MPI_Request* request) {
      EITHER(Reduce_scatter, Ireduce_scatter, mine.data(), result.data(), counts.data(), with.type,
             with.op, world);
    });
  }
}

void time_allreduce(int count) {
  const Numbers mine = data(count);
  Numbers result(mine.size());
  const double start = MPI_Wtime();
  MPI_Allreduce(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, world);
  std::printf("%d %.12g\n", own, MPI_Wtime() - start);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(world, &ranks);
  MPI_Comm_rank(world, &own);
  if (argc > 2 && std::string{argv[1]} == "alone") {
    time_allreduce(std::atoi(argv[2]));
    MPI_Finalize();
    return 0;
  }
  is_exact = argc < 2 || std::string{argv[1]} == "exact";
  tells_times = argc > 2;
  Operator maps{"maps", MPI_OP_NULL, MPI_DATATYPE_NULL, 2};
  Operator own_sum{"own sum", MPI_OP_NULL, MPI_DOUBLE, 1};
  MPI_Type_contiguous(2, MPI_DOUBLE, &maps.type);
  MPI_Type_commit(&maps.type);
  MPI_Op_create(compose, 0, &maps.op);
  MPI_Op_create(add, 1, &own_sum.op);
  MPI_Barrier(world);
  tell("barrier", 0, {});
  for (const int count : {0, 1, 33, 1700, 5000}) {
    move_data(count);
    exchange_data(count);
    for (const Operator& with : {Operator{"sum", MPI_SUM, MPI_DOUBLE, 1}, own_sum, maps}) {
      reduce_data(with, count);
    }
  }
  move_data(70000);
  exchange_data(70000);
  reduce_data({"sum", MPI_SUM, MPI_DOUBLE, 1}, 20000);
  MPI_Op_free(&own_sum.op);
  MPI_Op_free(&maps.op);
  MPI_Type_free(&maps.type);
  MPI_Finalize();
}
