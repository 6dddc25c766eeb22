#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "commgauge/judge/fit.hpp"
#include "lost_pass.hpp"
#include "tries.hpp"

// One of eight passes, whatever is in it: parameters move by no more than the interval that they
// have without that pass, and that becomes no more than half as wide again.
//
// An interval of seven passes is a random number itself: it becomes twice as wide now and then with
// an eighth pass that is like the others. So widths are compared on the average over calibrations,
// and of all moves one in a hundred may be longer than the interval of its own seven passes.

namespace commgauge::lost_pass_test {

using LostPass = decltype(synthetic::Noise::lost_pass);

constexpr int ranks = 4;
const auto campaigns = static_cast<std::uint64_t>(testing::tries(100, 100, 20));
constexpr double relative = 0.01;

double lognormal(double deviation, std::mt19937_64& random) {
  return std::exp(std::normal_distribution{0.0, deviation}(random));
}

/// What becomes of one pass in eight.
const std::vector<std::pair<std::string, LostPass>> contents{
    {"as the others", [](const auto&, double time, auto&) { return time; }},
    {"1 % slower", [](const auto&, double time, auto&) { return 1.01 * time; }},
    {"2 % slower", [](const auto&, double time, auto&) { return 1.02 * time; }},
    {"3 % slower", [](const auto&, double time, auto&) { return 1.03 * time; }},
    {"5 % slower", [](const auto&, double time, auto&) { return 1.05 * time; }},
    {"half as fast", [](const auto&, double time, auto&) { return 2 * time; }},
    {"twice as fast", [](const auto&, double time, auto&) { return time / 2; }},
    {"8 ms later", [](const auto&, double time, auto&) { return time + 8e-3; }},
    {"1 us later", [](const auto&, double time, auto&) { return time + 1e-6; }},
    {"a million times slower", [](const auto&, double time, auto&) { return 1e6 * time; }},
    {"rank 1 half as fast",
     [](const Experiment& e, double time, auto&) { return takes_part(e, 1) ? 2 * time : time; }},
    {"rank 1 slower by 2 %",
     [](const Experiment& e, double time, auto&) { return takes_part(e, 1) ? 1.02 * time : time; }},
    {"the last ranks' large messages slower by 3 %",
     [](const Experiment& e, double time, auto&) {
       return e.out > Bytes{4096} && takes_part(e, ranks - 1) ? 1.03 * time : time;
     }},
    {"one experiment lost",
     [](const Experiment& e, double time, auto&) {
       return e.kind == Kind::round_trip && e.root == 0 ? time + 8e-3 : time;
     }},
    {"any by 1 %",
     [](const auto&, double time, auto& random) { return time * lognormal(.01, random); }},
    {"any by 3 %",
     [](const auto&, double time, auto& random) { return time * lognormal(.03, random); }},
    {"any by 10 %",
     [](const auto&, double time, auto& random) { return time * lognormal(.1, random); }},
    {"any by orders of magnitude",
     [](const auto&, double time, auto& random) { return time * lognormal(3, random); }},
    {"mixed: half lost, half slower by 3 %",
     [](const auto&, double time, auto& random) {
       return random() % 2 == 0 ? 1.03 * time : time + 8e-3;
     }},
};

struct Bed {
  synthetic::Machine machine;
  std::vector<Experiment> experiments;
  std::vector<std::string> models;
};

Bed bed_of(synthetic::Machine machine, const std::vector<std::string>& models) {
  const CampaignSizes sizes =
      choose_sizes(std::nullopt, {Bytes{2048}, Bytes{16384}, Bytes{65536}}, Bytes{65536});
  auto experiments = synthetic::campaign(machine, sizes, {.models = models, .checks = false});
  return {std::move(machine), std::move(experiments), models};
}

void add_models(const Model& whole, const Model& without, Effect& effect) {
  if (whole.hockney) effect.add(*whole.hockney, *without.hockney);
  if (whole.lom) effect.add(*whole.lom, *without.lom);
  if (whole.lmo) effect.add(*whole.lmo, *without.lmo);
  if (whole.bottleneck) effect.add(*whole.bottleneck, *without.bottleneck);
}

/// Prints and judges what every content does to the parameters.
void check_bed(const Bed& bed) {
  std::printf("%s\n  %-46s %8s %8s %8s\n", bed.models.front().c_str(), "in one pass of eight",
              "median", "moved", "wider");
  for (const auto& [name, lost_pass] : contents) {
    synthetic::TestBed calibrations(
        bed.machine, bed.experiments,
        {.kind = synthetic::Disturbance::gaussian, .relative = relative, .lost_pass = lost_pass});
    Effect effect;
    for (std::uint64_t seed = 1; seed <= campaigns; ++seed) {
      const Measurements& all = calibrations.measure(seed);
      const int lost = static_cast<int>(seed % 8);
      const Model without = fit(without_pass(all, lost), {.models = bed.models});
      add_models(fit(all, {.models = bed.models}), without, effect);
    }
    std::printf("  %-46s %8.2f %8.2f %8.2f\n", name.c_str(), effect.median_move(), effect.moved(),
                effect.widened());
    EXPECT_LE(effect.moved(), 1) << name;
    EXPECT_LE(effect.widened(), 1.5) << name;
  }
}

TEST(LostPass, LmoAndHockney) {
  check_bed(bed_of(synthetic::lmo_machine(synthetic::lmo_parameters(ranks)), {"hockney", "lmo"}));
}

TEST(LostPass, Lom) {
  check_bed(bed_of(synthetic::lom_machine(synthetic::lom_parameters(ranks)), {"lom"}));
}

TEST(LostPass, Bottleneck) {
  check_bed(bed_of(synthetic::bottleneck_machine(synthetic::bottleneck_parameters(ranks)),
                   {"bottleneck"}));
}

}  // namespace commgauge::lost_pass_test
