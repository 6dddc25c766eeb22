#include "commgauge/simulate/machine/time_ratio.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string_view>

#include "commgauge/base/error.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/measurements/processor_speed.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate {

namespace {

std::optional<double> number_of(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error != std::errc{}) return {};
  return value;
}

/// An estimate's value, or its value and its ends.
std::optional<Estimate> estimate_of(const std::vector<double>& numbers) {
  if (numbers.size() != 1 && numbers.size() != 3) return {};
  const double value = numbers.front();
  const Estimate ratio =
      numbers.size() == 1 ? Estimate{value, value, value} : Estimate{value, numbers[1], numbers[2]};
  const bool is_sound =
      ratio.low > 0 && ratio.low <= value && value <= ratio.high && std::isfinite(ratio.high);
  return is_sound ? std::optional{ratio} : std::nullopt;
}

std::optional<std::vector<double>> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream fields(line);
  for (std::string field; std::getline(fields, field, ',');) {
    const auto number = number_of(field);
    if (!number) return {};
    numbers.push_back(*number);
  }
  if (numbers.empty() || line.ends_with(',')) return {};
  return numbers;
}

/// A line `rank,time_ratio...` goes to its rank. @return whether it is one
bool add_line(const std::string& line, std::vector<std::optional<Estimate>>& ratios) {
  auto numbers = numbers_of(line);
  if (!numbers) return false;
  const double rank = numbers->front();
  if (!(rank >= 0 && rank < static_cast<double>(ratios.size())) || rank != std::floor(rank)) {
    return false;
  }
  numbers->erase(numbers->begin());
  const auto ratio = estimate_of(*numbers);
  auto& place = ratios[static_cast<std::size_t>(rank)];
  if (!ratio || place) return false;
  place = ratio;
  return true;
}

std::vector<Estimate> from_csv(const std::string& text, const std::string& name, int ranks) {
  refuse_other_kinds(text, name, "CSV of time ratios");
  std::vector<std::optional<Estimate>> ratios(static_cast<std::size_t>(ranks));
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || (number == 1 && line.starts_with("rank,time_ratio"))) continue;
    if (add_line(line, ratios)) continue;
    throw InputError(name + ": line " + std::to_string(number) +
                     " is not a rank of the model, once, and a number above zero (or one, and "
                     "the ends of its interval): write lines like 0,1.5 below rank,time_ratio");
  }
  std::vector<Estimate> all;
  for (const auto& ratio : ratios) {
    if (!ratio) {
      throw InputError(name + ": rank " + std::to_string(all.size()) +
                       " is missing (every rank of the model has a processor): add it");
    }
    all.push_back(*ratio);
  }
  return all;
}

}  // namespace

void set_time_ratios(Machine& machine, const std::string& said) {
  const auto set_all = [&](const Estimate& ratio) {
    machine.time_ratios.assign(static_cast<std::size_t>(machine.ranks), ratio);
  };
  machine.speed_doubts.clear();
  if (const auto number = number_of(said)) {
    if (const auto ratio = estimate_of({*number})) return set_all(*ratio);
    throw InputError("time ratio " + said +
                     " (it is how many seconds there are for one here): give a number above zero");
  }
  const std::string text = read_file(said);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') {
    machine.time_ratios = from_csv(text, said, machine.ranks);
    return;
  }
  const SpeedRatio measured = speed_ratio_from_json(text, said);
  set_all(measured.ratio);
  for (const std::string& warning : measured.warnings) {
    machine.speed_doubts.push_back({.kind = "time_ratio", .problem = said + ": " + warning});
  }
}

}  // namespace commgauge::simulate
