#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "commgauge/trace/reader.hpp"
#include "commgauge/trace/writer.hpp"
#include "random_trace.hpp"

namespace commgauge::trace {
namespace {

/// Threads that do as processes do.
struct Table {
  explicit Table(int size) : barrier{size}, parts(static_cast<std::size_t>(size)) {}
  std::barrier<> barrier;
  std::vector<std::string> parts;
};

class Seat final : public Together {
 public:
  Seat(Table& table, int rank) : table_{table}, rank_{rank} {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(table_.parts.size()); }
  void barrier() override { table_.barrier.arrive_and_wait(); }
  [[nodiscard]] std::string bcast(std::string_view of_root) override {
    if (rank_ == 0) table_.parts.front() = of_root;
    barrier();
    auto got = table_.parts.front();
    barrier();
    return got;
  }
  [[nodiscard]] std::vector<std::string> gather(std::string_view own) override {
    table_.parts[static_cast<std::size_t>(rank_)] = own;
    barrier();
    auto all = rank_ == 0 ? table_.parts : std::vector<std::string>{};
    barrier();
    return all;
  }
  [[nodiscard]] std::string scatter(const std::vector<std::string>& of_root) override {
    if (rank_ == 0) table_.parts = of_root;
    barrier();
    auto own = table_.parts[static_cast<std::size_t>(rank_)];
    barrier();
    return own;
  }

 private:
  Table& table_;
  int rank_;
};

template <typename Process>
void run(int processes, const Process& process) {
  Table table{processes};
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < processes; ++rank) {
    threads.emplace_back([&, rank] {
      Seat seat{table, rank};
      process(rank, seat);
    });
  }
}

Event send(std::int32_t peer, std::uint32_t context) {
  return {.kind = Event::Kind::send, .context = context, .peer = peer, .bytes = 8};
}

TEST(Together, UnifiesNamesAndCommunicators) {
  const Folder folder;
  run(3, [&](int rank, Together& together) {
    Writer writer{
        folder / "trace", {.ranks = 3}, {{rank, "host" + std::to_string(rank)}}, together};
    const auto world = writer.communicator({"MPI_COMM_WORLD", {0, 1, 2}, {}});
    // Ranks 1 and 2 have a pair, and then a second; rank 1 has one of its own between them.
    const Communicator pair{"", {1, 2}, {}};
    const auto first = rank == 0 ? world : writer.communicator(pair);
    if (rank == 1) static_cast<void>(writer.communicator({"self", {1}, {}}));
    const auto second = rank == 0 ? world : writer.communicator(pair);
    if (rank == 2) writer.set_name(second, "second");
    static_cast<void>(writer.name("only " + std::to_string(rank)));
    const auto name = writer.name("MPI_Send");
    auto& events = writer.rank(rank);
    events.write({.kind = Event::Kind::enter, .name = name, .time = 10});
    events.write(send(rank == 0 ? 1 : 3 - rank, second));
    events.write(send(rank == 0 ? 1 : 3 - rank, first));
    writer.close();
  });
  const auto trace = read(folder / "trace");
  ASSERT_EQ(trace.ranks.size(), 3U);
  EXPECT_EQ(trace.ranks[2].host, "host2");
  for (const auto& rank : trace.ranks) {
    EXPECT_EQ(trace.names.at(rank.events.at(0).name), "MPI_Send");
  }
  const auto second = trace.ranks[1].events[1].context;
  const auto first = trace.ranks[1].events[2].context;
  EXPECT_NE(first, second);
  EXPECT_EQ(trace.ranks[2].events[1].context, second);
  EXPECT_EQ(trace.ranks[2].events[2].context, first);
  EXPECT_EQ(trace.communicators[second].name, "second");
  EXPECT_EQ(trace.ranks[1].events[1].peer, 2);
  EXPECT_EQ(trace.communicators.size(), 4U);
}

TEST(Together, ReceivesWithRequestsKeepTheirCommunicators) {
  const Folder folder;
  run(2, [&](int rank, Together& together) {
    Writer writer{folder / "trace", {.ranks = 2}, {{rank, "host"}}, together};
    static_cast<void>(writer.communicator({"MPI_COMM_WORLD", {0, 1}, {}}));
    if (rank == 0) static_cast<void>(writer.communicator({"own", {0}, {}}));
    const auto pair = writer.communicator({"pair", {1, 0}, {}});
    auto& events = writer.rank(rank);
    events.write({.kind = Event::Kind::receive,
                  .context = pair,
                  .peer = any,
                  .tag = any,
                  .request = 0,
                  .bytes = 100});
    const Over over{0, 1 - rank, 5, 50};
    events.write({.kind = Event::Kind::wait}, {&over, 1});
    writer.close();
  });
  const auto trace = read(folder / "trace");
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const auto& event = trace.ranks[rank].events[0];
    EXPECT_EQ(trace.communicators[event.context].name, "pair");
    EXPECT_EQ(event.found_peer, 1 - static_cast<int>(rank));
    EXPECT_EQ(event.found_bytes, 50U);
    EXPECT_EQ(event.bytes, 100U);
  }
}

TEST(Together, AllLearnThatTheDirectoryIsNotEmpty) {
  const Folder folder;
  write(random_trace(1), folder / "trace");
  run(3, [&](int rank, Together& together) {
    EXPECT_THROW((Writer{folder / "trace", {.ranks = 3}, {{rank, "host"}}, together}), InputError);
  });
}

}  // namespace
}  // namespace commgauge::trace
