#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "commgauge/model/flatten.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/predict.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/simulate/run/collective_time.hpp"
#include "made_machine.hpp"
#include "predict/formulas.hpp"
#include "whole_model.hpp"

// Predictions and machines are one: what a message costs to the last digit, collective operations
// to rounding.

namespace commgauge::simulate::agreement_test {

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

class Agreement : public ::testing::TestWithParam<std::string> {
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

/// A model each of whose numbers is up to a third smaller or half larger than whole_model()'s.
Model random_model(int n, unsigned seed) {
  Model model = whole_model(n);
  std::mt19937 random(seed);
  std::uniform_real_distribution<> factor(0.67, 1.5);
  for_each_fit(
      [&](const FitFacts&, auto& fitted) {
        if (!fitted) return;
        visit_fields(fitted->value, [&](const FieldFacts& facts, auto& field) {
          if (facts.unit == Unit::bytes) return;
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, std::vector<Matrix>>) {
            // Times of a pair stay such that grow with the size.
            std::vector<double> factors(field.front().values().size());
            for (double& one : factors) one = factor(random);
            for (Matrix& of_size : field) {
              for (std::size_t k = 0; k < factors.size(); ++k) of_size.values()[k] *= factors[k];
            }
          } else {
            for_each_number(field, [&](double& value) { value *= factor(random); });
          }
        });
      },
      model);
  return model;
}

/// Its messages scatter between hosts, so requests queue; where it `shares` they share links, too.
Model with_rules(Model model, bool shares) {
  model.launches = {model_of(model.ranks).launches.front()};
  model.jitter = exact(MessageJitter{1e-6});
  if (shares) model.sharing = exact(FairSharing{0, 1});
  return model;
}

/// A prediction is what the virtual machine takes, whether it is run or a formula tells it.
TEST_P(Agreement, OnEveryOperationAndAlgorithm) {
  std::mt19937 random(7);
  long by_formula = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    for (const int n : {2, 3, 4, 5, 8, 11}) {
      const Model model =
          seed < 2 ? random_model(n, seed) : with_rules(random_model(n, seed), seed >= 4);
      const Machine machine = machine_of(model, kind_);
      const int root = static_cast<int>(random()) & 1;
      for (const Operation operation : {Operation::scatter, Operation::gather, Operation::bcast}) {
        for (const Algorithm algorithm :
             {Algorithm::flat, Algorithm::at_once, Algorithm::binomial}) {
          for (const std::uint64_t size : {0, 1, 100, 1200, 1460, 2400, 5000, 5001, 40000}) {
            Query query{kind_, operation, root, -1, Bytes{size}};
            query.algorithm = algorithm;
            if (seed % 2 == 1 && algorithm != Algorithm::binomial) {
              for (int rank = 0; rank < n; ++rank) {
                if (rank != root) query.order.push_back(rank);
              }
              std::ranges::shuffle(query.order, random);
            }
            // Nothing is sent at once of empty blocks.
            const bool is_empty = size == 0 && algorithm == Algorithm::at_once;
            const double played =
                time_of(machine, collective_of(query, n), is_empty ? Algorithm::flat : algorithm)
                    .value;
            by_formula += formulas::are_the_machines(model, query) ? 1 : 0;
            EXPECT_NEAR(predict_time(model, query).value / played, 1, 1e-12)
                << n << " ranks, " << to_text(operation) << " " << to_text(algorithm) << " of "
                << size << " from " << root << ", seed " << seed;
          }
        }
      }
    }
  }
  EXPECT_GT(by_formula, 0) << "the short cut is never taken";
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

/// Where empty eager messages take longer than whole rendezvous, as on SMPI's hosts: their requests
/// don't, or a tree of rendezvous would take twice its messages' times.
TEST(RendezvousAgreement, MayBeQuickerThanAnEmptyEagerMessage) {
  Model model = whole_model();
  model.hockney->value = {uneven(200e-6, ranks), uneven(2e-9, ranks), 0, 0};
  for (std::size_t k = 0; model.curves->value.sizes[k] <= limit; ++k) {
    model.curves->value.time[k] = uneven(200e-6, ranks);
  }
  for (const std::string kind : {"hockney", "curves"}) {
    for (const Operation operation : {Operation::scatter, Operation::gather, Operation::bcast}) {
      for (const Algorithm algorithm : {Algorithm::flat, Algorithm::at_once, Algorithm::binomial}) {
        Query query{kind, operation, 0, -1, Bytes{6000}};
        query.algorithm = algorithm;
        EXPECT_NEAR(predict_time(model, query).value / formulas::time(model, query)->value, 1,
                    1e-12)
            << to_text(operation) << " " << to_text(algorithm);
        EXPECT_NEAR(time_of(machine_of(model, kind), collective_of(query, ranks), algorithm).value /
                        formulas::time(model, query)->value,
                    1, 1e-12)
            << to_text(operation) << " " << to_text(algorithm);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Agreement, ::testing::ValuesIn(emulated_models()),
                         [](const auto& model) { return model.param; });

}  // namespace commgauge::simulate::agreement_test
