#include "commgauge/simulate/process/partitioned.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "simulated_job.hpp"

namespace commgauge::simulate::partitioned_test {

using testing::HasSubstr;

using namespace job;

const double telling = overhead(sizeof(Division));

/// Of two ranks.
std::vector<double> run(const Program& program, std::uint64_t seed = 0) {
  return job::run(lmo_machine(2), program, seed);
}

/// Messages from rank 0 to rank 1.
StartPartition messages(CoroutineProcess& p, const Division& division) {
  return [&p, division](Request::Kind kind, int partition) {
    auto request = std::make_unique<Request>();
    const bool is_told = partition == tells_division;
    const int peer = partition == tells_all_ready ? p.rank() : 1 - p.rank();
    const int context = is_told ? division_context(0) : division.context;
    const std::uint64_t bytes = is_told ? sizeof division : partition < 0 ? 0 : division.bytes;
    if (kind == Request::Kind::send) {
      const Mode mode = partition < 0 ? Mode::buffered : Mode::standard;
      p.describe_send(*request, peer, bytes, partition, mode, context);
    } else {
      p.describe_receive(*request, peer, bytes, partition, context);
    }
    p.start(*request);
    return request;
  };
}

Division divided(int partitions, std::uint64_t bytes) {
  return {partitions, partition_context(0), bytes};
}

/// All messages of one side.
struct Whole : Request {
  Whole() { kind = Kind::collective; }
};

/// @param bytes  of each partition of the receiver's
PartitionedReceive receive_of(CoroutineProcess& p, const Division& sent, std::uint64_t bytes) {
  return {messages(p, sent), [sent] { return sent; }, bytes};
}

TEST(Partitioned, EachPartitionLeavesWhenItIsReady) {
  const auto program = [](CoroutineProcess& p) -> Task {
    const Division division = divided(3, 1000);
    Whole whole;
    if (p.rank() == 0) {
      PartitionedSend send{division.partitions, messages(p, division)};
      send.prepare();
      EXPECT_NEAR(p.clock(), telling, eps);
      p.start_collective(whole, send.send());
      for (const int partition : {2, 0, 1}) {
        p.compute(100 * us);
        EXPECT_TRUE(send.lacks(partition));
        send.ready(partition);
        EXPECT_FALSE(send.lacks(partition));
      }
      co_await p.one(whole);
      co_return;
    }
    PartitionedReceive receive = receive_of(p, division, 1500);
    receive.prepare();
    p.start_collective(whole, receive.receive());
    co_await p.one(whole);
    EXPECT_TRUE(receive.has(0) && receive.has(1));
  };
  const std::vector<double> ends = run(program);
  const double last = telling + 300 * us + 2 * overhead(1000);
  EXPECT_NEAR(ends[0], last + overhead(1000), eps);
  EXPECT_NEAR(ends[1], last + one_way(1000), eps);
}

TEST(Partitioned, AReceiversPartitionIsThereWithTheLastOfItsBytes) {
  const auto program = [](CoroutineProcess& p) -> Task {
    const Division division = divided(4, 1000);
    Whole whole;
    if (p.rank() == 0) {
      PartitionedSend send{division.partitions, messages(p, division)};
      send.prepare();
      p.start_collective(whole, send.send());
      for (const int partition : {0, 2, 1, 3}) {
        send.ready(partition);
        p.compute(1000 * us);
      }
      co_await p.one(whole);
      co_return;
    }
    PartitionedReceive receive = receive_of(p, division, 2000);
    receive.prepare();
    p.start_collective(whole, receive.receive());
    Request* const one[]{&whole};
    const std::vector<std::vector<bool>> wanted{{false, false}, {false, false}, {true, false}};
    for (const auto& has : wanted) {
      p.compute(1000 * us);
      EXPECT_EQ(co_await p.until([&] { return p.test_all(one); }), false);
      EXPECT_EQ(has, (std::vector<bool>{receive.has(0), receive.has(1)})) << p.clock();
    }
    co_await p.one(whole);
    EXPECT_TRUE(receive.has(0) && receive.has(1));
  };
  run(program);
}

TEST(Partitioned, OfNoPartitionsItIsOverAtOnce) {
  const auto program = [](CoroutineProcess& p) -> Task {
    const Division division = divided(0, 8);
    Whole whole;
    if (p.rank() == 0) {
      PartitionedSend send{0, messages(p, division)};
      EXPECT_FALSE(send.lacks(0));
      send.prepare();
      p.start_collective(whole, send.send());
      EXPECT_TRUE(whole.done);
      EXPECT_FALSE(send.lacks(0));
      co_return;
    }
    PartitionedReceive receive = receive_of(p, division, 8);
    receive.prepare();
    p.start_collective(whole, receive.receive());
    co_await p.one(whole);
    EXPECT_FALSE(receive.has(0));
  };
  EXPECT_NEAR(run(program)[1], one_way(sizeof(Division)), eps);
}

/// What a rank tells itself is none.
TEST(Partitioned, EachPartitionIsATransfer) {
  struct Counter final : Observer {
    std::vector<std::uint64_t> bytes;
    void passed(const Process&, double Shares::*, double, double) override {}
    void moved(const Transfer& data) override {
      EXPECT_EQ(data.from, 0);
      EXPECT_EQ(data.to, 1);
      bytes.push_back(data.bytes);
    }
  } counter;
  run([&counter](CoroutineProcess& p) -> Task {
    p.set_observer(counter);
    const Division division = divided(2, 500);
    Whole whole;
    if (p.rank() == 0) {
      PartitionedSend send{division.partitions, messages(p, division)};
      send.prepare();
      p.start_collective(whole, send.send());
      send.ready(1);
      send.ready(0);
      co_await p.one(whole);
      co_return;
    }
    PartitionedReceive receive = receive_of(p, division, 1000);
    receive.prepare();
    p.start_collective(whole, receive.receive());
    co_await p.one(whole);
  });
  EXPECT_EQ(counter.bytes, (std::vector<std::uint64_t>{sizeof(Division), 500, 500}));
}

/// Some are eager, some aren't.
TEST(Partitioned, TakesTheSameTimesInAnyOrder) {
  for (const int partitions : {1, 3, 8}) {
    const Division division = divided(partitions, 24000 / static_cast<std::uint64_t>(partitions));
    const auto program = [division](CoroutineProcess& p) -> Task {
      Whole whole;
      if (p.rank() == 0) {
        PartitionedSend send{division.partitions, messages(p, division)};
        send.prepare();
        for (int round = 0; round < 4; ++round) {
          p.start_collective(whole, send.send());
          for (int k = division.partitions; k-- > 0;) {
            p.compute((k * 37 + round * 11) % 50 * us);
            send.ready(k);
          }
          co_await p.one(whole);
        }
        co_return;
      }
      PartitionedReceive receive = receive_of(p, division, 6000);
      receive.prepare();
      Request* const one[]{&whole};
      for (int round = 0; round < 4; ++round) {
        p.start_collective(whole, receive.receive());
        for (int k = 0; k < 4; ++k) {
          while (!receive.has(k)) {
            if (co_await p.until([&] { return p.test_all(one); })) break;
            p.poll_unsuccessfully();
          }
        }
        co_await p.one(whole);
      }
    };
    const std::vector<double> ends = run(program);
    EXPECT_GT(ends[1], 0);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(run(program, seed), ends);
  }
}

TEST(Partitioned, ADeadlockTellsWhatIsMissing) {
  const auto deadlock = [](bool prepares) -> std::string {
    try {
      run([prepares](CoroutineProcess& p) -> Task {
        const Division division = divided(2, 8);
        Whole whole;
        if (p.rank() == 0) {
          PartitionedSend send{division.partitions, messages(p, division)};
          if (!prepares) co_return;
          send.prepare();
          p.start_collective(whole, send.send());
          send.ready(0);
          co_await p.one(whole);
          co_return;
        }
        PartitionedReceive receive = receive_of(p, division, 8);
        receive.prepare();
        p.start_collective(whole, receive.receive());
        co_await p.one(whole);
      });
    } catch (const DeadlockError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(deadlock(true), HasSubstr("rank 0 waits for its partitions to be ready; rank 1 waits "
                                        "for partition 1 of rank 0"));
  EXPECT_THAT(deadlock(false),
              HasSubstr("rank 1 waits for rank 0 to prepare a message in partitions"));
}

}  // namespace commgauge::simulate::partitioned_test
