// Data wherever a datatype puts them, and what may be freed when. Runs with and without the
// emulation, at any number of ranks, with an argument only what all MPI libraries have alike; exit
// code 1 and a line for what is wrong.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <numeric>
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

Ints row(int count, int start) {
  Ints values(at(count));
  std::iota(values.begin(), values.end(), start);
  return values;
}

int next() { return (own + 1) % ranks; }
int before() { return (own - 1 + ranks) % ranks; }

int class_of(int code) {
  int result = 0;
  MPI_Error_class(code, &result);
  return result;
}

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

MPI_Datatype contiguous(int count) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(count, MPI_INT, &type);
  return committed(type);
}

/// `count` numbers, one every `stride`.
MPI_Datatype strided(int count, int stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, stride, MPI_INT, &type);
  return committed(type);
}

/// Where these numbers are, seen from MPI_BOTTOM.
MPI_Datatype absolute(const Ints& values) {
  MPI_Aint address = 0;
  MPI_Get_address(values.data(), &address);
  const int length = static_cast<int>(values.size());
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type);
  return committed(type);
}

void absolute_addresses(MPI_Comm comm) {
  const Ints out = row(6, 10 * own);
  Ints in(6, -1);
  Ints all(at(6 * ranks), -1);
  MPI_Datatype from = absolute(out);
  MPI_Datatype to = absolute(in);
  const Ints expected = row(6, 10 * before());
  MPI_Sendrecv(MPI_BOTTOM, 1, from, next(), 1, MPI_BOTTOM, 1, to, before(), 1, comm,
               MPI_STATUS_IGNORE);
  check(in == expected, "Sendrecv at MPI_BOTTOM");

  in.assign(6, -1);
  MPI_Request both[2];
  MPI_Recv_init(MPI_BOTTOM, 1, to, before(), 2, comm, &both[0]);
  MPI_Send_init(MPI_BOTTOM, 1, from, next(), 2, comm, &both[1]);
  MPI_Startall(2, both);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  check(in == expected, "persistent requests at MPI_BOTTOM");
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);

  MPI_Sendrecv(MPI_BOTTOM, 1, from, own, 3, MPI_BOTTOM, 1, to, own, 3, comm, MPI_STATUS_IGNORE);
  check(in == out, "a message to oneself at MPI_BOTTOM");

  MPI_Datatype everything = absolute(all);
  MPI_Datatype whole = contiguous(6);
  MPI_Allgather(MPI_BOTTOM, 1, from, all.data(), 1, whole, comm);
  check(all[at(6 * before())] == 10 * before(), "Allgather of what is at MPI_BOTTOM");
  for (int i = 0; i < 6 * ranks; ++i) all[at(i)] = own == 0 ? 7 + i : -1;
  MPI_Bcast(MPI_BOTTOM, 1, everything, 0, comm);
  check(all == row(6 * ranks, 7), "Bcast at MPI_BOTTOM");
  in.assign(6, -1);
  MPI_Scatter(all.data(), 6, MPI_INT, MPI_BOTTOM, 1, to, ranks - 1, comm);
  check(in == row(6, 7 + 6 * own), "Scatter to MPI_BOTTOM");

  const Ints none(at(ranks), 0);
  Ints counts = none;
  counts[at(own)] = 1;
  in.assign(6, -1);
  const std::vector<MPI_Datatype> sources(at(ranks), from);
  const std::vector<MPI_Datatype> targets(at(ranks), to);
  MPI_Alltoallw(MPI_BOTTOM, counts.data(), none.data(), sources.data(), MPI_BOTTOM, counts.data(),
                none.data(), targets.data(), comm);
  check(in == out, "Alltoallw from MPI_BOTTOM to MPI_BOTTOM");
  for (MPI_Datatype* const type : {&from, &to, &everything, &whole}) MPI_Type_free(type);
}

/// The sender has fewer numbers than the receiver has room for.
void parts_of_items(MPI_Comm comm) {
  const Ints out = row(8, 100 * own);
  for (const int sent : {1, 2, 3, 5, 7}) {
    Ints in(16, -1);
    MPI_Datatype sparse = strided(4, 2);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), sent, MPI_INT, next(), 4, comm, &request);
    MPI_Status status;
    // The second item begins where the first ends, 7 numbers after its beginning.
    MPI_Recv(in.data(), 2, sparse, before(), 4, comm, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    Ints expected(16, -1);
    for (int i = 0; i < sent; ++i) {
      expected[at(i < 4 ? 2 * i : 7 + 2 * (i - 4))] = 100 * before() + i;
    }
    check(in == expected, "a receive of part of an item");
    int items = -1;
    int numbers = -1;
    MPI_Get_count(&status, sparse, &items);
    MPI_Get_elements(&status, sparse, &numbers);
    check(items == MPI_UNDEFINED && numbers == sent, "the count of a part of an item");
    MPI_Type_free(&sparse);
  }
}

/// The same numbers in other items.
void other_types(MPI_Comm comm) {
  MPI_Datatype three = contiguous(3);
  MPI_Datatype sparse = strided(6, 2);
  const Ints out = row(12, 50 * own);
  Ints in(30, -1);
  MPI_Status status;
  MPI_Sendrecv(out.data(), 4, three, next(), 5, in.data(), 2, sparse, before(), 5, comm, &status);
  check(in[10] == 50 * before() + 5 && in[11] == 50 * before() + 6 && in[12] == -1,
        "other types at the two ends");
  int items = -1;
  MPI_Get_count(&status, sparse, &items);
  check(items == 2, "the count of another type");

  Ints data = own == 0 ? row(11, 0) : Ints(11, -1);
  if (own == 0) {
    MPI_Bcast(data.data(), 1, sparse, 0, comm);
  } else {
    MPI_Bcast(data.data(), 2, three, 0, comm);
  }
  check(own == 0 || (data[5] == 10 && data[6] == -1), "Bcast with other types");

  Ints all(at(12 * ranks), -1);
  MPI_Gather(out.data(), 2, three, all.data(), 6, MPI_INT, 0, comm);
  check(own != 0 || all[at(6 * (ranks - 1) + 5)] == 50 * (ranks - 1) + 5,
        "Gather with other types");
  MPI_Type_free(&three);
  MPI_Type_free(&sparse);
}

/// Items that have, here and there, nothing in them.
void empty_blocks(MPI_Comm comm) {
  const std::array<int, 4> lengths{0, 2, 0, 1};
  const std::array<MPI_Aint, 4> places{64, 8, 0, 0};
  const std::array<MPI_Datatype, 4> types{MPI_DOUBLE, MPI_INT, MPI_CHAR, MPI_INT};
  MPI_Datatype item = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(4, lengths.data(), places.data(), types.data(), &item);
  MPI_Type_commit(&item);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(item, &lower, &extent);
  const auto step = static_cast<int>(extent / 4);
  const Ints out = row(60, 1000 * own);
  Ints in(60, -1);
  MPI_Sendrecv(out.data(), 3, item, next(), 6, in.data(), 3, item, before(), 6, comm,
               MPI_STATUS_IGNORE);
  const int first = 1000 * before() + 2 * step;
  check(
      in[at(2 * step)] == first && in[at(2 * step + 3)] == first + 3 && in[at(2 * step + 1)] == -1,
      "items with empty blocks");
  MPI_Type_free(&item);

  MPI_Datatype nothing = contiguous(0);
  in.assign(60, -1);
  MPI_Status status;
  MPI_Sendrecv(out.data(), 5, nothing, next(), 7, in.data(), 9, nothing, before(), 7, comm,
               &status);
  int count = -1;
  MPI_Get_count(&status, nothing, &count);
  check(count == 0 && in == Ints(60, -1), "items without anything");
  MPI_Bcast(in.data(), 4, nothing, 0, comm);
  Ints all(at(ranks), -1);
  MPI_Gather(in.data(), 3, nothing, all.data(), 3, nothing, 0, comm);
  MPI_Allgather(in.data(), 3, nothing, all.data(), 3, nothing, comm);
  MPI_Alltoall(in.data(), 3, nothing, all.data(), 3, nothing, comm);
  check(all == Ints(at(ranks), -1), "collective operations on nothing");
  MPI_Type_free(&nothing);
}

void hundreds_of_types(MPI_Comm comm) {
  constexpr int count = 500;
  Ints out = row(3 * count, own);
  Ints in(3 * count, -1);
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Request> requests(2 * count);
  for (int i = 0; i < count; ++i) {
    types.push_back(strided(1 + i % 3, 1 + i % 2));
    MPI_Irecv(&in[at(i)], 1, types.back(), own, i, comm, &requests[at(i)]);
  }
  for (int i = 0; i < count; ++i) {
    MPI_Isend(&out[at(i)], 1, types[at(i)], own, i, comm, &requests[at(count + i)]);
    MPI_Type_free(&types[at(i)]);
  }
  MPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE);
  check(in[count - 1] == own + count - 1 && in[0] == own, "hundreds of types at once");
}

void add(void* left, void* right, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(right)[i] += static_cast<int*>(left)[i];
}

void freed_early(MPI_Comm comm) {
  MPI_Op sum = MPI_OP_NULL;
  MPI_Op_create(add, 1, &sum);
  MPI_Datatype pair = contiguous(2);
  MPI_Datatype other = contiguous(3);
  int result = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&own, &result, 1, MPI_INT, sum, comm, &request);
  const bool frees = MPI_Op_free(&sum) == MPI_SUCCESS && MPI_Type_free(&pair) == MPI_SUCCESS;
  check(frees && sum == MPI_OP_NULL && pair == MPI_DATATYPE_NULL, "frees during a sum");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(result == ranks * (ranks - 1) / 2, "a sum whose operator is freed early");
  check(MPI_Type_free(&other) == MPI_SUCCESS, "a datatype freed after an operator");
  MPI_Op_create(add, 1, &sum);
  check(MPI_Op_free(&sum) == MPI_SUCCESS, "an operator freed after a datatype");
}

int copies = 0;
int count_copies(MPI_Datatype, int, void*, void* value, void* copied, int* flag) {
  ++copies;
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

/// Nobody but the program duplicates its types.
void attributes(MPI_Comm comm) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(count_copies, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
  MPI_Datatype pair = contiguous(2);
  MPI_Type_set_attr(pair, key, &copies);
  Ints in(2, -1);
  const Ints out{own, own + 1};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(in.data(), 1, pair, before(), 8, comm, &request);
  MPI_Send(out.data(), 1, pair, next(), 8, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(copies == 0 && in[1] == before() + 1, "attributes of a datatype in use");
  MPI_Type_free(&pair);
  MPI_Type_free_keyval(&key);
}

/// MPI_ERROR belongs to the program, except where several operations are over.
void errors_in_statuses(MPI_Comm comm) {
  constexpr int mark = 987654;
  const Ints out = row(4, own);
  Ints in(4, -1);
  MPI_Status status;
  status.MPI_ERROR = mark;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto untouched = [&](const char* what) {
    check(status.MPI_ERROR == mark, what);
    status.MPI_ERROR = mark;
  };
  const auto send = [&] { MPI_Isend(out.data(), 1, MPI_INT, next(), 9, comm, &request); };
  const auto receive = [&] { MPI_Irecv(in.data(), 1, MPI_INT, before(), 9, comm, &request); };
  send();
  MPI_Recv(in.data(), 1, MPI_INT, before(), 9, comm, &status);
  untouched("Recv sets MPI_ERROR");
  MPI_Wait(&request, &status);
  untouched("Wait for a send sets MPI_ERROR");
  receive();
  MPI_Send(out.data(), 1, MPI_INT, next(), 9, comm);
  int flag = 0;
  while (flag == 0) MPI_Request_get_status(request, &flag, &status);
  untouched("Request_get_status sets MPI_ERROR");
  for (flag = 0; flag == 0;) MPI_Test(&request, &flag, &status);
  untouched("Test sets MPI_ERROR");
  MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
  check(flag == 1 && status.MPI_ERROR == MPI_SUCCESS, "an empty status");
  status.MPI_ERROR = mark;
  MPI_Sendrecv(out.data(), 1, MPI_INT, next(), 9, in.data(), 1, MPI_INT, before(), 9, comm,
               &status);
  untouched("Sendrecv sets MPI_ERROR");
  receive();
  MPI_Send(out.data(), 1, MPI_INT, next(), 9, comm);
  int index = 0;
  MPI_Waitany(1, &request, &index, &status);
  untouched("Waitany sets MPI_ERROR");

  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Request pair[2];
  MPI_Irecv(&in[0], 1, MPI_INT, before(), 10, comm, &pair[0]);
  MPI_Irecv(&in[1], 1, MPI_INT, before(), 11, comm, &pair[1]);
  MPI_Send(out.data(), 1, MPI_INT, next(), 10, comm);
  MPI_Send(out.data(), 2, MPI_INT, next(), 11, comm);
  std::array<MPI_Status, 2> statuses{};
  for (MPI_Status& one : statuses) one.MPI_ERROR = mark;
  const int code = MPI_Waitall(2, pair, statuses.data());
  check(class_of(code) == MPI_ERR_IN_STATUS && statuses[0].MPI_ERROR == MPI_SUCCESS &&
            class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE,
        "Waitall doesn't say which failed");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);

  MPI_Irecv(in.data(), 1, MPI_INT, before(), 10, comm, &pair[0]);
  MPI_Isend(out.data(), 1, MPI_INT, next(), 10, comm, &pair[1]);
  for (MPI_Status& one : statuses) one.MPI_ERROR = mark;
  MPI_Waitall(2, pair, statuses.data());
  check(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_SUCCESS,
        "Waitall doesn't say that all is well");
}

/// Told to who receives it: a message that is no whole number of the elements of a type with gaps.
void types_that_differ(MPI_Comm comm) {
  MPI_Comm own_comm = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &own_comm);
  MPI_Comm_set_errhandler(own_comm, MPI_ERRORS_RETURN);
  MPI_Datatype gaps = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  const std::array<char, 8> out{};
  Ints in(6, -1);
  for (const int size : {3, 8}) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), 1, gaps, before(), 13, own_comm, &request);
    MPI_Send(out.data(), size, MPI_CHAR, next(), 13, own_comm);
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(class_of(code) == (size == 3 ? MPI_ERR_TYPE : MPI_SUCCESS), "a message of another type");
  }
  check(in[0] == 0 && in[2] == 0 && in[4] == -1, "two of three elements");
  MPI_Type_free(&gaps);
  MPI_Comm_free(&own_comm);
}

/// Told to all that get it, those behind others too, and nobody waits for what doesn't come.
void broadcasts_that_differ(MPI_Comm comm) {
  MPI_Comm own_comm = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &own_comm);
  MPI_Comm_set_errhandler(own_comm, MPI_ERRORS_RETURN);
  Ints data(10, own);
  for (const int by_root : {1, 10}) {
    const int count = own == 0 ? by_root : 11 - by_root;
    const int code = MPI_Bcast(data.data(), count, MPI_INT, 0, own_comm);
    check((code == MPI_SUCCESS) == (own == 0), "a broadcast of another length");
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data.data(), count, MPI_INT, 0, own_comm, &request);
    const int later = MPI_Wait(&request, MPI_STATUS_IGNORE);
    check((later == MPI_SUCCESS) == (own == 0), "an Ibcast of another length");
  }
  MPI_Comm_free(&own_comm);
}

/// Told to the communicator's handler, before anything is sent.
void unusable_types(MPI_Comm comm) {
  MPI_Comm own_comm = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &own_comm);
  MPI_Comm_set_errhandler(own_comm, MPI_ERRORS_RETURN);
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(5000, MPI_INT, &uncommitted);
  Ints data(5000, own);
  MPI_Request request = MPI_REQUEST_NULL;
  check(class_of(MPI_Send(data.data(), 1, uncommitted, next(), 12, own_comm)) == MPI_ERR_TYPE,
        "a send of an uncommitted datatype");
  check(class_of(MPI_Irecv(data.data(), 1, uncommitted, before(), 12, own_comm, &request)) ==
            MPI_ERR_TYPE,
        "a receive of an uncommitted datatype");
  MPI_Type_commit(&uncommitted);
  MPI_Sendrecv_replace(data.data(), 1, uncommitted, next(), 12, before(), 12, own_comm,
                       MPI_STATUS_IGNORE);
  check(data.back() == before(), "a datatype that is committed late");
  MPI_Type_free(&uncommitted);
  MPI_Comm_free(&own_comm);
}

/// MPICH's rule: a communicator without a handler of its own has MPI_COMM_WORLD's, a later one,
/// too.
void handlers_of_others(MPI_Comm comm) {
  MPI_Comm own_comm = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &own_comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(class_of(MPI_Send(&own, 1, MPI_INT, ranks, 14, own_comm)) == MPI_ERR_RANK,
        "an error on a communicator without a handler");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&own_comm);
}

/// Told to the communicator's handler, and nothing begins: in MPICH.
void one_place_for_both(MPI_Comm comm) {
  MPI_Comm own_comm = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &own_comm);
  MPI_Comm_set_errhandler(own_comm, MPI_ERRORS_RETURN);
  Ints data(at(2 * ranks), own);
  const Ints ones(at(ranks), 1);
  const Ints places = row(ranks, 0);
  Ints distances = places;
  for (int& distance : distances) distance *= static_cast<int>(sizeof(int));
  const std::vector types(at(ranks), MPI_INT);
  int* const both = data.data();
  MPI_Request request = MPI_REQUEST_NULL;
  const auto refused = [&](int code, const char* what) {
    check(class_of(code) == MPI_ERR_BUFFER && request == MPI_REQUEST_NULL, what);
  };
  if (own == 0) {
    refused(MPI_Gatherv(both, 1, MPI_INT, both, ones.data(), places.data(), MPI_INT, 0, own_comm),
            "Gatherv");
    refused(MPI_Iscatterv(both, ones.data(), places.data(), MPI_INT, both, 1, MPI_INT, 0, own_comm,
                          &request),
            "Iscatterv");
  }
  refused(MPI_Alltoall(both, 1, MPI_INT, both, 1, MPI_INT, own_comm), "Alltoall");
  refused(MPI_Ialltoallv(both, ones.data(), places.data(), MPI_INT, both, ones.data(),
                         places.data(), MPI_INT, own_comm, &request),
          "Ialltoallv");
  refused(MPI_Alltoallw(both, ones.data(), distances.data(), types.data(), both, ones.data(),
                        distances.data(), types.data(), own_comm),
          "Alltoallw");
  refused(MPI_Ireduce_scatter(both, both, ones.data(), MPI_INT, MPI_SUM, own_comm, &request),
          "Ireduce_scatter");
  refused(MPI_Reduce_scatter_block(both, both, 1, MPI_INT, MPI_SUM, own_comm),
          "Reduce_scatter_block");
  MPI_Alltoall(both, 1, MPI_INT, both + ranks, 1, MPI_INT, own_comm);
  check(data[at(ranks)] == 0 && data.back() == ranks - 1, "an all-to-all within a buffer");
  MPI_Comm_free(&own_comm);
}

void persistent_collectives(MPI_Comm comm) {
  int mine = 0;
  int sum = -1;
  int prefix = -1;
  int exclusive = -1;
  int first = -1;
  Ints all(at(ranks), -1);
  const Ints ones(at(ranks), 1);
  const Ints places = row(ranks, 0);
  MPI_Request requests[5];
  MPI_Exscan_init(&mine, &exclusive, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
  MPI_Scan_init(&mine, &prefix, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[1]);
  MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[2]);
  // MPICH 4.0's own persistent Gather and Allgather send what was there when they were made.
  MPI_Gatherv_init(&mine, 1, MPI_INT, all.data(), ones.data(), places.data(), MPI_INT, 0, comm,
                   MPI_INFO_NULL, &requests[3]);
  MPI_Bcast_init(&first, 1, MPI_INT, ranks - 1, comm, MPI_INFO_NULL, &requests[4]);
  for (int turn = 1; turn <= 3; ++turn) {
    mine = turn * (own + 1);
    first = own == ranks - 1 ? turn : -1;
    // Each rank may start them in another order.
    for (int i = 0; i < 5; ++i) MPI_Start(&requests[(i + own) % 5]);
    MPI_Bcast(&turn, 1, MPI_INT, 0, comm);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    check(sum == turn * ranks * (ranks + 1) / 2, "a persistent Allreduce");
    check(prefix == turn * (own + 1) * (own + 2) / 2, "a persistent Scan");
    check(exclusive == (own == 0 ? -1 : turn * own * (own + 1) / 2), "a persistent Exscan");
    check(own != 0 || all.back() == turn * ranks, "a persistent Gatherv");
    check(first == turn, "a persistent Bcast");
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const auto test :
       {absolute_addresses, parts_of_items, other_types, empty_blocks, hundreds_of_types,
        freed_early, attributes, errors_in_statuses, unusable_types, persistent_collectives}) {
    test(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const bool is_of_all_libraries = argc > 1;
  if (!is_of_all_libraries) {
    one_place_for_both(MPI_COMM_WORLD);
    handlers_of_others(MPI_COMM_WORLD);
    types_that_differ(MPI_COMM_WORLD);
    broadcasts_that_differ(MPI_COMM_WORLD);
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
