#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Words and numbers of a GOAL text.
namespace commgauge::trace::detail {

/// Goes through a text from its beginning. A text ends with a NUL (std::string has one), where
/// nothing fits any more. All throw InputError with the line.
class GoalText {
 public:
  GoalText(const std::string& text, const std::string& name);

  /// Behind blanks, ends of lines and comments. Whether anything is left.
  bool skip_to_statement();
  /// A letter, then letters, digits, _; empty where there is none.
  [[nodiscard]] std::string_view word() {
    skip_blanks();
    const char* const first = at_;
    if (is_letter(*at_))
      while (continues_word(*at_)) ++at_;
    return {first, static_cast<std::size_t>(at_ - first)};
  }
  [[nodiscard]] bool take(char c) {
    skip_blanks();
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool take(std::string_view wanted) {
    skip_blanks();
    const char* at = at_;
    for (const char c : wanted)
      if (*at++ != c) return false;
    if (continues_word(*at)) return false;
    at_ = at;
    return true;
  }
  void expect(char c, const char* what);
  void expect(std::string_view wanted, const char* what);
  [[nodiscard]] std::uint64_t number(std::uint64_t most, const char* what) {
    skip_blanks();
    if (!is_digit(*at_)) fail(std::string{"expected "} + what);
    std::uint64_t value = 0;
    for (; is_digit(*at_); ++at_) {
      const auto digit = static_cast<std::uint64_t>(*at_ - '0');
      if (digit > most || value > (most - digit) / 10) fail_large(most, what);
      value = 10 * value + digit;
    }
    return value;
  }
  [[nodiscard]] bool take_any();  ///< -1
  void end_line() {
    skip_blanks();
    if (*at_ == '\r') ++at_;
    if (at_ == end_) return;
    if (*at_ != '\n') fail("expected the line's end");
    ++at_;
  }

  [[nodiscard]] const char* place() const { return at_; }
  /// Here, with what is there instead.
  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail_at(const char* place, const std::string& problem,
                            const std::string& reason) const;

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool continues_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

  void skip_blanks() {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
  }
  void skip_comment();
  [[noreturn]] void fail_large(std::uint64_t most, const char* what) const;

  const char* begin_;
  const char* at_;
  const char* end_;
  const std::string& name_;
};

}  // namespace commgauge::trace::detail
