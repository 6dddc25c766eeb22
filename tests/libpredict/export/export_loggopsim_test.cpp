#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"
#include "commgauge/export/export.hpp"
#include "exportable.hpp"

namespace commgauge::export_loggopsim_test {

using exportable::loggps;
using exportable::machine;
using exportable::up_to;

TEST(Export, LogGopSimTakesWholePicoseconds) {
  const Exported exported = export_model(machine(), ExportFormat::loggopsim);
  EXPECT_EQ(exported.text, "-L 40000000 -o 3000000 -g 8000000 -G 10000 -O 0 -S 8192\n");
  EXPECT_EQ(exported.model, "loggp");
  // Its first byte is free: 10 ns of 46 us.
  EXPECT_NEAR(exported.worst_error, 10e-9 / 46.01e-6, 1e-7);
}

TEST(Export, LogGopSimRefusesWhatItsOptionsCantHold) {
  Model model = machine();
  model.loggp->value.mean_L = 5e-3;
  EXPECT_THROW((void)export_model(model, ExportFormat::loggopsim), InputError);
}

TEST(Export, LogGpsIsHeldByItsMeans) {
  Model model = machine();
  model.loggps = up_to(Bytes{1 << 20}, loggps());
  const Exported exported = export_model(model, ExportFormat::loggopsim, "loggps");
  EXPECT_EQ(exported.text, "-L 40000000 -o 3000000 -g 8000000 -G 10000 -O 1000 -S 8192\n");
  // Of 12 ns/B it takes 10: at 8192 B 8191 * 10 ns instead of 8192 * 12 ns, of 46 us + 98.3 us.
  EXPECT_NEAR(exported.worst_error, (8192 * 12e-9 - 8191 * 10e-9) / (46e-6 + 8192 * 12e-9), 1e-9);
}

}  // namespace commgauge::export_loggopsim_test
