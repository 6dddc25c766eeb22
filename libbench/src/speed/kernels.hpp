#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Fixed computations, each of about a millisecond, none of which the compiler can leave out.
namespace commgauge::bench {

/// Products of small matrices that stay in the first cache.
void multiply_matrices();

/// Sorts numbers in no order: comparisons, and branches that can't be foretold, in the first cache.
void sort_numbers();

/// Walks through arrays larger than the caches: a = b + s·c (the triad of McCalpin's STREAM). Each
/// run goes on where the last one ended, over as many bytes on every machine.
class Stream {
 public:
  Stream();
  void run();

 private:
  std::size_t length_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  std::size_t at_{};
};

}  // namespace commgauge::bench
