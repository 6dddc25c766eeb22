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
  [[nodiscard]] std::string_view word();
  [[nodiscard]] bool take(char c);
  [[nodiscard]] bool take(std::string_view wanted);
  void expect(char c, const char* what);
  void expect(std::string_view wanted, const char* what);
  [[nodiscard]] std::uint64_t number(std::uint64_t most, const char* what);
  [[nodiscard]] bool take_any();  ///< -1
  void end_line();

  [[nodiscard]] const char* place() const { return at_; }
  /// Here, with what is there instead.
  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail_at(const char* place, const std::string& problem,
                            const std::string& reason) const;

 private:
  void skip_blanks();
  void skip_comment();

  const char* begin_;
  const char* at_;
  const char* end_;
  const std::string& name_;
};

}  // namespace commgauge::trace::detail
