#include "collective/algorithms.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/emulation_variables.hpp"
#include "collective/announcing.hpp"
#include "commgauge/schedule/choice.hpp"
#include "commgauge/simulate/process/collective.hpp"
#include "job/call.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/failure.hpp"
#include "rank/request.hpp"

namespace commgauge::emulate {

namespace {

/// @throws MpiFailure  the request, which is over, failed
void check(const Request& over) {
  if (over.error() != MPI_SUCCESS) throw MpiFailure{over.comm->handle, over.error()};
}

std::unique_ptr<Request> start_send_to(const Members& m, int rank, const Place& place,
                                       int tag = 0) {
  return emulator().start_send(m.comm, place, rank, m.tag + tag, m.context, Mode::standard);
}
std::unique_ptr<Request> start_receive_from(const Members& m, int rank, const Place& place,
                                            int tag = 0) {
  return emulator().start_receive(m.comm, place, rank, m.tag + tag, m.context);
}

int member(const Members& m, int index) { return m.ranks[static_cast<std::size_t>(index)]; }

/// left (op) right, into `right`. Takes the time that the operator computes.
/// @param elements  how many, of which type
void combine(void* left, void* right, const Place& elements, MPI_Op op) {
  constexpr MPI_Count most = std::numeric_limits<int>::max();
  emulator().compute([&] {
    for (MPI_Count done = 0; done < elements.count; done += most) {
      PMPI_Reduce_local(element(left, done, elements.type), element(right, done, elements.type),
                        static_cast<int>(std::min(most, elements.count - done)), elements.type, op);
    }
  });
}

/// A schedule's buffers: packed bytes, or elements where there is an operator.
class Buffers {
 public:
  Buffers(const std::vector<std::uint64_t>& sizes, const CollectiveCall& call)
      : has_elements_{call.op != MPI_OP_NULL}, type_{call.type} {
    for (const std::uint64_t size : sizes) {
      if (has_elements_) {
        elements_.emplace_back(static_cast<MPI_Count>(size), type_);
      } else {
        bytes_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
      }
    }
  }

  [[nodiscard]] Place place(const schedule::Block& block) {
    const auto buffer = static_cast<std::size_t>(block.buffer);
    if (has_elements_) {
      void* const start = elements_[buffer].data();
      return {element(start, static_cast<MPI_Count>(block.offset), type_),
              static_cast<MPI_Count>(block.count), type_};
    }
    if (block.count == 0) return {};
    return {bytes_[buffer].get() + block.offset, static_cast<MPI_Count>(block.count), MPI_BYTE};
  }

  /// Copies what both have room for.
  void copy(const schedule::Block& from, const schedule::Block& to) {
    const Place here = place({from.buffer, from.offset, std::min(from.count, to.count)});
    emulate::copy(here.buffer, here.count, here.type, place(to).buffer, here.type);
  }

 private:
  bool has_elements_;
  MPI_Datatype type_;
  std::vector<Elements> elements_;
  std::vector<std::unique_ptr<std::byte[]>> bytes_;
};

/// The data that the rank gives, into the buffers: a reduction's blocks are parts of one vector.
void put(const CollectiveCall& call, const std::vector<schedule::Block>& gives, Buffers& buffers) {
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i < gives.size(); ++i) {
    const Place to = buffers.place(gives[i]);
    if (call.op != MPI_OP_NULL) {
      const void* const vector = call.gives(0).buffer;
      copy(element(vector, static_cast<MPI_Count>(passed), call.type), to.count, call.type,
           to.buffer, call.type);
      passed += gives[i].count;
      continue;
    }
    Place from = call.gives(static_cast<int>(i));
    const std::uint64_t size = std::max<std::uint64_t>(size_of(from.type), 1);
    from.count = static_cast<MPI_Count>(
        std::min(static_cast<std::uint64_t>(from.count), gives[i].count / size));
    pack(from.buffer, from.count, from.type, static_cast<std::byte*>(to.buffer));
  }
}

/// The results, from the buffers.
void take(const CollectiveCall& call, const std::vector<schedule::Block>& gets, Buffers& buffers) {
  for (std::size_t i = 0; i < gets.size(); ++i) {
    const Place from = buffers.place(gets[i]);
    const Place to = call.gets(static_cast<int>(i));
    if (call.op != MPI_OP_NULL) {
      copy(from.buffer, from.count, from.type, to.buffer, to.type);
    } else {
      unpack(static_cast<const std::byte*>(from.buffer), gets[i].count, to.buffer, to.type);
    }
  }
}

/// --collectives
const schedule::Choice& choice() {
  static const schedule::Choice only =
      schedule::choice_from(variable::value_of(variable::collectives));
  return only;
}

/// A schedule with the data of MPI's call. Where a message has failed the rank goes on, for others
/// wait for what it passes on: of a broadcast, where all messages are as long as the receivers say,
/// nothing, so that they hear of it.
class WithData final : public simulate::Performer {
 public:
  WithData(Members members, const CollectiveCall& call, const schedule::Schedule& what)
      : members_{std::move(members)},
        op_{call.op},
        broadcasts_{call.what.operation == schedule::Operation::bcast},
        buffers_{what.buffers, call} {}

  [[nodiscard]] Buffers& buffers() { return buffers_; }
  /// @throws MpiFailure  the first message that failed
  void throw_failure() const {
    if (failure_) throw MpiFailure{*failure_};
  }

  std::unique_ptr<simulate::Request> start(const schedule::Step& step) override {
    const Place here = buffers_.place(step.here);
    const int peer = member(members_, step.peer);
    if (step.kind == schedule::Step::Kind::send) {
      return start_send_to(members_, peer, failure_ && broadcasts_ ? Place{} : here);
    }
    return start_receive_from(members_, peer, here);
  }
  void work(const schedule::Step& step) override {
    if (step.kind == schedule::Step::Kind::copy) {
      buffers_.copy(step.here, step.there);
      return;
    }
    const Place here = buffers_.place(step.here);
    combine(here.buffer, buffers_.place(step.there).buffer, here, op_);
  }
  void check(const simulate::Request& over) override {
    const auto& request = static_cast<const Request&>(over);
    const bool is_short =
        broadcasts_ && request.kind == Request::Kind::receive && request.bytes < request.capacity;
    const int error = is_short ? MPI_ERR_OTHER : request.error();
    if (error != MPI_SUCCESS && !failure_) failure_ = MpiFailure{request.comm->handle, error};
  }

 private:
  Members members_;
  MPI_Op op_;
  bool broadcasts_;
  std::optional<MpiFailure> failure_;
  Buffers buffers_;
};

Task follow(Members m, CollectiveCall call, schedule::Schedule what) {
  const auto turns = in_turn(emulator().machine(), call.what.operation, what, m.ranks);
  WithData performer(std::move(m), call, what);
  put(call, what.gives, performer.buffers());
  co_await simulate::perform(what, performer, turns);
  performer.throw_failure();
  take(call, what.gets, performer.buffers());
}

}  // namespace

Task carry_out(Members m, CollectiveCall call) {
  call.what.ranks = m.size();
  schedule::Schedule what = schedule_of(call.what, algorithm_for(choice(), call.what), m.own);
  return follow(std::move(m), std::move(call), std::move(what));
}

Task carry_out_between(Members m, CollectiveCall call) {
  const Communicator& comm = *m.comm;
  // Which group is first is a matter of who waits for whom only.
  const bool is_first = std::ranges::min(comm.beside) < std::ranges::min(comm.peers);
  const schedule::TwoGroups groups{static_cast<int>(comm.beside.size()), comm.size(), is_first};
  schedule::Schedule what = between_groups(call.what, groups, m.own, choice());
  return follow(std::move(m), std::move(call), std::move(what));
}

Task barrier(Members m) {
  CollectiveCall call;
  call.what.operation = schedule::Operation::barrier;
  call.what.ranks = m.size();
  schedule::Schedule what = schedule_of(call.what, schedule::Algorithm::dissemination, m.own);
  return follow(std::move(m), std::move(call), std::move(what));
}

void synchronise(Emulator& e, const Members& members) {
  announce(e, members);
  e.run(members.comm, barrier(members));
  // Of threads that make communicators of the same ranks at once each has an operation of its own.
  const auto meeting =
      static_cast<unsigned>(members.tag) * 65599U + static_cast<unsigned>(members.context);
  e.synchronise(members.ranks, static_cast<int>(meeting));
}

Task broadcast(Members m, Place data, int root) {
  CollectiveCall call;
  call.what.operation = schedule::Operation::bcast;
  call.what.ranks = m.size();
  call.what.root = root;
  call.what.counts = {bytes_of(data)};
  call.gives = call.gets = [=](int) { return data; };
  schedule::Schedule what = schedule_of(call.what, schedule::Algorithm::binomial, m.own);
  return follow(std::move(m), std::move(call), std::move(what));
}

Task exchange(Members m, Neighbours neighbours, PlaceOf out, PlaceOf in) {
  simulate::Requests requests;
  // Of a grid a tag tells directions apart, for both neighbours in a dimension may be the same
  // rank: what leaves a rank in one direction enters its neighbour from the opposite one, i ^ 1.
  for (int i = 0; i < static_cast<int>(neighbours.sources.size()); ++i) {
    const int rank = neighbours.sources[static_cast<std::size_t>(i)];
    requests.push_back(start_receive_from(m, rank, in(i), neighbours.tag_from(i)));
  }
  for (int i = 0; i < static_cast<int>(neighbours.destinations.size()); ++i) {
    const int rank = neighbours.destinations[static_cast<std::size_t>(i)];
    requests.push_back(start_send_to(m, rank, out(i), neighbours.tag_to(i)));
  }
  co_await simulate::Over{requests};
  for (const auto& request : requests) check(static_cast<const Request&>(*request));
}

}  // namespace commgauge::emulate
