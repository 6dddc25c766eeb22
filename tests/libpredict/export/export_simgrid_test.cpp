#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/export/export.hpp"
#include "exportable.hpp"
#include "refusal.hpp"

namespace commgauge::export_simgrid_test {

using exportable::all;
using exportable::machine;
using exportable::up_to;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Export, SimGridRefusesALatencyThatIsNotKnown) {
  Model model = machine();
  model.lmo->value.L(0, 1) = std::nan("");
  EXPECT_THROW((void)export_model(model, ExportFormat::simgrid, "lmo"), InputError);
}

TEST(Export, SimGridHoldsLmo) {
  const Exported exported = export_model(machine(), ExportFormat::simgrid, "lmo");
  EXPECT_NEAR(exported.worst_error, 0, 1e-12);
  EXPECT_THAT(exported.text, HasSubstr("<prop id=\"smpi/os\" value=\"0:1e-05:1e-09"));
  EXPECT_THAT(exported.text, HasSubstr("<link id=\"2-0\" bandwidth=\"1e+08Bps\""));
  EXPECT_THAT(exported.text, Not(HasSubstr("nan")));
}

TEST(Export, SimGridHoldsBottleneckButSaysWhatIsUnknown) {
  const Exported exported = export_model(machine(), ExportFormat::simgrid, "bottleneck");
  EXPECT_NEAR(exported.worst_error, 0, 1e-12);
  EXPECT_THAT(exported.text, HasSubstr("<link_ctn id=\"0-1\"/><link_ctn id=\"out0\"/>"));
  EXPECT_THAT(exported.text, Not(HasSubstr("out2")));
  EXPECT_THAT(exported.losses, Contains(HasSubstr("1 gaps of ranks are bounds only")));
}

TEST(Export, NoRankIsSlowerThanItsFastestPair) {
  Model model = machine();
  model.bottleneck->value.s[0] = 11 * ns;
  const Exported exported = export_model(model, ExportFormat::simgrid, "bottleneck");
  EXPECT_NEAR(exported.worst_error, 0, 1e-12);
  EXPECT_THAT(exported.text, HasSubstr("<link id=\"out0\" bandwidth=\"1e+08Bps\""));
  EXPECT_THAT(exported.losses, Contains(HasSubstr("1 gaps of ranks are above")));
}

TEST(Export, NegativeDelaysAreZeroAndSaid) {
  Model model = machine();
  model.lmo->value.C[1] = -1 * us;
  for (const double high : {2 * us, -0.5 * us}) {
    model.lmo->high.C[1] = high;
    const Exported exported = export_model(model, ExportFormat::simgrid, "lmo");
    EXPECT_THAT(exported.losses, Contains("C of 1 rank is negative: 0 is taken, and messages take "
                                          "up to 1.00 µs longer at each of them"));
    // 1 us more of 49 us, from rank 0 to 1.
    EXPECT_NEAR(exported.worst_error, 1.0 / 49, 1e-9);
  }
}

TEST(Export, NegativeTimesPerByteAreZeroWhereTheirIntervalAllows) {
  Model model = machine();
  model.lmo->value.t[1] = -1 * ns;
  model.lmo->high.t[1] = 2 * ns;
  EXPECT_THAT(export_model(model, ExportFormat::simgrid, "lmo").losses,
              Contains("t of 1 rank is negative, but for its interval: 0 is taken"));
  model.lmo->high.t[1] = -0.5 * ns;
  EXPECT_THAT(refusal([&] { (void)export_model(model, ExportFormat::simgrid, "lmo"); }),
              HasSubstr("t of rank 1 is negative"));
}

TEST(Export, ManyRanksAreAClusterOfEqualHosts) {
  constexpr int ranks = 129;
  const auto machine_of = [](double first_C) {
    Model model;
    model.ranks = ranks;
    AdditiveParameters p{std::vector<double>(ranks, 10 * us), std::vector<double>(ranks, 1 * ns),
                         Matrix(ranks, 40 * us), Matrix(ranks, 10 * ns)};
    p.C[0] = first_C;
    model.lmo = up_to(Bytes{1 << 20}, p);
    return model;
  };
  const Exported equal = export_model(machine_of(10 * us), ExportFormat::simgrid);
  EXPECT_NEAR(equal.worst_error, 0, 1e-9);
  EXPECT_THAT(equal.text, HasSubstr("radical=\"0-128\" speed=\"1Gf\""));
  EXPECT_THAT(equal.text, HasSubstr("bb_sharing_policy=\"FATPIPE\""));
  EXPECT_THAT(equal.losses, Contains(HasSubstr("equal hosts")));
  // 1 us more in the mean of each of the two, 129 us less in rank 0.
  const Exported unequal = export_model(machine_of(139 * us), ExportFormat::simgrid);
  EXPECT_NEAR(unequal.worst_error, 127.0 / 189, 1e-9);
  Model few = machine_of(10 * us);
  few.ranks = 128;
  few.lmo->value.C.pop_back();
  few.lmo->value.t.pop_back();
  few.lmo->high = few.lmo->value;
  few.lmo->value.L = Matrix(128, 40 * us);
  few.lmo->value.inverse_beta = Matrix(128, 10 * ns);
  EXPECT_THAT(export_model(few, ExportFormat::simgrid).text, Not(HasSubstr("<cluster")));
  Model negative = machine_of(10 * us);
  negative.lmo->value.inverse_beta = Matrix(ranks, -1 * ns);
  EXPECT_THAT(refusal([&] { (void)export_model(negative, ExportFormat::simgrid); }),
              HasSubstr("the mean link"));
}

TEST(Export, ALatencyBelowTheEnvelopeIsSaid) {
  Model model = machine();
  model.lmo->value.L = all(0.0);
  const Exported exported = export_model(model, ExportFormat::simgrid, "lmo");
  EXPECT_THAT(exported.losses,
              Contains("the latency of 6 links is below the time of SMPI's 16-byte envelope: 0 is "
                       "taken, and messages take up to 160 ns longer"));
  EXPECT_THAT(exported.losses, Not(Contains(HasSubstr("negative"))));
  EXPECT_NEAR(exported.worst_error, 160e-9 / 30e-6, 1e-9);
}

TEST(Export, ANegativeLatencyIsToldFromOneBelowTheEnvelope) {
  Model model = machine();
  model.lmo->value.L(0, 1) = -2 * us;
  model.lmo->value.L(1, 0) = 0.1 * us;
  const Exported exported = export_model(model, ExportFormat::simgrid, "lmo");
  EXPECT_THAT(exported.losses, Contains("the latency of 1 link is negative: 0 is taken, and "
                                        "messages take up to 2.16 µs longer"));
  EXPECT_THAT(exported.losses, Contains(HasSubstr("of 1 link is below")));
}

/// SimGrid shares a link in inverse proportion to the latencies of the routes through it.
TEST(Export, PairsThatShareLinksHaveOneLatency) {
  Model model = machine();
  model.bottleneck->value.L(0, 1) = 100 * us;
  model.bottleneck->value.L(2, 1) = -20 * us;
  const Exported exported = export_model(model, ExportFormat::simgrid, "bottleneck");
  // 40 us is the mean; the envelope takes 0.16 us.
  std::size_t links = 0;
  for (std::size_t at = 0; (at = exported.text.find("latency=\"3.98", at)) != std::string::npos;
       ++at) {
    ++links;
  }
  EXPECT_EQ(links, 6U);
  EXPECT_THAT(exported.losses, Contains(HasSubstr("from -20.0 µs to 100 µs")));
  // 40 us for -20 us, from rank 2 to 1: 90 us for 30 us.
  EXPECT_NEAR(exported.worst_error, 2, 1e-9);
  model.bottleneck->value.L = all(-1 * us);
  EXPECT_THAT(export_model(model, ExportFormat::simgrid, "bottleneck").losses,
              Contains(HasSubstr("the mean latency is negative")));
}

}  // namespace commgauge::export_simgrid_test
