#pragma once

#include <algorithm>
#include <vector>

#include "commgauge/costs/message_times.hpp"
#include "predict/case.hpp"

namespace commgauge {

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

/// Of a gather at once: its messages are taken in as they come.
template <class View>
Case as_they_come(const View& view, Case query) {
  std::ranges::stable_sort(query.messages, {}, [&](const Message& m) { return one_way(view, m); });
  return query;
}

template <class View>
double last_end_of(const View& view, const Case& query) {
  const bool is_sorted = query.at_once && !query.scatters();
  return is_sorted ? last_end(view, as_they_come(view, query)) : last_end(view, query);
}

template <class View>
double collective(const View& view, const Case& query) {
  return last_end_of(view, query);
}

/// LOM after Lastovetsky, Rychkov, O'Flynn (2008), n the number of peers, messages eager:
/// n(C_0 + t_0 M) + max of C_i + t_i M + M/β_0i.
inline double lom_star(const AdditiveParameters& p, const Case& query) {
  double root = 0;
  double longest = 0;
  for (const Message& m : query.messages) {
    const double one = query.scatters() ? busy(p, m) : take_in(p, m);
    root += one;
    longest = larger(longest, one_way(p, m) - one);
  }
  return root + longest;
}

inline double collective(const AdditiveParameters& p, const Case& query) {
  const bool has_latency = p.L.size() > 0;
  if (!has_latency && query.is_star && query.overlaps()) return lom_star(p, query);
  return last_end_of(p, query);
}

/// Eager messages come side by side, as fast as the root takes in, or as the slowest pair.
inline double bottleneck_gather(const BottleneckView& view, const Case& query) {
  double root = 0;
  double farthest = 0;
  double taken_in = 0;
  double slowest = 0;
  for (const Message& m : query.messages) {
    const BottleneckCosts costs = costs_of(view, m);
    root += costs.receive_overhead(m.size).at(m.size);
    farthest = larger(farthest, costs.arrival(m.size).fixed);
    taken_in += view.receive_gap(m.to) * m.size;
    slowest = larger(slowest, costs.link(m.size).at(m.size));
  }
  return root + farthest + larger(taken_in, slowest);
}

inline double collective(const BottleneckView& view, const Case& query) {
  const bool side_by_side = query.is_star && !query.scatters() && query.overlaps();
  return side_by_side ? bottleneck_gather(view, query) : last_end(view, query);
}

template <class View>
double evaluate(const View& view, const Case& query) {
  if (query.operation != Operation::p2p) return collective(view, query);
  const Message& message = query.messages.front();
  return query.side == Side::sender ? send_time(view, message) : one_way(view, message);
}

template <class Parameters>
double evaluate(const Parameters& p, const Parameters&, const Case& query, double) {
  return evaluate(p, query);
}
inline double evaluate(const BottleneckParameters& p, const BottleneckParameters& bounds,
                       const Case& query, double share) {
  return evaluate(BottleneckView{p, bounds, share}, query);
}

}  // namespace commgauge
