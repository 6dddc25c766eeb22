#include "commgauge/bench/base/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::bench::request_test {

using ::testing::HasSubstr;

Options unusual() {
  Options options;
  options.models = {"plogp", "lmo"};
  options.precision = 1.0 / 3.0;
  options.confidence = 0.9;
  options.min_reps = 4;
  options.max_reps = 9;
  options.passes = 3;
  options.size = Bytes{100};
  options.sizes = {Bytes{4096}, Bytes{1024}};
  options.largest = Bytes{1 << 16};
  options.eager_limit = Bytes{5000};
  options.schedule = Schedule::serial;
  options.wait = Wait::yield;
  options.buffers = Buffers::same;
  options.design = Design::sparse;
  options.triplets = 6;
  options.logp_pairs = LogPPairs::all;
  options.receive_progress = true;
  options.seed = ~std::uint64_t{};
  options.sweeps.enabled = false;
  options.checks = false;
  options.raw = true;
  options.fabric = false;
  return options;
}

TEST(Request, SaysEachOption) {
  const auto usual = request_of({});
  for (const auto& [name, text] : request_of(unusual())) EXPECT_NE(text, usual.at(name)) << name;
  EXPECT_EQ(usual.at("precision"), "0.025");
  EXPECT_EQ(usual.at("size"), "auto");
  EXPECT_EQ(usual.at("eager-limit"), "auto");
  EXPECT_EQ(usual.at("pairs"), "sample");
  Options none;
  none.probe_eager_limit = false;
  EXPECT_EQ(request_of(none).at("eager-limit"), "none");
}

TEST(Request, OrderMeansNothing) {
  Options options = unusual();
  const auto request = request_of(options);
  options.models = {"lmo", "plogp"};
  options.sizes = {Bytes{1024}, Bytes{4096}};
  EXPECT_EQ(request_of(options), request);
}

TEST(Request, BringsBackWhatPassesAreMadeOf) {
  const Options asked = unusual();
  const Options back = options_of(request_of(asked));
  EXPECT_EQ(back.precision, asked.precision);
  EXPECT_EQ(back.confidence, asked.confidence);
  EXPECT_EQ(back.min_reps, asked.min_reps);
  EXPECT_EQ(back.max_reps, asked.max_reps);
  EXPECT_EQ(back.passes, asked.passes);
  EXPECT_EQ(back.size, asked.size);
  EXPECT_EQ(back.sizes, (std::vector{Bytes{1024}, Bytes{4096}}));
  EXPECT_EQ(back.largest, asked.largest);
  EXPECT_EQ(back.buffers, asked.buffers);
  EXPECT_EQ(back.seed, asked.seed);
  EXPECT_EQ(back.receive_progress, asked.receive_progress);
  EXPECT_EQ(back.raw, asked.raw);
  const Options usual = options_of(request_of({}));
  EXPECT_EQ(usual.size, std::nullopt);
  EXPECT_TRUE(usual.sizes.empty());
  EXPECT_TRUE(usual.models.empty());
  Options all;
  all.models = model_names();
  EXPECT_EQ(options_of(request_of(all)).models, model_names());
}

std::string complaint(const std::string& name, const std::string& text) {
  auto request = request_of({});
  request[name] = text;
  if (text.empty()) request.erase(name);
  try {
    (void)options_of(request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Request, IsRefusedWhereItWasNeverWrittenSo) {
  EXPECT_THAT(complaint("passes", ""), HasSubstr("plan.request.passes is missing"));
  EXPECT_THAT(complaint("passes", "8x"), HasSubstr("plan.request.passes is '8x'"));
  EXPECT_THAT(complaint("sizes", "1,,2"), HasSubstr("plan.request.sizes is ''"));
  EXPECT_THAT(complaint("raw", "perhaps"), HasSubstr("plan.request.raw is 'perhaps'"));
}

}  // namespace commgauge::bench::request_test
