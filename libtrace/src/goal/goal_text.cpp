#include "goal/goal_text.hpp"

#include <algorithm>
#include <string>

#include "commgauge/base/error.hpp"

namespace commgauge::trace::detail {
namespace {

/// What a reader can see of the text from `at` on, for an error.
std::string excerpt(const char* at, const char* end) {
  constexpr std::ptrdiff_t most = 20;
  if (at == end) return "the file ends";
  if (*at == '\n' || *at == '\r') return "the line ends";
  std::string found;
  for (;
       at != end && static_cast<std::ptrdiff_t>(found.size()) < most && *at != '\n' && *at != '\r';
       ++at)
    found += *at >= ' ' && *at <= '~' ? *at : '?';
  return "\"" + found + "\" is there";
}

}  // namespace

GoalText::GoalText(const std::string& text, const std::string& name)
    : begin_{text.c_str()}, at_{begin_}, end_{begin_ + text.size()}, name_{name} {}

bool GoalText::skip_to_statement() {
  for (;;) {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r') ++at_;
    if (*at_ != '/') return at_ != end_;
    skip_comment();
  }
}

void GoalText::skip_comment() {
  const std::string_view rest{at_, static_cast<std::size_t>(end_ - at_)};
  const bool is_line = rest.starts_with("//");
  if (!is_line && !rest.starts_with("/*")) fail("expected an operation or a comment");
  const std::size_t last = is_line ? rest.find('\n') : rest.find("*/", 2);
  if (last == rest.npos && !is_line) fail("a comment has no end");
  at_ = last == rest.npos ? end_ : at_ + last + (is_line ? 1 : 2);
}

void GoalText::expect(char c, const char* what) {
  if (!take(c)) fail(std::string{"expected "} + what);
}

void GoalText::expect(std::string_view wanted, const char* what) {
  if (!take(wanted)) fail(std::string{"expected "} + what);
}

bool GoalText::take_any() {
  skip_blanks();
  if (at_[0] != '-' || at_[1] != '1' || is_digit(at_[2])) return false;
  at_ += 2;
  return true;
}

void GoalText::fail_large(std::uint64_t most, const char* what) const {
  fail(std::string{what} + " is too large (at most " + std::to_string(most) + ")");
}

void GoalText::fail(const std::string& problem) const { fail_at(at_, problem, excerpt(at_, end_)); }

void GoalText::fail_at(const char* place, const std::string& problem,
                       const std::string& reason) const {
  const auto line = 1 + std::count(begin_, std::min(place, end_), '\n');
  throw InputError("line " + std::to_string(line) + " of " + name_ + " can't be read: " + problem +
                   " (" + reason + "): correct the line");
}

}  // namespace commgauge::trace::detail
