#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/bench/base/options.hpp"
#include "common/output/progress.hpp"

namespace commgauge::tools {

/// An option whose text is read by `read`; what that throws becomes a usage error of the option.
CLI::Option* add_text(CLI::App& app, const std::string& name, const std::string& help,
                      std::function<void(const std::string&)> read);

/// The name of a file, or several. Shells complete it.
template <class Target>
CLI::Option* add_file(CLI::App& app, const std::string& name, Target& target,
                      const std::string& help) {
  return app.add_option(name, target, help)->type_name("FILE");
}

/// A whole number from `least` to `most`, in decimal digits and nothing else.
/// @throws InputError
[[nodiscard]] std::uint64_t parse_whole(const std::string& text, std::uint64_t least,
                                        std::uint64_t most);
/// A whole number, at least `least`. An optional target stays empty where it isn't given.
CLI::Option* add_whole(CLI::App& app, const std::string& name, int& target, const std::string& help,
                       std::uint64_t least = 1);
CLI::Option* add_whole(CLI::App& app, const std::string& name, std::uint64_t& target,
                       const std::string& help, std::uint64_t least = 1);
CLI::Option* add_whole(CLI::App& app, const std::string& name, std::optional<int>& target,
                       const std::string& help, std::uint64_t least = 1);

/// A share between 0 and 1, neither of them included: `0.05` or `5%`.
CLI::Option* add_share(CLI::App& app, const std::string& name, double& target,
                       const std::string& help);

/// `auto`, or a size; `auto` leaves `target` empty.
CLI::Option* add_size(CLI::App& app, const std::string& name, std::optional<Bytes>& target,
                      const std::string& help);

/// `auto`, or sizes separated by commas; `auto` leaves `target` empty.
CLI::Option* add_sizes(CLI::App& app, const std::string& name, std::vector<Bytes>& target,
                       const std::string& help);

/// One word of several.
template <class Enum>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Enum& target,
                        const std::vector<std::pair<std::string, Enum>>& choices,
                        const std::string& help) {
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
  return add_text(app, name, help,
                  [&target, choices, words](const auto& text) {
                    for (const auto& [word, value] : choices) {
                      if (word != text) continue;
                      target = value;
                      return;
                    }
                    throw CLI::ValidationError("unknown choice '" + text + "' (there are " + words +
                                               ")");
                  })
      ->type_name(words);
}

/// Names of models separated by commas, each of which there is.
/// @param usual  what is taken without the option, for the help.
CLI::Option* add_models(CLI::App& app, std::vector<std::string>& target, const std::string& usual);
/// For a fit: with `all`, models that can't be determined are left out instead of refused.
[[nodiscard]] std::vector<std::string> insisted_on(const std::vector<std::string>& models);

CLI::Option* add_confidence(CLI::App& app, double& target);
/// Empty where it isn't given: the level that was measured for.
CLI::Option* add_confidence(CLI::App& app, std::optional<double>& target);

/// Time budget, wait, buffers, seed.
void add_condition_options(CLI::App& app, bench::Options& options);

CLI::Option* add_eager_limit(CLI::App& app, bench::Options& options);

/// --stall-limit. Nothing: stalls don't end the job.
/// @param what  "an experiment stands still": what such a stall is
CLI::Option* add_stall_limit(
    CLI::App& app, std::optional<Seconds>& target,
    const std::string& what = "an experiment stands still, as after a link has failed,");

/// How well to measure: precision, confidence, repetitions, passes, time budget, wait, buffers,
/// seed.
void add_measuring_options(CLI::App& app, bench::Options& options);

/// What to measure: models, sizes, eager limit, design, schedule, triplets, raw.
void add_planning_options(CLI::App& app, bench::Options& options);

CLI::Option* add_progress(CLI::App& app, ProgressMode& mode);

/// The options that the command line gave, but for `others`, as a shell takes them: `--passes 4`.
[[nodiscard]] std::string given_options(const CLI::App& app,
                                        const std::vector<std::string>& others);

}  // namespace commgauge::tools
