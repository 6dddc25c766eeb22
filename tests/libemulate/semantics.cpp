// Whether MPI still does what the standard says: data, statuses, handles. Runs with and without the
// emulation, at any number of ranks; exit code 1 and a line for what is wrong.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
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

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Ints row(int count, int start, int step = 1) {
  Ints values(at(count));
  for (int i = 0; i < count; ++i) values[at(i)] = start + i * step;
  return values;
}

int next(MPI_Comm) { return (own + 1) % ranks; }
int before() { return (own - 1 + ranks) % ranks; }

void messages(MPI_Comm comm) {
  Ints out = row(100, own);
  Ints in(200, -1);
  MPI_Status status;
  MPI_Sendrecv(out.data(), 100, MPI_INT, next(comm), 7, in.data(), 200, MPI_INT, before(), 7, comm,
               &status);
  int count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  check(count == 100 && status.MPI_SOURCE == before() && status.MPI_TAG == 7, "Sendrecv's status");
  check(in[99] == before() + 99, "Sendrecv's data");

  MPI_Sendrecv_replace(out.data(), 100, MPI_INT, next(comm), 8, before(), 8, comm, &status);
  check(out[5] == before() + 5, "Sendrecv_replace");

  // Every other element of a matrix' column.
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(10, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  Ints matrix = row(40, 100 * own);
  Ints other(10, -1);
  MPI_Request requests[2];
  MPI_Irecv(other.data(), 10, MPI_INT, before(), 9, comm, &requests[0]);
  MPI_Isend(matrix.data(), 1, column, next(comm), 9, comm, &requests[1]);
  MPI_Type_free(&column);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL, "null after Waitall");
  check(other[3] == 100 * before() + 12, "a derived datatype");

  MPI_Send(out.data(), 100, MPI_INT, MPI_PROC_NULL, 0, comm);
  MPI_Recv(in.data(), 100, MPI_INT, MPI_PROC_NULL, 0, comm, &status);
  check(status.MPI_SOURCE == MPI_PROC_NULL, "a receive from nobody");

  MPI_Sendrecv(out.data(), 1, MPI_INT, own, 3, in.data(), 1, MPI_INT, own, 3, comm, &status);
  check(in[0] == out[0] && status.MPI_SOURCE == own, "a message to oneself");

  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int wrong_rank = MPI_Send(out.data(), 1, MPI_INT, ranks, 0, comm);
  int error_class = 0;
  MPI_Error_class(wrong_rank, &error_class);
  check(error_class == MPI_ERR_RANK, "a rank that doesn't exist");
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Isend(out.data(), 100, MPI_INT, next(comm), 4, comm, &send);
  const int truncated = MPI_Recv(in.data(), 10, MPI_INT, before(), 4, comm, &status);
  MPI_Error_class(truncated, &error_class);
  check(error_class == MPI_ERR_TRUNCATE, "a message longer than its receive");
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

void wildcards(MPI_Comm comm) {
  if (own != 0) {
    MPI_Send(&own, 1, MPI_INT, 0, own, comm);
    MPI_Ssend(&own, 1, MPI_INT, 0, 100 + own, comm);
    return;
  }
  int sum = 0;
  for (int i = 1; i < ranks; ++i) {
    int value = 0;
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
    check(value == status.MPI_SOURCE, "what a probe found");
    sum += value;
    MPI_Message message = MPI_MESSAGE_NULL;
    if (status.MPI_TAG > 100) continue;
    MPI_Mprobe(status.MPI_SOURCE, 100 + status.MPI_SOURCE, comm, &message, &status);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    check(message == MPI_MESSAGE_NULL && status.MPI_TAG == 100 + value, "a matched probe");
  }
  check(sum == ranks * (ranks - 1) / 2, "one of each rank");
}

void requests(MPI_Comm comm) {
  // Persistent ones, several times.
  Ints out(50);
  Ints in(50);
  MPI_Request pair[2];
  MPI_Send_init(out.data(), 50, MPI_INT, next(comm), 11, comm, &pair[0]);
  MPI_Recv_init(in.data(), 50, MPI_INT, before(), 11, comm, &pair[1]);
  for (int turn = 0; turn < 3; ++turn) {
    std::iota(out.begin(), out.end(), 10 * own + turn);
    MPI_Startall(2, pair);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    check(pair[1] != MPI_REQUEST_NULL && in[7] == 10 * before() + turn + 7, "persistent requests");
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);

  // Any, some, all, in every way.
  Ints values(at(ranks), -1);
  std::vector<MPI_Request> all(at(2 * ranks));
  for (int i = 0; i < ranks; ++i) {
    MPI_Irecv(&values[at(i)], 1, MPI_INT, i, 12, comm, &all[at(i)]);
    MPI_Isend(&own, 1, MPI_INT, i, 12, comm, &all[at(ranks + i)]);
  }
  int open = 2 * ranks;
  MPI_Status status;
  int index = 0;
  MPI_Waitany(2 * ranks, all.data(), &index, &status);
  check(index >= 0 && all[at(index)] == MPI_REQUEST_NULL, "Waitany");
  --open;
  Ints indices(at(2 * ranks));
  std::vector<MPI_Status> statuses(at(2 * ranks));
  while (open > ranks) {
    int count = 0;
    MPI_Waitsome(2 * ranks, all.data(), &count, indices.data(), statuses.data());
    check(count > 0, "Waitsome");
    open -= count;
  }
  while (open > 0) {
    int flag = 0;
    MPI_Testany(2 * ranks, all.data(), &index, &flag, &status);
    if (flag && index != MPI_UNDEFINED) --open;
  }
  MPI_Waitany(2 * ranks, all.data(), &index, &status);
  check(index == MPI_UNDEFINED, "Waitany of nothing");
  check(values == row(ranks, 0), "what was received in any order");

  MPI_Request request = MPI_REQUEST_NULL;
  int flag = 0;
  MPI_Test(&request, &flag, &status);
  check(flag == 1, "Test of nothing");
  int late = 0;
  MPI_Irecv(&late, 1, MPI_INT, before(), 13, comm, &request);
  MPI_Send(&own, 1, MPI_INT, next(comm), 13, comm);
  for (flag = 0; flag == 0;) MPI_Test(&request, &flag, &status);
  check(late == before() && request == MPI_REQUEST_NULL, "Test until it is there");
}

template <class Blocking, class Starting>
void both(Blocking&& blocking, Starting&& starting) {
  blocking();
  MPI_Request request = MPI_REQUEST_NULL;
  starting(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Items with a gap behind them.
void pairs(MPI_Comm comm) {
  struct Pair {
    double value;
    int place;
  };
  const std::vector<Pair> mine{{1.0 * own, own}, {-1.0 * own, own}, {7, own}};
  std::vector<Pair> least(3, {99, -1});
  both([&] { MPI_Allreduce(mine.data(), least.data(), 3, MPI_DOUBLE_INT, MPI_MINLOC, comm); },
       [&](MPI_Request* r) {
         MPI_Iallreduce(mine.data(), least.data(), 3, MPI_DOUBLE_INT, MPI_MINLOC, comm, r);
       });
  check(least[0].place == 0 && least[1].place == ranks - 1 && least[2].place == 0, "MINLOC");
}

void rooted(MPI_Comm comm) {
  for (int root = 0; root < ranks; ++root) {
    Ints data = own == root ? row(30, root) : Ints(30, -1);
    both([&] { MPI_Bcast(data.data(), 30, MPI_INT, root, comm); },
         [&](MPI_Request* r) { MPI_Ibcast(data.data(), 30, MPI_INT, root, comm, r); });
    check(data == row(30, root), "Bcast");

    Ints sum(3, 0);
    const Ints mine{own, 1, -own};
    const Ints expected{ranks * (ranks - 1) / 2, ranks, -ranks * (ranks - 1) / 2};
    both([&] { MPI_Reduce(mine.data(), sum.data(), 3, MPI_INT, MPI_SUM, root, comm); },
         [&](MPI_Request* r) {
           MPI_Ireduce(mine.data(), sum.data(), 3, MPI_INT, MPI_SUM, root, comm, r);
         });
    if (own == root) check(sum == expected, "Reduce");

    Ints all(at(2 * ranks), -1);
    const Ints two{2 * own, 2 * own + 1};
    both([&] { MPI_Gather(two.data(), 2, MPI_INT, all.data(), 2, MPI_INT, root, comm); },
         [&](MPI_Request* r) {
           MPI_Igather(two.data(), 2, MPI_INT, all.data(), 2, MPI_INT, root, comm, r);
         });
    if (own == root) check(all == row(2 * ranks, 0), "Gather");

    Ints part(2, -1);
    const Ints whole = row(2 * ranks, 0);
    both([&] { MPI_Scatter(whole.data(), 2, MPI_INT, part.data(), 2, MPI_INT, root, comm); },
         [&](MPI_Request* r) {
           MPI_Iscatter(whole.data(), 2, MPI_INT, part.data(), 2, MPI_INT, root, comm, r);
         });
    check(part == two, "Scatter");

    // Rank i has i + 1 elements, one free between two parts.
    Ints counts = row(ranks, 1);
    Ints places(at(ranks), 0);
    for (int i = 1; i < ranks; ++i) places[at(i)] = places[at(i - 1)] + counts[at(i - 1)] + 1;
    const int size = places.back() + ranks;
    Ints uneven(at(size), -1);
    const Ints own_part = row(own + 1, 100 * own);
    both(
        [&] {
          MPI_Gatherv(own_part.data(), own + 1, MPI_INT, uneven.data(), counts.data(),
                      places.data(), MPI_INT, root, comm);
        },
        [&](MPI_Request* r) {
          MPI_Igatherv(own_part.data(), own + 1, MPI_INT, uneven.data(), counts.data(),
                       places.data(), MPI_INT, root, comm, r);
        });
    if (own == root) check(uneven.back() == 100 * (ranks - 1) + ranks - 1, "Gatherv");
    if (own == root && ranks > 1) check(uneven[1] == -1 && uneven[2] == 100, "Gatherv's gaps");
    Ints back(at(own + 1), -1);
    both(
        [&] {
          MPI_Scatterv(uneven.data(), counts.data(), places.data(), MPI_INT, back.data(), own + 1,
                       MPI_INT, root, comm);
        },
        [&](MPI_Request* r) {
          MPI_Iscatterv(uneven.data(), counts.data(), places.data(), MPI_INT, back.data(), own + 1,
                        MPI_INT, root, comm, r);
        });
    check(back == own_part, "Scatterv");
  }
}

/// 2 × 2 matrices: the order of the factors matters.
void multiply(void* left, void* right, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const int*>(left);
  auto* b = static_cast<int*>(right);
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    const int product[]{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                        a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    std::copy(product, product + 4, b);
  }
}

void in_order(MPI_Comm comm) {
  MPI_Datatype square = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_INT, &square);
  MPI_Type_commit(&square);
  MPI_Op product = MPI_OP_NULL;
  MPI_Op_create(multiply, 0, &product);
  const auto factor = [](int rank) { return Ints{1, rank + 1, 0, rank % 2 == 0 ? 1 : -1}; };
  Ints expected = factor(0);
  Ints prefix = factor(0);
  Ints exclusive = factor(0);
  for (int rank = 1; rank < ranks; ++rank) {
    if (rank == own) exclusive = expected;
    Ints next_one = factor(rank);
    int one = 1;
    multiply(expected.data(), next_one.data(), &one, &square);
    expected = next_one;
    if (rank == own) prefix = expected;
  }
  const Ints mine = factor(own);
  for (int root = 0; root < ranks; ++root) {
    Ints result(4);
    MPI_Reduce(mine.data(), result.data(), 1, square, product, root, comm);
    if (own == root) check(result == expected, "Reduce in order");
  }
  Ints result(4);
  both([&] { MPI_Allreduce(mine.data(), result.data(), 1, square, product, comm); },
       [&](MPI_Request* r) {
         MPI_Iallreduce(mine.data(), result.data(), 1, square, product, comm, r);
       });
  check(result == expected, "Allreduce in order");
  both([&] { MPI_Scan(mine.data(), result.data(), 1, square, product, comm); },
       [&](MPI_Request* r) { MPI_Iscan(mine.data(), result.data(), 1, square, product, comm, r); });
  check(result == prefix, "Scan in order");
  both([&] { MPI_Exscan(mine.data(), result.data(), 1, square, product, comm); },
       [&](MPI_Request* r) {
         MPI_Iexscan(mine.data(), result.data(), 1, square, product, comm, r);
       });
  if (own > 0) check(result == exclusive, "Exscan in order");
  MPI_Op_free(&product);
  MPI_Type_free(&square);
}

void symmetric(MPI_Comm comm) {
  both([&] { MPI_Barrier(comm); }, [&](MPI_Request* r) { MPI_Ibarrier(comm, r); });
  Ints all(at(2 * ranks), -1);
  const Ints two{2 * own, 2 * own + 1};
  both([&] { MPI_Allgather(two.data(), 2, MPI_INT, all.data(), 2, MPI_INT, comm); },
       [&](MPI_Request* r) {
         MPI_Iallgather(two.data(), 2, MPI_INT, all.data(), 2, MPI_INT, comm, r);
       });
  check(all == row(2 * ranks, 0), "Allgather");
  all[at(2 * own)] = -5;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all.data(), 2, MPI_INT, comm);
  check(all[at(2 * before())] == -5, "Allgather in place");

  const Ints counts(at(ranks), 1);
  const Ints places = row(ranks, ranks - 1, -1);
  Ints turned(at(ranks), -1);
  both(
      [&] {
        MPI_Allgatherv(&own, 1, MPI_INT, turned.data(), counts.data(), places.data(), MPI_INT,
                       comm);
      },
      [&](MPI_Request* r) {
        MPI_Iallgatherv(&own, 1, MPI_INT, turned.data(), counts.data(), places.data(), MPI_INT,
                        comm, r);
      });
  check(turned == row(ranks, ranks - 1, -1), "Allgatherv");

  const Ints out = row(ranks, 100 * own);
  Ints in(at(ranks), -1);
  const Ints expected = row(ranks, own, 100);
  both([&] { MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm); },
       [&](MPI_Request* r) {
         MPI_Ialltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm, r);
       });
  check(in == expected, "Alltoall");
  in = out;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in.data(), 1, MPI_INT, comm);
  check(in == expected, "Alltoall in place");
  const Ints forward = row(ranks, 0);
  both(
      [&] {
        MPI_Alltoallv(out.data(), counts.data(), forward.data(), MPI_INT, in.data(), counts.data(),
                      places.data(), MPI_INT, comm);
      },
      [&](MPI_Request* r) {
        MPI_Ialltoallv(out.data(), counts.data(), forward.data(), MPI_INT, in.data(), counts.data(),
                       places.data(), MPI_INT, comm, r);
      });
  check(in == row(ranks, 100 * (ranks - 1) + own, -100), "Alltoallv");
  const std::vector<MPI_Datatype> types(at(ranks), MPI_INT);
  const Ints bytes = row(ranks, 0, sizeof(int));
  both(
      [&] {
        MPI_Alltoallw(out.data(), counts.data(), bytes.data(), types.data(), in.data(),
                      counts.data(), bytes.data(), types.data(), comm);
      },
      [&](MPI_Request* r) {
        MPI_Ialltoallw(out.data(), counts.data(), bytes.data(), types.data(), in.data(),
                       counts.data(), bytes.data(), types.data(), comm, r);
      });
  check(in == expected, "Alltoallw");

  Ints parts(at(ranks), own);
  int sum = 0;
  both([&] { MPI_Reduce_scatter_block(parts.data(), &sum, 1, MPI_INT, MPI_SUM, comm); },
       [&](MPI_Request* r) {
         MPI_Ireduce_scatter_block(parts.data(), &sum, 1, MPI_INT, MPI_SUM, comm, r);
       });
  check(sum == ranks * (ranks - 1) / 2, "Reduce_scatter_block");
  const Ints uneven = row(ranks, 1);
  Ints many(at(ranks * (ranks + 1) / 2), 1);
  Ints share(at(own + 1), 0);
  both(
      [&] { MPI_Reduce_scatter(many.data(), share.data(), uneven.data(), MPI_INT, MPI_SUM, comm); },
      [&](MPI_Request* r) {
        MPI_Ireduce_scatter(many.data(), share.data(), uneven.data(), MPI_INT, MPI_SUM, comm, r);
      });
  check(share == Ints(at(own + 1), ranks), "Reduce_scatter");
}

/// Several at a time, in the same order everywhere, among messages.
void overlapping(MPI_Comm comm) {
  int sum = 0;
  int first = own == 0 ? 42 : 0;
  int value = -1;
  MPI_Request requests[4];
  MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
  MPI_Ibcast(&first, 1, MPI_INT, 0, comm, &requests[1]);
  MPI_Ibarrier(comm, &requests[2]);
  MPI_Irecv(&value, 1, MPI_INT, before(), 21, comm, &requests[3]);
  MPI_Send(&own, 1, MPI_INT, next(comm), 21, comm);
  int flag = 0;
  while (flag == 0) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
  check(sum == ranks * (ranks - 1) / 2 && first == 42 && value == before(), "several at a time");

  // A barrier must go on while its ranks wait for something else.
  MPI_Ibarrier(comm, &requests[0]);
  if (own == 0) {
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int i = 1; i < ranks; ++i) MPI_Send(&own, 1, MPI_INT, i, 22, comm);
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 22, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
}

/// What else may be done while a collective operation is under way.
void meanwhile(MPI_Comm comm) {
  int sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(sum == ranks * (ranks - 1) / 2, "a sum while a communicator is made");
  MPI_Comm_free(&copy);

  MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_MAX, comm, &request);
  if (own == 0) {
    for (int i = 1; i < ranks; ++i) {
      MPI_Status status;
      MPI_Probe(MPI_ANY_SOURCE, 23, comm, &status);
      int value = -1;
      MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 23, comm, MPI_STATUS_IGNORE);
      check(value == status.MPI_SOURCE, "a probe during a sum");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&own, 1, MPI_INT, 0, 23, comm);
  }
  check(sum == ranks - 1, "a maximum while somebody probes");

  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  Ints values{own == 0 ? 5 : 0, own == 0 ? 6 : 0};
  MPI_Ibcast(values.data(), 1, pair, 0, comm, &request);
  MPI_Type_free(&pair);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(pair == MPI_DATATYPE_NULL && values == Ints{5, 6}, "a datatype that is freed early");

  int value = -1;
  MPI_Issend(&own, 1, MPI_INT, next(comm), 24, comm, &request);
  MPI_Request_free(&request);
  MPI_Recv(&value, 1, MPI_INT, before(), 24, comm, MPI_STATUS_IGNORE);
  check(request == MPI_REQUEST_NULL && value == before(), "a send that nobody waits for");
  // Its data may change only when it is over.
  MPI_Barrier(comm);
}

void neighbours(MPI_Comm comm) {
  const int sizes[]{ranks};
  const int periods[]{1};
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(comm, 1, sizes, periods, 0, &ring);
  Ints in(2, -1);
  both([&] { MPI_Neighbor_allgather(&own, 1, MPI_INT, in.data(), 1, MPI_INT, ring); },
       [&](MPI_Request* r) {
         MPI_Ineighbor_allgather(&own, 1, MPI_INT, in.data(), 1, MPI_INT, ring, r);
       });
  check(in[0] == before() && in[1] == next(ring), "Neighbor_allgather");
  // On a ring of two MPICH itself mixes up the two directions.
  const Ints out{2 * own, 2 * own + 1};
  MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, ring);
  if (ranks > 2) check(in[0] == 2 * before() + 1 && in[1] == 2 * next(ring), "Neighbor_alltoall");
  MPI_Comm_free(&ring);
}

void communicators() {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, own % 2, -own, &half);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  int sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, half);
  int expected = 0;
  for (int i = own % 2; i < ranks; i += 2) expected += i;
  check(sum == expected, "a half's sum");
  int highest = own;
  MPI_Bcast(&highest, 1, MPI_INT, 0, half);
  check(highest >= own && highest + 2 >= ranks, "a half's order");

  // The same tag in two communicators.
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const int one = 1;
  const int two = 2;
  int first = 0;
  int second = 0;
  MPI_Request sends[2];
  MPI_Isend(&one, 1, MPI_INT, next(copy), 5, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(&two, 1, MPI_INT, next(copy), 5, copy, &sends[1]);
  MPI_Recv(&second, 1, MPI_INT, before(), 5, copy, MPI_STATUS_IGNORE);
  MPI_Recv(&first, 1, MPI_INT, before(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  check(first == 1 && second == 2, "messages of two communicators");

  MPI_Comm none = MPI_COMM_NULL;
  MPI_Comm_split(copy, own == 0 ? MPI_UNDEFINED : 1, 0, &none);
  check((none == MPI_COMM_NULL) == (own == 0), "a split that leaves one out");
  if (none != MPI_COMM_NULL) {
    MPI_Barrier(none);
    MPI_Comm_free(&none);
  }
  if (ranks > 1) {
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
                         own % 2 == 0 ? (ranks / 2) * 2 - 1 : ((ranks - 1) / 2) * 2, 17, &inter);
    int remote = 0;
    MPI_Comm_remote_size(inter, &remote);
    check(remote == ranks - size, "an intercommunicator's size");
    if (rank < remote && rank < size) {
      int partner = -1;
      MPI_Sendrecv(&own, 1, MPI_INT, rank, 0, &partner, 1, MPI_INT, rank, 0, inter,
                   MPI_STATUS_IGNORE);
      check(partner % 2 != own % 2, "a message to the other side");
    }
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(inter, own % 2, &merged);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, merged);
    check(sum == ranks * (ranks - 1) / 2, "a merged communicator");
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
  }

  // A host's ranks, the first of all left out: each is on a host of its own, or all are on one.
  MPI_Comm of_host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, own == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
                      MPI_INFO_NULL, &of_host);
  check((of_host == MPI_COMM_NULL) == (own == 0), "a split by hosts that leaves one out");
  if (of_host != MPI_COMM_NULL) {
    MPI_Barrier(of_host);
    MPI_Comm_free(&of_host);
  }

  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, 0, info, &of_host);
  MPI_Info kept = MPI_INFO_NULL;
  MPI_Comm_get_info(of_host, &kept);
  char value[8]{};
  int is_set = 0;
  MPI_Info_get(kept, "mpi_assert_no_any_tag", 7, value, &is_set);
  check(is_set != 0 && std::string_view{value} == "true", "hints of a split by hosts");
  MPI_Info_free(&kept);
  MPI_Comm_free(&of_host);
#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
  MPI_Info_delete(info, "mpi_assert_no_any_tag");
  const auto who_sees = [&](const char* directory) {
    MPI_Info_set(info, "nbhd_common_dirname", directory);
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Comm_split_type(copy, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, info, &all);
    if (all == MPI_COMM_NULL) return 0;
    int count = 0;
    MPI_Comm_size(all, &count);
    MPI_Comm_free(&all);
    return count;
  };
  check(who_sees(".") == ranks, "who sees a directory");
  check(ranks == 1 || who_sees(own == 0 ? "one" : "another") == 0, "who sees two directories");
#endif
  MPI_Info_free(&info);

  [[maybe_unused]] const MPI_Comm freed = copy;
  MPI_Comm_free(&copy);
#ifdef MPICH_VERSION  // others may look at what isn't there any more
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int refusal = MPI_SUCCESS;
  MPI_Error_class(MPI_Barrier(freed), &refusal);
  check(refusal == MPI_ERR_COMM, "a barrier of what was freed");
  MPI_Error_class(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, nullptr), &refusal);
  check(refusal == MPI_ERR_ARG, "a communicator to nowhere");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
#endif
  MPI_Comm_free(&half);
  MPI_Barrier(MPI_COMM_SELF);
}

/// MPI-4's functions with counts of MPI_Count.
void large_counts([[maybe_unused]] MPI_Comm comm) {
#if MPI_VERSION >= 4
  const MPI_Count count = 3;
  const int to = (own + 1) % ranks;
  const int from = (own + ranks - 1) % ranks;
  const Ints mine = row(3, own);
  Ints got(3, -1);
  MPI_Sendrecv_c(mine.data(), count, MPI_INT, to, 4, got.data(), count, MPI_INT, from, 4, comm,
                 MPI_STATUS_IGNORE);
  check(got == row(3, from), "Sendrecv_c");

  std::fill(got.begin(), got.end(), -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Irecv_c(got.data(), count, MPI_INT, from, 5, comm, &request);
  MPI_Send_c(mine.data(), count - 1, MPI_INT, to, 5, comm);
  MPI_Wait(&request, &status);
  MPI_Count received = 0;
  MPI_Get_count_c(&status, MPI_INT, &received);
  check(received == 2 && got[0] == from && got[1] == from + 1 && got[2] == -1, "Send_c, Irecv_c");

  Ints sum(3, 0);
  const Ints expected{ranks * (ranks - 1) / 2, ranks * (ranks + 1) / 2, ranks * (ranks + 3) / 2};
  both([&] { MPI_Allreduce_c(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, comm); },
       [&](MPI_Request* r) {
         MPI_Iallreduce_c(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, comm, r);
       });
  check(sum == expected, "Allreduce_c");

  Ints data = own == 0 ? mine : got;
  MPI_Bcast_init_c(data.data(), count, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  check(data == row(3, 0), "Bcast_init_c");

  Ints all(at(ranks), -1);
  PMPI_Allgather_c(&own, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  check(all == row(ranks, 0), "Allgather_c");
#endif
}

/// A library keeps a communicator as long as there is MPI.
int free_kept(MPI_Comm, int, void* kept, void*) {
  return MPI_Comm_free(static_cast<MPI_Comm*>(kept));
}

void keep_a_communicator() {
  static MPI_Comm kept = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_kept, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &kept);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  keep_a_communicator();
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double last = MPI_Wtime();
  const auto clock_goes_on = [&] {
    const double now = MPI_Wtime();
    check(now >= last, "MPI_Wtime runs backwards");
    last = now;
  };
  for (const auto test : {messages, wildcards, requests, rooted, pairs, in_order, symmetric,
                          overlapping, meanwhile, neighbours, large_counts}) {
    test(MPI_COMM_WORLD);
    // A probe of anything must not see the next test's messages.
    MPI_Barrier(MPI_COMM_WORLD);
    clock_goes_on();
  }
  communicators();
  clock_goes_on();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
