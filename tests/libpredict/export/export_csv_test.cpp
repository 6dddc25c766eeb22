#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "by_classes.hpp"
#include "commgauge/export/export.hpp"
#include "exportable.hpp"
#include "samples.hpp"

namespace commgauge::export_csv_test {

using exportable::machine;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Export, CsvHasEveryNumberWithItsInterval) {
  const Exported exported = export_model(machine(), ExportFormat::csv);
  EXPECT_THAT(exported.text, HasSubstr("\nlmo,C,1,,,2e-05,2e-05,2e-05"));
  EXPECT_THAT(exported.text, HasSubstr("\nloggp,mean_o,,,,3e-06,"));
  EXPECT_THAT(exported.text, Not(HasSubstr("bottleneck,s,2")));
  EXPECT_EQ(exported.worst_error, 0);
}

/// Of the bottleneck's two gaps of rank 0 in the sample one is a bound: it has only a high end.
TEST(ExportCsv, ABoundHasNoValue) {
  const std::string text = export_model(samples::model(), ExportFormat::csv).text;
  EXPECT_THAT(text, HasSubstr("\nbottleneck,s,0,,,,,"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(ExportCsv, ACurveHasItsSizes) {
  const std::string text = export_model(samples::model(), ExportFormat::csv).text;
  EXPECT_EQ(text.rfind("model,parameter,from,to,size_bytes,value,low,high\n", 0), 0U);
  EXPECT_THAT(text, HasSubstr("\nplogp,g,0,1,1024,"));
  EXPECT_THAT(text, HasSubstr("\nplogp,L,0,1,,"));
  EXPECT_THAT(text, Not(HasSubstr("plogp,g,0,0,")));
}

TEST(ExportCsv, ARowForEachClass) {
  const Model model = samples::by_classes(64, 16);
  const std::string text = export_model(model, ExportFormat::csv).text;
  EXPECT_EQ(text.rfind("model,parameter,where,from_kind,to_kind,size_bytes,value,low,high\n", 0),
            0U);
  EXPECT_THAT(text, HasSubstr("\nhockney,alpha,between_hosts,0,1,,"));
  EXPECT_THAT(text, HasSubstr("\nplogp,g,within_host,1,1,1024,"));
  EXPECT_THAT(text, HasSubstr("\nlmo,C,,1,,,1e-05,"));
  EXPECT_THAT(text, HasSubstr("\nhockney,mean_alpha,,,,,1e-05,"));
  EXPECT_LT(std::ranges::count(text, '\n'), 400);
}

}  // namespace commgauge::export_csv_test
