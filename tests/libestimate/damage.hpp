#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "commgauge/base/error.hpp"

namespace commgauge::samples {

/// Flips one to four bytes, the same way for the same state.
inline std::string with_flipped_bytes(std::string text, std::mt19937& random) {
  const auto below = [&random](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>{0, n - 1}(random);
  };
  const std::size_t flips = 1 + below(4);
  for (std::size_t i = 0; i < flips; ++i) {
    text[below(text.size())] = static_cast<char>(below(256));
  }
  return text;
}

/// Damages a good JSON text, the same way for the same seed: cuts it off, flips bytes, or deletes
/// or retypes a random node.
class Damage {
 public:
  explicit Damage(unsigned seed) : random_{seed}, way_{seed % 4} {}

  [[nodiscard]] std::string operator()(const std::string& good) {
    if (way_ == 0) return good.substr(0, below(good.size()));
    if (way_ == 1) return with_flipped_bytes(good, random_);
    nlohmann::json document = nlohmann::json::parse(good);
    descend(document);
    return document.dump();
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_);
  }

  /// Goes down by chance, and deletes or retypes where it stops.
  void descend(nlohmann::json& node) {
    if (node.empty() || !node.is_structured()) return retype(node);
    const auto child = std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size())));
    if (below(6) > 0) return descend(*child);
    if (way_ == 2) {
      node.erase(child);
    } else {
      retype(*child);
    }
  }

  void retype(nlohmann::json& node) {
    static const nlohmann::json others = nlohmann::json::parse(
        R"([null, true, "word", "", -1, -1e-9, 0, 0.5, 1e300, 4294967296, 9223372036854775809,
            18446744073709551615, -9223372036854775808, 100001, 99999, [], {}, [null], [[]],
            [-1], [0, 0], {"value": 1}])");
    node = others[below(others.size())];
  }

  std::mt19937 random_;
  unsigned way_;
};

/// How many of the damages 0 to `seeds` - 1 of a good text make read() refuse it: each in one line
/// that begins with the file's name.
template <class Read>
int refused_of(const std::string& good, unsigned seeds, std::string_view name, Read&& read) {
  int refused = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    try {
      read(Damage{seed}(good));
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(error.what(), ::testing::StartsWith(std::string{name} + ": "));
      EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
    }
  }
  return refused;
}

}  // namespace commgauge::samples
