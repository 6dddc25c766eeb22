#pragma once

#include "commgauge/model/model.hpp"

namespace commgauge {

/// One message, and what its time depends on.
struct Message {
  int from;
  int to;
  double size;         ///< [bytes]
  double eager_limit;  ///< [bytes]; infinite where unknown
  [[nodiscard]] bool rendezvous() const { return size > eager_limit; }
};

/// Both lines of a machine, each for its side of the eager limit.
struct HockneyLines {
  const HockneyParameters& eager;
  const HockneyParameters& rendezvous;
};

/// The larger of two, NaN where one of them is: what was not measured stays unknown.
[[nodiscard]] double larger(double a, double b);

// Times in seconds; NaN for a pair that was not measured. See docs/models.md.
//   one_way     until the receive returns; both sides enter their calls at 0
//   send_time   until the send returns
//   overhead_s  o_s(k) of the sender; overhead_r: o_r(k) of the receiver
//   gap         least time between this message and the next of the pair

[[nodiscard]] double one_way(const HockneyParameters& p, const Message& m);
[[nodiscard]] double one_way(const HockneyLines& lines, const Message& m);
[[nodiscard]] double one_way(const StartUpParameters& p, const Message& m);

[[nodiscard]] double one_way(const LogPParameters& p, const Message& m);
[[nodiscard]] double send_time(const LogPParameters& p, const Message& m);
[[nodiscard]] double overhead_s(const LogPParameters& p, const Message& m);
[[nodiscard]] double overhead_r(const LogPParameters& p, const Message& m);
[[nodiscard]] double gap(const LogPParameters& p, const Message& m);

[[nodiscard]] double one_way(const LogGpParameters& p, const Message& m);
[[nodiscard]] double send_time(const LogGpParameters& p, const Message& m);
[[nodiscard]] double overhead_s(const LogGpParameters& p, const Message& m);
[[nodiscard]] double overhead_r(const LogGpParameters& p, const Message& m);
[[nodiscard]] double gap(const LogGpParameters& p, const Message& m);

[[nodiscard]] double one_way(const LogGpsParameters& p, const Message& m);
[[nodiscard]] double send_time(const LogGpsParameters& p, const Message& m);
[[nodiscard]] double overhead_s(const LogGpsParameters& p, const Message& m);
[[nodiscard]] double overhead_r(const LogGpsParameters& p, const Message& m);
[[nodiscard]] double gap(const LogGpsParameters& p, const Message& m);

/// Each reads its curve between the sizes on the message's own side of the eager limit, and goes on
/// with the slope of the last segment there.
[[nodiscard]] double one_way(const PLogPParameters& p, const Message& m);
[[nodiscard]] double send_time(const PLogPParameters& p, const Message& m);
[[nodiscard]] double overhead_s(const PLogPParameters& p, const Message& m);
[[nodiscard]] double overhead_r(const PLogPParameters& p, const Message& m);
[[nodiscard]] double gap(const PLogPParameters& p, const Message& m);

// Whether the pair's curve has sizes around the message's, on its side of the eager limit.
[[nodiscard]] bool covers_overhead_s(const PLogPParameters& p, const Message& m);
[[nodiscard]] bool covers_overhead_r(const PLogPParameters& p, const Message& m);
[[nodiscard]] bool covers_gap(const PLogPParameters& p, const Message& m);

}  // namespace commgauge
