#include "commgauge/thresholds/threshold_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace commgauge::threshold_text_test {

TEST(IntervalText, SaysWhichEndsThereAre) {
  EXPECT_EQ(interval_text({Bytes{5}, Bytes{4096}, Bytes{8192}, ""}), ", between 4 KiB and 8 KiB");
  EXPECT_EQ(interval_text({Bytes{5}, Bytes{4096}, {}, "why"}),
            ", from 4 KiB up, no upper end: why");
  EXPECT_EQ(interval_text({Bytes{5}, {}, Bytes{8192}, ""}), ", up to 8 KiB, no lower end");
  EXPECT_EQ(interval_text({Bytes{5}, {}, {}, "why"}), "; no interval: why");
  EXPECT_EQ(interval_text({Bytes{5}, {}, {}, ""}), "");
}

TEST(EagerLimitText, IsExactUnlessLaunchesDiffer) {
  EXPECT_EQ(eager_limit_text({Bytes{8255}, Bytes{8255}, Bytes{8256}, ""}), "8255 B");
  EXPECT_EQ(eager_limit_text({Bytes{8255}, Bytes{8255}, Bytes{9001}, ""}),
            "8255 B, in some launches up to 9000 B");
  EXPECT_EQ(eager_limit_text({Bytes{8255}, {}, {}, "given, not probed"}),
            "8255 B; no interval: given, not probed");
  EXPECT_EQ(eager_limit_text({{}, {}, {}, "not probed"}), "none: not probed");
}

}  // namespace commgauge::threshold_text_test
