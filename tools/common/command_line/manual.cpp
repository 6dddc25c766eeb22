#include "common/command_line/manual.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace commgauge::tools {

namespace {

/// Text for roff: every hyphen as it is typed, no line that looks like a request.
std::string escaped(const std::string& text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\(rs";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    at_start = c == '\n';
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// A sentence of `--help` as the part of one that follows a dash.
std::string as_phrase(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(text.front()));
  return text;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional) {
  return app.get_options([positional](const CLI::Option* option) {
    return option->get_positional() == positional && !option->get_group().empty();
  });
}

std::string heading(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : CLI::detail::split(option_names(option), ',')) {
    text += (text.empty() ? "" : ", ") + (option.get_positional() ? italic(name) : bold(name));
  }
  const bool takes_value = option.get_items_expected_max() > 0 && !option.get_positional();
  return takes_value ? text + " " + italic(option.get_type_name()) : text;
}

std::string notes(const CLI::Option& option) {
  std::string text;
  if (!option.get_default_str().empty()) text += " (default: " + option.get_default_str() + ")";
  if (option.get_required() && !option.get_positional()) text += " (required)";
  for (const CLI::Option* other : option.get_excludes()) {
    text += " (not with " + option_names(*other) + ")";
  }
  return text;
}

std::string entries(const CLI::App& app) {
  std::string text;
  for (const bool positional : {true, false}) {
    for (const CLI::Option* option : options_of(app, positional)) {
      text += ".TP\n" + heading(*option) + "\n" +
              escaped(option->get_description() + notes(*option)) + "\n";
    }
  }
  return text;
}

/// What follows the options in `--help`: examples, which are indented, and text.
std::string footer(const CLI::App& app) {
  std::string text;
  bool in_example = false;
  std::istringstream lines{app.get_footer()};
  for (std::string line; std::getline(lines, line);) {
    const bool is_example = line.starts_with("  ");
    if (is_example && !in_example) text += ".PP\n.RS\n.nf\n";
    if (!is_example && in_example) text += ".fi\n.RE\n.PP\n";
    if (text.empty()) text += ".PP\n";
    text += is_example ? bold(line.substr(2)) + "\n" : escaped(line) + "\n";
    in_example = is_example;
  }
  return in_example ? text + ".fi\n.RE\n" : text;
}

/// A command of a program, or of one of its commands.
struct Command {
  std::string name;  ///< `tasks plan`
  const CLI::App* app;
};

/// Those that do something, in their order.
std::vector<Command> commands_of(const CLI::App& app, const std::string& before = "") {
  std::vector<Command> all;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string name = before + command->get_name();
    const std::vector<Command> below = commands_of(*command, name + " ");
    if (below.empty()) all.push_back({name, command});
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::string synopsis(const CLI::App& app, const std::string& name) {
  std::string text = ".PP\n" + bold(name) + " [" + italic("OPTIONS") + "]";
  if (app.get_prefix_command()) text += " " + italic("PROGRAM") + " [" + italic("ARGUMENTS") + "]";
  for (const CLI::Option* option : options_of(app, true)) {
    const bool several = option->get_items_expected_max() > 1;
    text += " " + italic(option_names(*option)) + (several ? "..." : "");
  }
  return text + "\n";
}

std::string synopsis(const CLI::App& app) {
  const std::string start = bold(app.get_name()) + " ";
  const std::string options = "[" + italic("OPTIONS") + "] ";
  if (app.get_prefix_command()) {
    return start + options + italic("PROGRAM") + " [" + italic("ARGUMENTS") + "]\n";
  }
  return start + italic("COMMAND") + " " + options + italic("FILES") + "\n";
}

}  // namespace

std::string option_names(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string text;
  const auto add = [&](const std::string& dashes, const std::string& name) {
    text += (text.empty() ? "" : ",") + dashes + name;
  };
  for (const std::string& name : option.get_snames()) add("-", name);
  for (const std::string& name : option.get_lnames()) add("--", name);
  return text;
}

std::string manual(const CLI::App& app, const std::string& version, const std::string& date) {
  const std::string& name = app.get_name();
  std::ostringstream text;
  text << ".TH " << escaped(upper(name)) << " 1 \"" << date << "\" \"commgauge " << version
       << "\" \"User Commands\"\n"
       << ".SH NAME\n"
       << escaped(name) << " \\- " << escaped(as_phrase(app.get_description())) << "\n"
       << ".SH SYNOPSIS\n"
       << synopsis(app) << ".SH DESCRIPTION\n"
       << escaped(app.get_description()) << "\n"
       << ".SH OPTIONS\n"
       << entries(app) << footer(app);
  const std::vector<Command> commands = commands_of(app);
  if (!commands.empty()) text << ".SH COMMANDS\n";
  for (const auto& [command, its] : commands) {
    text << ".SS " << bold(command) << "\n"
         << escaped(its->get_description()) << ".\n"
         << synopsis(*its, name + " " + command) << entries(*its) << footer(*its);
  }
  return text.str();
}

}  // namespace commgauge::tools
