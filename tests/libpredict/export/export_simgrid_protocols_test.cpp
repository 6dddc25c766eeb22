#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commgauge/export/export.hpp"
#include "exportable.hpp"
#include "refusal.hpp"

namespace commgauge::export_simgrid_protocols_test {

using exportable::all;
using exportable::loggps;
using exportable::machine;
using exportable::up_to;
using exportable::with_rendezvous;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Export, SimGridHoldsTheStepOfHockneyAtTheSameByte) {
  const Exported exported = export_model(with_rendezvous(), ExportFormat::simgrid, "hockney");
  EXPECT_NEAR(exported.worst_error, 0, 1e-12);
  EXPECT_THAT(exported.text,
              HasSubstr("<prop id=\"smpi/send-is-detached-thresh\" value=\"8193\"/>"));
  EXPECT_THAT(exported.text, HasSubstr("<prop id=\"smpi/bw-factor\" value=\"0:1;8208:1.33"));
  // 100 us and 50 us less 16 bytes.
  EXPECT_THAT(exported.text, HasSubstr("<prop id=\"smpi/lat-factor\" value=\"0:1;8208:2.00"));
  EXPECT_THAT(exported.losses, Not(Contains(HasSubstr("every message is eager"))));
}

/// A line without a bend, and one that grows more than in proportion: no latency below zero.
TEST(Export, SimGridHoldsCurvesByFactorsOfSize) {
  Model model = machine();
  CurvesParameters p;
  p.sizes = {Bytes{0}, Bytes{1024}, Bytes{1 << 20}};
  p.time = {all(10e-6), all(12e-6), all(2e-3)};
  model.curves = up_to(Bytes{1 << 20}, p);
  const Exported exported = export_model(model, ExportFormat::simgrid, "curves");
  EXPECT_LT(exported.worst_error, 0.01);
  p.time = {all(10e-6), all(12e-6), all(2e-1)};
  model.curves = up_to(Bytes{1 << 20}, p);
  const Exported steep = export_model(model, ExportFormat::simgrid, "curves");
  EXPECT_THAT(steep.text, Not(HasSubstr(":-")));
  EXPECT_LT(steep.worst_error, 0.5) << steep.worst_error;
}

TEST(Export, PairsThatDifferInTheirStepAreOffAsMuchAsIsSaid) {
  Model model = with_rendezvous();
  model.hockney_rendezvous->value.beta(0, 1) = 15 * ns;
  const Exported exported = export_model(model, ExportFormat::simgrid, "hockney");
  // At most 8.75 ns, the mean, for 15.
  EXPECT_GT(exported.worst_error, 0.3);
  EXPECT_LT(exported.worst_error, 6.25 / 15);
}

TEST(Export, SimGridHoldsLogGps) {
  Model model = machine();
  LogGpsParameters p = loggps();
  p.G = all(5 * ns);
  p.s = 1500;
  model.loggps = up_to(Bytes{1 << 20}, p);
  const Exported exported = export_model(model, ExportFormat::simgrid, "loggps");
  EXPECT_NEAR(exported.worst_error, 0, 1e-9);
  EXPECT_THAT(exported.text, HasSubstr("<prop id=\"smpi/os\" value=\"0:2e-06:1e-09\"/>"));
  EXPECT_THAT(exported.text, HasSubstr("<prop id=\"smpi/or\" value=\"0:4e-06:1e-09\"/>"));
  EXPECT_THAT(exported.text, HasSubstr("\"0:1;1515:"));
  EXPECT_THAT(exported.losses, Contains(HasSubstr("the gap g between a rank's messages, 8.00 µs")));
}

TEST(Export, MessagesOfARankShareItsLink) {
  Model model = machine();
  LogGpsParameters p = loggps();
  p.G_prime(1, 0) = p.G(1, 0) = 5 * ns;
  model.loggps = up_to(Bytes{1 << 20}, p);
  const Exported exported = export_model(model, ExportFormat::simgrid, "loggps");
  EXPECT_THAT(exported.text, HasSubstr("<link_ctn id=\"2-0\"/><link_ctn id=\"out2\"/>"
                                       "<link_ctn id=\"in0\"/>"));
  EXPECT_THAT(exported.text, HasSubstr("<link id=\"out1\" bandwidth=\"2e+08Bps\""));
  EXPECT_THAT(exported.text, HasSubstr("<link id=\"in0\" bandwidth=\"2e+08Bps\""));
  EXPECT_THAT(exported.text,
              ContainsRegex("<link id=\"out2\" bandwidth=\"(100000000|99999999[.]9999)"));
  EXPECT_THAT(export_model(with_rendezvous(), ExportFormat::simgrid, "hockney").text,
              HasSubstr("out2"));
}

TEST(Export, LatenciesThatAreFarApartAreOne) {
  Model model = machine();
  LogGpsParameters p = loggps();
  p.L(1, 0) = 5 * us;
  model.eager_limit.reset();
  model.loggps = up_to(Bytes{1 << 20}, p);
  const Exported own = export_model(model, ExportFormat::simgrid, "loggps");
  EXPECT_NEAR(own.worst_error, 0, 1e-9);
  EXPECT_THAT(own.losses, Contains(HasSubstr("of its messages, from 4.84 µs to 39.8 µs")));
  model.loggps->value.L(1, 0) = 0.17 * us;
  const Exported equal = export_model(model, ExportFormat::simgrid, "loggps");
  EXPECT_THAT(equal.losses, Contains(HasSubstr("one latency for all pairs")));
  // The mean of 40 and 0.17 us is 33.36 us: 39.36 us for 6.17 us.
  EXPECT_NEAR(equal.worst_error, 33.19 / 6.17, 0.01);
}

TEST(Export, ManyRanksWithStepsAreAClusterToo) {
  constexpr int ranks = 129;
  Model model;
  model.ranks = ranks;
  model.eager_limit = Bytes{8192};
  LogGpsParameters p = loggps(ranks);
  p.G = Matrix(ranks, 5 * ns);
  p.s = 1500;
  model.loggps = up_to(Bytes{1 << 20}, p);
  const auto of_all = [&](double value) { return Matrix(ranks, value); };
  model.hockney = up_to(Bytes{8192}, HockneyParameters{of_all(50 * us), of_all(10 * ns), 0, 0});
  model.hockney_rendezvous =
      up_to(Bytes{1 << 20}, HockneyParameters{of_all(100 * us), of_all(7.5 * ns), 0, 0});
  for (const std::string name : {"loggps", "hockney"}) {
    const Exported exported = export_model(model, ExportFormat::simgrid, name);
    EXPECT_NEAR(exported.worst_error, 0, 1e-9) << name;
    EXPECT_THAT(exported.text, HasSubstr("radical=\"0-128\" speed=\"1Gf\" bw=\"1"));
    EXPECT_THAT(exported.text, HasSubstr("<prop id=\"smpi/send-is-detached-thresh\" value=\"8193"));
    EXPECT_THAT(exported.losses, Contains(HasSubstr("equal hosts")));
  }
  model.loggps->value.L(0, 4) = 169 * us;
  EXPECT_NEAR(export_model(model, ExportFormat::simgrid, "loggps").worst_error, 129.0 / 175, 1e-3);
  model.loggps->value.G_prime = of_all(-1 * ns);
  EXPECT_THAT(refusal([&] { (void)export_model(model, ExportFormat::simgrid, "loggps"); }),
              HasSubstr("the mean link"));
}

}  // namespace commgauge::export_simgrid_protocols_test
