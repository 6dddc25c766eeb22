#include "commgauge/export/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commgauge/base/error.hpp"
#include "exportable.hpp"
#include "refusal.hpp"

namespace commgauge::export_test {

using exportable::all;
using exportable::machine;
using exportable::with_rendezvous;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Export, TakesTheNextModelWhereTheBestRankedCantBeHeld) {
  Model model = with_rendezvous();
  model.lom = model.lmo;
  model.ranking = {{"lom", 0.01, {}}, {"lmo", 0.02, {}}, {"hockney", 0.03, {}}};
  model.lmo->value.t[1] = -1 * ns;
  model.lmo->high.t[1] = -0.5 * ns;
  const Exported exported = export_model(model, ExportFormat::simgrid);
  EXPECT_EQ(exported.model, "hockney");
  EXPECT_THAT(exported.passed_over, ElementsAre("lom: simgrid can't hold this model",
                                                HasSubstr("lmo: t of rank 1 is negative")));
  EXPECT_THAT(export_model(model, ExportFormat::simgrid, "bottleneck").passed_over, IsEmpty());
  model.bottleneck.reset();
  model.hockney_rendezvous->value.beta = all(-1 * ns);
  EXPECT_THAT(refusal([&] { (void)export_model(model, ExportFormat::simgrid); }),
              AllOf(HasSubstr("t of rank 1 is negative"), HasSubstr("from 8193 bytes on")));
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

}  // namespace commgauge::export_test
