#include "commgauge/plan/remeasure.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "commgauge/base/outliers.hpp"

namespace commgauge {

namespace {

/// Of a median of so many blocks.
double error_of(const Observation& row) {
  return row.blocks > 0 ? row.sd_s / std::sqrt(row.blocks) : 0;
}

std::vector<bool> stand_out_of(std::span<const Observation> rows,
                               const std::vector<std::size_t>& passes) {
  std::vector<double> times_s;
  std::vector<double> errors_s;
  for (const std::size_t row : passes) {
    times_s.push_back(rows[row].time_s);
    errors_s.push_back(error_of(rows[row]));
  }
  return stand_out(times_s, errors_s);
}

}  // namespace

std::vector<std::size_t> rows_that_stand_out(std::span<const Observation> rows) {
  std::map<Experiment, std::vector<std::size_t>> passes_of;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].experiment.processes == 0) passes_of[rows[row].experiment].push_back(row);
  }
  std::vector<std::size_t> found;
  for (const auto& [experiment, passes] : passes_of) {
    const std::vector<bool> odd = stand_out_of(rows, passes);
    for (std::size_t k = 0; k < passes.size(); ++k) {
      if (odd[k]) found.push_back(passes[k]);
    }
  }
  std::ranges::sort(found);
  return found;
}

bool replace_row(std::span<Observation> rows, std::size_t row, const Observation& again) {
  const Observation before = rows[row];
  rows[row] = again;
  rows[row].launch = before.launch;
  rows[row].pass = before.pass;
  rows[row].lost_blocks += before.lost_blocks;
  // All of the blocks that were lost before were timed again.
  rows[row].repeated_blocks += before.lost_blocks;
  std::vector<std::size_t> passes;
  std::size_t place = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].launch != before.launch || rows[k].experiment != before.experiment) continue;
    if (k == row) place = passes.size();
    passes.push_back(k);
  }
  if (!stand_out_of(rows, passes)[place]) return true;
  rows[row] = before;
  return false;
}

}  // namespace commgauge
