// Writes DIRECTORY/measurements.json, measurements-of-a-sample.json, model.json,
// model-by-classes.json, both with-fabric, thresholds.json, speed.json and speed-ratio.json for
// schema_test.py.

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "by_classes.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/measurements/processor_speed.hpp"
#include "sample_fabric.hpp"
#include "samples.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_samples DIRECTORY\n";
    return EXIT_FAILURE;
  }
  const std::filesystem::path directory = argv[1];
  try {
    commgauge::Measurements measurements = commgauge::samples::unfinished();
    for (const auto& one : commgauge::samples::validated()) {
      measurements.observations.push_back(one);
    }
    measurements.fabric.push_back({.hosts = {"h0", "h1", "h2", "h3"},
                                   .size = {1 << 20},
                                   .start_s = 1e-5,
                                   .seed = 1,
                                   .repetitions = 2,
                                   .rounds = {{{{0, 1}, {1, 0}}, {{1e-3, 1e-3}, {1e-3, 2e-3}}}}});
    measurements.fabric.push_back(
        {.left_out = commgauge::Diagnostic{.kind = "fabric_left_out", .problem = "no time"}});
    commgauge::write_file(directory / "measurements.json", commgauge::to_json(measurements));
    commgauge::write_file(directory / "measurements-of-a-sample.json",
                          commgauge::to_json(commgauge::samples::surveyed()));
    commgauge::Model model = commgauge::samples::model();
    commgauge::write_file(directory / "model.json", commgauge::to_json(model));
    model.fabric = commgauge::samples::fabric_of(model);
    commgauge::write_file(directory / "model-with-fabric.json", commgauge::to_json(model));
    commgauge::Model by_classes = commgauge::samples::by_classes(64, 16);
    by_classes.classes->sample = {0, 1, 16, 17, 32};
    commgauge::write_file(directory / "model-by-classes.json", commgauge::to_json(by_classes));
    by_classes.fabric = commgauge::samples::fabric_of(by_classes);
    commgauge::write_file(directory / "model-by-classes-with-fabric.json",
                          commgauge::to_json(by_classes));
    commgauge::write_file(directory / "thresholds.json",
                          commgauge::to_json(commgauge::samples::thresholds()));
    const commgauge::ProcessorSpeed speed{
        "some processor", 0.01, {{"integer", std::vector<double>(20, 1e-3)}}};
    commgauge::write_file(directory / "speed.json", commgauge::to_json(speed));
    commgauge::write_file(directory / "speed-ratio.json",
                          commgauge::to_json(commgauge::speed_ratio(speed, speed)));
  } catch (const commgauge::Error& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
