#include "common/output/outputs.hpp"

#include <cstdlib>
#include <filesystem>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const NamedFile& a, const NamedFile& b) {
  throw InputError(a.option + " and " + b.option + " are the same file (" + b.file +
                   "): give two different ones");
}

void check_different(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    for (const NamedFile& input : inputs) {
      if (would_replace(one->file, input.file)) refuse(input, *one);
    }
    for (auto other = outputs.begin(); other != one; ++other) {
      if (is_same_output(other->file, one->file)) refuse(*other, *one);
    }
  }
}

/// With a number in it where there is such a file.
fs::path free_name(const fs::path& wanted) {
  fs::path name = wanted;
  std::error_code ignored;
  for (int k = 2; fs::exists(name, ignored); ++k) {
    name = wanted;
    name.replace_filename(wanted.stem().string() + "-" + std::to_string(k) +
                          wanted.extension().string());
  }
  return name;
}

std::vector<fs::path> other_places(const std::string& file) {
  const fs::path own = file == "-" ? "commgauge-output" : fs::path{file}.filename();
  const char* const temporary = std::getenv("TMPDIR");
  std::vector<fs::path> places;
  for (const fs::path& directory :
       {fs::path{"."}, fs::path{temporary != nullptr ? temporary : ""}, fs::path{"/tmp"}}) {
    std::error_code error;
    const fs::path place = fs::absolute(directory, error);
    if (!directory.empty() && !error) places.push_back(free_name((place / own).lexically_normal()));
  }
  return places;
}

}  // namespace

void check_outputs(std::vector<NamedFile> outputs, const std::vector<NamedFile>& inputs) {
  std::erase_if(outputs, [](const NamedFile& output) { return output.file.empty(); });
  check_different(outputs, inputs);
  for (const NamedFile& output : outputs) check_writable(output.file);
}

std::string Results::write(const std::string& file, std::string_view content) {
  try {
    write_file(file, content);
    return file;
  } catch (const WriteError& error) {
    for (const fs::path& place : other_places(file)) {
      try {
        write_file(place, content);
      } catch (const InputError&) {
        continue;
      }
      say(error.problem() + ": it is in " + place.string() + " instead");
      elsewhere_ = true;
      return place.string();
    }
    throw;
  }
}

std::string measurements_beside(const std::string& output) {
  if (output == "-") return "";
  fs::path beside = output;
  std::error_code ignored;
  if (fs::exists(beside, ignored) && !fs::is_regular_file(beside, ignored)) return "";
  return free_name(beside.replace_extension("measurements.json")).string();
}

}  // namespace commgauge::tools
