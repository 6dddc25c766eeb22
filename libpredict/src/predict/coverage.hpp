#pragma once

#include "commgauge/costs/formulas.hpp"
#include "predict/case.hpp"

namespace commgauge {

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
inline bool covers(const Fitted<LogPParameters>& fitted, const Case& query, const Message& m) {
  return covers<LogPParameters>(fitted, query, m) && covers_sender(fitted, query, m);
}
inline bool covers(const Fitted<LogGpParameters>& fitted, const Case& query, const Message& m) {
  return covers<LogGpParameters>(fitted, query, m) && covers_sender(fitted, query, m);
}

/// Overheads up to the eager limit.
inline bool covers(const Fitted<LogGpsParameters>& fitted, const Case& query, const Message& m) {
  const bool is_fitted = query.side == Side::receiver || !m.rendezvous();
  return covers<LogGpsParameters>(fitted, query, m) && is_fitted;
}

/// Whether what a prediction reads was measured at sizes around the message's.
inline bool covers(const Fitted<PLogPParameters>& fitted, const Case& query, const Message& m) {
  if (!covers<PLogPParameters>(fitted, query, m)) return false;
  const PLogPCosts costs = costs_of(fitted.value, m);
  if (query.operation == Operation::p2p) {
    return query.side == Side::sender ? costs.covers_send_overhead(m.size)
                                      : costs.covers_gap(m.size);
  }
  return costs.covers_gap(m.size) && (query.scatters() ? costs.covers_send_overhead(m.size)
                                                       : costs.covers_receive_overhead(m.size));
}

}  // namespace commgauge
