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
namespace event = trace::event;

enum Name : std::uint32_t { init, finalize, isend, recv, wait, allreduce, phase };

/// Writes down what one rank does.
class Record {
 public:
  Record(trace::Rank& rank, int own, int ranks)
      : rank_{rank}, own_{own}, ranks_{ranks}, random_(static_cast<unsigned>(own)) {}

  void run(int rounds) {
    call(init);
    border<event::RegionBegin>(phase);
    for (int round = 0; round < rounds; ++round) exchange(round);
    border<event::RegionEnd>(phase);
    call(finalize);
  }

 private:
  void exchange(int round) {
    processor_ += 2000 + static_cast<std::int64_t>(random_() % 6000);
    const auto bytes = std::uint64_t{1} << (4 + static_cast<unsigned>(round + own_) % 12);
    const int left = (own_ + ranks_ - 1) % ranks_;
    const auto found = std::uint64_t{1} << (4 + static_cast<unsigned>(round + left) % 12);
    call(isend, event::Send{.request = 0, .peer = (own_ + 1) % ranks_, .bytes = bytes});
    call(recv, event::Receive{.peer = left, .bytes = 1 << 16, .found = {left, 0, found}});
    call(wait, event::Wait{.list = static_cast<std::uint32_t>(rank_.requests.size()), .count = 1});
    rank_.requests.push_back(0);
    if (round % 10 == 9) reduce();
  }

  void reduce() {
    trace::Collective collective;
    collective.what.operation = schedule::Operation::allreduce;
    collective.what.ranks = ranks_;
    collective.what.counts = {8};
    const auto number = static_cast<std::uint32_t>(rank_.collectives.size());
    rank_.collectives.push_back(collective);
    call(allreduce, event::Collective{.operation = number});
  }

  void call(std::uint32_t name, const Event& what) {
    border<event::Enter>(name);
    rank_.events.push_back(what);
    time_ += 1000;
    border<event::Leave>(name);
  }
  void call(std::uint32_t name) {
    border<event::Enter>(name);
    time_ += 1000;
    border<event::Leave>(name);
  }

  template <class Kind>
  void border(std::uint32_t name) {
    Kind what{};
    what.name = name;
    what.processor = processor_;
    rank_.events.emplace_back(what, time_ + processor_);
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
