#include "commgauge/measurements/processor_speed.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "base/json_lines.hpp"
#include "base/json_reader.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/text.hpp"

namespace commgauge {
namespace {

using detail::OrderedJson;
using detail::Reader;

constexpr std::string_view speed_schema = "commgauge.speed/1";
constexpr std::string_view ratio_schema = "commgauge.speed-ratio/1";
constexpr std::size_t stretches = 10;
constexpr double most_lost = 0.1;
constexpr double most_spread = 0.1;

std::vector<double> medians_of_stretches(std::span<const double> times) {
  std::vector<double> medians;
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t from = i * times.size() / stretches;
    const std::size_t to = (i + 1) * times.size() / stretches;
    medians.push_back(median(times.subspan(from, to - from)));
  }
  return medians;
}

const KernelTimes& kernel_of(const ProcessorSpeed& speed, const std::string& name) {
  const auto found = std::ranges::find(speed.kernels, name, &KernelTimes::name);
  if (found != speed.kernels.end()) return *found;
  throw InputError("one of the processors was measured without the kernel '" + name +
                   "' (both need the same ones): measure both with one version of commgauge");
}

Estimate kernel_ratio(const KernelTimes& of, const KernelTimes& than, double confidence) {
  const double each = 1 - (1 - confidence) / 2;
  const LocationInterval a = median_interval(medians_of_stretches(of.times_s), each);
  const LocationInterval b = median_interval(medians_of_stretches(than.times_s), each);
  return {a.value / b.value, a.low / b.high, a.high / b.low};
}

Estimate over_all(const std::vector<SpeedRatio::Kernel>& kernels) {
  Estimate all{0, kernels.front().ratio.low, kernels.front().ratio.high};
  for (const auto& [name, ratio] : kernels) {
    all.value += std::log(ratio.value) / static_cast<double>(kernels.size());
    all.low = std::min(all.low, ratio.low);
    all.high = std::max(all.high, ratio.high);
  }
  all.value = std::exp(all.value);
  return all;
}

std::string names_of(const std::vector<SpeedRatio::Kernel>& kernels) {
  std::vector<std::string> names;
  for (const auto& kernel : kernels) names.push_back(kernel.name);
  return comma_list(names);
}

Estimate read_ratio(const Reader& json) {
  const Estimate ratio{json["time_ratio"].positive(), json["low"].positive(),
                       json["high"].positive()};
  if (ratio.low > ratio.value || ratio.high < ratio.value) {
    json.fail("its interval doesn't hold its time_ratio");
  }
  return ratio;
}

void add_ratio(OrderedJson& json, const Estimate& ratio) {
  json["time_ratio"] = ratio.value;
  json["low"] = ratio.low;
  json["high"] = ratio.high;
}

KernelTimes read_kernel(const Reader& json) {
  KernelTimes kernel{json["name"].text(), {}};
  const Reader times = json["times_s"];
  if (times.size() < least_kernel_runs) times.fail("fewer than ten runs of a kernel");
  for (std::size_t i = 0; i < times.size(); ++i) kernel.times_s.push_back(times[i].positive());
  return kernel;
}

}  // namespace

SpeedRatio speed_ratio(const ProcessorSpeed& of, const ProcessorSpeed& than, double confidence,
                       const std::string& kernel) {
  SpeedRatio all{confidence, of.processor, than.processor, kernel, {}, {}, {}};
  for (const auto& [where, speed] :
       {std::pair{"the machine", &of}, {"the one it is compared with", &than}}) {
    for (const Diagnostic& warning : speed_warnings(*speed)) {
      all.warnings.push_back(std::string("when ") + where + " was measured: " + warning.text());
    }
  }
  for (const KernelTimes& one : than.kernels) (void)kernel_of(of, one.name);
  for (const KernelTimes& one : of.kernels) {
    all.kernels.push_back({one.name, kernel_ratio(one, kernel_of(than, one.name), confidence)});
  }
  if (kernel.empty()) {
    all.ratio = over_all(all.kernels);
    return all;
  }
  const auto found = std::ranges::find(all.kernels, kernel, &SpeedRatio::Kernel::name);
  if (found == all.kernels.end()) {
    throw InputError("there is no kernel '" + kernel + "' (known: " + names_of(all.kernels) +
                     "): give one of them, or none");
  }
  all.ratio = found->ratio;
  return all;
}

std::vector<Diagnostic> speed_warnings(const ProcessorSpeed& speed) {
  std::vector<Diagnostic> warnings;
  if (speed.lost_share > most_lost) {
    warnings.push_back(
        {.kind = "disturbed",
         .problem = "for " + percent(speed.lost_share) + " of the time the core ran something else",
         .reason = "what else runs slows computing down in other ways, too",
         .advice = "leave the machine idle, and measure again"});
  }
  for (const KernelTimes& kernel : speed.kernels) {
    const double spread = robust_deviation(kernel.times_s) / median(kernel.times_s);
    if (!(spread > most_spread)) continue;
    warnings.push_back(
        {.kind = "noisy_kernel",
         .problem = "times of the kernel " + kernel.name + " vary by " + percent(spread),
         .reason = "the processor changes its speed, or shares something",
         .advice = "measure again on a quieter machine"});
  }
  return warnings;
}

std::string to_json(const ProcessorSpeed& speed) {
  OrderedJson json{{"schema", speed_schema},
                   {"processor", speed.processor},
                   {"lost_share", speed.lost_share},
                   {"kernels", OrderedJson::array()}};
  for (const KernelTimes& kernel : speed.kernels) {
    json["kernels"].push_back({{"name", kernel.name}, {"times_s", kernel.times_s}});
  }
  return detail::to_lines(json);
}

std::string to_json(const SpeedRatio& all) {
  OrderedJson json{{"schema", ratio_schema},
                   {"processor", all.processor},
                   {"than", all.than},
                   {"confidence", all.confidence},
                   {"kernel", all.kernel.empty() ? OrderedJson() : OrderedJson(all.kernel)}};
  add_ratio(json, all.ratio);
  json["kernels"] = OrderedJson::array();
  for (const auto& [name, ratio] : all.kernels) {
    OrderedJson kernel{{"name", name}};
    add_ratio(kernel, ratio);
    json["kernels"].push_back(kernel);
  }
  json["warnings"] = all.warnings;
  return detail::to_lines(json);
}

ProcessorSpeed load_processor_speed(const std::filesystem::path& file) {
  const std::string name = file == "-" ? "standard input" : file.string();
  const detail::Json json = detail::parse_json(read_file(file), name);
  const Reader root{json, name, ""};
  detail::expect_schema(root, speed_schema);
  ProcessorSpeed speed{root["processor"].text(), root["lost_share"].non_negative(), {}};
  const Reader kernels = root["kernels"];
  if (kernels.size() == 0) kernels.fail("no kernel was measured");
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    speed.kernels.push_back(read_kernel(kernels[i]));
  }
  return speed;
}

SpeedRatio speed_ratio_from_json(const std::string& text, const std::string& name) {
  const detail::Json json = detail::parse_json(text, name);
  const Reader root{json, name, ""};
  detail::expect_schema(root, ratio_schema);
  const Reader kernel = root["kernel"];
  SpeedRatio all{root["confidence"].confidence(),
                 root["processor"].text(),
                 root["than"].text(),
                 kernel.is_null() ? "" : kernel.text(),
                 read_ratio(root),
                 {},
                 {}};
  const Reader kernels = root["kernels"];
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    all.kernels.push_back({kernels[i]["name"].text(), read_ratio(kernels[i])});
  }
  const Reader warnings = root["warnings"];
  for (std::size_t i = 0; i < warnings.size(); ++i) all.warnings.push_back(warnings[i].text());
  return all;
}

}  // namespace commgauge
