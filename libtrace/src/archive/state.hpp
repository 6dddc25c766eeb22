#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Whether an archive is whole: a file `unfinished` as long as it isn't, `checksums` from then on.
namespace commgauge::trace {

inline constexpr const char* archive_name = "traces";

/// Makes the directory, which must be empty if it is there, and says that it is unfinished.
/// @throws InputError
void begin_archive(const std::filesystem::path& directory);

/// What makes it one that never will be finished, for readers. Never throws.
void note_problem(const std::filesystem::path& directory, int rank,
                  const std::string& problem) noexcept;

/// "SUM name" of files of the archive, a line for each.
/// @throws InputError  one can't be read.
[[nodiscard]] std::string checksums_of(const std::filesystem::path& directory,
                                       const std::vector<std::string>& names);

/// @param checksums  of all its files @throws WriteError
void finish_archive(const std::filesystem::path& directory, const std::string& checksums);

/// @return whether there are checksums, and they are right: it is ours, and undamaged.
/// @throws InputError  it is unfinished, and why; or damaged, and where.
[[nodiscard]] bool check_archive(const std::filesystem::path& directory);

/// OTF2's number of a thread's records. @param thread  from 0, the rank's first
[[nodiscard]] constexpr std::uint64_t location_of(int rank, int thread) {
  return static_cast<std::uint64_t>(thread) << 32U | static_cast<std::uint32_t>(rank);
}
[[nodiscard]] constexpr int rank_of(std::uint64_t location) {
  return static_cast<int>(location & 0xffff'ffffU);
}
[[nodiscard]] constexpr int thread_of(std::uint64_t location) {
  return static_cast<int>(location >> 32U);
}
/// "rank 2", "rank 2's thread 1"
[[nodiscard]] std::string name_of_thread(int rank, int thread);

/// 0.evt, in the archive's folder
[[nodiscard]] std::string events_file(std::uint64_t location);
[[nodiscard]] std::string definitions_file(std::uint64_t location);

}  // namespace commgauge::trace
