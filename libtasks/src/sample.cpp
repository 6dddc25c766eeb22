#include "commgauge/tasks/sample.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "commgauge/base/shuffle.hpp"

namespace commgauge::tasks {

namespace {

constexpr std::uint64_t first_round = 256;
constexpr std::uint64_t least_in_stratum = 4;

/// Tasks whose k-th integer less one is in [low[k], end[k]).
struct Box {
  std::vector<std::uint64_t> low;
  std::vector<std::uint64_t> end;

  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t size = 1;
    for (std::size_t k = 0; k < low.size(); ++k) size *= end[k] - low[k];
    return size;
  }
};

Box whole(const Shape& shape) {
  return {std::vector<std::uint64_t>(shape.dimensions(), 0), shape.counts()};
}

std::uint64_t mixed(std::uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111eb;
  return x ^ (x >> 31U);
}

/// The two halves of a box, and how its first n are divided among them.
class Halves {
 public:
  Halves(const Box& box, std::uint64_t seed) : first{box}, second{box} {
    std::size_t longest = 0;
    std::uint64_t drawn = seed;
    for (std::size_t k = 0; k < box.low.size(); ++k) {
      if (box.end[k] - box.low[k] > box.end[longest] - box.low[longest]) longest = k;
      drawn = mixed(mixed(drawn ^ box.low[k]) ^ box.end[k]);
    }
    const std::uint64_t middle = box.low[longest] + (box.end[longest] - box.low[longest]) / 2;
    first.end[longest] = second.low[longest] = middle;
    first_size_ = first.size();
    size_ = box.size();
    drawn_ = drawn % size_;
  }

  Box first;
  Box second;

  /// floor(n·|first| / |box| + u), u uniform in [0, 1): it has its share, and never more than it
  /// holds.
  [[nodiscard]] std::uint64_t of_first(std::uint64_t n) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{n} * first_size_ + drawn_) / size_);
  }

 private:
  std::uint64_t first_size_{};
  std::uint64_t size_{};
  std::uint64_t drawn_{};  ///< u·|box|
};

std::uint64_t number_of(const Shape& shape, const std::vector<std::uint64_t>& from_zero) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < from_zero.size(); ++k) {
    number = number * shape.counts()[k] + from_zero[k];
  }
  return number;
}

void add_first(const Shape& shape, const Box& box, std::uint64_t seed, std::uint64_t n,
               std::vector<std::uint64_t>& numbers) {
  if (n == 0) return;
  if (box.size() == 1) {
    numbers.push_back(number_of(shape, box.low));
    return;
  }
  const Halves halves(box, seed);
  const std::uint64_t of_first = halves.of_first(n);
  add_first(shape, halves.first, seed, of_first, numbers);
  add_first(shape, halves.second, seed, n - of_first, numbers);
}

/// Measured tasks by their integers, to be divided among boxes.
struct Point {
  std::vector<std::uint64_t> from_zero;
};

std::uint64_t largest_first(const Box& box, std::uint64_t seed, std::span<Point> measured) {
  if (measured.empty()) return 0;
  const std::uint64_t size = box.size();
  if (measured.size() == size) return size;
  const Halves halves(box, seed);
  const auto is_in_first = [&](const Point& point) {
    for (std::size_t k = 0; k < point.from_zero.size(); ++k) {
      if (point.from_zero[k] >= halves.first.end[k]) return false;
    }
    return true;
  };
  const auto others = std::ranges::partition(measured, is_in_first);
  const auto in_first = static_cast<std::size_t>(others.begin() - measured.begin());
  const std::uint64_t first = largest_first(halves.first, seed, measured.first(in_first));
  const std::uint64_t second = largest_first(halves.second, seed, measured.subspan(in_first));
  std::uint64_t known = 0;
  std::uint64_t beyond = first + second + 1;
  while (beyond - known > 1) {
    const std::uint64_t n = known + (beyond - known) / 2;
    const std::uint64_t of_first = halves.of_first(n);
    (of_first <= first && n - of_first <= second ? known : beyond) = n;
  }
  return known;
}

/// Calls visit(box, n) for each stratum, n the number of the sample's first ones in it.
template <class Visit>
void for_each_stratum(const Box& box, std::uint64_t seed, std::uint64_t n, const Visit& visit) {
  const std::uint64_t size = box.size();
  if (size > 1 && n < size) {
    const Halves halves(box, seed);
    const std::uint64_t first = halves.of_first(n);
    const auto has_enough = [](const Box& half, std::uint64_t in_half) {
      return in_half >= least_in_stratum || (in_half > 0 && in_half == half.size());
    };
    if (has_enough(halves.first, first) && has_enough(halves.second, n - first)) {
      for_each_stratum(halves.first, seed, first, visit);
      for_each_stratum(halves.second, seed, n - first, visit);
      return;
    }
  }
  visit(box, n);
}

std::size_t place_of(const MeasuredTasks& measured, std::uint64_t number) {
  const auto found = std::ranges::lower_bound(measured.numbers, number);
  assert(found != measured.numbers.end() && *found == number);
  return static_cast<std::size_t>(found - measured.numbers.begin());
}

/// What is in the stratum of the sample, as places in `measured`.
std::vector<std::uint32_t> places_in(const MeasuredTasks& measured, const Box& box,
                                     std::uint64_t seed, std::uint64_t n) {
  std::vector<std::uint64_t> numbers;
  add_first(measured.shape, box, seed, n, numbers);
  std::vector<std::uint32_t> places;
  for (const std::uint64_t number : numbers) {
    places.push_back(static_cast<std::uint32_t>(place_of(measured, number)));
  }
  return places;
}

/// All numbers of a box, ascending.
std::vector<std::uint64_t> numbers_in(const Shape& shape, const Box& box) {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> at = box.low;
  for (;;) {
    numbers.push_back(number_of(shape, at));
    std::size_t k = at.size();
    while (k > 0 && ++at[k - 1] == box.end[k - 1]) {
      --k;
      at[k] = box.low[k];
    }
    if (k == 0) return numbers;
  }
}

std::vector<double> times_of(const MeasuredTasks& measured,
                             const std::vector<std::uint32_t>& places) {
  std::vector<double> times;
  for (const std::uint32_t place : places) times.push_back(measured.times_s[place]);
  return times;
}

/// What a stratum that isn't wholly known leaves open of the total's variance [s^2].
double variance_of_sum(const std::vector<double>& times, double size) {
  const auto count = static_cast<double>(times.size());
  return size * size * commgauge::variance(times) / count * (1 - count / size);
}

/// Of what each task of a sample adds to the total, about what those of its stratum add.
class Moments {
 public:
  void add(const std::vector<double>& times, double weight) {
    const double middle = mean(times);
    for (const double time : times) {
      const double one = weight * (time - middle);
      squares_ += one * one;
      cubes_ += one * one * one;
    }
  }
  [[nodiscard]] double skewness_of_sum() const {
    return squares_ > 0 ? cubes_ / std::pow(squares_, 1.5) : 0;
  }

 private:
  double squares_{};
  double cubes_{};
};

std::optional<Doubtful> doubtful_of(const MeasuredTasks& measured, std::uint64_t seed,
                                    std::uint64_t n) {
  Doubtful most;
  double its = 0;
  double all = 0;
  for_each_stratum(whole(measured.shape), seed, n, [&](const Box& box, std::uint64_t in_box) {
    if (in_box == box.size()) return;
    const std::vector<std::uint32_t> places = places_in(measured, box, seed, in_box);
    const std::vector<double> times = times_of(measured, places);
    const double here = variance_of_sum(times, static_cast<double>(box.size()));
    all += here;
    const auto longest = std::ranges::max_element(times);
    std::vector<double> others(times.begin(), longest);
    others.insert(others.end(), longest + 1, times.end());
    const double without = variance_of_sum(others, static_cast<double>(box.size()));
    if (here - without <= its) return;
    its = here - without;
    most = {measured.numbers[places[static_cast<std::size_t>(longest - times.begin())]], *longest,
            median(others)};
  });
  return its > all / 2 ? std::optional{most} : std::nullopt;
}

/// Looking at the interval after each round, until it is narrow enough, favours those that are too
/// narrow by chance; widening it by so much makes up for that (tests/libtasks/sample_test.cpp).
constexpr double for_several_looks = 1.15;

}  // namespace

std::vector<std::uint64_t> first_of_sample(const Shape& shape, std::uint64_t seed,
                                           std::uint64_t n) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(n);
  add_first(shape, whole(shape), seed, n, numbers);
  std::ranges::sort(numbers);
  return numbers;
}

std::uint64_t measured_of_sample(const MeasuredTasks& measured, std::uint64_t seed) {
  std::vector<Point> points;
  for (const std::uint64_t number : measured.numbers) {
    Point point{measured.shape.task_of(number)};
    for (std::uint64_t& i : point.from_zero) --i;
    points.push_back(std::move(point));
  }
  return largest_first(whole(measured.shape), seed, points);
}

SampleTotal total_of_sample(const MeasuredTasks& measured, std::uint64_t seed, std::uint64_t n,
                            double confidence) {
  double total = 0;
  double variance = 0;
  double squares = 0;
  Moments weighted;
  for_each_stratum(whole(measured.shape), seed, n, [&](const Box& box, std::uint64_t in_box) {
    const std::vector<double> times = times_of(measured, places_in(measured, box, seed, in_box));
    const auto size = static_cast<double>(box.size());
    const auto count = static_cast<double>(in_box);
    total += size * mean(times);
    if (count == size) return;
    weighted.add(times, size / count);
    const double one = variance_of_sum(times, size);
    variance += one;
    squares += one * one / (count - 1);
  });
  const double dof = squares > 0 ? variance * variance / squares : 1;
  const bool has_all = n == measured.shape.size();
  const double half = has_all ? 0
                              : for_several_looks * std::sqrt(variance) *
                                    student_quantile(confidence, std::max(1.0, dof));
  const double known = std::accumulate(measured.times_s.begin(), measured.times_s.end(), 0.0);
  return {{total, std::min(total, std::max(total - half, known)), total + half},
          weighted.skewness_of_sum()};
}

double rarest_seen(std::uint64_t n, double confidence) {
  return static_cast<double>(n) / -std::log(1 - confidence);
}

std::vector<std::uint32_t> stand_ins(const MeasuredTasks& measured, std::uint64_t seed,
                                     std::uint64_t n, std::uint64_t draw) {
  std::mt19937_64 random(draw);
  std::vector<std::uint32_t> stand_in(measured.shape.size());
  for_each_stratum(whole(measured.shape), seed, n, [&](const Box& box, std::uint64_t in_box) {
    std::vector<std::uint32_t> donors = places_in(measured, box, seed, in_box);
    shuffle(std::span{donors}, random);
    std::vector<std::uint64_t> numbers = numbers_in(measured.shape, box);
    shuffle(std::span{numbers}, random);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      stand_in[numbers[i]] = donors[i % donors.size()];
    }
  });
  for (std::size_t i = 0; i < measured.numbers.size(); ++i) {
    stand_in[measured.numbers[i]] = static_cast<std::uint32_t>(i);
  }
  return stand_in;
}

namespace {

/// How many times as many tasks of the sample make the total sure enough.
double growth_for(const Plan& known, double precision) {
  constexpr double least = 1.25;
  constexpr double most = 2;
  // Between 1 and 2: the half width falls with n^-1 to n^-1/2, the skewness with n^-1/2.
  constexpr double exponent = 1.5;
  const double half = known.total->high - known.total->value;
  const double excess = half / (precision * known.total->value);
  const double skewness = known.skewness / most_skewness;
  return std::clamp(std::max(std::pow(excess, exponent), skewness * skewness), least, most);
}

}  // namespace

Plan plan(const Shape& shape, const std::optional<MeasuredTasks>& measured,
          const PlanOptions& options) {
  Plan next;
  next.run = measured ? measured_of_sample(*measured, options.seed) : 0;
  const std::uint64_t all = shape.size();
  const std::uint64_t most = std::min(all, options.most.value_or(all));
  const std::uint64_t first = std::min(first_round, all);
  std::uint64_t wanted = std::min(first, most);
  if (next.run >= wanted) {
    const SampleTotal found =
        total_of_sample(*measured, options.seed, next.run, options.confidence);
    next.total = found.total;
    next.skewness = found.skewness;
    const bool is_narrow =
        found.total.high - found.total.value <= options.precision * found.total.value;
    next.is_precise = next.run == all ||
                      (next.run >= first && is_narrow && std::abs(found.skewness) <= most_skewness);
    if (next.is_precise) return next;
    next.doubtful = doubtful_of(*measured, options.seed, next.run);
    const double grown = static_cast<double>(next.run) * growth_for(next, options.precision);
    wanted = std::min(most, static_cast<std::uint64_t>(std::ceil(grown)));
  }
  if (wanted > next.run) next.next = first_of_sample(shape, options.seed, wanted);
  if (measured) {
    std::erase_if(next.next, [&](std::uint64_t number) {
      return std::ranges::binary_search(measured->numbers, number);
    });
  }
  return next;
}

}  // namespace commgauge::tasks
