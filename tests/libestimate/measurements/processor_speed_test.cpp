#include "commgauge/measurements/processor_speed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "damage.hpp"
#include "own_file.hpp"

namespace commgauge::processor_speed_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int runs = 100;

/// Runs of a kernel that takes `time`, with noise that lasts for several of them.
KernelTimes noisy(const std::string& name, double time, std::mt19937& random) {
  std::normal_distribution<double> normal{0, 0.02};
  KernelTimes kernel{name, {}};
  double lasting = 0;
  for (int i = 0; i < runs; ++i) {
    lasting = 0.5 * lasting + 0.5 * normal(random);
    kernel.times_s.push_back(time * std::exp(lasting + 0.2 * std::abs(normal(random))));
  }
  return kernel;
}

KernelTimes exact(const std::string& name, double time) {
  return {name, std::vector<double>(runs, time)};
}

ProcessorSpeed speed_of(std::vector<KernelTimes> kernels) {
  return {"some", 0, std::move(kernels)};
}

TEST(ProcessorSpeedRatio, IsExactWhereTimesAre) {
  const ProcessorSpeed slow = speed_of({exact("integer", 2), exact("memory", 8)});
  const ProcessorSpeed fast = speed_of({exact("memory", 1), exact("integer", 1)});
  const SpeedRatio both = speed_ratio(slow, fast);
  ASSERT_EQ(both.kernels.size(), 2U);
  EXPECT_EQ(both.kernels[0].ratio, (Estimate{2, 2, 2}));
  EXPECT_EQ(both.kernels[1].ratio, (Estimate{8, 8, 8}));
  EXPECT_NEAR(both.ratio.value, 4, 1e-12) << "the geometric mean";
  EXPECT_EQ(both.ratio.low, 2);
  EXPECT_EQ(both.ratio.high, 8);
  EXPECT_EQ(speed_ratio(slow, fast, 0.95, "memory").ratio, (Estimate{8, 8, 8}));
}

TEST(ProcessorSpeedRatio, IntervalHoldsTheTrueFactor) {
  constexpr int trials = 400;
  constexpr double factor = 1.7;
  int held = 0;
  double width = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::mt19937 random(static_cast<unsigned>(trial));
    const SpeedRatio found = speed_ratio(speed_of({noisy("integer", factor, random)}),
                                         speed_of({noisy("integer", 1, random)}));
    held += found.ratio.low <= factor && factor <= found.ratio.high ? 1 : 0;
    width += (found.ratio.high - found.ratio.low) / factor / trials;
  }
  EXPECT_GE(held, 0.95 * trials);
  EXPECT_LT(width, 0.05);
}

TEST(ProcessorSpeedRatio, NeedsTheSameKernels) {
  const ProcessorSpeed one = speed_of({exact("integer", 1)});
  const ProcessorSpeed two = speed_of({exact("integer", 1), exact("memory", 1)});
  EXPECT_THROW((void)speed_ratio(one, two), InputError);
  EXPECT_THROW((void)speed_ratio(two, one), InputError);
  EXPECT_THROW((void)speed_ratio(two, two, 0.95, "nonsense"), InputError);
}

TEST(ProcessorSpeed, WarnsOfWhatIsDoubtful) {
  std::mt19937 random(1);
  ProcessorSpeed speed = speed_of({noisy("integer", 1, random)});
  EXPECT_TRUE(speed_warnings(speed).empty());
  speed.lost_share = 0.3;
  ASSERT_EQ(speed_warnings(speed).size(), 1U);
  EXPECT_EQ(speed_warnings(speed)[0].kind, "disturbed");
  for (std::size_t i = 0; i < speed.kernels[0].times_s.size(); i += 2) {
    speed.kernels[0].times_s[i] *= 1.5;
  }
  ASSERT_EQ(speed_warnings(speed).size(), 2U);
  EXPECT_EQ(speed_warnings(speed)[1].kind, "noisy_kernel");
}

class ProcessorSpeedFiles : public ::testing::Test {
 protected:
  static ProcessorSpeed loaded(const std::string& text) {
    write_file(own_file(), text);
    return load_processor_speed(own_file());
  }

  static std::string text() {
    std::mt19937 random(3);
    return to_json(speed_of({noisy("integer", 1, random), noisy("memory", 2, random)}));
  }

  static std::string refusal(const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json json = nlohmann::json::parse(text());
    change(json);
    try {
      (void)loaded(json.dump());
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  }
};

TEST_F(ProcessorSpeedFiles, AreReadBackAsWritten) {
  EXPECT_EQ(to_json(loaded(text())), text());
  const SpeedRatio ratio = speed_ratio(loaded(text()), loaded(text()));
  EXPECT_EQ(to_json(speed_ratio_from_json(to_json(ratio), "x")), to_json(ratio));
  EXPECT_EQ(speed_ratio_from_json(to_json(ratio), "x").ratio, ratio.ratio);
}

TEST_F(ProcessorSpeedFiles, AreRefusedWithTheirPlace) {
  EXPECT_THAT(refusal([](auto& json) { json["schema"] = "commgauge.model/1"; }),
              HasSubstr("is a model file (a processor's speed belongs here)"));
  EXPECT_THAT(refusal([](auto& json) { json["kernels"] = nlohmann::json::array(); }),
              HasSubstr("kernels"));
  EXPECT_THAT(refusal([](auto& json) { json["kernels"][1]["times_s"][7] = 0; }),
              HasSubstr("kernels[1].times_s[7]"));
  EXPECT_THAT(refusal([](auto& json) {
                json["kernels"][0]["times_s"] = {1, 2, 3};
              }),
              HasSubstr("ten runs"));
  std::string narrow = to_json(speed_ratio(loaded(text()), loaded(text())));
  nlohmann::json json = nlohmann::json::parse(narrow);
  json["low"] = 1.5;
  EXPECT_THROW((void)speed_ratio_from_json(json.dump(), "x"), InputError);
}

TEST_F(ProcessorSpeedFiles, DamageIsRefusedOrReadNeverAnythingElse) {
  const std::string speed = text();
  const std::string ratio = to_json(speed_ratio(loaded(speed), loaded(speed)));
  for (unsigned seed = 0; seed < 400; ++seed) {
    samples::Damage damage(seed);
    try {
      (void)speed_ratio(loaded(damage(speed)), loaded(speed));
      (void)speed_ratio_from_json(damage(ratio), "x");
    } catch (const InputError& error) {
      EXPECT_EQ(std::string_view{error.what()}.find('\n'), std::string_view::npos);
    }
  }
}

}  // namespace commgauge::processor_speed_test
