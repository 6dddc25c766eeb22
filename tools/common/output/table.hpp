#pragma once

#include <string>
#include <vector>

namespace commgauge::tools {

/// Text in aligned columns: the first to the left, the others to the right. Cells are shown as
/// one_line() has them.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  /// @pre row.size() equals the header's.
  void add(std::vector<std::string> row);
  /// Every line indented by two spaces and ended.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Others' text as a line below a title: indented, ended, as one_line() has it.
[[nodiscard]] std::string indented(const std::string& text);

/// printf's `%.*g`, never in exponent form between 1e-4 and 1e6. NaN is `-`.
[[nodiscard]] std::string number(double value, int digits = 3);

/// Scales of times: how many of them are a second.
inline constexpr double micro = 1e6;
inline constexpr double nano = 1e9;

/// `12.1 ± 0.3`; `12.1 ± <0.01` where it is much less; `<= 0.08` where only a bound is known (value
/// NaN); `-` where nothing is. All three are multiplied by `scale` first.
[[nodiscard]] std::string with_interval(double value, double low, double high, double scale);

/// `3.1 %`
[[nodiscard]] std::string percent(double share);

/// `1 rank`, `4 ranks`
[[nodiscard]] std::string counted(long count, const std::string& noun);

/// `a, b and c`
[[nodiscard]] std::string joined(const std::vector<std::string>& words);

}  // namespace commgauge::tools
