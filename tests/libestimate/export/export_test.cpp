#include "commgauge/export/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "certain.hpp"
#include "commgauge/base/error.hpp"
#include "refusal.hpp"

namespace commgauge {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Matrix all(double value) { return Matrix(3, value); }

template <class Parameters>
Fitted<Parameters> up_to(Bytes last, Parameters p) {
  Fitted<Parameters> fitted = certain(std::move(p));
  fitted.first = Bytes{0};
  fitted.last = last;
  return fitted;
}

/// Three ranks. LMO: C of 10, 20 and 30 us, t of 1 ns/B, L of 40 us, 100 MB/s.
Model machine() {
  Model model;
  model.ranks = 3;
  model.eager_limit = Bytes{8192};
  model.lmo = up_to(
      Bytes{1 << 20},
      AdditiveParameters{{1e-5, 2e-5, 3e-5}, {1 * ns, 1 * ns, 1 * ns}, all(40 * us), all(10 * ns)});
  model.bottleneck = up_to(Bytes{1 << 20}, BottleneckParameters{{1e-5, 2e-5, 3e-5},
                                                                {10 * ns, 10 * ns, std::nan("")},
                                                                {5 * ns, 5 * ns, 5 * ns},
                                                                all(40 * us),
                                                                all(8 * ns),
                                                                all(10 * ns)});
  model.hockney =
      up_to(Bytes{1 << 20}, HockneyParameters{all(50 * us), all(10 * ns), 50 * us, 10 * ns});
  model.loggp = up_to(Bytes{8192}, LogGpParameters{all(40 * us), all(3 * us), all(8 * us),
                                                   all(10 * ns), 40 * us, 3 * us, 8 * us, 10 * ns});
  return model;
}

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

TEST(Export, SimGridRefusesALatencyThatIsNotKnown) {
  Model model = machine();
  model.lmo->value.L(0, 1) = std::nan("");
  EXPECT_THROW((void)export_model(model, ExportFormat::simgrid, "lmo"), InputError);
}

/// L of 40 us, o of 2 and 4 us and 1 ns/B, g of 8 us, 10 ns/B.
LogGpsParameters loggps(int ranks = 3) {
  const auto of_all = [&](double value) { return Matrix(ranks, value); };
  LogGpsParameters p;
  p.L = of_all(p.mean_L = 40 * us);
  p.o_prime_s = of_all(p.mean_o_prime_s = 2 * us);
  p.o_prime_r = of_all(p.mean_o_prime_r = 4 * us);
  p.O_s = p.O_r = of_all(p.mean_O_s = p.mean_O_r = 1 * ns);
  p.g = of_all(p.mean_g = 8 * us);
  p.G_prime = p.G = of_all(p.mean_G_prime = p.mean_G = 10 * ns);
  p.s = std::nan("");
  return p;
}

TEST(Export, LogGpsIsHeldByItsMeans) {
  Model model = machine();
  model.loggps = up_to(Bytes{1 << 20}, loggps());
  const Exported exported = export_model(model, ExportFormat::loggopsim, "loggps");
  EXPECT_EQ(exported.text, "-L 40000000 -o 3000000 -g 8000000 -G 10000 -O 1000 -S 8192\n");
  // Of 12 ns/B it takes 10: at 8192 B 8191 * 10 ns instead of 8192 * 12 ns, of 46 us + 98.3 us.
  EXPECT_NEAR(exported.worst_error, (8192 * 12e-9 - 8191 * 10e-9) / (46e-6 + 8192 * 12e-9), 1e-9);
}

TEST(Export, DimemasTakesLatenciesOfNodesAndMebibytes) {
  Model model = machine();
  model.hockney->value.alpha(1, 0) = model.hockney->value.alpha(1, 2) = 60 * us;
  const Exported exported = export_model(model, ExportFormat::dimemas);
  EXPECT_THAT(exported.text, HasSubstr("{\"\", 0, \"\", 3, 95.367431640625, 0, 1};;"));
  std::istringstream lines{exported.text};
  std::vector<double> startups;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("\"node", 0) != 0) continue;
    std::istringstream fields{line};
    std::string field;
    for (int k = 0; k <= 9; ++k) std::getline(fields, field, ',');
    startups.push_back(std::stod(field));
  }
  EXPECT_THAT(startups, ElementsAre(50 * us, 60 * us, 50 * us));
  EXPECT_NEAR(exported.worst_error, 0, 1e-12);
  model.hockney->value.alpha(0, 1) = 70 * us;
  EXPECT_NEAR(export_model(model, ExportFormat::dimemas).worst_error, 0.2, 1e-12) << "60 for 50";
}

/// At each single size, of any pair: 33 ranks are one more than what rules are judged by.
TEST(Export, NoTimeIsFartherOffThanIsSaid) {
  constexpr int ranks = 33;
  Model model;
  model.ranks = ranks;
  model.eager_limit = Bytes{3000};
  HockneyParameters eager{Matrix(ranks, 50 * us), Matrix(ranks, 10 * ns), 50 * us, 10 * ns};
  HockneyParameters above{Matrix(ranks, 90 * us), Matrix(ranks, 8 * ns), 90 * us, 8 * ns};
  above.alpha(31, 32) = 150 * us;
  model.hockney = up_to(Bytes{3000}, eager);
  model.hockney_rendezvous = up_to(Bytes{20000}, above);
  double worst = 0;
  for (std::uint64_t size = 0; size <= 20000; ++size) {
    for (const int to : {0, 32}) {
      const bool is_eager = size <= 3000;
      const auto M = static_cast<double>(size);
      const double time = is_eager ? 50 * us + 10 * ns * M : above.alpha(31, to) + 8 * ns * M;
      worst = std::max(worst, std::abs((50 * us + 8 * ns * M) / time - 1));
    }
  }
  EXPECT_NEAR(worst, 1 - (50 + 24.008) / (150 + 24.008), 1e-9) << "at S + 1";
  EXPECT_NEAR(export_model(model, ExportFormat::dimemas).worst_error, worst, 1e-9);
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

TEST(Export, NegativeDelaysAreZeroWhereTheirIntervalAllows) {
  Model model = machine();
  model.lmo->value.C[1] = -1 * us;
  model.lmo->high.C[1] = 2 * us;
  const Exported exported = export_model(model, ExportFormat::simgrid, "lmo");
  EXPECT_THAT(exported.losses, Contains(HasSubstr("1 values of ranks (C, t)")));
  // 1 us more of 49 us, from rank 0 to 1.
  EXPECT_NEAR(exported.worst_error, 1.0 / 49, 1e-9);
  model.lmo->high.C[1] = -0.5 * us;
  EXPECT_THAT(refusal([&] { (void)export_model(model, ExportFormat::simgrid, "lmo"); }),
              HasSubstr("C of rank 1 is negative"));
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

/// Three ranks with a handshake above 8192 B: twice the latency, and bytes at 3/4 of the time.
Model with_rendezvous() {
  Model model = machine();
  model.hockney->last = Bytes{8192};
  model.hockney_rendezvous =
      up_to(Bytes{1 << 20}, HockneyParameters{all(100 * us), all(7.5 * ns), 100 * us, 7.5 * ns});
  model.hockney_rendezvous->first = Bytes{8193};
  return model;
}

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
  EXPECT_THAT(exported.text, HasSubstr("<link id=\"out2\" bandwidth=\"100000000.0"));
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

TEST(Export, TakesTheNextModelWhereTheBestRankedCantBeHeld) {
  Model model = with_rendezvous();
  model.lom = model.lmo;
  model.ranking = {{"lom", 0.01, {}}, {"lmo", 0.02, {}}, {"hockney", 0.03, {}}};
  model.lmo->value.C[1] = -1 * us;
  model.lmo->high.C[1] = -0.5 * us;
  const Exported exported = export_model(model, ExportFormat::simgrid);
  EXPECT_EQ(exported.model, "hockney");
  EXPECT_THAT(exported.passed_over, ElementsAre("lom: simgrid can't hold this model",
                                                HasSubstr("lmo: C of rank 1 is negative")));
  EXPECT_THAT(export_model(model, ExportFormat::simgrid, "bottleneck").passed_over, IsEmpty());
  model.bottleneck.reset();
  model.hockney_rendezvous->value.beta = all(-1 * ns);
  EXPECT_THAT(refusal([&] { (void)export_model(model, ExportFormat::simgrid); }),
              AllOf(HasSubstr("C of rank 1 is negative"), HasSubstr("from 8193 bytes on")));
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

TEST(Export, CsvHasEveryNumberWithItsInterval) {
  const Exported exported = export_model(machine(), ExportFormat::csv);
  EXPECT_THAT(exported.text, HasSubstr("\nlmo,C,1,,,2e-05,2e-05,2e-05"));
  EXPECT_THAT(exported.text, HasSubstr("\nloggp,mean_o,,,,3e-06,"));
  EXPECT_THAT(exported.text, Not(HasSubstr("bottleneck,s,2")));
  EXPECT_EQ(exported.worst_error, 0);
}

TEST(Export, RefusesWhatWouldBeNonsense) {
  Model model = machine();
  model.lmo->value.inverse_beta(1, 2) = -1 * ns;
  const auto refused = [&](ExportFormat format, const std::string& name) {
    return refusal([&] { (void)export_model(model, format, name); });
  };
  EXPECT_THAT(refused(ExportFormat::simgrid, "lmo"), HasSubstr("rank 1 to 2"));
  EXPECT_THAT(refused(ExportFormat::simgrid, "lom"), HasSubstr("can't hold"));
  EXPECT_THAT(refused(ExportFormat::simgrid, "lomo"), HasSubstr("lomo"));
  EXPECT_THAT(refused(ExportFormat::loggopsim, "logp"), HasSubstr("no model logp"));
  EXPECT_THAT(refused(ExportFormat::csv, "lmo"), HasSubstr("leave the model out"));
  Model step = with_rendezvous();
  step.hockney_rendezvous->value.beta = all(-1 * ns);
  EXPECT_THAT(refusal([&] { (void)export_model(step, ExportFormat::simgrid, "hockney"); }),
              HasSubstr("from 8193 bytes on"));
  model.loggp->value.mean_L = -1 * us;
  EXPECT_THAT(refused(ExportFormat::loggopsim, ""), HasSubstr("mean L is negative"));
  model.hockney->value.mean_beta = 0;
  EXPECT_THAT(refused(ExportFormat::dimemas, ""), HasSubstr("bandwidth"));
  EXPECT_THROW((void)export_model(Model{}, ExportFormat::simgrid), InputError);
  EXPECT_THROW((void)parse_export_format("dot"), InputError);
}

TEST(Export, TakesTheBestRankedThatTheFormatHolds) {
  Model model = machine();
  model.ranking = {{"hockney", 0.01, {}}, {"bottleneck", 0.02, {}}, {"lmo", 0.03, {}}};
  EXPECT_EQ(export_model(model, ExportFormat::simgrid).model, "hockney");
  model.hockney.reset();
  EXPECT_EQ(export_model(model, ExportFormat::simgrid).model, "bottleneck");
  model.ranking.clear();
  EXPECT_EQ(export_model(model, ExportFormat::simgrid).model, "lmo");
}

}  // namespace
}  // namespace commgauge
