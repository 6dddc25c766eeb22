#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "certain.hpp"
#include "commgauge/predict/predict.hpp"
#include "logarithms.hpp"
#include "predict/formulas.hpp"

namespace commgauge::tree_predict_test {

/// The formulas of docs/models.md.
Prediction by_formula(const Model& model, const Query& query) {
  const auto told = formulas::predict(model, query);
  if (!told) formulas::refuse_unmeasured(model, query);
  return *told;
}

constexpr double close = 1e-15;
constexpr Bytes S{1000};  ///< the eager limit

Query tree(const std::string& model, Operation operation, int root, std::uint64_t bytes) {
  return {model, operation, root, -1, Bytes{bytes}, Side::receiver, Algorithm::binomial};
}

double predicted(const Model& model, const Query& query) {
  return by_formula(model, query).time.value;
}

/// Random parameters, the same for a seed. LMO, LOM and bottleneck share C and L.
class Machine {
 public:
  Machine(int n, std::uint64_t seed) : n_{n}, random_{seed} {
    const auto C = vector(1 * us, 9 * us);
    const Matrix L = symmetric(5 * us, 50 * us);
    const Matrix inverse_beta = symmetric(1 * ns, 20 * ns);
    lmo = {C, vector(1 * ns, 5 * ns), L, inverse_beta};
    lom = {C, lmo.t, {}, inverse_beta};
    eager = {matrix(10 * us, 40 * us), matrix(1 * ns, 20 * ns), 0, 0};
    rendezvous = {matrix(50 * us, 80 * us), matrix(20 * ns, 30 * ns), 0, 0};
    bottleneck.C = C;
    bottleneck.L = L;
    bottleneck.s = vector(1 * ns, 30 * ns);
    bottleneck.r = vector(1 * ns, 30 * ns);
    bottleneck.inverse_beta = inverse_beta;
    bottleneck.g = matrix(10 * ns, 40 * ns);
    logp = {matrix(5 * us, 50 * us), matrix(1 * us, 9 * us), matrix(1 * us, 20 * us), 0, 0, 0};
    start_up = {matrix(10 * us, 40 * us), matrix(1 * ns, 20 * ns), 0, 0};
    model.ranks = n;
    model.eager_limit = S;
    model.lmo = certain(lmo);
    model.lom = certain(lom);
    model.hockney = certain(eager);
    model.hockney_rendezvous = certain(rendezvous);
    model.bottleneck = certain(bottleneck);
    model.logp = certain(logp);
    model.start_up = certain(start_up);
  }

  [[nodiscard]] int size() const { return n_; }

  AdditiveParameters lmo;
  AdditiveParameters lom;
  HockneyParameters eager;
  HockneyParameters rendezvous;
  BottleneckParameters bottleneck;
  LogPParameters logp;
  StartUpParameters start_up;
  Model model;

 private:
  double between(double low, double high) {
    return std::uniform_real_distribution<double>{low, high}(random_);
  }
  std::vector<double> vector(double low, double high) {
    std::vector<double> values(static_cast<std::size_t>(n_));
    for (double& value : values) value = between(low, high);
    return values;
  }
  Matrix matrix(double low, double high) {
    Matrix values(n_);
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) values(i, j) = i == j ? 0 : between(low, high);
    }
    return values;
  }
  Matrix symmetric(double low, double high) {
    Matrix values = matrix(low, high);
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < i; ++j) values(i, j) = values(j, i);
    }
    return values;
  }

  int n_;
  std::mt19937_64 random_;
};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Of one message. gap: least time between two messages at either end.
struct Costs {
  double sending;
  double travelling;
  double receiving;
  double gap;
};
using CostsOf = std::function<Costs(int from, int to, double bytes)>;

std::map<std::string, CostsOf> costs_of(const Machine& m) {
  const auto additive = [](const AdditiveParameters& p) {
    return [&p](int i, int j, double bytes) {
      const double L = p.L.size() > 0 ? p.L(i, j) : 0;
      return Costs{p.C[at(i)] + p.t[at(i)] * bytes, L + p.inverse_beta(i, j) * bytes,
                   p.C[at(j)] + p.t[at(j)] * bytes, 0};
    };
  };
  /// Both ends are busy for the whole message.
  const auto whole = [](double time) { return Costs{time, 0, 0, time}; };
  return {{"lmo", additive(m.lmo)},
          {"lom", additive(m.lom)},
          {"hockney",
           [&m, whole](int i, int j, double bytes) {
             const HockneyParameters& p =
                 bytes > static_cast<double>(S.value) ? m.rendezvous : m.eager;
             return whole(p.alpha(i, j) + p.beta(i, j) * bytes);
           }},
          {"start_up",
           [&m, whole](int i, int j, double bytes) {
             return whole(m.start_up.i(i, j) + m.start_up.t(i, j) * bytes);
           }},
          {"logp",
           [&m](int i, int j, double) {
             return Costs{m.logp.o(i, j), m.logp.L(i, j), m.logp.o(i, j), m.logp.g(i, j)};
           }},
          {"bottleneck", [&m](int i, int j, double bytes) {
             const BottleneckParameters& p = m.bottleneck;
             const double sending = p.C[at(i)] + std::min(p.s[at(i)], p.g(i, j)) * bytes;
             const double receiving = p.C[at(j)] + std::min(p.r[at(j)], p.g(i, j)) * bytes;
             const double all = p.C[at(i)] + p.L(i, j) + p.C[at(j)] + p.g(i, j) * bytes;
             return Costs{sending, all - sending - receiving, receiving, 0};
           }}};
}

struct Step {
  bool sends;
  int peer;
  double bytes;
};
using Program = std::vector<Step>;

/// As MPICH's own loops over the bits of a rank have it.
std::vector<Program> programs(Operation operation, int n, int root, double block) {
  std::vector<Program> all(at(n));
  for (int relative = 0; relative < n; ++relative) {
    Program& program = all[at((relative + root) % n)];
    const auto add = [&](bool sends, int peer, int blocks) {
      program.push_back(
          {sends, (peer + root) % n, block * (operation == Operation::bcast ? 1 : blocks)});
    };
    int mask = 1;
    if (operation == Operation::gather) {
      for (; mask < n; mask *= 2) {
        if ((relative & mask) != 0) {
          add(true, relative - mask, std::min(mask, n - relative));
          break;
        }
        const int child = relative + mask;
        if (child < n) add(false, child, std::min(mask, n - child));
      }
      continue;
    }
    for (; mask < n; mask *= 2) {
      if ((relative & mask) == 0) continue;
      add(false, relative - mask, std::min(mask, n - relative));
      break;
    }
    for (mask /= 2; mask > 0; mask /= 2) {
      const int child = relative + mask;
      if (child < n) add(true, child, std::min(mask, n - child));
    }
  }
  return all;
}

/// Carries out programs, event by event.
class Simulation {
 public:
  Simulation(std::vector<Program> programs, CostsOf costs)
      : programs_{std::move(programs)},
        costs_{std::move(costs)},
        next_(programs_.size()),
        clock_(programs_.size()) {}

  /// @return when the last rank ends its last receive.
  [[nodiscard]] double run() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (int rank = 0; rank < static_cast<int>(programs_.size()); ++rank) {
        while (step(rank)) moved = true;
      }
    }
    for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
      EXPECT_EQ(next_[rank], programs_[rank].size()) << "rank " << rank << " is stuck";
    }
    return last_;
  }

 private:
  static bool is_rendezvous(double bytes) { return bytes > static_cast<double>(S.value); }

  [[nodiscard]] const Step* current(int rank) const {
    return next_[at(rank)] < programs_[at(rank)].size() ? &programs_[at(rank)][next_[at(rank)]]
                                                        : nullptr;
  }

  /// @return whether the rank could go on.
  bool step(int rank) {
    const Step* const mine = current(rank);
    if (mine == nullptr) return false;
    if (mine->sends) return is_rendezvous(mine->bytes) ? meet(rank, *mine) : send(rank, *mine);
    return take_in(rank, *mine);
  }

  bool meet(int rank, const Step& mine) {
    const Step* const other = current(mine.peer);
    if (other == nullptr || other->sends || other->peer != rank) return false;
    const Costs c = costs_(rank, mine.peer, mine.bytes);
    const double end =
        std::max(clock_[at(rank)], clock_[at(mine.peer)]) + c.sending + c.travelling + c.receiving;
    end_receive(mine.peer, end);
    clock_[at(rank)] = end;
    ++next_[at(rank)];
    return true;
  }

  bool send(int rank, const Step& mine) {
    const Costs c = costs_(rank, mine.peer, mine.bytes);
    under_way_[{rank, mine.peer}] = clock_[at(rank)] + c.sending + c.travelling;
    clock_[at(rank)] += std::max(c.sending, c.gap);
    ++next_[at(rank)];
    return true;
  }

  bool take_in(int rank, const Step& mine) {
    const auto message = under_way_.find({mine.peer, rank});
    if (message == under_way_.end()) return false;
    const Costs c = costs_(mine.peer, rank, mine.bytes);
    double end = std::max(message->second, clock_[at(rank)]) + c.receiving;
    // The gap is one between two messages.
    if (clock_[at(rank)] > 0) end = std::max(end, clock_[at(rank)] + c.gap);
    under_way_.erase(message);
    end_receive(rank, end);
    return true;
  }

  void end_receive(int rank, double end) {
    clock_[at(rank)] = end;
    last_ = std::max(last_, end);
    ++next_[at(rank)];
  }

  std::vector<Program> programs_;
  CostsOf costs_;
  std::vector<std::size_t> next_;
  std::vector<double> clock_;
  std::map<std::pair<int, int>, double> under_way_;
  double last_{};
};

const std::vector<Operation> collectives{Operation::scatter, Operation::gather, Operation::bcast};

class TreeOf : public ::testing::TestWithParam<int> {};

TEST_P(TreeOf, EqualsASimulationOfEveryEvent) {
  const int n = GetParam();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Machine machine(n, seed);
    for (const auto& [name, costs] : costs_of(machine)) {
      for (const Operation operation : collectives) {
        // Eager, on both sides of the limit, rendezvous.
        for (const std::uint64_t bytes : {10, 200, 400, 700, 1001, 5000}) {
          const int root = static_cast<int>(seed) % n;
          Simulation simulation(programs(operation, n, root, static_cast<double>(bytes)), costs);
          const double time = predicted(machine.model, tree(name, operation, root, bytes));
          EXPECT_NEAR(time / simulation.run(), 1, 1e-12)
              << name << " " << to_text(operation) << " " << bytes << " seed " << seed;
        }
      }
    }
  }
}

TEST_P(TreeOf, GrowsWithTheSize) {
  const int n = GetParam();
  const Machine machine(n, 7);
  for (const char* name : {"lmo", "lom", "hockney", "bottleneck", "start_up"}) {
    for (const Operation operation : collectives) {
      double before = 0;
      for (std::uint64_t bytes = 1; bytes < 3000; bytes += 37) {
        const double time = predicted(machine.model, tree(name, operation, n - 1, bytes));
        EXPECT_GT(time, before) << name << " " << to_text(operation) << " " << bytes;
        before = time;
      }
    }
  }
}

TEST_P(TreeOf, GrowsWithEveryRanksCost) {
  const int n = GetParam();
  Machine machine(n, 8);
  for (const Operation operation : collectives) {
    for (const std::uint64_t bytes : {200, 400, 2000}) {
      const Query query = tree("lmo", operation, 1, bytes);
      const double before = predicted(machine.model, query);
      for (int rank = 0; rank < n; ++rank) {
        double& C = machine.model.lmo->value.C[at(rank)];
        const double C_before = C;
        C += 10 * us;
        EXPECT_GE(predicted(machine.model, query), before);
        C += 100000 * us;
        EXPECT_GT(predicted(machine.model, query), before) << "every rank is on some path";
        C = C_before;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, TreeOf, ::testing::Values(2, 3, 4, 5, 6, 8, 11, 16, 17));

TEST(BinomialTrees, OfTwoRanksAreOneMessage) {
  const Machine machine(2, 3);
  for (const auto& [name, costs] : costs_of(machine)) {
    for (const Operation operation : collectives) {
      for (const std::uint64_t bytes : {8, 1000, 1001}) {
        for (const int root : {0, 1}) {
          const int from = operation == Operation::gather ? 1 - root : root;
          EXPECT_EQ(predicted(machine.model, tree(name, operation, root, bytes)),
                    predicted(machine.model, {name, Operation::p2p, from, 1 - from, Bytes{bytes}}))
              << name << " " << to_text(operation);
        }
      }
    }
  }
}

/// Four ranks: 0 with 2, which stands for 3 as well, and with 1. At 100 bytes a block.
Model four(double L_23 = 10 * us) {
  Matrix L(4, 10 * us);
  L.set_both(2, 3, L_23);
  const AdditiveParameters lmo{
      {1 * us, 2 * us, 3 * us, 4 * us}, {10 * ns, 10 * ns, 20 * ns, 10 * ns}, L, Matrix(4, 5 * ns)};
  Model model;
  model.ranks = 4;
  model.eager_limit = S;
  model.lmo = certain(lmo);
  return model;
}

TEST(BinomialTrees, OfFourByHand) {
  // 200 bytes to 2: 3 + 11 + 7; from there 100 to 3: 5 + 10.5 + 5. Rank 1 from 3 on: 2 + 10.5 + 3.
  EXPECT_NEAR(predicted(four(), tree("lmo", Operation::scatter, 0, 100)), 41.5 * us, close);
  // Rank 1's 100 bytes are there at 3 + 10.5, taken in until 15.5. Rank 2 has those of 3 at
  // 5 + 10.5 + 5 = 20.5; with its own they are there at 27.5 + 11 and taken in for 1 + 2.
  EXPECT_NEAR(predicted(four(), tree("lmo", Operation::gather, 0, 100)), 41.5 * us, close);
  // 2 has it at 2 + 10.5 + 5, 3 at 17.5 + 5 + 10.5 + 5.
  EXPECT_NEAR(predicted(four(), tree("lmo", Operation::bcast, 0, 100)), 38 * us, close);
}

/// With blocks of 600 only the message of two blocks is rendezvous.
TEST(BinomialTrees, EachMessageIsEagerOrNot) {
  // 1200 bytes to 2: 13 + 16 + 27 = 56, and only then 600 to 1: 7 + 13 + 8; from 2 600 to 3:
  // 15 + 13 + 10.
  EXPECT_NEAR(predicted(four(), tree("lmo", Operation::scatter, 0, 600)), 94 * us, close);
  // 600 from 3 are there at 10 + 13, taken in until 38; rank 1's at 8 + 13, taken in until 28. Then
  // 56 more.
  EXPECT_NEAR(predicted(four(), tree("lmo", Operation::gather, 0, 600)), 94 * us, close);
}

/// The root turns to the larger subtree only when it has the smaller one.
TEST(BinomialGather, TakesTheSmallestSubtreeFirst) {
  Model model = four(0);
  model.lmo->value.C[1] = 1000 * us;
  // Rank 1's are there at 1001 + 10.5, taken in until 1013.5; those of 2, there long ago, until
  // 1013.5 + 3.
  EXPECT_NEAR(predicted(model, tree("lmo", Operation::gather, 0, 100)), 1016.5 * us, close);
  // A rendezvous message of 1200 bytes starts only then: 1006 + 13 + 7, and 13 + 16 + 27.
  EXPECT_NEAR(predicted(model, tree("lmo", Operation::gather, 0, 600)), 1082 * us, close);
}

/// Two lines, four ranks; all messages of one block take 20, of two 50 us.
Model two_lines() {
  Model model;
  model.ranks = 4;
  model.eager_limit = S;
  model.hockney = certain(HockneyParameters{Matrix(4, 20 * us), Matrix(4, 0.0), 0, 0});
  model.hockney_rendezvous = certain(HockneyParameters{Matrix(4, 50 * us), Matrix(4, 0.0), 0, 0});
  model.hockney->first = Bytes{100};
  model.hockney->last = S;
  model.hockney_rendezvous->first = Bytes{1001};
  model.hockney_rendezvous->last = Bytes{1500};
  return model;
}

void vary(Fitted<HockneyParameters>& fitted, double first, double last) {
  fitted.replicates.front().alpha = Matrix(4, first);
  fitted.replicates.back().alpha = Matrix(4, last);
}

TEST(HockneysLines, AreReplicatedTogether) {
  Model model = two_lines();
  const Query query = tree("hockney", Operation::scatter, 0, 600);
  EXPECT_NEAR(predicted(model, query), 70 * us, close);
  vary(*model.hockney_rendezvous, 49 * us, 51 * us);
  // 4.302653 · sqrt(1 + 1/3)
  EXPECT_NEAR(by_formula(model, query).high.value,
              70 * us * std::exp(4.968276 * log_deviation({69, 70, 71})), 1e-11);
  EXPECT_NEAR(by_formula(model, query).low.value,
              70 * us / std::exp(4.968276 * log_deviation({69, 70, 71})), 1e-11);
  vary(*model.hockney, 21 * us, 19 * us);
  EXPECT_NEAR(by_formula(model, query).high.value, 70 * us, 1e-11);
  vary(*model.hockney, 19 * us, 21 * us);
  EXPECT_NEAR(by_formula(model, query).high.value,
              70 * us * std::exp(4.968276 * log_deviation({68, 70, 72})), 1e-11);
}

TEST(HockneysLines, VaryAloneWhereReplicatesAreOfTwoKinds) {
  Model model = two_lines();
  model.hockney->replicate_kind = ReplicateKind::launches;
  vary(*model.hockney, 21 * us, 19 * us);
  vary(*model.hockney_rendezvous, 49 * us, 51 * us);
  const Query query = tree("hockney", Operation::scatter, 0, 600);
  EXPECT_NEAR(by_formula(model, query).high.value,
              70 * us * std::exp(std::sqrt(2.0) * 4.968276 * log_deviation({69, 70, 71})), 1e-11);
}

TEST(HockneysLines, TheLargerMisfitCounts) {
  Model model = two_lines();
  model.hockney->residual = 0.1;
  model.hockney_rendezvous->residual = 0.2;
  // 0.2 · 1.959964
  EXPECT_NEAR(by_formula(model, tree("hockney", Operation::gather, 0, 600)).high.value,
              70 * us * std::exp(0.3919928), 1e-11);
  model.hockney_rendezvous->residual = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NEAR(by_formula(model, tree("hockney", Operation::gather, 0, 600)).high.value,
              70 * us * std::exp(0.1959964), 1e-11);
}

TEST(HockneysLines, WithoutTheSecondTheFirstGoesOn) {
  Model model = two_lines();
  model.hockney_rendezvous.reset();
  const Prediction prediction = by_formula(model, tree("hockney", Operation::scatter, 0, 600));
  EXPECT_NEAR(prediction.time.value, 40 * us, close);
  EXPECT_TRUE(prediction.extrapolated);
}

TEST(Extrapolation, CountsTheLargestMessageOfATree) {
  Model model = four();
  model.lmo->last = Bytes{900};
  const auto is_flagged = [&](Operation operation, std::uint64_t bytes) {
    return by_formula(model, tree("lmo", operation, 0, bytes)).extrapolated;
  };
  for (const Operation operation : {Operation::scatter, Operation::gather}) {
    EXPECT_FALSE(is_flagged(operation, 450));
    EXPECT_TRUE(is_flagged(operation, 451));
  }
  EXPECT_FALSE(is_flagged(Operation::bcast, 900));
  EXPECT_TRUE(is_flagged(Operation::bcast, 901));
}

TEST(Extrapolation, EachOfHockneysLinesHasItsOwnRange) {
  const Model model = two_lines();
  const auto is_flagged = [&](std::uint64_t bytes) {
    return by_formula(model, tree("hockney", Operation::scatter, 0, bytes)).extrapolated;
  };
  EXPECT_TRUE(is_flagged(99));
  EXPECT_FALSE(is_flagged(100));
  EXPECT_FALSE(is_flagged(501));
  EXPECT_FALSE(is_flagged(750));
  EXPECT_TRUE(is_flagged(751));
}

/// Of PLogP a tree reads the curves at each message's size.
TEST(Extrapolation, OfACurve) {
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{400}, Bytes{800}};
  p.L = Matrix(4, 10 * us);
  for (const double value : {1, 2, 3}) {
    p.g.emplace_back(4, 2 * value * us);
    p.o_s.emplace_back(4, value * us);
    p.o_r.emplace_back(4, value * us);
  }
  Model model;
  model.ranks = 4;
  model.plogp = certain(p);
  model.plogp->first = Bytes{0};
  model.plogp->last = Bytes{800};
  // 4 + 10 for 400 bytes; the next takes 10 + 3.
  EXPECT_NEAR(predicted(model, tree("plogp", Operation::scatter, 0, 200)), 27 * us, close);
  EXPECT_FALSE(by_formula(model, tree("plogp", Operation::scatter, 0, 400)).extrapolated);
  EXPECT_TRUE(by_formula(model, tree("plogp", Operation::scatter, 0, 401)).extrapolated);
  model.plogp->value.o_r[2](2, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(by_formula(model, tree("plogp", Operation::gather, 0, 400)).extrapolated);
  EXPECT_FALSE(by_formula(model, tree("plogp", Operation::scatter, 0, 400)).extrapolated);
}

}  // namespace commgauge::tree_predict_test
