#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "commgauge/export/export.hpp"
#include "exportable.hpp"

namespace commgauge::export_dimemas_test {

using exportable::machine;
using exportable::up_to;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace commgauge::export_dimemas_test
