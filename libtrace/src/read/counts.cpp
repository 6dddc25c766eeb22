#include "read/counts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"

namespace commgauge::trace {
namespace {

namespace fs = std::filesystem;

/// A file says what can't be.
struct Damage {};

/// What stands at the beginning of each file, or chunk of one (OTF2 3.0, OTF2_Buffer.h).
enum Mark : std::uint8_t { end_of_chunk = 0, end_of_buffer = 1, end_of_file = 2, header = 3 };
constexpr std::uint8_t big_endian = 0x23;
constexpr std::uint8_t undefined = 0xff;
constexpr std::uint8_t not_compressed = 1;

/// Reads a file from its beginning on, and never beyond its end. @throws Damage
class Contents {
 public:
  explicit Contents(std::string_view rest) : rest_{rest} {
    if (byte() != header) throw Damage{};
    is_big_ = byte() == big_endian;
  }

  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1).front()); }
  void skip(std::uint64_t bytes) { (void)take(bytes); }
  void skip_text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) throw Damage{};
    skip(end + 1);
  }
  /// Of so many bytes.
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t number = 0;
    std::size_t place = 0;
    for (const char c : take(bytes)) {
      const std::size_t power = is_big_ ? bytes - 1 - place : place;
      number |= std::uint64_t{static_cast<std::uint8_t>(c)} << (8 * power);
      ++place;
    }
    return number;
  }
  /// Of as many bytes as the one before says; all that OTF2 calls undefined is the largest.
  std::uint64_t compressed() {
    const std::uint8_t bytes = byte();
    if (bytes == undefined) return UINT64_MAX;
    if (bytes > sizeof(std::uint64_t)) throw Damage{};
    return number(bytes);
  }
  /// What follows, of so many bytes, by itself.
  Contents part(std::uint64_t bytes) { return Contents{take(bytes), is_big_}; }

 private:
  Contents(std::string_view rest, bool is_big) : rest_{rest}, is_big_{is_big} {}
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw Damage{};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool is_big_{};
};

/// @return bytes of a chunk of definitions; 0: in files that aren't looked at
std::uint64_t check_anchor(Contents bytes) {
  bytes.skip_text();  // "OTF2"
  const std::uint8_t version = bytes.byte();
  bytes.skip(4);          // versions of the format and of the library
  (void)bytes.number(8);  // of a chunk of events
  const std::uint64_t chunk = bytes.number(8);
  bytes.skip(1);  // how files are stored
  const bool is_compressed = bytes.byte() != not_compressed;
  bytes.skip(16);  // how many locations and definitions there are: only looked up
  for (int text = 0; text < 3; ++text) bytes.skip_text();
  if (version > 1) {
    const std::uint64_t properties = bytes.number(4);
    if (properties > bytes.left() / 2) throw Damage{};  // a name and a text, which may be empty
  }
  return is_compressed ? 0 : chunk;
}

constexpr std::uint8_t mapping_table = 5;  ///< in files of a location
constexpr std::uint8_t group_record = 18;

/// The records that have a list whose length isn't one byte. @param is_global  in the file of all
void check_record(std::uint8_t type, Contents record, bool is_global) {
  std::uint64_t count = 0;
  std::uint64_t least_bytes = 1;  // of an element
  if (type == group_record) {
    (void)record.compressed();  // its number
    (void)record.compressed();  // its name
    record.skip(1);
    count = record.compressed();
  } else if (type == mapping_table && !is_global) {
    record.skip(1);
    count = record.compressed();
    constexpr std::uint8_t dense = 0;
    if (record.byte() != dense) least_bytes = 2;
  }
  if (count > record.left() / least_bytes) throw Damage{};
}

/// @param chunk  bytes of each but the last
void check_definitions(std::string_view text, std::uint64_t chunk, bool is_global) {
  while (!text.empty()) {
    Contents bytes{text.substr(0, chunk)};
    bytes.skip(16);  // which records it has
    for (std::uint8_t type = bytes.byte(); type != end_of_chunk; type = bytes.byte()) {
      if (type == end_of_buffer || type == end_of_file) return;
      std::uint64_t length = bytes.byte();
      if (length == undefined) length = bytes.number(8);
      check_record(type, bytes.part(length), is_global);
    }
    if (text.size() <= chunk) return;
    text.remove_prefix(chunk);
  }
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw InputError("the trace's " + file.string() + " is damaged (" + why +
                   "): copy the archive again, or record it again");
}

template <class Check>
auto checked(const fs::path& file, const Check& check) {
  const std::string text = read_file(file);
  try {
    return check(text);
  } catch (const Damage&) {
    refuse(file, "it says that it has more than it has");
  }
}

/// OTF2 would wait for who writes into a pipe, and read a device on and on.
void require_file(const fs::path& file) {
  if (is_there(file) && !is_a_file(file)) refuse(file, "it is no file");
}

/// What is in the archive's folder, as far as there is one.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (is_a_directory(folder)) files = entries_of(folder);
  std::erase_if(files, [](const fs::path& file) { return is_a_directory(file); });
  return files;
}

}  // namespace

void check_counts(const fs::path& anchor) {
  const std::uint64_t chunk =
      checked(anchor, [](const std::string& text) { return check_anchor(Contents{text}); });
  const auto check = [chunk](const fs::path& file, bool is_global) {
    require_file(file);
    if (chunk == 0 || file.extension() != ".def" || !is_there(file)) return;
    (void)checked(file, [&](const std::string& text) {
      check_definitions(text, chunk, is_global);
      return true;
    });
  };
  check(fs::path{anchor}.replace_extension(".def"), true);
  for (const fs::path& file : files_in(fs::path{anchor}.replace_extension())) check(file, false);
}

}  // namespace commgauge::trace
