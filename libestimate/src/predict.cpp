#include "commgauge/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "commgauge/error.hpp"
#include "commgauge/statistics.hpp"
#include "time_table.hpp"

namespace commgauge {

namespace {

constexpr std::array<std::string_view, 3> operation_names{"p2p", "scatter", "gather"};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What a formula needs to know of a query.
struct Case {
  Operation operation;
  int from;
  int to;
  double size;
  bool rendezvous;  ///< messages of this size are synchronous
  int ranks;
};

/// Calls use(peer, position) for every rank but the root, ascending; position counts from 1.
template <class Use>
void for_each_peer(const Case& query, Use&& use) {
  int position = 0;
  for (int i = 0; i < query.ranks; ++i) {
    if (i != query.from) use(i, ++position);
  }
}

/// One message after the other: Hockney's model knows no overlap.
double evaluate(const HockneyParameters& p, const Case& query) {
  const auto message = [&](int i, int j) { return p.alpha(i, j) + p.beta(i, j) * query.size; };
  if (query.operation == Operation::p2p) return message(query.from, query.to);
  double sum = 0;
  for_each_peer(query, [&](int peer, int) {
    sum += query.operation == Operation::scatter ? message(query.from, peer)
                                                 : message(peer, query.from);
  });
  return sum;
}

/// LOM after Lastovetsky, Rychkov, O'Flynn (2008), n the number of peers:
/// n(C_0 + t_0 M) + max or, for rendezvous messages, sum of C_i + t_i M + M/β_0i.
/// LMO has L as well, and takes the order into account: the k-th message leaves after k sends; the
/// root of a gather takes in the answers one after the other, each when it has come.
double evaluate(const AdditiveParameters& p, const Case& query) {
  const bool has_latency = p.L.size() > 0;
  const auto rank_cost = [&](int i) { return p.C[at(i)] + p.t[at(i)] * query.size; };
  const auto way = [&](int i) {
    return rank_cost(i) + query.size * p.inverse_beta(query.from, i) +
           (has_latency ? p.L(query.from, i) : 0);
  };
  const double root = rank_cost(query.from);
  if (query.operation == Operation::p2p) return root + way(query.to);
  double longest = 0;
  double sum = 0;
  double gathered = 0;
  for_each_peer(query, [&](int peer, int position) {
    longest = std::max(longest, way(peer) + (has_latency ? position * root : 0));
    sum += way(peer);
    gathered = std::max(gathered, way(peer)) + root;
  });
  const double all_of_root = (query.ranks - 1) * root;
  if (query.rendezvous) return all_of_root + sum;
  if (!has_latency) return all_of_root + longest;
  return query.operation == Operation::scatter ? longest : gathered;
}

/// Gaps per byte of a collective's root [s/byte].
struct RootGaps {
  double send{};
  double receive{};
};

/// Gaps of which only a bound is known, taken at that bound (`share` 1) or at nothing (0).
RootGaps root_gaps(const BottleneckParameters& p, const BottleneckParameters& bounds, int root,
                   double share) {
  const auto gap = [&](double value, double bound) {
    return std::isnan(value) ? share * bound : value;
  };
  return {gap(p.s[at(root)], bounds.s[at(root)]), gap(p.r[at(root)], bounds.r[at(root)])};
}

/// See docs/models.md: eager messages overlap: a scatter is as fast as the root sends, a gather as
/// the root takes in, or as the slowest pair. Rendezvous messages go one after the other.
double evaluate(const BottleneckParameters& p, const Case& query, RootGaps own) {
  const int root = query.from;
  const auto message = [&](int i, int j) {
    return p.C[at(i)] + p.L(i, j) + p.C[at(j)] + query.size * p.g(i, j);
  };
  if (query.operation == Operation::p2p) return message(root, query.to);
  const bool scatters = query.operation == Operation::scatter;
  const double c = p.C[at(root)];
  double sum = 0;
  double longest = 0;
  double way = 0;
  double slowest = 0;
  for_each_peer(query, [&](int peer, int position) {
    const double one = scatters ? message(root, peer) : message(peer, root);
    const double gap = std::min(own.send, p.g(root, peer));
    sum += one;
    longest = std::max(longest, (position - 1) * (c + gap * query.size) + one);
    way = std::max(way, p.C[at(peer)] + p.L(peer, root));
    slowest = std::max(slowest, p.g(peer, root));
  });
  if (query.rendezvous) return sum;
  if (scatters) return longest;
  const int n = query.ranks - 1;
  return n * c + way + query.size * std::max(n * own.receive, slowest);
}

template <class Parameters>
double evaluate(const Parameters& p, const Parameters&, const Case& query, double) {
  return evaluate(p, query);
}
double evaluate(const BottleneckParameters& p, const BottleneckParameters& bounds,
                const Case& query, double share) {
  return evaluate(p, query, root_gaps(p, bounds, query.from, share));
}

template <class Parameters>
Prediction predict_with(const Fitted<Parameters>& fitted, const Case& query, double confidence,
                        int passes) {
  const auto value_at = [&](const Parameters& p, double share) {
    return evaluate(p, fitted.high, query, share);
  };
  const double value = value_at(fitted.value, 1);
  if (!std::isfinite(value)) {
    throw InputError(
        "the model can't say (one of the pairs was not measured): calibrate again, "
        "or predict another pair");
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
                            query.size > static_cast<double>(fitted.last.value);
  return {Seconds{value}, Seconds{std::min(least, value) - half}, Seconds{value + half},
          extrapolated};
}

template <class Parameters>
const Fitted<Parameters>& need(const std::optional<Fitted<Parameters>>& fitted,
                               const Query& query) {
  if (!fitted) {
    throw InputError("the file has no model " + query.model +
                     " (it could not be determined, or was not asked for): see `estimate-model "
                     "show`, or calibrate with --models " +
                     query.model);
  }
  return *fitted;
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

Operation parse_operation(std::string_view text) {
  for (std::size_t i = 0; i < operation_names.size(); ++i) {
    if (operation_names[i] == text) return static_cast<Operation>(i);
  }
  throw InputError("unknown operation '" + std::string(text) +
                   "' (known: p2p, scatter, gather): give one of them");
}

Prediction predict(const Model& model, const Query& query) {
  check(model, query);
  const Case what{query.operation,
                  query.from,
                  query.to,
                  static_cast<double>(query.size.value),
                  model.eager_limit && query.size > *model.eager_limit,
                  model.ranks};
  const int passes = model.launches.empty() ? 1 : std::max(1, model.launches.front().passes);
  const auto use = [&](const auto& fitted) {
    return predict_with(need(fitted, query), what, model.confidence, passes);
  };
  if (query.model == "hockney") {
    const bool above = what.rendezvous && model.hockney_rendezvous;
    return use(above ? model.hockney_rendezvous : model.hockney);
  }
  if (query.model == "lom") return use(model.lom);
  if (query.model == "lmo") return use(model.lmo);
  if (query.model == "bottleneck") return use(model.bottleneck);
  throw InputError("unknown model '" + query.model +
                   "' (known: hockney, lom, lmo, bottleneck): give one of them");
}

}  // namespace commgauge
