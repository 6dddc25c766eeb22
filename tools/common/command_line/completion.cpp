#include "common/command_line/completion.hpp"

#include <algorithm>
#include <cctype>

#include "common/command_line/manual.hpp"

namespace commgauge::tools {

namespace {

/// What the words before the one that is being typed say.
struct Context {
  CLI::App* command{};     ///< the subcommand, or the program where none is given yet
  CLI::Option* pending{};  ///< whose value comes next
  long files{};            ///< positional words so far
  bool in_program{};       ///< the rest is another program's
};

/// Null where there is none of that name.
CLI::App* subcommand(CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

void take(Context& context, const std::string& word) {
  if (word == "=" || context.in_program) return;
  if (context.pending != nullptr) {
    context.pending = nullptr;
  } else if (is_option(word)) {
    CLI::Option* const option = context.command->get_option_no_throw(word);
    const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
    if (takes_value) context.pending = option;
  } else if (CLI::App* const command = subcommand(*context.command, word)) {
    context.command = command;
  } else if (context.command->get_prefix_command()) {
    context.in_program = true;
  } else {
    ++context.files;
  }
}

/// The words of with_words(), or those of a type as `auto|NUMBER`, in which names are in capitals.
std::vector<std::string> values_of(CLI::Option& option) {
  try {
    for (int index = 0;; ++index) {
      const std::string& words = option.get_validator(index)->get_name();
      if (!words.empty()) return CLI::detail::split(words, '|');
    }
  } catch (const CLI::OptionNotFound&) {
    std::vector<std::string> words = CLI::detail::split(option.get_type_name(), '|');
    std::erase_if(words, [](const std::string& word) {
      return std::ranges::any_of(word, [](unsigned char c) { return std::isupper(c) != 0; });
    });
    return words;
  }
}

std::vector<std::string> option_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    const auto names = CLI::detail::split(option_names(*option), ',');
    words.insert(words.end(), names.begin(), names.end());
  }
  return words;
}

std::vector<std::string> subcommand_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  return words;
}

bool takes_files(const Context& context) {
  long most = 0;
  for (const CLI::Option* option : context.command->get_options()) {
    if (option->get_positional()) most += option->get_items_expected_max();
  }
  return context.files < most;
}

/// Those that begin as `typed` does, each after `before`.
std::string answer(const std::string& kind, const std::vector<std::string>& words,
                   const std::string& typed, const std::string& before = "") {
  std::string text = kind + "\n";
  for (const std::string& word : words) {
    if (word.starts_with(typed)) text += before + word + "\n";
  }
  return text;
}

std::string values(CLI::Option& option, const std::string& typed) {
  if (option.get_type_name() == "FILE") return "files\n";
  const bool is_list = option.get_type_name().ends_with(",...");
  if (!is_list) return answer("words", values_of(option), typed);
  const std::size_t start = typed.rfind(',') + 1;  // 0 where there is none
  return answer("list", values_of(option), typed.substr(start), typed.substr(0, start));
}

}  // namespace

CLI::Option* with_words(CLI::Option* option, const std::vector<std::string>& words) {
  return option->check(CLI::Validator{""}.name(CLI::detail::join(words, "|")));
}

std::string completions(CLI::App& app, const std::vector<std::string>& words) {
  Context context{&app};
  if (words.empty()) return answer("words", subcommand_words(app), "");
  for (auto word = words.begin(); word + 1 != words.end(); ++word) take(context, *word);
  const std::string typed = words.back() == "=" ? "" : words.back();
  if (context.in_program) return "files\n";
  if (context.pending != nullptr) return values(*context.pending, typed);
  if (typed.starts_with('-')) return answer("words", option_words(*context.command), typed);
  if (context.command->get_prefix_command()) return "programs\n";
  const std::vector<std::string> commands = subcommand_words(*context.command);
  if (!commands.empty()) return answer("words", commands, typed);
  return takes_files(context) ? "files\n" : "words\n";
}

}  // namespace commgauge::tools
