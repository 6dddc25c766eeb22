// Whether partitioned communication does what the standard says. Runs with and without the
// emulation, at any number of ranks; exit code 1 and a line for what is wrong.

#include <mpi.h>

#include <cstdio>
#include <numeric>
#include <utility>
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

int next() { return (own + 1) % ranks; }
int before() { return (own - 1 + ranks) % ranks; }

/// Marks the partitions, the last one first.
void mark(int partitions, MPI_Request request) {
  for (int p = partitions - 1; p >= 0; --p) MPI_Pready(p, request);
}

/// Around a ring, with so many partitions on either side, several times.
void ring(int out_partitions, int in_partitions) {
  constexpr int total = 240;
  Ints out(total);
  Ints in(total);
  MPI_Request pair[2];
  MPI_Psend_init(out.data(), out_partitions, total / out_partitions, MPI_INT, next(), 5,
                 MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
  MPI_Precv_init(in.data(), in_partitions, total / in_partitions, MPI_INT, before(), 5,
                 MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]);
  for (int turn = 0; turn < 3; ++turn) {
    std::iota(out.begin(), out.end(), 1000 * own + turn);
    in.assign(total, -1);
    MPI_Startall(2, pair);
    mark(out_partitions, pair[0]);
    for (int p = 0; p < in_partitions; ++p) {
      int flag = 0;
      while (flag == 0) MPI_Parrived(pair[1], p, &flag);
      const int last = (p + 1) * (total / in_partitions) - 1;
      check(in[static_cast<std::size_t>(last)] == 1000 * before() + turn + last,
            "a partition that has arrived");
    }
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    check(in.front() == 1000 * before() + turn && in.back() == 1000 * before() + turn + total - 1,
          "all partitions");
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
  check(pair[0] == MPI_REQUEST_NULL, "null when freed");
}

void range_and_list() {
  constexpr int partitions = 8;
  Ints out(partitions * 3);
  Ints in(partitions * 3, -1);
  std::iota(out.begin(), out.end(), 100 * own);
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Psend_init(out.data(), partitions, 3, MPI_INT, next(), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &send);
  MPI_Precv_init(in.data(), partitions, 3, MPI_INT, before(), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &receive);
  MPI_Start(&receive);
  MPI_Start(&send);
  MPI_Pready_range(2, 5, send);
  int flag = 1;
  MPI_Test(&send, &flag, MPI_STATUS_IGNORE);
  check(flag == 0, "a send with partitions that aren't ready is over");
  int others[] = {7, 0, 1, 6};
  MPI_Pready_list(4, others, send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  Ints wanted(partitions * 3);
  std::iota(wanted.begin(), wanted.end(), 100 * before());
  check(in == wanted, "partitions of a range and a list");
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

/// A partition each column of a matrix, into columns.
void derived_datatypes() {
  constexpr int n = 6;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(n, 1, n, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &type);
  MPI_Type_commit(&type);
  Ints out(n * n);
  Ints in(n * n, -1);
  std::iota(out.begin(), out.end(), own);
  MPI_Request pair[2];
  MPI_Psend_init(out.data(), n, 1, type, next(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
  MPI_Precv_init(in.data(), n / 2, 2, type, before(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]);
  MPI_Type_free(&column);
  MPI_Startall(2, pair);
  mark(n, pair[0]);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  Ints wanted(n * n);
  std::iota(wanted.begin(), wanted.end(), before());
  check(in == wanted, "columns as partitions");
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
  MPI_Type_free(&type);
}

/// Messages of one pair and tag are matched in the order in which they are prepared.
void order() {
  int out[2] = {2 * own, 2 * own + 1};
  int in[2] = {-1, -1};
  MPI_Request all[4];
  for (int k = 0; k < 2; ++k) {
    MPI_Psend_init(&out[k], 1, 1, MPI_INT, next(), 9, MPI_COMM_WORLD, MPI_INFO_NULL, &all[k]);
    MPI_Precv_init(&in[k], 1, 1, MPI_INT, before(), 9, MPI_COMM_WORLD, MPI_INFO_NULL, &all[2 + k]);
  }
  MPI_Startall(4, all);
  MPI_Pready(0, all[1]);
  MPI_Pready(0, all[0]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  check(in[0] == 2 * before() && in[1] == 2 * before() + 1, "two of the same tag");
  for (MPI_Request& request : all) MPI_Request_free(&request);
}

void never_started() {
  int data[2] = {};
  MPI_Request pair[2];
  MPI_Psend_init(&data[0], 1, 1, MPI_INT, next(), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
  MPI_Precv_init(&data[1], 1, 1, MPI_INT, before(), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const auto& [out, in] : {std::pair{1, 1}, {8, 8}, {1, 16}, {16, 3}, {5, 8}}) ring(out, in);
  range_and_list();
  derived_datatypes();
  order();
  never_started();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
