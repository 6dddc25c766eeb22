#include "commgauge/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "commgauge/error.hpp"
#include "commgauge/statistics.hpp"
#include "commgauge/tree.hpp"
#include "message_times.hpp"
#include "one_line.hpp"
#include "prediction_rules.hpp"
#include "time_table.hpp"

namespace commgauge {

namespace {

constexpr std::array<std::string_view, 4> operation_names{"p2p", "scatter", "gather", "bcast"};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What a formula needs to know of a query.
struct Case {
  Operation operation;
  Side side;
  Algorithm algorithm;
  int from;
  int to;
  int ranks;
  double size;
  double eager_limit;  ///< infinite where unknown
  [[nodiscard]] Message message(int i, int j) const { return {i, j, size, eager_limit}; }
  [[nodiscard]] bool rendezvous() const { return size > eager_limit; }
  [[nodiscard]] bool scatters() const { return operation != Operation::gather; }
  /// Between the root of a collective and one of its peers.
  [[nodiscard]] Message message_of(int peer) const {
    return scatters() ? message(from, peer) : message(peer, from);
  }
};

/// Calls use(peer, position) for every rank but the root, ascending; position counts from 1.
template <class Use>
void for_each_peer(const Case& query, Use&& use) {
  int position = 0;
  for (int i = 0; i < query.ranks; ++i) {
    if (i != query.from) use(i, ++position);
  }
}

/// One message after the other.
template <class Parameters>
double in_turn(const Parameters& p, const Case& query) {
  double sum = 0;
  for_each_peer(query, [&](int peer, int) { sum += one_way(p, query.message_of(peer)); });
  return sum;
}

// busy: how long a sender is kept by an eager message before it can start its next.
// flat: a scatter (a broadcast sends the same) or a gather in which the root deals with one peer
// after the other.

/// Hockney's model, as the regression on start-up times, knows no overlap.
double busy(const HockneyParameters& p, const Message& m) { return one_way(p, m); }
double flat(const HockneyParameters& p, const Case& query) { return in_turn(p, query); }
double busy(const StartUpParameters& p, const Message& m) { return one_way(p, m); }
double flat(const StartUpParameters& p, const Case& query) { return in_turn(p, query); }

double rank_cost(const AdditiveParameters& p, int rank, double size) {
  return p.C[at(rank)] + p.t[at(rank)] * size;
}

/// What remains after the sender's part.
double way(const AdditiveParameters& p, int i, int j, double size) {
  return rank_cost(p, j, size) + size * p.inverse_beta(i, j) + (p.L.size() > 0 ? p.L(i, j) : 0);
}

double busy(const AdditiveParameters& p, const Message& m) { return rank_cost(p, m.from, m.size); }
double send_time(const AdditiveParameters& p, const Message& m) { return busy(p, m); }
double one_way(const AdditiveParameters& p, const Message& m) {
  return busy(p, m) + way(p, m.from, m.to, m.size);
}

/// LOM after Lastovetsky, Rychkov, O'Flynn (2008), n the number of peers:
/// n(C_0 + t_0 M) + max or, for rendezvous messages, sum of C_i + t_i M + M/β_0i.
/// LMO has L as well, and takes the order into account: the k-th message leaves after k sends; the
/// root of a gather takes in the answers one after the other, each when it has come.
double flat(const AdditiveParameters& p, const Case& query) {
  const bool has_latency = p.L.size() > 0;
  const double root = rank_cost(p, query.from, query.size);
  double longest = 0;
  double sum = 0;
  double gathered = 0;
  for_each_peer(query, [&](int peer, int position) {
    const double one = way(p, query.from, peer, query.size);
    longest = larger(longest, one + (has_latency ? position * root : 0));
    sum += one;
    gathered = larger(gathered, one) + root;
  });
  const double all_of_root = (query.ranks - 1) * root;
  if (query.rendezvous()) return all_of_root + sum;
  if (!has_latency) return all_of_root + longest;
  return query.scatters() ? longest : gathered;
}

/// Gaps per byte [s/byte] of which only a bound is known are taken at that bound (`share` 1) or at
/// nothing (0).
struct BottleneckView {
  const BottleneckParameters& p;
  const BottleneckParameters& bounds;
  double share;
  [[nodiscard]] double send_gap(int i) const { return known(p.s[at(i)], bounds.s[at(i)]); }
  [[nodiscard]] double receive_gap(int i) const { return known(p.r[at(i)], bounds.r[at(i)]); }

 private:
  [[nodiscard]] double known(double value, double bound) const {
    return std::isnan(value) ? share * bound : value;
  }
};

double busy(const BottleneckView& view, const Message& m) {
  return view.p.C[at(m.from)] + std::min(view.send_gap(m.from), view.p.g(m.from, m.to)) * m.size;
}

double one_way(const BottleneckView& view, const Message& m) {
  const BottleneckParameters& p = view.p;
  return p.C[at(m.from)] + p.L(m.from, m.to) + p.C[at(m.to)] + m.size * p.g(m.from, m.to);
}

/// See docs/models.md: eager messages overlap: a scatter is as fast as the root sends, a gather as
/// the root takes in, or as the slowest pair. Rendezvous messages go one after the other.
double flat(const BottleneckView& view, const Case& query) {
  if (query.rendezvous()) return in_turn(view, query);
  const BottleneckParameters& p = view.p;
  const int root = query.from;
  double longest = 0;
  double farthest = 0;
  double slowest = 0;
  for_each_peer(query, [&](int peer, int position) {
    const Message m = query.message_of(peer);
    longest = larger(longest, (position - 1) * busy(view, m) + one_way(view, m));
    if (query.scatters()) return;
    farthest = larger(farthest, p.C[at(peer)] + p.L(peer, root));
    slowest = larger(slowest, p.g(peer, root));
  });
  if (query.scatters()) return longest;
  const int n = query.ranks - 1;
  return n * p.C[at(root)] + farthest + query.size * larger(n * view.receive_gap(root), slowest);
}

template <class Parameters>
concept LogPFamily = requires(const Parameters& p, const Message& m) {
  overhead_s(p, m);
  overhead_r(p, m);
  gap(p, m);
};

template <LogPFamily Parameters>
double busy(const Parameters& p, const Message& m) {
  return larger(overhead_s(p, m), gap(p, m));
}

/// The root's messages are as far apart as its overhead or the pair's gap, whichever is larger.
template <LogPFamily Parameters>
double flat(const Parameters& p, const Case& query) {
  if (query.rendezvous()) return in_turn(p, query);
  double free = 0;
  double last = 0;
  for_each_peer(query, [&](int peer, int position) {
    const Message m = query.message_of(peer);
    if (query.scatters()) {
      last = larger(last, free + one_way(p, m));
      free += busy(p, m);
    } else {
      const double arrived = one_way(p, m);
      const double taken_in = last + larger(overhead_r(p, m), gap(p, m));
      last = position == 1 ? arrived : larger(arrived, taken_in);
    }
  });
  return last;
}

/// Each rank passes the message on as soon as it has it.
template <class View>
double binomial(const View& view, const Case& query) {
  std::vector<double> free(at(query.ranks), 0.0);
  double last = 0;
  for (const Branch& branch : binomial_tree(query.ranks, query.from)) {
    const Message m = query.message(branch.parent, branch.child);
    const double time = one_way(view, m);
    free[at(m.to)] = free[at(m.from)] + time;
    last = larger(last, free[at(m.to)]);
    free[at(m.from)] += query.rendezvous() ? time : busy(view, m);
  }
  return last;
}

template <class View>
double evaluate(const View& view, const Case& query) {
  const Message message = query.message(query.from, query.to);
  if constexpr (requires { send_time(view, message); }) {
    if (query.side == Side::sender) return send_time(view, message);
  }
  if (query.operation == Operation::p2p) return one_way(view, message);
  return query.algorithm == Algorithm::binomial ? binomial(view, query) : flat(view, query);
}

template <class Parameters>
double evaluate(const Parameters& p, const Parameters&, const Case& query, double) {
  return evaluate(p, query);
}
double evaluate(const BottleneckParameters& p, const BottleneckParameters& bounds,
                const Case& query, double share) {
  return evaluate(BottleneckView{p, bounds, share}, query);
}

template <class Parameters>
bool covers(const Parameters&, const Case&) {
  return true;
}

/// Whether what a prediction reads was measured at sizes around its own.
bool covers(const PLogPParameters& p, const Case& query) {
  if (query.operation == Operation::p2p) {
    const Message m = query.message(query.from, query.to);
    return query.side == Side::sender ? covers_overhead_s(p, m) : covers_gap(p, m);
  }
  bool all = true;
  const auto add = [&](const Message& m) {
    all = all && covers_gap(p, m) &&
          (query.scatters() ? covers_overhead_s(p, m) : covers_overhead_r(p, m));
  };
  if (query.algorithm == Algorithm::binomial) {
    for (const Branch& branch : binomial_tree(query.ranks, query.from)) {
      add(query.message(branch.parent, branch.child));
    }
  } else {
    for_each_peer(query, [&](int peer, int) { add(query.message_of(peer)); });
  }
  return all;
}

template <class Parameters>
Prediction predict_with(const Fitted<Parameters>& fitted, const Case& query, double confidence,
                        int passes) {
  const auto value_at = [&](const Parameters& p, double share) {
    return evaluate(p, fitted.high, query, share);
  };
  const double value = value_at(fitted.value, 1);
  if (!std::isfinite(value)) {
    constexpr bool has_curves = std::is_same_v<Parameters, PLogPParameters>;
    throw InputError(std::string{"the model can't say (one of the pairs was not measured"} +
                     (has_curves ? ", or not at two sizes on this side of the eager limit" : "") +
                     "): calibrate again, or predict another pair");
  }
  const double least = value_at(fitted.value, 0);
  std::vector<double> replicated;
  for (const Parameters& replicate : fitted.replicates) {
    // A launch may lack a pair that others have.
    const double one = value_at(replicate, 1);
    if (std::isfinite(one)) replicated.push_back(one);
  }
  const SpreadRule spread_of(fitted.replicate_kind, replicated.size(), confidence, passes);
  const double next = spread_of(replicated).next_half_width;
  // A fit with nothing to spare has no residual: its misfit is unknown, and it warns of that.
  const double misfit =
      std::isnan(fitted.residual) ? 0 : normal_quantile(confidence) * fitted.residual * value;
  const double half = std::hypot(next, misfit);
  const bool extrapolated = query.size < static_cast<double>(fitted.first.value) ||
                            query.size > static_cast<double>(fitted.last.value) ||
                            !covers(fitted.value, query);
  return {Seconds{value}, Seconds{std::min(least, value) - half}, Seconds{value + half},
          extrapolated};
}

/// Of the other models only LMO tells the sender's part, and that of eager messages.
void check_side(const Query& query, bool rendezvous) {
  if (query.side == Side::receiver) return;
  if (query.operation != Operation::p2p) {
    throw InputError(
        "a sender's time of a collective (a collective ends with its last rank): "
        "ask for p2p, or leave the side out");
  }
  constexpr std::array<std::string_view, 4> with_overheads{"logp", "loggp", "loggps", "plogp"};
  if (std::ranges::find(with_overheads, query.model) != with_overheads.end()) return;
  if (query.model == "lmo" && !rendezvous) return;
  const std::string above = query.model == "lmo" ? " above the eager limit" : "";
  throw InputError(query.model + " knows no sender's time" + above +
                   " (its parameters don't tell sending from the rest): take logp, loggp, loggps "
                   "or plogp, or ask for the receiver's");
}

void check_algorithm(const Query& query) {
  if (query.algorithm == Algorithm::flat || query.operation == Operation::bcast) return;
  throw InputError("a binomial " + std::string{to_text(query.operation)} +
                   " is not modelled (only a broadcast's messages all have one size): ask for "
                   "bcast, or for the flat algorithm");
}

void check(const Model& model, const Query& query) {
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < model.ranks; };
  const std::string range = " is out of range (the model has ranks 0 to " +
                            std::to_string(model.ranks - 1) + "): give one of them";
  if (!is_rank(query.from)) throw InputError("rank " + std::to_string(query.from) + range);
  if (query.operation != Operation::p2p) return;
  if (!is_rank(query.to)) throw InputError("rank " + std::to_string(query.to) + range);
  if (query.from == query.to) {
    throw InputError("sender and receiver are both rank " + std::to_string(query.to) +
                     " (a message to oneself is not modelled): give two ranks");
  }
}

}  // namespace

std::string_view to_text(Operation operation) {
  return operation_names.at(static_cast<std::size_t>(operation));
}

std::string_view to_text(Side side) { return side == Side::sender ? "sender" : "receiver"; }

std::string_view to_text(Algorithm algorithm) {
  return algorithm == Algorithm::binomial ? "binomial" : "flat";
}

Operation parse_operation(std::string_view text) {
  for (std::size_t i = 0; i < operation_names.size(); ++i) {
    if (operation_names[i] == text) return static_cast<Operation>(i);
  }
  throw InputError("unknown operation '" + detail::one_line(std::string(text)) +
                   "' (known: p2p, scatter, gather, bcast): give one of them");
}

Prediction predict(const Model& model, const Query& query) {
  check(model, query);
  check_algorithm(query);
  const Case what{query.operation,
                  query.side,
                  query.algorithm,
                  query.from,
                  query.to,
                  model.ranks,
                  static_cast<double>(query.size.value),
                  eager_limit_of(model)};
  check_side(query, what.rendezvous());
  const auto use = [&](const auto& fitted) {
    return predict_with(need(fitted, query.model), what, model.confidence, passes_of(model));
  };
  if (query.model == "hockney") {
    const bool above = what.rendezvous() && model.hockney_rendezvous;
    return use(above ? model.hockney_rendezvous : model.hockney);
  }
  if (query.model == "lom") return use(model.lom);
  if (query.model == "lmo") return use(model.lmo);
  if (query.model == "bottleneck") return use(model.bottleneck);
  if (query.model == "logp") return use(model.logp);
  if (query.model == "loggp") return use(model.loggp);
  if (query.model == "loggps") return use(model.loggps);
  if (query.model == "plogp") return use(model.plogp);
  if (query.model == "start_up") return use(model.start_up);
  std::string known;
  for (const std::string& name : model_names()) known += (known.empty() ? "" : ", ") + name;
  throw InputError("unknown model '" + detail::one_line(query.model) + "' (known: " + known +
                   "): give one of them");
}

}  // namespace commgauge
