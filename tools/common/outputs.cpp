#include "common/outputs.hpp"

#include <filesystem>

#include "commgauge/error.hpp"
#include "commgauge/files.hpp"

namespace commgauge::tools {

namespace {

bool is_same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a == "-" || b == "-") return false;
  std::error_code ignored;
  if (std::filesystem::equivalent(a, b, ignored)) return true;
  const auto full = [&](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
  };
  return full(a) == full(b);
}

void check_different(const NamedFile& a, const NamedFile& b) {
  if (a.file.empty() || b.file.empty() || !is_same(a.file, b.file)) return;
  throw InputError(a.option + " and " + b.option + " are the same file (" + b.file +
                   "): give two different ones");
}

}  // namespace

void check_outputs(const std::vector<NamedFile>& outputs, const NamedFile& input) {
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    if (input.file != "-") check_different(input, *one);
    for (auto other = outputs.begin(); other != one; ++other) check_different(*other, *one);
  }
  for (const NamedFile& output : outputs) {
    if (!output.file.empty()) check_writable(output.file);
  }
}

std::string measurements_beside(const std::string& output) {
  if (output == "-") return "";
  std::filesystem::path beside = output;
  if (std::filesystem::exists(beside) && !std::filesystem::is_regular_file(beside)) return "";
  return beside.replace_extension("measurements.json").string();
}

}  // namespace commgauge::tools
