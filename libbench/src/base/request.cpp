#include "commgauge/bench/base/request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ranges>
#include <string_view>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::bench {

namespace {

using Request = std::map<std::string, std::string>;

std::string to_text(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.begin(), text.end(), number).ptr};
}

std::string yes_or_no(bool flag) { return flag ? "yes" : "no"; }

std::string number_of(Bytes size) { return std::to_string(size.value); }

std::string joined(const auto& values, auto text_of) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : ",") + text_of(value);
  return text;
}

// The order in which they are given means nothing.

std::string list_of(const std::vector<std::string>& models) {
  std::vector<std::string> names = model_names();
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(models, name) == models.end();
  });
  return joined(names, [](const std::string& name) { return name; });
}

std::string list_of(std::vector<Bytes> sizes) {
  std::ranges::sort(sizes);
  return sizes.empty() ? "auto" : joined(sizes, number_of);
}

std::string eager_limit_of(const Options& options) {
  if (options.eager_limit) return number_of(*options.eager_limit);
  return options.probe_eager_limit ? "auto" : "none";
}

/// In the order of the enumerators.
std::string word(auto value, const auto&... words) {
  const std::array<std::string, sizeof...(words)> all{words...};
  return all.at(static_cast<std::size_t>(value));
}

class RequestReader {
 public:
  explicit RequestReader(const Request& request) : request_{request} {}

  [[nodiscard]] const std::string& text(const std::string& name) const {
    const auto found = request_.find(name);
    if (found == request_.end()) fail(name, "is missing");
    return found->second;
  }
  template <class Number>
  void read(const std::string& name, Number& number) const {
    number = parse<Number>(name, text(name));
  }
  void read(const std::string& name, bool& flag) const {
    const std::string& said = text(name);
    if (said != "yes" && said != "no") fail(name, "is '" + said + "'");
    flag = said == "yes";
  }
  void read(const std::string& name, std::vector<std::string>& names) const {
    for (const auto part : std::views::split(text(name), ','))
      names.emplace_back(part.begin(), part.end());
  }
  void read(const std::string& name, Bytes& size) const { read(name, size.value); }
  void read(const std::string& name, std::vector<Bytes>& sizes) const {
    if (text(name) == "auto") return;
    std::vector<std::string> words;
    read(name, words);
    for (const std::string& word : words) sizes.push_back({parse<std::uint64_t>(name, word)});
  }
  void read(const std::string& name, std::optional<Bytes>& size) const {
    if (text(name) != "auto") read(name, size.emplace());
  }

 private:
  template <class Number>
  [[nodiscard]] static Number parse(const std::string& name, const std::string& text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end) fail(name, "is '" + text + "'");
    return number;
  }
  [[noreturn]] static void fail(const std::string& name, const std::string& reason) {
    throw InputError("plan.request." + name + " " + reason +
                     " (no file that was written so): calibrate again");
  }

  const Request& request_;
};

}  // namespace

Request request_of(const Options& options) {
  return {{"models", list_of(options.models)},
          {"precision", to_text(options.precision)},
          {"confidence", to_text(options.confidence)},
          {"min-reps", std::to_string(options.min_reps)},
          {"max-reps", std::to_string(options.max_reps)},
          {"passes", std::to_string(options.passes)},
          {"size", options.size ? number_of(*options.size) : "auto"},
          {"sizes", list_of(options.sizes)},
          {"largest", number_of(options.largest)},
          {"eager-limit", eager_limit_of(options)},
          {"schedule", word(options.schedule, "auto", "parallel", "serial")},
          {"wait", word(options.wait, "auto", "blocking", "yield")},
          {"buffers", word(options.buffers, "rotating", "same")},
          {"design", word(options.design, "auto", "full", "sparse")},
          {"triplets", std::to_string(options.triplets)},
          {"pairs", word(options.logp_pairs, "one", "sample", "all")},
          {"receive-wait", options.receive_progress ? "progress" : "quiet"},
          {"seed", std::to_string(options.seed)},
          {"no-thresholds", yes_or_no(!options.sweeps.enabled)},
          {"no-fabric", yes_or_no(!options.fabric)},
          {"no-checks", yes_or_no(!options.checks)},
          {"raw", yes_or_no(options.raw)}};
}

Options options_of(const Request& request) {
  const RequestReader reader(request);
  Options options;
  reader.read("models", options.models);
  reader.read("precision", options.precision);
  reader.read("confidence", options.confidence);
  reader.read("min-reps", options.min_reps);
  reader.read("max-reps", options.max_reps);
  reader.read("passes", options.passes);
  reader.read("size", options.size);
  reader.read("sizes", options.sizes);
  reader.read("largest", options.largest);
  reader.read("seed", options.seed);
  reader.read("raw", options.raw);
  options.receive_progress = reader.text("receive-wait") == "progress";
  options.buffers = reader.text("buffers") == "same" ? Buffers::same : Buffers::rotating;
  options.sweeps.enabled = false;
  return options;
}

}  // namespace commgauge::bench
