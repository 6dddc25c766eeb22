#include "commgauge/model/machine_classes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace commgauge::machine_classes_test {

constexpr Estimate usual{1.01, 0.98, 1.04};
constexpr Estimate twice{2, 1.9, 2.1};

TEST(Deviation, SaysWhatSurelyDiffers) {
  EXPECT_EQ((Deviation{Deviation::Where::host, {"n17"}, usual, twice}).sentence(),
            "messages between host n17 and others: a byte adds 2 times (1.9 to 2.1) what those of "
            "their kind do");
  EXPECT_EQ((Deviation{Deviation::Where::within_host, {"n17"}, twice, usual}).sentence(),
            "messages within host n17: empty ones take 2 times (1.9 to 2.1) what those of their "
            "kind do");
  EXPECT_EQ(
      (Deviation{Deviation::Where::between_hosts, {"n17", "n2"}, twice, {0.5, 0.4, 0.6}})
          .sentence(),
      "messages between hosts n17 and n2: empty ones take 2 times (1.9 to 2.1), a byte adds 0.5 "
      "times (0.4 to 0.6) what those of their kind do");
}

TEST(Deviation, WithoutIntervalsSaysWhatThereIs) {
  const double unknown = std::nan("");
  EXPECT_EQ(
      (Deviation{Deviation::Where::host, {"a"}, {3, unknown, unknown}, {unknown, unknown, unknown}})
          .sentence(),
      "messages between host a and others: empty ones take 3 times what those of their kind "
      "do");
}

TEST(MachineClasses, NamesOfClasses) {
  MachineClasses classes;
  classes.pairs = std::make_shared<const PairClasses>(std::vector<PairClasses::Rank>(2), 2);
  classes.kinds = {{"a", 1, 0, 0}, {"b", 1, 0, 0}};
  EXPECT_EQ(classes.name_of_class(0), "between hosts of kind a");
  EXPECT_EQ(classes.name_of_class(2), "between hosts, kind b to kind a");
  EXPECT_EQ(classes.name_of_class(7), "within a host of kind b");
  EXPECT_EQ(classes.name_of_class(5), "within a host, kind a to kind b");
  classes.pairs = std::make_shared<const PairClasses>(std::vector<PairClasses::Rank>(2), 1);
  EXPECT_EQ(classes.name_of_class(0), "between hosts");
  EXPECT_EQ(classes.name_of_class(1), "within a host");
}

}  // namespace commgauge::machine_classes_test
