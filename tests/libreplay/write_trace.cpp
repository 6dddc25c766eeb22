// Writes an archive of a program that nobody ran:
//
//   write-trace RANKS ROUNDS PROGRAM DIRECTORY [REGION]
//
// In each round each rank computes, and gives its right neighbour a message; every tenth round ends
// with a reduction of all. Sizes, computing and names are the same each time.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "commgauge/trace/write/write_trace.hpp"

namespace {

using namespace commgauge;
using trace::Event;

enum Name : std::uint32_t { init, finalize, isend, recv, wait, allreduce, phase };

/// Writes down what one rank does.
class Record {
 public:
  Record(trace::Rank& rank, int own, int ranks)
      : rank_{rank}, own_{own}, ranks_{ranks}, random_(static_cast<unsigned>(own)) {}

  void run(int rounds) {
    call(init, {});
    border(Event::Kind::region_begin, phase);
    for (int round = 0; round < rounds; ++round) exchange(round);
    border(Event::Kind::region_end, phase);
    call(finalize, {});
  }

 private:
  void exchange(int round) {
    processor_ += 2000 + static_cast<std::int64_t>(random_() % 6000);
    const auto bytes = std::uint64_t{1} << (4 + static_cast<unsigned>(round + own_) % 12);
    const int left = (own_ + ranks_ - 1) % ranks_;
    call(isend, {message(Event::Kind::send, (own_ + 1) % ranks_, bytes, 0)});
    Event receive = message(Event::Kind::receive, left, 1 << 16, trace::no_request);
    receive.found_peer = left;
    receive.found_tag = 0;
    receive.found_bytes = std::uint64_t{1} << (4 + static_cast<unsigned>(round + left) % 12);
    call(recv, {receive});
    Event over;
    over.kind = Event::Kind::wait;
    over.list = static_cast<std::uint32_t>(rank_.requests.size());
    over.count = 1;
    rank_.requests.push_back(0);
    call(wait, {over});
    if (round % 10 == 9) reduce();
  }

  void reduce() {
    trace::Collective collective;
    collective.what.operation = schedule::Operation::allreduce;
    collective.what.ranks = ranks_;
    collective.what.counts = {8};
    Event event;
    event.kind = Event::Kind::collective;
    event.list = static_cast<std::uint32_t>(rank_.collectives.size());
    rank_.collectives.push_back(collective);
    call(allreduce, {event});
  }

  static Event message(Event::Kind kind, int peer, std::uint64_t bytes, std::uint32_t request) {
    Event event;
    event.kind = kind;
    event.peer = peer;
    event.bytes = bytes;
    event.request = request;
    return event;
  }

  void call(std::uint32_t name, const std::vector<Event>& events) {
    border(Event::Kind::enter, name);
    for (const Event& event : events) rank_.events.push_back(event);
    time_ += 1000;
    border(Event::Kind::leave, name);
  }

  void border(Event::Kind kind, std::uint32_t name) {
    Event event;
    event.kind = kind;
    event.name = name;
    event.time = time_ + processor_;
    event.processor = processor_;
    rank_.events.push_back(event);
  }

  trace::Rank& rank_;
  int own_;
  int ranks_;
  std::mt19937 random_;
  std::int64_t time_{};       // in calls [ns]
  std::int64_t processor_{};  // outside of them [ns]
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: write-trace RANKS ROUNDS PROGRAM DIRECTORY [REGION]\n");
    return 2;
  }
  const int ranks = std::atoi(argv[1]);
  trace::Trace all;
  all.program = argv[3];
  all.has_processor_time = true;
  all.names = {"MPI_Init",
               "MPI_Finalize",
               "MPI_Isend",
               "MPI_Recv",
               "MPI_Wait",
               "MPI_Allreduce",
               argc > 5 ? argv[5] : "<b>phase"};
  all.communicators.push_back({"MPI_COMM_WORLD", {}, {}});
  all.ranks.resize(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    all.communicators.front().members.push_back(rank);
    Record(all.ranks[static_cast<std::size_t>(rank)], rank, ranks).run(std::atoi(argv[2]));
  }
  try {
    trace::write(all, argv[4]);
  } catch (const Error& error) {
    std::fprintf(stderr, "write-trace: %s\n", error.what());
    return 2;
  }
  return 0;
}
