#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/predict.hpp"
#include "commgauge/simulate/machine.hpp"
#include "whole_model.hpp"

// Predictions and machines take what a message costs from the same formulas: to the last digit.

namespace commgauge::simulate {
namespace {

using namespace whole;

struct Costs {
  const PairCosts& pair;
  double size;
  [[nodiscard]] bool rendezvous() const { return size > static_cast<double>(limit.value); }
  [[nodiscard]] double one_way() const {
    if (!rendezvous()) return pair.one_way.at(size);
    return pair.request + pair.reply + pair.rendezvous_receiver.at(size);
  }
  [[nodiscard]] double send_time() const {
    if (!rendezvous()) return pair.send_overhead.at(size);
    return pair.request + pair.reply + pair.rendezvous_sender.at(size);
  }
  /// Of the LogP family overheads count as well as ports.
  [[nodiscard]] bool has_gap() const { return pair.gap.at(size) > 0; }
  [[nodiscard]] double busy() const {
    if (rendezvous() && !has_gap()) return pair.rendezvous_send_port.at(size);
    return std::max(pair.send_overhead.at(size), pair.gap.at(size));
  }
  [[nodiscard]] double take_in() const {
    if (rendezvous() && !has_gap()) return pair.rendezvous_receive_port.at(size);
    return std::max(pair.receive_overhead.at(size) + pair.port.at(size), pair.gap.at(size));
  }
};

class Agreement : public testing::TestWithParam<std::string> {
 protected:
  /// Calls use(from, to, size).
  template <class Use>
  static void for_each_message(Use&& use) {
    for (int from = 0; from < ranks; ++from) {
      for (int to = 0; to < ranks; ++to) {
        if (from == to) continue;
        for (const std::uint64_t size : {0, 1, 99, 100, 101, 1459, 1460, 1461, 4999, 5000, 5001,
                                         7999, 8000, 8001, 40000, 1000000}) {
          use(from, to, Bytes{size});
        }
      }
    }
  }

  /// A flat one, all of whose messages are started at once.
  [[nodiscard]] double predicted(Operation operation, std::uint64_t size) const {
    Query query{kind_, operation, 0, -1, Bytes{size}};
    query.service = Service::at_once;
    return predict_time(model_, query).value;
  }

  const Model model_ = whole_model();
  const std::string kind_ = GetParam();
};

TEST_P(Agreement, OnOneWayTimes) {
  const Machine machine = machine_of(model_, kind_);
  for_each_message([&](int from, int to, Bytes size) {
    const Costs costs{machine.pair(from, to), static_cast<double>(size.value)};
    EXPECT_EQ(predict_time(model_, {kind_, Operation::p2p, from, to, size}).value, costs.one_way())
        << from << " to " << to << ", " << size.value;
  });
}

TEST_P(Agreement, OnTheSendersTime) {
  const SenderTime tells = facts_of(kind_).tells.sender;
  const Machine machine = machine_of(model_, kind_);
  for_each_message([&](int from, int to, Bytes size) {
    const Costs costs{machine.pair(from, to), static_cast<double>(size.value)};
    const bool is_told =
        tells == SenderTime::all || (tells == SenderTime::eager && !costs.rendezvous());
    if (!is_told) return;
    EXPECT_EQ(predict_time(model_, {kind_, Operation::p2p, from, to, size, Side::sender}).value,
              costs.send_time())
        << from << " to " << to << ", " << size.value;
  });
}

/// What keeps the root of a scatter is what the machine's senders are kept by.
TEST_P(Agreement, OnHowLongAMessageKeepsItsSender) {
  if (kind_ == "lom") GTEST_SKIP() << "has a formula of its own for scatters";
  const Machine machine = machine_of(model_, kind_);
  for (const std::uint64_t size : {0, 100, 1460, 5000, 5001, 40000}) {
    double free = 0;
    double last = 0;
    for (int to = 1; to < ranks; ++to) {
      const Costs costs{machine.pair(0, to), static_cast<double>(size)};
      last = std::max(last, free + costs.one_way());
      free += costs.busy();
    }
    EXPECT_EQ(predicted(Operation::scatter, size), last) << size;
  }
}

/// What keeps the root of a gather is what the machine's receivers and their ports are kept by.
TEST_P(Agreement, OnHowLongAMessageKeepsItsReceiver) {
  if (kind_ == "lom" || kind_ == "bottleneck") GTEST_SKIP() << "has a formula of its own";
  const Machine machine = machine_of(model_, kind_);
  for (const std::uint64_t size : {0, 100, 1460, 5000, 5001, 40000}) {
    double free = 0;
    for (int from = 1; from < ranks; ++from) {
      const Costs costs{machine.pair(from, 0), static_cast<double>(size)};
      free = from == 1 ? costs.one_way() : std::max(costs.one_way(), free + costs.take_in());
    }
    EXPECT_EQ(predicted(Operation::gather, size), free) << size;
  }
}

TEST_P(Agreement, OnAJobOfSoManyProcesses) {
  if (!facts_of(kind_).has_overheads()) GTEST_SKIP() << "has no overheads that could grow";
  const Machine job = for_job(machine_of(model_, kind_), 3);
  for (const std::uint64_t size : {0, 100, 1460, 5000, 5001, 40000}) {
    for (const Side side : {Side::receiver, Side::sender}) {
      Query query{kind_, Operation::p2p, 1, 2, Bytes{size}, side};
      query.processes = 3;
      const Costs costs{job.pair(1, 2), static_cast<double>(size)};
      EXPECT_EQ(predict_time(model_, query).value,
                side == Side::sender ? costs.send_time() : costs.one_way())
          << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Agreement, testing::ValuesIn(emulated_models()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace commgauge::simulate
