#include "common/output/report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <thread>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/printable.hpp"

namespace commgauge::tools {

namespace {

/// The lines of a text, beside one another.
std::string joined_lines(std::string_view text) {
  std::string line{text};
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::ranges::replace(line, '\n', ' ');
  return one_line(line);
}

ExitCode failed(bool speaks, ExitCode code, std::string_view text) {
  if (speaks) say(text);
  return code;
}

const char* rank_of_launcher() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}) {
    if (const char* rank = std::getenv(name)) return rank;
  }
  return nullptr;
}

}  // namespace

void say(std::string_view text) {
  std::cerr << std::string{program_name} + ": " + joined_lines(text) + "\n";
}

void print_result(std::string_view text) { write_file("-", printable(text)); }

void tell(std::string_view text) { std::cerr << printable(text) << std::flush; }

ExitCode guarded(bool speaks, const std::function<ExitCode()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    return failed(speaks, ExitCode::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return failed(speaks, ExitCode::bad_input, out_of_memory);
  } catch (const std::exception& error) {
    return failed(speaks, ExitCode::bad_input,
                  std::string{"internal error ("} + error.what() +
                      "): please report it; no file is half-written");
  }
}

ExitCode after_who_speaks(ExitCode code, bool speaks) {
  if (!speaks && code != ExitCode::done) std::this_thread::sleep_for(std::chrono::seconds{1});
  return code;
}

bool has_launcher() { return rank_of_launcher() != nullptr; }

bool is_first_of_launcher() {
  return !has_launcher() || std::string_view{rank_of_launcher()} == "0";
}

}  // namespace commgauge::tools
