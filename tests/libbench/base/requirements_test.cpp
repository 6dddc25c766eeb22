#include "base/requirements.hpp"

#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"

namespace commgauge::bench::requirements_test {

TEST(RequireRanks, TwoTheyMustBe) {
  EXPECT_THROW(require_ranks({}, 1), InputError);
  EXPECT_NO_THROW(require_ranks({}, 2));
}

TEST(RequireRanks, SomeModelsTakeThree) {
  Options options;
  options.models = {"hockney", "lmo"};
  EXPECT_THROW(require_ranks(options, 2), FitError);
  EXPECT_NO_THROW(require_ranks(options, 3));
}

TEST(RequireRanks, ASweepsRootIsARankWhereThereAreSweeps) {
  Options options;
  options.sweeps.root = 3;
  EXPECT_THROW(require_ranks(options, 3), InputError);
  EXPECT_NO_THROW(require_ranks(options, 4));
  EXPECT_NO_THROW(require_ranks(options, 2)) << "two ranks don't sweep";
  options.sweeps.enabled = false;
  EXPECT_NO_THROW(require_ranks(options, 3));
}

}  // namespace commgauge::bench::requirements_test
