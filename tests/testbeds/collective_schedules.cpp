// MPICH's collective operations send what their schedules say: each rank's messages, to whom and of
// how many bytes, in their order.
//
//   collective_schedules [--show]
//
// MPICH hands messages to UCX: the functions here stand in front of UCX's. Without --show it
// ends with 1 where messages differ. With it they are shown and not judged: of what isn't as
// MPIR_CVAR_NOLOCAL=1, for one.

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <ucp/api/ucp.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commgauge/schedule/choice.hpp"

namespace {

using commgauge::Bytes;
using commgauge::schedule::Collective;
using commgauge::schedule::Operation;
using Counts = std::vector<std::uint64_t>;
using Ints = std::vector<int>;

struct Message {
  int to{};
  std::uint64_t bytes{};
  friend bool operator==(const Message&, const Message&) = default;
};

struct Sent {
  const void* end_point;
  std::uint64_t bytes;
};
std::vector<Sent> sent;

/// A datatype with gaps, as UCX knows it.
struct Generic {
  ucp_generic_dt_ops_t calls;
  void* context;
};
std::map<ucp_datatype_t, Generic>& generics() {
  static std::map<ucp_datatype_t, Generic> all;
  return all;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::uint64_t bytes_of(const void* buffer, std::size_t count, const ucp_request_param_t* options) {
  if ((options->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE) == 0) return count;
  const Generic& type = generics().at(options->datatype);
  void* const state = type.calls.start_pack(type.context, buffer, count);
  // Never finished: that would take away MPICH's own hold on the datatype.
  return type.calls.packed_size(state);
}

}  // namespace

extern "C" {

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t* calls, void* context,
                                   ucp_datatype_t* type) {
  static auto* const real = next<decltype(ucp_dt_create_generic)>("ucp_dt_create_generic");
  const ucs_status_t status = real(calls, context, type);
  generics()[*type] = {*calls, context};
  return status;
}

/// There are more ranks than cores: one that waits makes room for others.
unsigned ucp_worker_progress(ucp_worker_h worker) {
  static auto* const real = next<decltype(ucp_worker_progress)>("ucp_worker_progress");
  const unsigned progress = real(worker);
  if (progress == 0) sched_yield();
  return progress;
}

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h ep, const void* buffer, std::size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t* options) {
  static auto* const real = next<decltype(ucp_tag_send_nbx)>("ucp_tag_send_nbx");
  sent.push_back({ep, bytes_of(buffer, count, options)});
  return real(ep, buffer, count, tag, options);
}

ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h ep, const void* buffer, std::size_t count,
                                       ucp_tag_t tag, const ucp_request_param_t* options) {
  static auto* const real = next<decltype(ucp_tag_send_sync_nbx)>("ucp_tag_send_sync_nbx");
  sent.push_back({ep, bytes_of(buffer, count, options)});
  return real(ep, buffer, count, tag, options);
}

}  // extern "C"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int ranks = 0;
int rank = 0;
std::vector<char> out(1 << 23);
std::vector<char> in(1 << 23);
std::map<const void*, int> rank_of;  ///< of UCX's end points

/// Ranks, told apart by a message to each.
void learn_ranks() {
  for (int distance = 1; distance < ranks; ++distance) {
    const int to = (rank + distance) % ranks;
    const int from = (rank - distance + ranks) % ranks;
    sent.clear();
    MPI_Sendrecv(out.data(), 1, MPI_BYTE, to, 0, in.data(), 1, MPI_BYTE, from, 0, world,
                 MPI_STATUS_IGNORE);
    if (!sent.empty()) rank_of[sent.back().end_point] = to;
  }
}

std::vector<Message> seen_messages() {
  std::vector<Message> messages;
  for (const Sent& one : sent) {
    // The end point that isn't another rank's is this rank's own, whose messages never leave it.
    const auto found = rank_of.find(one.end_point);
    if (found != rank_of.end()) messages.push_back({found->second, one.bytes});
  }
  return messages;
}

std::vector<Message> expected_messages(const Collective& what) {
  namespace s = commgauge::schedule;
  std::vector<Message> messages;
  for (const s::Step& step : schedule_of(what, algorithm_for({}, what), rank).steps) {
    if (step.kind != s::Step::Kind::send) continue;
    messages.push_back({step.peer, step.here.count * what.unit.value});
  }
  return messages;
}

std::string to_text(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& one : messages) {
    text += " " + std::to_string(one.to) + ":" + std::to_string(one.bytes);
  }
  return text.empty() ? " nothing" : text;
}

bool shows = false;
int wrong = 0;
int cases = 0;

void check(const Collective& what, const std::string& note, const std::function<void()>& run) {
  MPI_Barrier(world);
  sent.clear();
  run();
  const std::vector<Message> seen = seen_messages();
  const std::vector<Message> expected = expected_messages(what);
  ++cases;
  if (shows ? rank != 0 : seen == expected) return;
  ++wrong;
  std::printf("%s %s, %llu units of %llu B, root %d, rank %d of %d: sent%s; expected%s\n",
              to_text(what.operation).c_str(), note.c_str(),
              static_cast<unsigned long long>(what.counts.front()),
              static_cast<unsigned long long>(what.unit.value), what.root, rank, ranks,
              to_text(seen).c_str(), to_text(expected).c_str());
}

Collective call(Operation operation, Counts counts, int root = 0) {
  Collective what;
  what.operation = operation;
  what.ranks = ranks;
  what.root = root;
  what.counts = std::move(counts);
  return what;
}

std::vector<int> roots() {
  if (ranks == 2) return {0, 1};
  return {0, 1, ranks - 1};
}

Ints ints(const Counts& counts) { return {counts.begin(), counts.end()}; }
Ints row(const Ints& counts) {
  Ints starts(counts.size());
  for (std::size_t i = 1; i < counts.size(); ++i) starts[i] = starts[i - 1] + counts[i - 1];
  return starts;
}
Counts uneven(std::uint64_t largest) {
  Counts counts;
  for (int i = 0; i < ranks; ++i) counts.push_back(i % 3 == 1 ? 0 : largest / (1 + i % 2));
  return counts;
}

void check_broadcasts() {
  for (const int root : roots()) {
    for (const int size : {0, 1, 5, 12288, 12289, 524288, 524289}) {
      check(call(Operation::bcast, {static_cast<std::uint64_t>(size)}, root), "",
            [=] { MPI_Bcast(out.data(), size, MPI_BYTE, root, world); });
    }
  }
}

void check_gathers_and_scatters() {
  for (const int root : roots()) {
    for (const int size : {0, 1, 1023, 1024, 50000}) {
      const auto count = static_cast<std::uint64_t>(size);
      check(call(Operation::gather, {count}, root), "", [=] {
        MPI_Gather(out.data(), size, MPI_BYTE, in.data(), size, MPI_BYTE, root, world);
      });
      check(call(Operation::scatter, {count}, root), "", [=] {
        MPI_Scatter(out.data(), size, MPI_BYTE, in.data(), size, MPI_BYTE, root, world);
      });
    }
    const Counts counts = uneven(3000);
    const Ints sizes = ints(counts);
    const Ints starts = row(sizes);
    const int own = sizes[static_cast<std::size_t>(rank)];
    check(call(Operation::gatherv, counts, root), "uneven", [&] {
      MPI_Gatherv(out.data(), own, MPI_BYTE, in.data(), sizes.data(), starts.data(), MPI_BYTE, root,
                  world);
    });
    check(call(Operation::scatterv, counts, root), "uneven", [&] {
      MPI_Scatterv(out.data(), sizes.data(), starts.data(), MPI_BYTE, in.data(), own, MPI_BYTE,
                   root, world);
    });
  }
}

void check_all_gather(const Counts& counts, const std::string& note) {
  const Ints sizes = ints(counts);
  const Ints starts = row(sizes);
  const int own = sizes[static_cast<std::size_t>(rank)];
  check(call(Operation::allgatherv, counts), note, [&] {
    MPI_Allgatherv(out.data(), own, MPI_BYTE, in.data(), sizes.data(), starts.data(), MPI_BYTE,
                   world);
  });
}

void check_all_gathers() {
  for (const int total : {0, 1, 81919, 81920 + 7, 524287, 524288 + 7}) {
    const int size = total < ranks ? total : total / ranks;
    const auto count = static_cast<std::uint64_t>(size);
    check(call(Operation::allgather, {count}), "",
          [=] { MPI_Allgather(out.data(), size, MPI_BYTE, in.data(), size, MPI_BYTE, world); });
    check_all_gather(Counts(static_cast<std::size_t>(ranks), count), "even");
  }
  for (const std::uint64_t largest : {100, 30000, 40000, 600000}) {
    check_all_gather(uneven(largest), "uneven");
  }
  // Elements of 8 bytes of data in 12.
  constexpr int elements = 70000;
  MPI_Datatype parts = MPI_DATATYPE_NULL;
  MPI_Datatype gapped = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &parts);
  MPI_Type_create_resized(parts, 0, 12, &gapped);
  MPI_Type_commit(&gapped);
  const Ints sizes(static_cast<std::size_t>(ranks), elements);
  const Ints starts = row(sizes);
  Collective what =
      call(Operation::allgatherv, Counts(static_cast<std::size_t>(ranks), 8 * elements));
  what.extent = {12};
  what.element = {8};
  check(what, "with gaps", [&] {
    MPI_Allgatherv(out.data(), elements, gapped, in.data(), sizes.data(), starts.data(), gapped,
                   world);
  });
  MPI_Type_free(&gapped);
  MPI_Type_free(&parts);
}

void check_all_to_alls() {
  for (const int size : {0, 1, 256, 257, 32768, 32769}) {
    Collective what = call(Operation::alltoall, {static_cast<std::uint64_t>(size)});
    check(what, "",
          [=] { MPI_Alltoall(out.data(), size, MPI_BYTE, in.data(), size, MPI_BYTE, world); });
    what.is_in_place = true;
    check(what, "in place",
          [=] { MPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, in.data(), size, MPI_BYTE, world); });
  }
  const auto count = [](int from, int to) {
    return static_cast<std::uint64_t>(100 * ((from + 2 * to) % 3));
  };
  Collective what = call(Operation::alltoallv, {});
  for (int peer = 0; peer < ranks; ++peer) {
    what.counts.push_back(count(rank, peer));
    what.counts_in.push_back(count(peer, rank));
  }
  const Ints out_sizes = ints(what.counts);
  const Ints in_sizes = ints(what.counts_in);
  const Ints out_starts = row(out_sizes);
  const Ints in_starts = row(in_sizes);
  check(what, "uneven", [&] {
    MPI_Alltoallv(out.data(), out_sizes.data(), out_starts.data(), MPI_BYTE, in.data(),
                  in_sizes.data(), in_starts.data(), MPI_BYTE, world);
  });
  const std::vector<MPI_Datatype> types(static_cast<std::size_t>(ranks), MPI_BYTE);
  check(what, "uneven, by MPI_Alltoallw", [&] {
    MPI_Alltoallw(out.data(), out_sizes.data(), out_starts.data(), types.data(), in.data(),
                  in_sizes.data(), in_starts.data(), types.data(), world);
  });
  Collective in_place = call(Operation::alltoallv, Counts(static_cast<std::size_t>(ranks), 100));
  in_place.is_in_place = true;
  const Ints sizes = ints(in_place.counts);
  const Ints starts = row(sizes);
  check(in_place, "in place", [&] {
    MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_BYTE, in.data(), sizes.data(), starts.data(),
                  MPI_BYTE, world);
  });
}

struct Operator {
  MPI_Op op;
  bool is_built_in;
  bool is_commutative;
  const char* note;
};

void add_up(void* left, void* right, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(right)[i] += static_cast<int*>(left)[i];
}

Collective reduction(Operation operation, const Operator& with, Counts counts, int root = 0) {
  Collective what = call(operation, std::move(counts), root);
  what.unit = {sizeof(int)};
  what.is_built_in = with.is_built_in;
  what.is_commutative = with.is_commutative;
  return what;
}

void check_reductions(const Operator& with) {
  for (const int count : {0, 1, 2, 3, 7, 512, 513, 5001}) {
    const auto units = static_cast<std::uint64_t>(count);
    check(reduction(Operation::allreduce, with, {units}), with.note,
          [&] { MPI_Allreduce(out.data(), in.data(), count, MPI_INT, with.op, world); });
    for (const int root : roots()) {
      check(reduction(Operation::reduce, with, {units}, root), with.note,
            [&] { MPI_Reduce(out.data(), in.data(), count, MPI_INT, with.op, root, world); });
    }
    check(reduction(Operation::scan, with, {units}), with.note,
          [&] { MPI_Scan(out.data(), in.data(), count, MPI_INT, with.op, world); });
    check(reduction(Operation::exscan, with, {units}), with.note,
          [&] { MPI_Exscan(out.data(), in.data(), count, MPI_INT, with.op, world); });
  }
}

void check_reduce_scatters(const Operator& with) {
  for (const int total : {0, 100, 131071, 131072 + 7}) {
    const int count = total / ranks;
    const auto units = static_cast<std::uint64_t>(count);
    check(reduction(Operation::reduce_scatter_block, with, {units}), with.note,
          [&] { MPI_Reduce_scatter_block(out.data(), in.data(), count, MPI_INT, with.op, world); });
    for (const Counts& counts : {Counts(static_cast<std::size_t>(ranks), units), uneven(units)}) {
      const Ints sizes = ints(counts);
      check(reduction(Operation::reduce_scatter, with, counts), with.note, [&] {
        MPI_Reduce_scatter(out.data(), in.data(), sizes.data(), MPI_INT, with.op, world);
      });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(world, &ranks);
  MPI_Comm_rank(world, &rank);
  shows = argc > 1 && std::string{argv[1]} == "--show";
  learn_ranks();
  check(call(Operation::barrier, {0}), "", [] { MPI_Barrier(world); });
  check_broadcasts();
  check_gathers_and_scatters();
  check_all_gathers();
  check_all_to_alls();
  Operator own{MPI_OP_NULL, false, true, "by an own operator"};
  Operator ordered{MPI_OP_NULL, false, false, "in order"};
  MPI_Op_create(add_up, 1, &own.op);
  MPI_Op_create(add_up, 0, &ordered.op);
  for (const Operator& with : {Operator{MPI_SUM, true, true, "sum"}, own, ordered}) {
    check_reductions(with);
    check_reduce_scatters(with);
  }
  const int own_wrong = wrong;
  MPI_Allreduce(&own_wrong, &wrong, 1, MPI_INT, MPI_SUM, world);
  if (rank == 0) std::printf("%d calls on %d ranks, %d differ on a rank\n", cases, ranks, wrong);
  std::fflush(stdout);
  MPI_Barrier(world);
  // With more ranks than cores MPICH's MPI_Finalize may never return over UCX.
  std::_Exit(!shows && wrong > 0 ? 1 : 0);
}
