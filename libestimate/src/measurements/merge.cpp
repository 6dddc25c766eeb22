#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/measurements/measurements.hpp"

namespace commgauge {

namespace {

/// Samples of a machine have to be of the same ranks; the first survey counts.
void merge_surveys(Measurements& result, const Measurements& part, bool is_first) {
  if (is_first) {
    result.survey = part.survey;
    return;
  }
  const auto sample_of = [](const Measurements& one) {
    return one.survey ? one.survey->sample : std::vector<int>{};
  };
  const auto hosts_of = [](const Measurements& one) {
    std::vector<std::string> names;
    if (one.survey) {
      for (const RankPlace& place : one.survey->ranks) names.push_back(place.host);
    }
    return names;
  };
  const bool is_same_machine = part.memory.rows.empty() || hosts_of(result) == hosts_of(part);
  if (sample_of(result) == sample_of(part) && is_same_machine) return;
  throw InputError(
      "cannot merge measurements of different samples of the ranks (their pairs are not the same): "
      "measure with --classes FILE, the same for all, or --classes none");
}

std::vector<std::string> hosts(const Launch& launch) {
  std::vector<std::string> result;
  for (const RankPlace& place : launch.ranks) result.push_back(place.host);
  return result;
}

/// @throws InputError unless both measured the same machine in the same way.
/// @pre `other` has no more ranks than `first`.
void expect_same_machine(const Launch& first, const Launch& other) {
  std::vector<std::string> expected = hosts(first);
  expected.resize(other.ranks.size());
  if (hosts(other) != expected) {
    throw InputError(
        "cannot merge measurements of different hosts (the models are per rank): launch on the "
        "same hosts in the same order, a smaller job on the first of them");
  }
  if (other.confidence != first.confidence) {
    throw InputError(
        "cannot merge measurements of different confidence levels (their intervals mean "
        "different things): measure with the same --confidence");
  }
  if (other.buffers != first.buffers || other.wait != first.wait) {
    throw InputError("cannot merge measurements of wait " + first.wait + ", buffers " +
                     first.buffers + " and of wait " + other.wait + ", buffers " + other.buffers +
                     " (no one model fits both): measure with the same --wait and --buffers");
  }
}

/// Launches of one size keep their order.
void put_largest_first(Measurements& all) {
  std::vector<std::size_t> order(all.launches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return all.launches[i].ranks.size(); });
  std::vector<Launch> launches;
  std::vector<int> place(order.size());
  for (const std::size_t launch : order) {
    place[launch] = static_cast<int>(launches.size());
    launches.push_back(std::move(all.launches[launch]));
  }
  all.launches = std::move(launches);
  for (std::vector<Observation>* rows : {&all.observations, &all.memory.rows}) {
    for (Observation& o : *rows) o.launch = place[static_cast<std::size_t>(o.launch)];
  }
  for (Sweep& sweep : all.sweeps) sweep.launch = place[static_cast<std::size_t>(sweep.launch)];
  for (FabricRun& run : all.fabric) run.launch = place[static_cast<std::size_t>(run.launch)];
}

void append(std::vector<Observation>& all, const std::vector<Observation>& rows, int shift) {
  for (Observation o : rows) {
    o.launch += shift;
    all.push_back(std::move(o));
  }
}

}  // namespace

Measurements merge(std::span<const Measurements> parts) {
  Measurements result;
  for (const Measurements& part : parts) {
    merge_surveys(result, part, &part == parts.data());
    const auto shift = static_cast<int>(result.launches.size());
    result.launches.insert(result.launches.end(), part.launches.begin(), part.launches.end());
    append(result.observations, part.observations, shift);
    append(result.memory.rows, part.memory.rows, shift);
    if (part.memory.left_out) result.memory.left_out = part.memory.left_out;
    for (Sweep sweep : part.sweeps) {
      sweep.launch += shift;
      result.sweeps.push_back(std::move(sweep));
    }
    for (FabricRun run : part.fabric) {
      run.launch += shift;
      result.fabric.push_back(std::move(run));
    }
  }
  if (result.launches.empty()) {
    throw InputError("nothing to merge (no measurements given): give at least one file");
  }
  put_largest_first(result);
  for (const Launch& launch : result.launches) {
    expect_same_machine(result.launches.front(), launch);
  }
  return result;
}

Measurements largest_launches(const Measurements& measurements) {
  const auto is_largest = [&](int launch) {
    const auto n = measurements.launches[static_cast<std::size_t>(launch)].ranks.size();
    return static_cast<int>(n) == measurements.ranks();
  };
  Measurements result = measurements;
  // They come first, so indices of launches stay what they are.
  std::erase_if(result.launches, [&](const Launch& launch) {
    return static_cast<int>(launch.ranks.size()) != measurements.ranks();
  });
  for (std::vector<Observation>* rows : {&result.observations, &result.memory.rows}) {
    std::erase_if(*rows, [&](const Observation& o) { return !is_largest(o.launch); });
  }
  std::erase_if(result.sweeps, [&](const Sweep& sweep) { return !is_largest(sweep.launch); });
  std::erase_if(result.fabric, [&](const FabricRun& run) { return !is_largest(run.launch); });
  return result;
}

}  // namespace commgauge
