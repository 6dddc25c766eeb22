#include "common/command_line/options.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"
#include "common/command_line/completion.hpp"

namespace commgauge::tools {

namespace {

constexpr const char* confidence_help =
    "Level of the intervals; those of one launch leave out what differs between launches";

constexpr double smallest_share = 1e-6;
constexpr double largest_share = 0.999999;

std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/=@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

void read_model_names(const std::string& text, std::vector<std::string>& target) {
  target.clear();
  if (text == "all") {
    target = model_names();
    return;
  }
  for (const std::string& name : CLI::detail::split(text, ',')) {
    require_model_name(name);
    target.push_back(name);
  }
}

void add_repetitions(CLI::App& app, bench::Options& options) {
  add_whole(app, "--min-reps", options.min_reps, "Blocks of repetitions, at least");
  add_whole(app, "--max-reps", options.max_reps, "Blocks of repetitions, at most");
  add_whole(app, "--passes", options.passes, "Passes over all experiments");
}

/// Nothing where `text` is anything else: a sign, a space, something behind it, too large.
template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional{number} : std::nullopt;
}

/// `0.05` or `5%`
double parse_share(const std::string& text) {
  const bool is_per_cent = text.ends_with('%');
  auto number = number_in<double>(text.substr(0, text.size() - (is_per_cent ? 1 : 0)));
  if (number && is_per_cent) *number /= 100;
  if (number && *number >= smallest_share && *number <= largest_share) return *number;
  throw InputError("'" + text +
                   "' is out of place (a share between 0 and 1 is meant, neither of them "
                   "included): give one, such as 0.05 or 5%");
}

template <class Number, class Target>
CLI::Option* add_whole_as(CLI::App& app, const std::string& name, Target& target,
                          const std::string& help, std::uint64_t least) {
  return add_text(app, name, help,
                  [&target, least](const std::string& text) {
                    constexpr auto most = std::numeric_limits<Number>::max();
                    target = static_cast<Number>(parse_whole(text, least, most));
                  })
      ->type_name("NUMBER");
}

}  // namespace

std::uint64_t parse_whole(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const auto number = number_in<std::uint64_t>(text);
  if (number && *number >= least && *number <= most) return *number;
  throw InputError("'" + text + "' is out of place (a whole number from " + std::to_string(least) +
                   " to " + std::to_string(most) + " is meant): give one, in decimal digits");
}

CLI::Option* add_whole(CLI::App& app, const std::string& name, int& target, const std::string& help,
                       std::uint64_t least) {
  return add_whole_as<int>(app, name, target, help, least)->default_str(std::to_string(target));
}
CLI::Option* add_whole(CLI::App& app, const std::string& name, std::uint64_t& target,
                       const std::string& help, std::uint64_t least) {
  return add_whole_as<std::uint64_t>(app, name, target, help, least)
      ->default_str(std::to_string(target));
}
CLI::Option* add_whole(CLI::App& app, const std::string& name, std::optional<int>& target,
                       const std::string& help, std::uint64_t least) {
  return add_whole_as<int>(app, name, target, help, least);
}

CLI::Option* add_share(CLI::App& app, const std::string& name, double& target,
                       const std::string& help) {
  std::ostringstream usual;
  usual << target;
  return add_text(app, name, help, [&target](const auto& text) { target = parse_share(text); })
      ->type_name("NUMBER")
      ->default_str(usual.str());
}

CLI::Option* add_text(CLI::App& app, const std::string& name, const std::string& help,
                      std::function<void(const std::string&)> read) {
  const auto callback = [name, read = std::move(read)](const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      throw CLI::ValidationError(name, error.what());
    } catch (const CLI::ValidationError& error) {
      throw CLI::ValidationError(name, error.what());
    }
  };
  return app.add_option_function<std::string>(name, callback, help);
}

CLI::Option* add_size(CLI::App& app, const std::string& name, std::optional<Bytes>& target,
                      const std::string& help) {
  return add_text(app, name, help,
                  [&target](const std::string& text) {
                    target = text == "auto" ? std::nullopt : std::optional{parse_size(text)};
                  })
      ->type_name("auto|SIZE");
}

CLI::Option* add_sizes(CLI::App& app, const std::string& name, std::vector<Bytes>& target,
                       const std::string& help) {
  return add_text(app, name, help,
                  [&target](const std::string& text) {
                    target = text == "auto" ? std::vector<Bytes>{} : parse_sizes(text);
                  })
      ->type_name("auto|SIZE,...");
}

CLI::Option* add_models(CLI::App& app, std::vector<std::string>& target, const std::string& usual) {
  const std::string help =
      "Models, of " + CLI::detail::join(model_names(), ", ") + "; or all (default: " + usual + ")";
  std::vector<std::string> words = model_names();
  words.emplace_back("all");
  CLI::Option* const option = add_text(
      app, "--models", help, [&target](const auto& text) { read_model_names(text, target); });
  return with_words(option->type_name("NAME,..."), words);
}

std::vector<std::string> insisted_on(const std::vector<std::string>& models) {
  return models == model_names() ? std::vector<std::string>{} : models;
}

CLI::Option* add_confidence(CLI::App& app, std::optional<double>& target) {
  return add_text(app, "--confidence",
                  std::string{confidence_help} + " (default: the measurements' own)",
                  [&target](const auto& text) { target = parse_share(text); })
      ->type_name("NUMBER");
}

CLI::Option* add_confidence(CLI::App& app, double& target) {
  return add_share(app, "--confidence", target, confidence_help);
}

void add_condition_options(CLI::App& app, bench::Options& options) {
  add_text(app, "--time-budget", "Stop after this time, e.g. 60s, 5min", [&options](auto& text) {
    options.time_budget = parse_duration(text);
  })->type_name("TIME");
  add_choice(app, "--wait", options.wait,
             {{"auto", bench::Wait::automatic},
              {"blocking", bench::Wait::blocking},
              {"yield", bench::Wait::yield}},
             "How timed ranks wait");
  add_choice(app, "--buffers", options.buffers,
             {{"rotating", bench::Buffers::rotating}, {"same", bench::Buffers::same}},
             "Whether buffers move through more memory than the caches hold");
  add_whole(app, "--seed", options.seed, "Of whatever is drawn at random", 0);
}

void add_measuring_options(CLI::App& app, bench::Options& options) {
  add_share(app, "--precision", options.precision,
            "Half width of an interval, relative to its value, at which to stop");
  add_confidence(app, options.confidence);
  add_repetitions(app, options);
  add_condition_options(app, options);
}

CLI::Option* add_stall_limit(CLI::App& app, std::optional<Seconds>& target,
                             const std::string& what) {
  return add_text(app, "--stall-limit",
                  "End the job where " + what +
                      " for this time, e.g. 5min (without: it is told each minute)",
                  [&target](const std::string& text) { target = parse_duration(text); })
      ->type_name("TIME");
}

CLI::Option* add_eager_limit(CLI::App& app, bench::Options& options) {
  return add_text(app, "--eager-limit",
                  "Largest size that is sent without waiting for the receiver",
                  [&options](const std::string& text) {
                    options.probe_eager_limit = text == "auto";
                    options.eager_limit.reset();
                    if (text != "auto" && text != "none") options.eager_limit = parse_size(text);
                  })
      ->type_name("auto|none|SIZE");
}

void add_planning_options(CLI::App& app, bench::Options& options) {
  add_models(app, options.models, "hockney, lom, lmo, bottleneck");
  add_choice(
      app, "--pairs", options.logp_pairs,
      {{"one", LogPPairs::one}, {"sample", LogPPairs::sample}, {"all", LogPPairs::all}},
      "Of whom logp, loggp, loggps and plogp: ranks 0 and 1, one round of disjoint pairs, all");
  add_choice(app, "--receive-wait", options.receive_progress,
             {{"quiet", false}, {"progress", true}},
             "Receive overhead: no MPI call until the message is there, or MPI kept going");
  add_size(app, "--size", options.size, "Message size of one-to-many experiments");
  add_sizes(app, "--sizes", options.sizes, "Message sizes of round trips");
  add_text(app, "--largest", "Largest of them where they are auto (default: 1MiB)",
           [&options](const std::string& text) { options.largest = parse_size(text); })
      ->type_name("SIZE")
      ->excludes("--sizes");
  add_eager_limit(app, options);
  add_choice(app, "--design", options.design,
             {{"auto", bench::Design::automatic},
              {"full", bench::Design::full},
              {"sparse", bench::Design::sparse}},
             "One-to-two experiments: all triplets, or a few for each rank");
  add_choice(app, "--schedule", options.schedule,
             {{"auto", bench::Schedule::automatic},
              {"parallel", bench::Schedule::parallel},
              {"serial", bench::Schedule::serial}},
             "Whether disjoint experiments run at the same time");
  add_whole(app, "--triplets", options.triplets, "Triplets for each rank in a sparse design");
  app.add_flag("!--no-checks", options.checks,
               "Leave out what no fit uses: the models are not ranked then");
  app.add_flag("--raw", options.raw, "Keep every block mean in the measurement file");
}

CLI::Option* add_progress(CLI::App& app, ProgressMode& mode) {
  return add_choice(app, "--progress", mode,
                    {{"auto", ProgressMode::automatic},
                     {"always", ProgressMode::always},
                     {"never", ProgressMode::never}},
                    "Whether to show a bar");
}

std::string given_options(const CLI::App& app, const std::vector<std::string>& others) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::ranges::find(others, name) != others.end()) continue;
    text += (text.empty() ? "" : " ") + name;
    if (option->get_items_expected_max() == 0) continue;
    for (const std::string& value : option->results()) text += " " + quoted(value);
  }
  return text;
}

}  // namespace commgauge::tools
