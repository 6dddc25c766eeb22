#include "archive/state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

#include "commgauge/base/files.hpp"

namespace commgauge::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* unfinished = "unfinished";
constexpr const char* checksums = "checksums";

/// FNV-1a over words of 8 bytes, and the size: any one word that changes changes it.
class Checksum {
 public:
  void add(const char* data, std::size_t size) {
    size_ += size;
    for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, data, sizeof(word));
      mix(word);
      data += sizeof(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, data, size);
    if (size > 0) mix(rest);
  }
  [[nodiscard]] std::string text() {
    mix(size_);
    std::ostringstream text;
    text << std::hex << std::setfill('0') << std::setw(16) << sum_;
    return text.str();
  }

 private:
  void mix(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3U;
    sum_ ^= sum_ >> 32U;
  }
  std::uint64_t sum_{0xcbf29ce484222325U};
  std::uint64_t size_{};
};

std::string checksum_of(const fs::path& file) {
  const auto fail = [&](const char* why) {
    throw InputError("cannot read " + file.string() + " (" + why +
                     "): copy the whole trace, or record it again");
  };
  if (is_there(file) && !is_a_file(file)) fail("it is no file");
  std::ifstream in{file, std::ios::binary};
  if (!in) fail(std::strerror(errno));
  Checksum sum;
  std::vector<char> buffer(std::size_t{1} << 18U);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    sum.add(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  return sum.text();
}

std::string sum_of(const std::string& text) {
  Checksum sum;
  sum.add(text.data(), text.size());
  return sum.text();
}

[[noreturn]] void refuse_damaged(const fs::path& directory, const std::string& name) {
  throw InputError("the trace " + directory.string() + " is damaged (" + name +
                   " isn't what was written): copy it again, or record it again");
}

/// Of each rank that said why, smallest first: "rank 3: why".
std::map<int, std::string> problems_of(const fs::path& directory) {
  std::map<int, std::string> problems;
  for (const fs::path& entry : entries_of(directory)) {
    const auto name = entry.filename().string();
    if (!name.starts_with(std::string{unfinished} + '.') || !is_a_file(entry)) continue;
    const std::string text = read_file(entry);
    const std::string line = text.substr(0, text.find('\n'));
    problems[std::atoi(name.c_str() + std::strlen(unfinished) + 1)] = line;
  }
  return problems;
}

[[noreturn]] void refuse_unfinished(const fs::path& directory) {
  const auto problems = problems_of(directory);
  std::string why = "its program ended before MPI_Finalize, or still runs";
  if (!problems.empty()) {
    const auto& [rank, problem] = *problems.begin();
    why = "rank " + std::to_string(rank) + ": " + problem;
    if (problems.size() > 1) why += ", and " + std::to_string(problems.size() - 1) + " more ranks";
  }
  throw InputError("the trace " + directory.string() + " is unfinished (" + why +
                   "): record it again");
}

}  // namespace

void begin_archive(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw WriteError("cannot make " + directory.string() + " (" + error.message() + ")",
                     "give another directory");
  }
  if (!fs::is_empty(directory, error)) {
    throw InputError("cannot write a trace into " + directory.string() + " (" +
                     (error ? error.message() : "it isn't empty") +
                     "): give a new directory, or remove this one");
  }
  write_file(directory / unfinished, "This trace is being written, or couldn't be finished.\n");
}

void note_problem(const fs::path& directory, int rank, const std::string& problem) noexcept {
  try {
    std::ofstream{directory / (std::string{unfinished} + '.' + std::to_string(rank))} << problem
                                                                                      << '\n';
  } catch (const std::exception&) {  // the file `unfinished` has been there from the beginning
  }
}

std::string checksums_of(const fs::path& directory, const std::vector<std::string>& names) {
  std::string lines;
  for (const auto& name : names) lines += checksum_of(directory / name) + ' ' + name + '\n';
  return lines;
}

void finish_archive(const fs::path& directory, const std::string& lines) {
  write_file(directory / checksums, lines + sum_of(lines) + ' ' + checksums + '\n');
  std::error_code error;
  fs::remove(directory / unfinished, error);
  if (error) {
    throw WriteError("cannot finish " + directory.string() + " (" + error.message() + ")",
                     "remove its file `unfinished`");
  }
}

bool check_archive(const fs::path& directory) {
  if (is_there(directory / unfinished)) refuse_unfinished(directory);
  if (!is_a_file(directory / checksums)) return false;
  const auto text = read_file(directory / checksums);
  bool is_whole = false;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line) && !is_whole;) {
    const auto sum = line.substr(0, line.find(' '));
    const auto name = line.substr(std::min(line.size(), sum.size() + 1));
    is_whole = name == checksums;
    const auto found = is_whole ? sum_of(text.substr(0, text.size() - line.size() - 1))
                                : checksum_of(directory / name);
    if (found != sum) refuse_damaged(directory, name);
  }
  if (!is_whole) refuse_damaged(directory, checksums);
  return true;
}

std::string name_of_thread(int rank, int thread) {
  const auto name = "rank " + std::to_string(rank);
  return thread == 0 ? name : name + "'s thread " + std::to_string(thread);
}

std::string events_file(std::uint64_t location) {
  return std::string{archive_name} + '/' + std::to_string(location) + ".evt";
}

std::string definitions_file(std::uint64_t location) {
  return std::string{archive_name} + '/' + std::to_string(location) + ".def";
}

}  // namespace commgauge::trace
