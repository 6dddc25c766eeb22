#include "predict/case.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "commgauge/base/text.hpp"
#include "commgauge/schedule/schedule.hpp"

namespace commgauge {

namespace {

schedule::Collective of_blocks(const Query& query, int ranks) {
  schedule::Collective what = collective_of(query, ranks);
  what.counts = {1};
  return what;
}

/// Along a binomial tree, each message after those that it waits for: by the rank nearer to the
/// root, from the root outwards; a gather's the other way round.
std::vector<Message> tree_messages(const Query& query, int ranks, double size, double limit) {
  const schedule::Collective what = of_blocks(query, ranks);
  const bool up = query.operation == Operation::gather;
  std::vector<Message> messages;
  for (int k = 0; k < ranks; ++k) {
    const int rank = (query.from + (up ? ranks - 1 - k : k)) % ranks;
    for (const auto& step : schedule_of(what, schedule::Algorithm::binomial, rank).steps) {
      const bool is_nearer =
          step.kind == (up ? schedule::Step::Kind::receive : schedule::Step::Kind::send);
      if (!is_nearer) continue;
      const double bytes = static_cast<double>(step.here.count) * size;
      messages.push_back({up ? step.peer : rank, up ? rank : step.peer, bytes, limit});
    }
  }
  return messages;
}

/// In the order in which the root serves its peers.
std::vector<int> peers_of(const Query& query, int ranks) {
  std::vector<int> peers;
  const schedule::Schedule root =
      schedule_of(of_blocks(query, ranks), schedule::Algorithm::flat, query.from);
  for (const schedule::Step& step : root.steps) peers.push_back(step.peer);
  return peers;
}

std::vector<Message> messages_of(const Query& query, int ranks, double limit) {
  const auto size = static_cast<double>(query.size.value);
  if (query.operation == Operation::p2p) return {{query.from, query.to, size, limit}};
  if (query.algorithm == Algorithm::binomial) return tree_messages(query, ranks, size, limit);
  const bool in = query.operation == Operation::gather;
  std::vector<Message> messages;
  for (const int peer : peers_of(query, ranks)) {
    messages.push_back({in ? peer : query.from, in ? query.from : peer, size, limit});
  }
  return messages;
}

void check_rank(const Model& model, int rank) {
  if (rank >= 0 && rank < model.ranks) return;
  throw InputError("rank " + std::to_string(rank) + " is out of range (the model has ranks 0 to " +
                   std::to_string(model.ranks - 1) + "): give one of them");
}

void check_order(const Model& model, const Query& query) {
  if (query.order.empty()) return;
  std::vector<int> expected;
  for (int rank = 0; rank < model.ranks; ++rank) {
    if (rank != query.from) expected.push_back(rank);
  }
  std::vector<int> named = query.order;
  std::ranges::sort(named);
  if (named != expected) {
    throw InputError("the serving order is not one of all ranks but the root (" +
                     std::to_string(query.order.size()) + " are named, of " +
                     std::to_string(model.ranks - 1) + "): name each once");
  }
}

}  // namespace

namespace {

/// Those that have formulas.
void check_collective(const Query& query) {
  const auto [operation, algorithm] = std::pair{query.operation, query.algorithm};
  if (operation != Operation::scatter && operation != Operation::gather &&
      operation != Operation::bcast) {
    throw InputError("a query of " + to_text(operation) +
                     " (its blocks are not of one root): ask predict_collective()");
  }
  if (algorithm != Algorithm::flat && algorithm != Algorithm::at_once &&
      algorithm != Algorithm::binomial) {
    throw InputError(to_text(operation) + " by " + to_text(algorithm) +
                     " (known: flat, at-once, binomial): give one of them");
  }
}

void check_ring(const Model& model, const Query& query) {
  if (query.to < 0) return;
  check_rank(model, query.to);
  if (std::gcd(query.to - query.from, model.ranks) == 1) return;
  throw InputError("a ring in which rank " + std::to_string(query.to) + " follows rank " +
                   std::to_string(query.from) + ", and so on, doesn't come to all of " +
                   std::to_string(model.ranks) + " ranks: leave the second out");
}

}  // namespace

void check_ranks(const Model& model, const Query& query) {
  check_rank(model, query.from);
  if (is_collective(query.operation)) return check_collective(query);
  if (query.algorithm != Algorithm::flat || !query.order.empty()) {
    throw InputError("an order or algorithm with " + to_text(query.operation) +
                     " (collectives have them): leave it out");
  }
  if (query.operation == Operation::ring) return check_ring(model, query);
  check_rank(model, query.to);
  if (query.from == query.to) {
    throw InputError("sender and receiver are both rank " + std::to_string(query.to) +
                     " (a message to oneself is not modelled): give two ranks");
  }
}

void check_side(const Query& query, SenderTime tells, bool rendezvous) {
  if (query.side == Side::receiver) return;
  if (query.operation != Operation::p2p) {
    throw InputError("a sender's time of " + to_text(query.operation) +
                     " (it ends with its last rank): ask for p2p, or leave the side out");
  }
  if (tells == SenderTime::all || (tells == SenderTime::eager && !rendezvous)) return;
  throw InputError(query.model + " knows no sender's time" +
                   (tells == SenderTime::eager ? " above the eager limit" : "") +
                   " (its parameters don't tell sending from the rest): take " +
                   one_of(models_that(&FitFacts::has_overheads)) + ", or ask for the receiver's");
}

void check_meeting(const Model& model, const Query& query) {
  check_ranks(model, query);
  check_side(query, SenderTime::none, false);
}

Case case_of(const Model& model, const Query& query) {
  check_ranks(model, query);
  check_order(model, query);
  Case what{query.operation,
            query.side,
            query.from,
            model.ranks,
            query.operation != Operation::p2p && query.algorithm != Algorithm::binomial,
            query.algorithm == Algorithm::at_once && query.size.value > 0,
            messages_of(query, model.ranks, eager_limit_of(model))};
  if (query.side == Side::sender) {
    check_side(query, facts_of(query.model).tells.sender, what.has_rendezvous());
  }
  return what;
}

}  // namespace commgauge
