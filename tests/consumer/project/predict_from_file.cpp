#include <cmath>
#include <cstdlib>
#include <iostream>

#include "commgauge/base/files.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/predict/predict.hpp"

namespace {

constexpr double kAlpha = 2e-6;
constexpr double kBeta = 1e-9;

commgauge::HockneyParameters two_equal_ranks() {
  commgauge::HockneyParameters p{.alpha = commgauge::Matrix{2},
                                 .beta = commgauge::Matrix{2},
                                 .mean_alpha = kAlpha,
                                 .mean_beta = kBeta};
  p.alpha.set_both(0, 1, kAlpha);
  p.beta.set_both(0, 1, kBeta);
  return p;
}

commgauge::Model hockney_model() {
  const auto p = two_equal_ranks();
  commgauge::Fitted<commgauge::HockneyParameters> fitted;
  fitted.value = fitted.low = fitted.high = p;
  fitted.replicates = {p, p};
  fitted.last = commgauge::Bytes{1 << 20};
  fitted.observations = 4;
  commgauge::Launch launch;
  launch.confidence = 0.95;
  launch.ranks = {{.host = "a", .cores = {0}}, {.host = "b", .cores = {0}}};
  commgauge::Model model;
  model.ranks = 2;
  model.launches = {launch};
  model.hockney = fitted;
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  commgauge::write_file(argv[1], commgauge::to_json(hockney_model()));
  const auto model = commgauge::load_model(argv[1]);
  const auto prediction = commgauge::predict(model, {.model = "hockney",
                                                     .operation = commgauge::Operation::p2p,
                                                     .from = 0,
                                                     .to = 1,
                                                     .size = commgauge::Bytes{1000}});
  const double expected = kAlpha + kBeta * 1000;
  std::cout << prediction.time.value << " s, expected " << expected << " s\n";
  return std::abs(prediction.time.value - expected) < 1e-9 * expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
