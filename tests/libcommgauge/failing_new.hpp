#pragma once

#include <cstddef>

namespace commgauge::test {

/// While it lives, one of this thread's allocations with `new` fails: of those of at least
/// `smallest` bytes that after `count` others.
class FailingNew {
 public:
  explicit FailingNew(long count, std::size_t smallest = 0);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
};

}  // namespace commgauge::test
