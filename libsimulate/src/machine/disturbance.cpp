#include "commgauge/simulate/machine/disturbance.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"

namespace commgauge::simulate {

namespace {

/// No scheduler's time slice is shorter; and the emulation steps through periods one by one.
constexpr double least_period = 10e-6;  // [s]
constexpr double least_speed = 1e-3;
constexpr double latest = 1e9;  // [s] so far a double resolves 0.1 us

[[noreturn]] void refuse(std::string_view text, const std::string& why, const std::string& advice) {
  throw InputError("disturbance '" + std::string{text} + "' (" + why + "): " + advice);
}

template <class T>
bool is_number(std::string_view text, T& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size();
}

int parse_rank(std::string_view text, std::string_view value) {
  int rank = 0;
  if (value == "*") return Disturbance::every_rank;
  if (!is_number(value, rank) || rank < 0) {
    refuse(text, "rank is neither a rank nor *", "write rank=1, or rank=* for all");
  }
  return rank;
}

double parse_speed(std::string_view text, std::string_view value) {
  double speed = 0;
  if (!is_number(value, speed) || !(speed == 0 || (speed >= least_speed && speed < 1))) {
    refuse(text, "speed is no share of the processor that is left: 0, or from 0.001 to below 1",
           "write speed=0.5 for half of it");
  }
  return speed;
}

void check(const Disturbance& d, std::string_view text) {
  if (d.from > latest || (std::isfinite(d.until) && d.until > latest)) {
    refuse(text, "from or until is beyond 1e9 s", "leave out until where it doesn't end");
  }
  if (d.until <= d.from) refuse(text, "it ends before it begins", "give until after from");
  if ((d.period > 0) != (d.length > 0)) {
    refuse(text, "period and length go together, both above 0",
           "write period=100ms,length=10ms for 10 ms of every 100");
  }
  if (d.period > 0 && d.period < least_period) {
    refuse(text, "the period is below 10 us", "give a longer one, or a speed");
  }
  if (d.period > 0 && d.length >= d.period) {
    refuse(text, "nothing is left of the period", "give a length below it, or leave both out");
  }
}

}  // namespace

Disturbance parse_disturbance(std::string_view text) {
  Disturbance d;
  std::vector<std::string_view> seen;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    if (equals == std::string_view::npos || std::ranges::find(seen, name) != seen.end()) {
      refuse(text, "'" + std::string{part} + "' is no name=value that comes once",
             "write e.g. rank=1,from=0.5,until=0.7,speed=0.5");
    }
    seen.push_back(name);
    const std::string_view value = part.substr(equals + 1);
    if (name == "rank") {
      d.rank = parse_rank(text, value);
    } else if (name == "speed") {
      d.speed = parse_speed(text, value);
    } else if (name == "from") {
      d.from = parse_duration(value).value;
    } else if (name == "until") {
      d.until = parse_duration(value).value;
    } else if (name == "period") {
      d.period = parse_duration(value).value;
    } else if (name == "length") {
      d.length = parse_duration(value).value;
    } else {
      refuse(text, "'" + std::string{name} + "' is not known",
             "there are rank, from, until, speed, period and length");
    }
  }
  if (std::ranges::find(seen, "rank") == seen.end()) {
    refuse(text, "it doesn't say of which rank", "add rank=1, or rank=* for all");
  }
  check(d, text);
  return d;
}

Processor::Processor(const std::vector<Disturbance>& disturbances, int rank) {
  double taken = 0;  // share that is taken for ever, if the disturbances never overlap
  for (const Disturbance& d : disturbances) {
    if (!d.concerns(rank)) continue;
    disturbances_.push_back(d);
    if (std::isinf(d.until) && d.speed == 0) taken += d.period > 0 ? d.length / d.period : 1;
  }
  if (taken < 1) return;
  throw InputError("rank " + std::to_string(rank) +
                   " may never get its processor back (its disturbances take all of it, and don't "
                   "end): give until, a speed, or shorter lengths");
}

/// The processor's speed at a time, and until when it stays so.
Processor::Stretch Processor::stretch(double time) const {
  Stretch all;
  const auto change_at = [&](double end) { all.end = std::min(all.end, end); };
  for (const Disturbance& d : disturbances_) {
    if (time >= d.until) continue;
    if (time < d.from) {
      change_at(d.from);
      continue;
    }
    change_at(d.until);
    if (d.period == 0) {
      all.speed *= d.speed;
      continue;
    }
    const auto beginning = [&](double k) { return d.from + k * d.period; };
    double k = std::floor((time - d.from) / d.period);
    // Rounding must not leave a stretch without length.
    if (time < beginning(k)) --k;
    if (time >= beginning(k + 1)) ++k;
    const double end = beginning(k) + d.length;
    if (time < end) all.speed *= d.speed;
    change_at(time < end ? end : beginning(k + 1));
  }
  return all;
}

double Processor::loss(double start, double work) const {
  double lost = 0;
  if (disturbances_.empty()) return lost;
  for (double time = start;;) {
    const Stretch here = stretch(time);
    const double length = here.end - time;
    if (here.speed > 0 && work <= here.speed * length) {
      return lost + work * (1 - here.speed) / here.speed;
    }
    lost += (1 - here.speed) * length;
    work -= here.speed * length;
    time = here.end;
  }
}

double Processor::got(double start, double end) const {
  if (disturbances_.empty()) return end - start;
  double sum = 0;
  for (double time = start; time < end;) {
    const Stretch here = stretch(time);
    const double next = std::min(here.end, end);
    sum += here.speed * (next - time);
    time = next;
  }
  return sum;
}

long Processor::losses(double start, double end) const {
  if (disturbances_.empty()) return 0;
  long count = 0;
  double speed = stretch(start).speed;
  for (double time = stretch(start).end; time <= end;) {
    const Stretch here = stretch(time);
    if (here.speed < speed) ++count;
    speed = here.speed;
    time = here.end;
  }
  return count;
}

}  // namespace commgauge::simulate
