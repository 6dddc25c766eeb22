// Segmented regression: how long the whole process takes beside R's strucchange with the same
// series, and how time and memory grow with the number of sizes.
//
//   benchmark-segmentation <segmentation.R>     all of it; without Rscript only the growth
//   benchmark-segmentation --fit <file>         fits the series in a file with x,y
//   benchmark-segmentation --bai <file>         the same with Bai's intervals, as strucchange has
//   them benchmark-segmentation --grow <n>           fits a made series of n sizes

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/segmentation/segmentation.hpp"

extern char** environ;

namespace {

using commgauge::Bytes;
using commgauge::Seconds;

struct Series {
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;
};

/// Three breaks at uneven places, and noise.
Series made_series(std::size_t n) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 1);
  Series series;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t size = 64 * (i + 1);
    const double part = static_cast<double>(i) / static_cast<double>(n);
    const double jumps = (part < 0.2 ? 0 : 8) + (part < 0.55 ? 0 : 6) + (part < 0.8 ? 0 : -7);
    series.sizes.push_back({size});
    series.times.push_back({20 + 0.001 * static_cast<double>(size) + jumps + noise(random)});
  }
  return series;
}

void write(const Series& series, const std::string& file) {
  std::ofstream out(file);
  out << std::setprecision(17) << "x,y\n";
  for (std::size_t i = 0; i < series.sizes.size(); ++i)
    out << series.sizes[i].value << ',' << series.times[i].value << '\n';
}

Series read(const std::string& file) {
  std::ifstream in(file);
  Series series;
  std::string header;
  std::getline(in, header);
  char comma{};
  Bytes size;
  for (Seconds time; in >> size.value >> comma >> time.value;) {
    series.sizes.push_back(size);
    series.times.push_back(time);
  }
  return series;
}

void fit(const Series& series, int min_segment,
         std::optional<commgauge::BreakVariance> break_variance = {}) {
  commgauge::SegmentationOptions options;
  options.min_segment = min_segment;
  options.break_variance = break_variance;
  const auto found = commgauge::segmented_regression(series.sizes, series.times, options);
  for (const auto& one : found.breaks) std::printf("%zu ", one.last + 1);
  std::printf("\n");
}

struct Run {
  double wall_s{};
  double cpu_s{};
  double peak_mib{};
  std::string output;
};

std::string content(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// A whole process from start to end. Nothing where it does not start or fails.
std::optional<Run> run(std::vector<std::string> words, const std::string& output) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child{};
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  int status{};
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return std::nullopt;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return Run{wall.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime),
             static_cast<double>(usage.ru_maxrss) / 1024, content(output)};
}

/// The median in wall time of several runs.
Run repeated(int count, const std::vector<std::string>& words, const std::string& output) {
  std::vector<Run> runs;
  for (int i = 0; i < count; ++i) {
    auto one = run(words, output);
    if (!one) throw std::runtime_error("the benchmark cannot start itself");
    runs.push_back(*std::move(one));
  }
  std::ranges::nth_element(runs, runs.begin() + count / 2, {}, &Run::wall_s);
  return runs[static_cast<std::size_t>(count / 2)];
}

void compare_with_r(const std::string& self, const std::string& script,
                    const std::filesystem::path& folder) {
  const std::string series = folder / "series.csv";
  const std::string output = folder / "output";
  write(made_series(500), series);
  const auto theirs = run({"Rscript", script, series}, output);
  if (!theirs) {
    std::printf("no comparison with strucchange: Rscript or r-cran-strucchange is missing\n");
    return;
  }
  std::printf("500 sizes, segments of 15 or more, up to 5 breaks, whole processes\n");
  std::printf("                       wall      cpu       ratio of cpu  breaks\n");
  const auto print = [&](const char* what, const Run& run) {
    std::printf("%-22s %-9.3g %-9.3g %-13.0f %s", what, run.wall_s, run.cpu_s,
                theirs->cpu_s / run.cpu_s, run.output.c_str());
  };
  print("strucchange", *theirs);
  print("with Bai's intervals", repeated(21, {self, "--bai", series}, output));
  print("with its own", repeated(21, {self, "--fit", series}, output));
  std::printf("\n");
}

void growth(const std::string& self, const std::filesystem::path& folder) {
  std::printf("segments of 3 or more, up to 5 breaks, whole processes\n");
  std::printf("sizes    cpu s     cpu/n^2 ns  peak MiB\n");
  for (const int n : {1000, 2000, 5000, 10000, 20000}) {
    const auto one = repeated(3, {self, "--grow", std::to_string(n)}, folder / "output");
    std::printf("%-8d %-9.3g %-11.3g %.1f\n", n, one.cpu_s, 1e9 * one.cpu_s / n / n, one.peak_mib);
  }
}

void all(const std::string& script) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::string pattern = std::filesystem::temp_directory_path() / "segmentation-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const std::filesystem::path folder = pattern;
  compare_with_r(self, script, folder);
  growth(self, folder);
  std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 2 && words[0] == "--fit")
      fit(read(words[1]), 15);
    else if (words.size() == 2 && words[0] == "--bai")
      fit(read(words[1]), 15, commgauge::BreakVariance::by_segment);
    else if (words.size() == 2 && words[0] == "--grow")
      fit(made_series(std::stoul(words[1])), 3);
    else if (words.size() == 1)
      all(words[0]);
    else
      throw commgauge::InputError("no benchmark (what to do is missing): give segmentation.R");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark-segmentation: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
