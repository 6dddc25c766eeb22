// Writes random series, and what segmented_regression makes of them, for strucchange_test.R.
//
//   strucchange_series <folder>
//
// series.csv: series,x,y; partitions.csv: series,h,most,m,breaks,rss,bic (breaks counted from 1,
// with semicolons between); intervals.csv: series,m,j,het,bp,low,high (NA: no interval).

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <random>
#include <string>

#include "commgauge/segmentation/segmentation.hpp"

namespace {

using namespace commgauge;

struct Series {
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;
  SegmentationOptions options;
};

/// 30 ... 80 sizes, 0 ... 3 breaks at random places, noise of standard deviation 1.
Series random_series(std::mt19937_64& random) {
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  std::normal_distribution<double> noise(0, 1);
  Series series;
  const int count = draw(30, 80);
  const double change = draw(0, 3) / static_cast<double>(count);
  double intercept = 20;
  double slope = 0.01;
  std::uint64_t size = 0;
  for (int i = 0; i < count; ++i) {
    size += static_cast<std::uint64_t>(draw(1, 200));
    if (std::bernoulli_distribution(change)(random)) {
      intercept += draw(-15, 15);
      slope *= draw(5, 20) / 10.0;
    }
    series.sizes.push_back({size});
    series.times.push_back({intercept + slope * static_cast<double>(size) + noise(random)});
  }
  series.options.min_segment = draw(4, 8);
  series.options.most_breaks = 3;
  return series;
}

std::string joined(const std::vector<std::size_t>& breaks) {
  std::string text;
  for (const auto last : breaks) text += (text.empty() ? "" : ";") + std::to_string(last + 1);
  return text;
}

void write_intervals(std::ostream& out, int id, Series series, int breaks) {
  series.options.breaks = breaks;
  for (const auto variance : {BreakVariance::equal, BreakVariance::by_segment}) {
    series.options.break_variance = variance;
    const auto found = segmented_regression(series.sizes, series.times, series.options);
    for (std::size_t j = 0; j < found.breaks.size(); ++j) {
      const auto& one = found.breaks[j];
      const auto text = [](const std::optional<std::size_t>& place) {
        return place ? std::to_string(*place + 1) : std::string("NA");
      };
      out << id << ',' << breaks << ',' << j + 1 << ','
          << (variance == BreakVariance::by_segment ? "TRUE" : "FALSE") << ',' << one.last + 1
          << ',' << text(one.low) << ',' << text(one.high) << '\n';
    }
  }
}

void write(const std::string& folder) {
  std::ofstream all(folder + "/series.csv");
  std::ofstream partitions(folder + "/partitions.csv");
  std::ofstream intervals(folder + "/intervals.csv");
  for (auto* out : {&all, &partitions, &intervals}) *out << std::setprecision(17);
  all << "series,x,y\n";
  partitions << "series,h,most,m,breaks,rss,bic\n";
  intervals << "series,m,j,het,bp,low,high\n";
  std::mt19937_64 random(20);
  for (int id = 1; id <= 50; ++id) {
    const auto series = random_series(random);
    for (std::size_t i = 0; i < series.sizes.size(); ++i)
      all << id << ',' << series.sizes[i].value << ',' << series.times[i].value << '\n';
    const auto found = segmented_regression(series.sizes, series.times, series.options);
    const auto most = static_cast<int>(found.candidates.size()) - 1;
    for (int m = 0; m <= most; ++m) {
      const auto& one = found.candidates[static_cast<std::size_t>(m)];
      partitions << id << ',' << series.options.min_segment << ',' << most << ',' << m << ','
                 << joined(one.breaks) << ',' << one.rss << ',' << one.bic << '\n';
      if (m > 0) write_intervals(intervals, id, series, m);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "no folder (the series need a place): give one\n";
    return EXIT_FAILURE;
  }
  write(argv[1]);
}
