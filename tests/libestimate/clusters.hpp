#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "commgauge/measurements/survey.hpp"

namespace commgauge::samples {

inline constexpr Bytes large{1 << 20};
inline constexpr double empty_s = 20e-6;
inline constexpr double byte_s = 1e-9;

/// Hosts of a cluster, drawn by seed.
struct Cluster {
  int hosts{4};
  int per_host{4};
  double spread{0.02};
  double noise{};
  bool two_kinds{};     ///< the second half of the hosts, or every other one: half as fast
  bool two_switches{};  ///< the second half of the hosts is behind a slower trunk
  int slow_host{-1};
  int slow_link_of{-1};  ///< and
  int slow_link_to{-1};  ///< , or −1: the whole host's link
  std::uint64_t seed{1};

  [[nodiscard]] bool is_second_kind(int host) const {
    if (!two_kinds) return false;
    return two_switches ? host % 2 == 1 : host >= hosts / 2;
  }
  [[nodiscard]] bool is_behind(int host) const { return two_switches && host >= hosts / 2; }

  /// How many times as long as usual messages of two hosts take, or those inside one.
  [[nodiscard]] std::vector<std::vector<double>> scales() const {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> around(1 - spread, 1 + spread);
    std::vector<double> own;
    for (int host = 0; host < hosts; ++host) own.push_back(around(random));
    const auto factor = [&](int host) {
      const double kind = is_second_kind(host) ? 2 : 1;
      return own[static_cast<std::size_t>(host)] * kind * (host == slow_host ? 1.6 : 1);
    };
    std::vector<std::vector<double>> all;
    for (int i = 0; i < hosts; ++i) {
      all.emplace_back();
      for (int j = 0; j < hosts; ++j) {
        double scale = i == j ? 0.1 * factor(i) : (factor(i) + factor(j)) / 2;
        if (is_behind(i) != is_behind(j)) scale *= 1.5;
        const bool is_slow_link =
            slow_link_to < 0 ? i == slow_link_of || j == slow_link_of
                             : std::minmax(i, j) == std::minmax(slow_link_of, slow_link_to);
        if (i != j && is_slow_link) scale *= 1.8;
        all.back().push_back(scale);
      }
    }
    return all;
  }

  [[nodiscard]] Survey survey() const {
    std::mt19937_64 random(seed + 1000);
    std::normal_distribution<double> noisy(1, noise);
    const auto scale_of = scales();
    Survey survey;
    for (int host = 0; host < hosts; ++host) {
      for (int r = 0; r < per_host; ++r) survey.ranks.push_back({"n" + std::to_string(host), {}});
    }
    const auto add = [&](int from, int to, double scale) {
      for (const Bytes size : {Bytes{0}, Bytes{16 << 10}, large}) {
        const double time = scale * (empty_s + byte_s * static_cast<double>(size.value));
        survey.trips.push_back({from, to, size, noise > 0 ? time * noisy(random) : time});
      }
    };
    for (int i = 0; i < hosts; ++i) {
      const auto& of_host = scale_of[static_cast<std::size_t>(i)];
      for (int r = 1; r < per_host; ++r) {
        add(i * per_host, i * per_host + r, of_host[static_cast<std::size_t>(i)]);
        add(i * per_host + r, i * per_host, of_host[static_cast<std::size_t>(i)]);
      }
      for (int j = 0; j < hosts; ++j) {
        if (i != j) add(i * per_host, j * per_host, of_host[static_cast<std::size_t>(j)]);
      }
    }
    return survey;
  }
};

}  // namespace commgauge::samples
