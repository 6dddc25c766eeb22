#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <thread>

#include "commgauge/trace/read/reader.hpp"
#include "commgauge/trace/write/write_trace.hpp"
#include "commgauge/trace/write/writer.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::together_test {

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
  return event::Send{.peer = peer, .context = context, .bytes = 8};
}

const event::Send& sent(const Event& one) { return std::get<event::Send>(one.what); }

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
    events.write({event::Enter{.name = name}, 10});
    events.write(send(rank == 0 ? 1 : 3 - rank, second));
    events.write(send(rank == 0 ? 1 : 3 - rank, first));
    writer.close();
  });
  const auto trace = read(folder / "trace");
  ASSERT_EQ(trace.ranks.size(), 3U);
  EXPECT_EQ(trace.ranks[2].host, "host2");
  for (const auto& rank : trace.ranks) {
    EXPECT_EQ(trace.names.at(std::get<event::Enter>(rank.events.at(0).what).name), "MPI_Send");
  }
  const auto second = sent(trace.ranks[1].events[1]).context;
  const auto first = sent(trace.ranks[1].events[2]).context;
  EXPECT_NE(first, second);
  EXPECT_EQ(sent(trace.ranks[2].events[1]).context, second);
  EXPECT_EQ(sent(trace.ranks[2].events[2]).context, first);
  EXPECT_EQ(trace.communicators[second].name, "second");
  EXPECT_EQ(sent(trace.ranks[1].events[1]).peer, 2);
  EXPECT_EQ(trace.communicators.size(), 4U);
}

/// Threads that make them at the same time, each of one of its own, do it in another order at
/// another process.
TEST(Together, TellsCommunicatorsApartByWhatTheyWereMadeOf) {
  const Folder folder;
  run(2, [&](int rank, Together& together) {
    Writer writer{folder / "trace", {.ranks = 2}, {{rank, "host"}}, together};
    const Communicator pair{"", {0, 1}, {}};
    const auto world = writer.communicator(pair);
    const std::array parents{writer.communicator(pair, {world}),
                             writer.communicator(pair, {world})};
    std::array<std::uint32_t, 4> made{};
    const auto make = [&](std::size_t which) {
      const Origin origin =
          which < 2 ? Origin{parents[which]} : Origin{world, "tag " + std::to_string(which)};
      made[which] = writer.communicator(pair, origin);
    };
    for (std::size_t i = 0; i < made.size(); ++i) make(rank == 0 ? i : made.size() - 1 - i);
    auto& events = writer.rank(rank);
    events.write({event::Enter{.name = writer.name("MPI_Send")}, 10});
    for (const auto context : made) events.write(send(1 - rank, context));
    writer.close();
  });
  const auto trace = read(folder / "trace");
  ASSERT_EQ(trace.communicators.size(), 7U);
  std::vector<std::uint32_t> contexts;
  for (const auto& rank : trace.ranks) {
    ASSERT_EQ(rank.events.size(), 5U);
    for (std::size_t i = 1; i < 5; ++i) contexts.push_back(sent(rank.events[i]).context);
  }
  EXPECT_THAT(std::span{contexts}.first(4), testing::ElementsAreArray(std::span{contexts}.last(4)));
  std::ranges::sort(contexts);
  EXPECT_EQ(std::ranges::unique(contexts).begin() - contexts.begin(), 4);
}

TEST(Together, ResolvesEachSiteOnce) {
  const Folder folder;
  std::vector<std::string> resolved;
  const auto resolve = [&](const Site& site) {
    resolved.push_back(site.file);
    if (site.file == "/bin/a+0x30") return site;
    return Site{"solve", "/src/solve.c", site.file == "/bin/a+0x10" ? 7U : 9U};
  };
  run(2, [&](int rank, Together& together) {
    Writer writer{folder / "trace", {.ranks = 2}, {{rank, "host"}}, together};
    static_cast<void>(writer.communicator({"MPI_COMM_WORLD", {0, 1}, {}}));
    const auto name = writer.name("MPI_Send");
    // 0x20 and 0x21 are of the same line; each rank meets them in another order.
    std::vector<std::string> files{"/bin/a+0x10", "/bin/a+0x20", "/bin/a+0x21", "/bin/a+0x30"};
    if (rank == 1) std::ranges::reverse(files);
    auto& events = writer.rank(rank);
    for (const auto& file : files) {
      events.write(event::Enter{.name = name, .site = writer.site({"", file, 0})});
      events.write(event::Leave{.name = name});
    }
    events.write(event::Enter{.name = name});
    EXPECT_EQ(writer.site({"", "/bin/a+0x20", 0}), rank == 0 ? 2U : 3U);
    EXPECT_THROW(events.write(event::Enter{.name = name, .site = 5}), InputError);
    writer.close(resolve);
  });
  std::ranges::sort(resolved);
  EXPECT_THAT(resolved,
              testing::ElementsAre("/bin/a+0x10", "/bin/a+0x20", "/bin/a+0x21", "/bin/a+0x30"));
  const auto trace = read(folder / "trace");
  EXPECT_THAT(trace.sites,
              testing::ElementsAre(Site{}, Site{"solve", "/src/solve.c", 7},
                                   Site{"solve", "/src/solve.c", 9}, Site{"", "/bin/a+0x30", 0}));
  EXPECT_THAT(trace.names, testing::ElementsAre("MPI_Send"));
  for (std::size_t rank = 0; rank < 2; ++rank) {
    std::vector<std::uint32_t> sites;
    for (const auto& event : trace.ranks[rank].events) {
      if (const auto* const call = event.as<event::Enter>()) sites.push_back(call->site);
    }
    EXPECT_EQ(sites, rank == 0 ? (std::vector<std::uint32_t>{1, 2, 2, 3, no_site})
                               : (std::vector<std::uint32_t>{3, 2, 2, 1, no_site}));
  }
}

TEST(Together, ReceivesWithRequestsKeepTheirCommunicators) {
  const Folder folder;
  run(2, [&](int rank, Together& together) {
    Writer writer{folder / "trace", {.ranks = 2}, {{rank, "host"}}, together};
    static_cast<void>(writer.communicator({"MPI_COMM_WORLD", {0, 1}, {}}));
    if (rank == 0) static_cast<void>(writer.communicator({"own", {0}, {}}));
    const auto pair = writer.communicator({"pair", {1, 0}, {}});
    auto& events = writer.rank(rank);
    events.write(
        event::Receive{.request = 0, .peer = any, .tag = any, .context = pair, .bytes = 100});
    const Over over{0, {1 - rank, 5, 50}};
    events.write(event::Wait{}, {&over, 1});
    writer.close();
  });
  const auto trace = read(folder / "trace");
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const auto& receive = std::get<event::Receive>(trace.ranks[rank].events[0].what);
    EXPECT_EQ(trace.communicators[receive.context].name, "pair");
    EXPECT_EQ(receive.found.peer, 1 - static_cast<int>(rank));
    EXPECT_EQ(receive.found.bytes, 50U);
    EXPECT_EQ(receive.bytes, 100U);
  }
}

/// Names, sites and communicators have other numbers at each process; each thread's are translated.
TEST(Together, ThreadsKeepTheirProcessesNumbers) {
  const Folder folder;
  run(2, [&](int rank, Together& together) {
    Writer writer{folder / "trace", {.ranks = 2}, {{rank, "host"}}, together};
    static_cast<void>(writer.communicator({"MPI_COMM_WORLD", {0, 1}, {}}));
    if (rank == 0) static_cast<void>(writer.communicator({"own", {0}, {}}));
    if (rank == 0) static_cast<void>(writer.name("MPI_Recv"));
    if (rank == 0) static_cast<void>(writer.site({"main", "main.c", 1}));
    const auto pair = writer.communicator({"pair", {1, 0}, {}});
    for (int thread = 0; thread <= rank + 1; ++thread) {
      auto& events = writer.thread(rank, 2 * thread);
      if (thread > 0) {
        events.write(event::ThreadBegin{.number = static_cast<unsigned>(thread)});
      }
      const auto name = writer.name("MPI_Send");
      const auto site = writer.site({"solve", "solve.c", 9});
      events.write(event::Enter{.name = name, .site = site});
      events.write(send(1 - rank, pair));
    }
    if (rank == 0) writer.finish_rank(0);
    writer.close();
  });
  const auto trace = read(folder / "trace");
  for (std::size_t rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(trace.ranks[rank].further_threads.size(), rank + 1);
    for (std::size_t thread = 0; thread <= rank + 1; ++thread) {
      const auto events = events_of(trace.ranks[rank], thread).last(2);
      const auto& call = std::get<event::Enter>(events[0].what);
      EXPECT_EQ(trace.names[call.name], "MPI_Send");
      EXPECT_EQ(trace.sites[call.site].line, 9U);
      EXPECT_EQ(trace.communicators[sent(events[1]).context].name, "pair");
      EXPECT_EQ(sent(events[1]).peer, 1 - static_cast<int>(rank));
    }
  }
}

TEST(Together, AllLearnThatTheDirectoryIsNotEmpty) {
  const Folder folder;
  write(random_trace(1), folder / "trace");
  run(3, [&](int rank, Together& together) {
    EXPECT_THROW((Writer{folder / "trace", {.ranks = 3}, {{rank, "host"}}, together}), InputError);
  });
}

}  // namespace commgauge::trace::together_test
