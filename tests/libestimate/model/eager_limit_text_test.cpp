#include "commgauge/model/eager_limit_text.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "commgauge/thresholds/threshold_text.hpp"
#include "samples.hpp"

namespace commgauge::eager_limit_text_test {

TEST(EagerLimitText, OfTheThresholdsWhereThereAreAny) {
  Model model;
  model.launches = {samples::launch(2)};
  model.eager_limit = Bytes{3};
  model.thresholds.emplace().eager_limit = {Bytes{8255}, Bytes{8255}, Bytes{9001}, ""};
  EXPECT_EQ(eager_limit_text(model), eager_limit_text(model.thresholds->eager_limit));
  EXPECT_EQ(eager_limit_text(model), "8255 B, in some launches up to 9000 B");
  EXPECT_EQ(known_eager_limit(model)->high, Bytes{9001});
}

TEST(EagerLimitText, OfTheLaunchesElsewhere) {
  Model model;
  model.launches = {samples::launch(2)};
  model.eager_limit = Bytes{3};
  EXPECT_EQ(eager_limit_text(model), "19493 B");
  model.launches.front().eager_limit_bytes.reset();
  model.launches.front().eager_probed_bytes = 0;
  EXPECT_EQ(eager_limit_text(model), "none: not probed");
  EXPECT_EQ(known_eager_limit(model)->size, std::nullopt);
  EXPECT_EQ(known_eager_limit(model)->reason, "not probed");
}

TEST(EagerLimitText, OfTheFileAlone) {
  Model model;
  EXPECT_EQ(eager_limit_text(model), "not known: the file has no launches");
  EXPECT_FALSE(known_eager_limit(model));
  model.eager_limit = Bytes{8255};
  EXPECT_EQ(eager_limit_text(model), "8255 B");
  EXPECT_EQ(known_eager_limit(model)->size, Bytes{8255});
}

}  // namespace commgauge::eager_limit_text_test
