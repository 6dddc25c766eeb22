#include "common/report.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"

namespace commgauge::tools {

namespace {

std::string one_line(std::string_view text) {
  std::string line{text};
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (char& c : line) {
    if (c == '\n') c = ' ';
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return line;
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
  std::cerr << std::string{program_name} + ": " + one_line(text) + "\n";
}

void print_result(std::string_view text) { write_file("-", text); }

ExitCode guarded(bool speaks, const std::function<ExitCode()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    return failed(speaks, ExitCode::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return failed(speaks, ExitCode::bad_input, out_of_memory);
  }
}

bool has_launcher() { return rank_of_launcher() != nullptr; }

bool is_first_of_launcher() {
  return !has_launcher() || std::string_view{rank_of_launcher()} == "0";
}

}  // namespace commgauge::tools
