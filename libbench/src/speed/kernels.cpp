#include "speed/kernels.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace commgauge::bench {

namespace {

constexpr std::size_t order = 32;
constexpr int products = 30;
constexpr std::size_t chunk = 1U << 18U;  // numbers of each array in a run of Stream

// Volatile, so that the compiler can't leave any of the computation out.
volatile double first_value = 1;
volatile double end = 0;

using Square = std::array<double, order * order>;

Square filled(double scale) {
  Square m;
  for (std::size_t i = 0; i < m.size(); ++i) {
    m[i] = scale * static_cast<double>(i % 7) / static_cast<double>(3 * order);
  }
  return m;
}

void multiply(const Square& a, const Square& b, Square& c) {
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t j = 0; j < order; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < order; ++k) sum += a[i * order + k] * b[k * order + j];
      c[i * order + j] = sum;
    }
  }
}

/// Of one array, so that three of them are four times as large as the last cache, as far as that
/// has at most 96 MiB: memory isn't endless.
std::size_t stream_length() {
  constexpr long usual = 32L << 20;
  constexpr long most = 96L << 20;
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const long bytes = std::min(most, std::max(usual, cache)) * 4 / 3;
  return static_cast<std::size_t>(bytes) / sizeof(double) / chunk * chunk;
}

}  // namespace

void multiply_matrices() {
  const Square factor = filled(first_value);
  Square a = factor;
  Square b;
  for (int i = 0; i < products; i += 2) {
    multiply(a, factor, b);
    multiply(b, factor, a);
  }
  end = a[order + 1];
}

void sort_numbers() {
  constexpr std::size_t count = 4096;
  constexpr int sorts = 6;
  std::array<std::uint32_t, count> numbers;
  auto state = static_cast<std::uint32_t>(first_value) + 2463534241U;
  for (int i = 0; i < sorts; ++i) {
    for (std::uint32_t& number : numbers) {
      state ^= state << 13U;  // Marsaglia's xorshift
      state ^= state >> 17U;
      state ^= state << 5U;
      number = state;
    }
    std::ranges::sort(numbers);
    end = numbers[count / 2];
  }
}

Stream::Stream() : length_{stream_length()}, a_(length_, 0.0), b_(length_, 1.0), c_(length_, 1.0) {}

void Stream::run() {
  const double scale = first_value;
  for (std::size_t i = at_; i < at_ + chunk; ++i) a_[i] = b_[i] + scale * c_[i];
  end = a_[at_];
  at_ = (at_ + chunk) % length_;
}

}  // namespace commgauge::bench
