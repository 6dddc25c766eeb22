#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine/shared_host_links.hpp"

namespace commgauge {

/// Bytes that SMPI adds to each message.
constexpr double envelope = 16;

/// Time of one message, latency + size/bandwidth, from a payload of so many bytes on: its parts as
/// multiples of those of the smallest messages.
struct ProtocolStep {
  std::uint64_t first{};  ///< payload [bytes]
  double latency_factor{};
  double bandwidth_factor{};
};

struct Protocols {
  std::vector<ProtocolStep> steps;  ///< ascending; none: one line for all sizes
  /// A larger payload waits for its receiver [bytes].
  std::uint64_t eager_limit{1'000'000'000 - 1};
};

/// A one-way link.
struct PlatformLink {
  std::string name;
  double bandwidth{};  ///< [byte/s]
  double latency{};    ///< [s]
};

/// Time of a rank for an eager message, constant + per_byte·size.
struct RankTimes {
  double constant{};  ///< [s]
  double per_byte{};  ///< [s/byte]
};

/// Links between a model's hosts, as a platform has them.
class Uplinks {
 public:
  Uplinks() = default;
  explicit Uplinks(const Model& model);
  [[nodiscard]] std::vector<PlatformLink> all() const;
  /// Names of those that messages between two ranks pass.
  [[nodiscard]] std::vector<std::string> between(int from, int to) const;

 private:
  [[nodiscard]] std::string name(std::int32_t link) const;

  simulate::SharedHostLinks links_;
};

/// A SimGrid platform in which every ordered pair has a route of its own, and passes the links
/// between hosts besides.
class Platform {
 public:
  explicit Platform(Protocols protocols = {}, Uplinks uplinks = {});
  void add_rank(int rank, const RankTimes& sending, const RankTimes& receiving);
  void add_link(const PlatformLink& link);
  void add_route(int from, int to, const std::vector<std::string>& links);
  [[nodiscard]] std::string text() const;

 private:
  Protocols protocols_;
  Uplinks uplinks_;
  std::string hosts_;
  std::string links_;
  std::string routes_;
};

/// What a message costs between any two of equal hosts.
struct EqualHosts {
  RankTimes sending;
  RankTimes receiving;
  double L{};         ///< [s]
  double per_byte{};  ///< of a host's link, one for each direction [s/byte]
  bool shared{};      ///< whether a host's messages share its link
};

/// A platform that is one cluster.
[[nodiscard]] std::string cluster_text(int ranks, const EqualHosts& hosts,
                                       const Protocols& protocols = {});

/// Beside those of the mean latency.
[[nodiscard]] std::vector<std::string> losses_of_cluster(const EqualHosts& hosts);

/// Links and routes are as many as ordered pairs: more ranks are a cluster.
constexpr int most_ranks_apart = 128;

[[nodiscard]] std::string pair_name(int i, int j);

/// The latency that with the envelope's time amounts to L; never below 0.
[[nodiscard]] double link_latency(double L, double per_byte);

/// Latencies of ordered pairs in a platform, and what a model's lose by them. An L that is
/// negative, or below the time of the envelope, which every message pays, gives 0.
struct Latencies {
  Matrix of_pairs;  ///< [s]
  std::vector<std::string> losses;
};

/// Each pair's own. @param gaps  per byte; @throws InputError  a gap is not positive, an L not
/// known.
[[nodiscard]] Latencies own_latencies(const Matrix& L, const Matrix& gaps);

/// One for all, because SimGrid shares a link in inverse proportion to the latencies of the routes
/// through it. The mean, negative ones among them, keeps the sum over all pairs, and so the mean
/// collective. @throws as own_latencies().
[[nodiscard]] Latencies equal_latencies(const Matrix& L, const Matrix& gaps);

/// Each pair's own where the largest is up to a thousand times the smallest, one for all elsewhere:
/// beside others messages of no latency go at any speed. @throws as own_latencies().
[[nodiscard]] Latencies comparable_latencies(const Matrix& L, const Matrix& gaps);

/// What is lost where the platform's latency is the mean. @throws InputError  L is not known.
[[nodiscard]] std::vector<std::string> losses_of_mean_latency(double L, double per_byte);

/// A link for each ordered pair, and nothing for its ranks.
void add_pair_routes(Platform& platform, const Matrix& latencies, const Matrix& gaps);

/// Per byte, of ranks [s/byte].
struct RankGaps {
  std::vector<double> send;
  std::vector<double> receive;
};

/// Of each rank the smallest among its pairs.
[[nodiscard]] RankGaps fastest_gaps(const Matrix& gaps);

/// A link for each ordered pair, and for each rank two that all its messages share: one of those
/// that it sends, one of those that it receives. NaN: none.
/// @throws InputError  a gap is not positive.
void add_shared_routes(Platform& platform, const Matrix& latencies, const Matrix& gaps,
                       const RankGaps& ranks);

/// Of all ordered pairs; NaN where one is not known.
[[nodiscard]] double mean_of_pairs(const Matrix& values);

/// @throws InputError  says whose.
void require_positive(double per_byte, const std::string& whose);
void require_not_negative(double value, int rank, const std::string& name);

template <class Use>
void for_each_pair(int n, Use&& use) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i != j) use(i, j);
    }
  }
}

}  // namespace commgauge
