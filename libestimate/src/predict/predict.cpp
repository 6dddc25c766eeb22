#include "commgauge/predict/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "base/one_line.hpp"
#include "base/text.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/predict/tree.hpp"
#include "model/message_times.hpp"
#include "model/spread.hpp"
#include "predict/prediction_rules.hpp"

namespace commgauge {

namespace {

constexpr std::array<std::string_view, 4> operation_names{"p2p", "scatter", "gather", "bcast"};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What a formula needs to know of a query.
struct Case {
  Operation operation;
  Side side;
  int root;  ///< sender of a p2p
  int ranks;
  bool is_star;  ///< messages of one size between the root and everyone else
  Service service;
  std::vector<Message> messages;  ///< each after those that it waits for, a rank's in its order
  [[nodiscard]] bool scatters() const { return operation != Operation::gather; }
  [[nodiscard]] bool has_rendezvous() const {
    return std::ranges::any_of(messages, &Message::rendezvous);
  }
  /// Whether a message keeps both its ranks from other messages until it is over.
  [[nodiscard]] bool in_turn(const Message& m) const {
    return m.rendezvous() && !(is_star && service == Service::at_once);
  }
  [[nodiscard]] bool overlaps() const {
    return std::ranges::none_of(messages, [&](const Message& m) { return in_turn(m); });
  }
};

/// MPICH's trees: a scatter's message holds a block of `size` for each rank of the subtree; a
/// gather is a scatter backwards.
std::vector<Message> tree_messages(const Query& query, int ranks, double size, double limit) {
  std::vector<Message> messages;
  for (const Branch& branch : binomial_tree(ranks, query.from)) {
    const double bytes = query.operation == Operation::bcast ? size : branch.ranks * size;
    const bool up = query.operation == Operation::gather;
    messages.push_back(
        {up ? branch.child : branch.parent, up ? branch.parent : branch.child, bytes, limit});
  }
  if (query.operation == Operation::gather) std::ranges::reverse(messages);
  return messages;
}

std::vector<Message> messages_of(const Query& query, int ranks, double limit) {
  const auto size = static_cast<double>(query.size.value);
  if (query.operation == Operation::p2p) return {{query.from, query.to, size, limit}};
  if (query.algorithm == Algorithm::binomial) return tree_messages(query, ranks, size, limit);
  std::vector<Message> messages;
  const auto add = [&](int peer) {
    const bool in = query.operation == Operation::gather;
    messages.push_back({in ? peer : query.from, in ? query.from : peer, size, limit});
  };
  if (!query.order.empty()) {
    std::ranges::for_each(query.order, add);
    return messages;
  }
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != query.from) add(peer);
  }
  return messages;
}

// Of an eager message:
//   busy     how long it keeps its sender from its next message
//   take_in  how long it keeps a receiver that has others waiting

/// Hockney's model, as the regression on start-up times, knows no overlap.
template <class Parameters>
concept NoOverlap = std::is_same_v<Parameters, HockneyParameters> ||
    std::is_same_v<Parameters, HockneyLines> || std::is_same_v<Parameters, StartUpParameters>;
template <NoOverlap Parameters>
double busy(const Parameters& p, const Message& m) {
  return one_way(p, m);
}
template <NoOverlap Parameters>
double take_in(const Parameters& p, const Message& m) {
  return one_way(p, m);
}

double rank_cost(const AdditiveParameters& p, int rank, double size) {
  return p.C[at(rank)] + p.t[at(rank)] * size;
}

double busy(const AdditiveParameters& p, const Message& m) { return rank_cost(p, m.from, m.size); }
double take_in(const AdditiveParameters& p, const Message& m) { return rank_cost(p, m.to, m.size); }
double send_time(const AdditiveParameters& p, const Message& m) { return busy(p, m); }
double link_time(const AdditiveParameters& p, const Message& m) {
  return m.size * p.inverse_beta(m.from, m.to) + (p.L.size() > 0 ? p.L(m.from, m.to) : 0);
}
double one_way(const AdditiveParameters& p, const Message& m) {
  return busy(p, m) + take_in(p, m) + link_time(p, m);
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

double take_in(const BottleneckView& view, const Message& m) {
  return view.p.C[at(m.to)] + std::min(view.receive_gap(m.to), view.p.g(m.from, m.to)) * m.size;
}

double one_way(const BottleneckView& view, const Message& m) {
  const BottleneckParameters& p = view.p;
  return p.C[at(m.from)] + p.L(m.from, m.to) + p.C[at(m.to)] + m.size * p.g(m.from, m.to);
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
template <LogPFamily Parameters>
double take_in(const Parameters& p, const Message& m) {
  return larger(overhead_r(p, m), gap(p, m));
}

/// Until the last message is over. An eager one waits for its receiver, a rendezvous one starts
/// when both are free, and keeps both until it is over.
template <class View>
double last_end(const View& view, const Case& query) {
  std::vector<double> free(at(query.ranks), 0.0);
  double last = 0;
  for (const Message& m : query.messages) {
    double& sender = free[at(m.from)];
    double& receiver = free[at(m.to)];
    if (query.in_turn(m)) {
      sender = receiver = larger(sender, receiver) + one_way(view, m);
    } else {
      const double arrived = sender + one_way(view, m);
      const bool is_first = receiver == 0;
      receiver = is_first ? arrived : larger(arrived, receiver + take_in(view, m));
      sender += busy(view, m);
    }
    last = larger(last, receiver);
  }
  return last;
}

template <class View>
double collective(const View& view, const Case& query) {
  return last_end(view, query);
}

/// LOM after Lastovetsky, Rychkov, O'Flynn (2008), n the number of peers, messages eager:
/// n(C_0 + t_0 M) + max of C_i + t_i M + M/β_0i.
double lom_star(const AdditiveParameters& p, const Case& query) {
  double root = 0;
  double longest = 0;
  for (const Message& m : query.messages) {
    const double one = rank_cost(p, query.root, m.size);
    root += one;
    longest = larger(longest, one_way(p, m) - one);
  }
  return root + longest;
}

double collective(const AdditiveParameters& p, const Case& query) {
  const bool has_latency = p.L.size() > 0;
  if (!has_latency && query.is_star && query.overlaps()) return lom_star(p, query);
  return last_end(p, query);
}

/// Eager messages come side by side, as fast as the root takes in, or as the slowest pair.
double bottleneck_gather(const BottleneckView& view, const Case& query) {
  const BottleneckParameters& p = view.p;
  double root = 0;
  double farthest = 0;
  double taken_in = 0;
  double slowest = 0;
  for (const Message& m : query.messages) {
    root += p.C[at(m.to)];
    farthest = larger(farthest, p.C[at(m.from)] + p.L(m.from, m.to));
    taken_in += view.receive_gap(m.to) * m.size;
    slowest = larger(slowest, p.g(m.from, m.to) * m.size);
  }
  return root + farthest + larger(taken_in, slowest);
}

double collective(const BottleneckView& view, const Case& query) {
  const bool side_by_side = query.is_star && !query.scatters() && query.overlaps();
  return side_by_side ? bottleneck_gather(view, query) : last_end(view, query);
}

template <class View>
double evaluate(const View& view, const Case& query) {
  if (query.operation != Operation::p2p) return collective(view, query);
  const Message& message = query.messages.front();
  if constexpr (requires { send_time(view, message); }) {
    if (query.side == Side::sender) return send_time(view, message);
  }
  return one_way(view, message);
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
bool covers(const Fitted<Parameters>& fitted, const Case&, const Message& m) {
  return m.size >= static_cast<double>(fitted.first.value) &&
         m.size <= static_cast<double>(fitted.last.value);
}

template <class Parameters>
bool covers_sender(const Fitted<Parameters>& fitted, const Case& query, const Message& m) {
  return query.side == Side::receiver || m.size == static_cast<double>(fitted.first.value);
}

/// Overheads of one size.
bool covers(const Fitted<LogPParameters>& fitted, const Case& query, const Message& m) {
  return covers<LogPParameters>(fitted, query, m) && covers_sender(fitted, query, m);
}
bool covers(const Fitted<LogGpParameters>& fitted, const Case& query, const Message& m) {
  return covers<LogGpParameters>(fitted, query, m) && covers_sender(fitted, query, m);
}

/// Overheads up to the eager limit.
bool covers(const Fitted<LogGpsParameters>& fitted, const Case& query, const Message& m) {
  const bool is_fitted = query.side == Side::receiver || !m.rendezvous();
  return covers<LogGpsParameters>(fitted, query, m) && is_fitted;
}

/// Whether what a prediction reads was measured at sizes around the message's.
bool covers(const Fitted<PLogPParameters>& fitted, const Case& query, const Message& m) {
  const PLogPParameters& p = fitted.value;
  if (!covers<PLogPParameters>(fitted, query, m)) return false;
  if (query.operation == Operation::p2p) {
    return query.side == Side::sender ? covers_overhead_s(p, m) : covers_gap(p, m);
  }
  return covers_gap(p, m) && (query.scatters() ? covers_overhead_s(p, m) : covers_overhead_r(p, m));
}

/// What the intervals of one model file's predictions need, worked out once.
class IntervalRules {
 public:
  explicit IntervalRules(const Model& model)
      : model_{model}, misfit_quantile_{normal_quantile(model.confidence)} {}

  /// Logarithmic half width for one more replicate, of what predict_by(k) says by the k-th; where
  /// `value` is not above zero the half width itself.
  template <class PredictBy>
  [[nodiscard]] double next_half_width(ReplicateKind kind, std::size_t count, double value,
                                       PredictBy&& predict_by) {
    values_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      // A launch may lack a pair that others have.
      const double one = predict_by(k);
      if (std::isfinite(one)) values_.push_back(one);
    }
    const SpreadRule& spread_of = rule(kind, values_.size());
    return value > 0 ? next_log_half_width(spread_of, values_, value)
                     : spread_of(values_).next_half_width;
  }

  /// @param next      as next_half_width() returns it
  /// @param residual  relative; NaN, as of a fit with nothing to spare, which warns of that:
  ///                  unknown.
  /// @return without an interval where `next` is not known.
  [[nodiscard]] Prediction joined(double value, double least, double next, double residual,
                                  bool extrapolated) const {
    if (!std::isfinite(next)) {
      constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
      return {Seconds{value}, Seconds{unknown}, Seconds{unknown}, extrapolated};
    }
    const double misfit = std::isnan(residual) ? 0 : misfit_quantile_ * residual;
    const double lowest = std::min(least, value);
    if (value > 0) {
      const double factor = std::exp(std::hypot(next, misfit));
      return {Seconds{value}, Seconds{lowest / factor}, Seconds{value * factor}, extrapolated};
    }
    const double half = std::hypot(next, misfit * value);
    return {Seconds{value}, Seconds{lowest - half}, Seconds{value + half}, extrapolated};
  }

 private:
  const SpreadRule& rule(ReplicateKind kind, std::size_t count) {
    const std::pair key{kind, count};
    const auto found = rules_.find(key);
    if (found != rules_.end()) return found->second;
    const SpreadRule made(kind, count, model_.confidence, passes_of(model_));
    return rules_.emplace(key, made).first->second;
  }

  const Model& model_;
  double misfit_quantile_;
  std::map<std::pair<ReplicateKind, std::size_t>, SpreadRule> rules_;
  std::vector<double> values_;
};

template <class View>
void require_known(const View&, double value) {
  if (std::isfinite(value)) return;
  constexpr bool has_curves = std::is_same_v<View, PLogPParameters>;
  throw InputError(std::string{"the model can't say (one of the pairs was not measured"} +
                   (has_curves ? ", or not at two sizes on this side of the eager limit" : "") +
                   "): calibrate " + (LogPFamily<View> ? "with --pairs all" : "again") +
                   ", or predict another pair");
}

template <class Parameters>
Prediction predict_with(IntervalRules& rules, const Fitted<Parameters>& fitted, const Case& query) {
  const auto value_at = [&](const Parameters& p, double share) {
    return evaluate(p, fitted.high, query, share);
  };
  const double value = value_at(fitted.value, 1);
  require_known(fitted.value, value);
  const double next =
      rules.next_half_width(fitted.replicate_kind, fitted.replicates.size(), value,
                            [&](std::size_t k) { return value_at(fitted.replicates[k], 1); });
  const bool inside = std::ranges::all_of(
      query.messages, [&](const Message& m) { return covers(fitted, query, m); });
  return rules.joined(value, value_at(fitted.value, 0), next, fitted.residual, !inside);
}

/// Where a tree's messages lie on both sides of the eager limit. Replicates of the two fits belong
/// together where they are as many; elsewhere each varies while the other stays. The larger
/// residual counts.
Prediction predict_across(IntervalRules& rules, const Fitted<HockneyParameters>& eager,
                          const Fitted<HockneyParameters>& above, const Case& query) {
  const auto time = [&](const HockneyParameters& below_limit,
                        const HockneyParameters& above_limit) {
    return evaluate(HockneyLines{below_limit, above_limit}, query);
  };
  const double value = time(eager.value, above.value);
  require_known(eager.value, value);
  const std::size_t count = eager.replicates.size();
  const bool paired =
      eager.replicate_kind == above.replicate_kind && count == above.replicates.size();
  double next = rules.next_half_width(eager.replicate_kind, count, value, [&](std::size_t k) {
    return time(eager.replicates[k], paired ? above.replicates[k] : above.value);
  });
  if (!paired) {
    const double other = rules.next_half_width(
        above.replicate_kind, above.replicates.size(), value,
        [&](std::size_t k) { return time(eager.value, above.replicates[k]); });
    next = std::hypot(next, other);
  }
  const bool inside = std::ranges::all_of(query.messages, [&](const Message& m) {
    return covers(m.rendezvous() ? above : eager, query, m);
  });
  const double residual = std::fmax(eager.residual, above.residual);
  return rules.joined(value, value, next, residual, !inside);
}

/// Both sides of the eager limit.
struct HockneyFits {
  const Fitted<HockneyParameters>& eager;
  const Fitted<HockneyParameters>* above;  ///< null: one line for all sizes
};

Prediction predict_with(IntervalRules& rules, const HockneyFits& fits, const Case& query) {
  if (fits.above == nullptr || !query.has_rendezvous()) {
    return predict_with(rules, fits.eager, query);
  }
  if (std::ranges::all_of(query.messages, &Message::rendezvous)) {
    return predict_with(rules, *fits.above, query);
  }
  return predict_across(rules, fits.eager, *fits.above, query);
}

bool covers(const HockneyFits& fits, const Case& query, const Message& m) {
  const bool is_above = fits.above != nullptr && m.rendezvous();
  return covers(is_above ? *fits.above : fits.eager, query, m);
}

/// The central parameters, bounds taken at the bound.
template <class Parameters>
const Parameters& central(const Fitted<Parameters>& fitted) {
  return fitted.value;
}
BottleneckView central(const Fitted<BottleneckParameters>& fitted) {
  return {fitted.value, fitted.high, 1};
}
HockneyLines central(const HockneyFits& fits) {
  return {fits.eager.value, fits.above != nullptr ? fits.above->value : fits.eager.value};
}

template <class Parameters>
ReplicateTimes replicate_times(const Fitted<Parameters>& fitted, const Case& query) {
  ReplicateTimes result{fitted.replicate_kind, {}};
  for (const Parameters& replicate : fitted.replicates) {
    result.times_s.push_back(evaluate(replicate, fitted.high, query, 1));
  }
  return result;
}

/// Of a tree across the eager limit: as predict_across().
ReplicateTimes replicate_times(const HockneyFits& fits, const Case& query) {
  if (fits.above == nullptr || !query.has_rendezvous()) return replicate_times(fits.eager, query);
  const bool paired = fits.eager.replicates.size() == fits.above->replicates.size();
  if (!paired || std::ranges::all_of(query.messages, &Message::rendezvous)) {
    return replicate_times(*fits.above, query);
  }
  ReplicateTimes result{fits.eager.replicate_kind, {}};
  for (std::size_t k = 0; k < fits.eager.replicates.size(); ++k) {
    const HockneyLines lines{fits.eager.replicates[k], fits.above->replicates[k]};
    result.times_s.push_back(evaluate(lines, query));
  }
  return result;
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

void check_rank(const Model& model, int rank) {
  if (rank >= 0 && rank < model.ranks) return;
  throw InputError("rank " + std::to_string(rank) + " is out of range (the model has ranks 0 to " +
                   std::to_string(model.ranks - 1) + "): give one of them");
}

void check(const Model& model, const Query& query) {
  check_rank(model, query.from);
  if (query.operation != Operation::p2p) return;
  check_rank(model, query.to);
  if (query.algorithm != Algorithm::flat || !query.order.empty()) {
    throw InputError("an order or algorithm with p2p (collectives have them): leave it out");
  }
  if (query.from == query.to) {
    throw InputError("sender and receiver are both rank " + std::to_string(query.to) +
                     " (a message to oneself is not modelled): give two ranks");
  }
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

[[noreturn]] void refuse_unknown(const std::string& name) {
  throw InputError("unknown model '" + detail::one_line(name) +
                   "' (known: " + comma_list(model_names()) + "): give one of them");
}

Case case_of(const Model& model, const Query& query) {
  check(model, query);
  check_order(model, query);
  Case what{query.operation,
            query.side,
            query.from,
            model.ranks,
            query.operation != Operation::p2p && query.algorithm == Algorithm::flat,
            query.service,
            messages_of(query, model.ranks, eager_limit_of(model))};
  check_side(query, what.has_rendezvous());
  return what;
}

/// Calls use(k, case) for each message. @throws InputError  as predict(), and which message.
template <class Use>
void for_each_message(const Model& model, const std::string& name, Side side,
                      std::span<const PairMessage> messages, Use&& use) {
  Query query;
  query.model = name;
  query.side = side;
  Case what{Operation::p2p, side, {}, model.ranks, false, Service::in_turn, {Message{}}};
  const double limit = eager_limit_of(model);
  std::size_t k = 0;
  try {
    for (; k < messages.size(); ++k) {
      const auto& [from, to, size] = messages[k];
      query.from = what.root = from;
      query.to = to;
      check(model, query);
      what.messages.front() = {from, to, static_cast<double>(size.value), limit};
      check_side(query, what.has_rendezvous());
      use(k, what);
    }
  } catch (const InputError& error) {
    throw InputError("a message from " + std::to_string(messages[k].from) + " to " +
                     std::to_string(messages[k].to) + ": " + error.what());
  }
}

/// Calls use(fit) with that model's fit. @throws InputError  it is unknown, or not in the file.
template <class Use>
auto with_fit(const Model& model, const std::string& name, Use&& use) {
  if (name == "hockney") {
    const auto& above = model.hockney_rendezvous;
    return use(HockneyFits{need(model.hockney, name), above ? &*above : nullptr});
  }
  if (name == "lom") return use(need(model.lom, name));
  if (name == "lmo") return use(need(model.lmo, name));
  if (name == "bottleneck") return use(need(model.bottleneck, name));
  if (name == "logp") return use(need(model.logp, name));
  if (name == "loggp") return use(need(model.loggp, name));
  if (name == "loggps") return use(need(model.loggps, name));
  if (name == "plogp") return use(need(model.plogp, name));
  if (name == "start_up") return use(need(model.start_up, name));
  refuse_unknown(name);
}

template <class Parameters>
std::size_t replicate_count(const Fitted<Parameters>& fitted) {
  return fitted.replicates.size();
}
std::size_t replicate_count(const HockneyFits& fits) { return fits.eager.replicates.size(); }

struct Turn {
  int peer;
  double key;  ///< smaller comes first
};

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

Algorithm parse_algorithm(std::string_view text) {
  for (const Algorithm algorithm : {Algorithm::flat, Algorithm::binomial}) {
    if (to_text(algorithm) == text) return algorithm;
  }
  throw InputError("unknown algorithm '" + detail::one_line(std::string(text)) +
                   "' (known: flat, binomial): give one of them");
}

Prediction predict(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  IntervalRules rules(model);
  return with_fit(model, query.model,
                  [&](const auto& fit) { return predict_with(rules, fit, what); });
}

std::string why_no_interval(const Model& model, const std::string& name) {
  const std::size_t count =
      with_fit(model, name, [](const auto& fit) { return replicate_count(fit); });
  if (count > 1) {
    return "no interval (a single replicate of " + name +
           " has what this takes): calibrate all launches with the same sizes and pairs";
  }
  return "no interval (the file holds " +
         std::string{count == 0 ? "no replicates" : "one replicate"} + " of " + name +
         ", and their spread is what tells one): make the file with estimate-model fit or "
         "calibrate";
}

std::vector<Prediction> predict_messages(const Model& model, const std::string& name, Side side,
                                         std::span<const PairMessage> messages) {
  std::vector<Prediction> predictions(messages.size());
  IntervalRules rules(model);
  with_fit(model, name, [&](const auto& fit) {
    for_each_message(model, name, side, messages, [&](std::size_t k, const Case& what) {
      predictions[k] = predict_with(rules, fit, what);
    });
  });
  return predictions;
}

std::vector<MessageTime> predict_message_times(const Model& model, const std::string& name,
                                               Side side, std::span<const PairMessage> messages) {
  std::vector<MessageTime> times(messages.size());
  with_fit(model, name, [&](const auto& fit) {
    const auto& view = central(fit);
    for_each_message(model, name, side, messages, [&](std::size_t k, const Case& what) {
      const double value = evaluate(view, what);
      require_known(view, value);
      times[k] = {{value}, !covers(fit, what, what.messages.front())};
    });
  });
  return times;
}

Seconds predict_time(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  return with_fit(model, query.model, [&](const auto& fit) {
    const auto& view = central(fit);
    const double value = evaluate(view, what);
    require_known(view, value);
    return Seconds{value};
  });
}

ReplicateTimes predict_replicates(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  return with_fit(model, query.model, [&](const auto& fit) { return replicate_times(fit, what); });
}

std::vector<int> serving_order(const Model& model, const Query& query) {
  const Case what = case_of(model, query);
  std::vector<Turn> turns;
  with_fit(model, query.model, [&](const auto& fit) {
    const auto& view = central(fit);
    for (const Message& m : what.messages) {
      const double arrival = one_way(view, m);
      require_known(view, arrival);
      if (what.scatters()) {
        turns.push_back({m.to, busy(view, m) - arrival});
      } else {
        turns.push_back({m.from, arrival});
      }
    }
  });
  std::ranges::stable_sort(turns, {}, &Turn::key);
  std::vector<int> order;
  for (const Turn& turn : turns) order.push_back(turn.peer);
  return order;
}

}  // namespace commgauge
