#include "commgauge/trace/read/reader.hpp"

#include <cstdlib>
#include <memory>
#include <optional>

#include "archive/state.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/files.hpp"
#include "read/counts.hpp"
#include "read/rank_reader.hpp"
#include "read/repair.hpp"

namespace commgauge::trace {
namespace {

namespace fs = std::filesystem;

using Otf2Reader = std::unique_ptr<OTF2_Reader, decltype(&OTF2_Reader_Close)>;

fs::path directory_of(const fs::path& archive) {
  if (is_a_directory(archive)) return archive;
  return archive.has_parent_path() ? archive.parent_path() : ".";
}

[[noreturn]] void refuse(const fs::path& archive, const std::string& why,
                         const std::string& what_to_do) {
  throw InputError("cannot read the trace " + archive.string() + " (" + why + "): " + what_to_do);
}

constexpr const char* wanted = "an OTF2 archive";

/// @throws InputError  it is no file of an archive, but one of ours, or of others that are known.
fs::path checked(const fs::path& anchor) {
  if (!is_a_file(anchor)) refuse(anchor, "it is no file", "give the archive's directory");
  const std::string beginning = beginning_of(anchor);
  const auto kind = kind_of(beginning, anchor.string());
  if (kind && kind->name != "OTF2") {
    throw InputError(wrong_kind_text(anchor.string(), *kind, wanted));
  }
  if (!kind || anchor.extension() != ".otf2") {
    refuse(anchor, kind ? "its name doesn't end in .otf2" : "it is no anchor of an OTF2 archive",
           "give the directory or the .otf2 file of an OTF2 archive");
  }
  return anchor;
}

/// The anchor in a directory: traces.otf2, or the only one.
fs::path anchor_of(const fs::path& archive) {
  if (!is_there(archive)) refuse(archive, "there is no such file or directory", "check its name");
  if (!is_a_directory(archive)) return archive;
  const auto usual = archive / (std::string{archive_name} + ".otf2");
  if (is_there(usual)) return usual;
  std::vector<fs::path> anchors;
  std::optional<std::string> other;
  for (const fs::path& entry : entries_of(archive)) {
    if (entry.extension() == ".otf2") anchors.push_back(entry);
    const auto kind = kind_of("", entry.string());
    if (kind && !other) other = wrong_kind_text(entry.string(), *kind, wanted);
  }
  if (anchors.size() == 1) return anchors.front();
  if (anchors.empty() && other) throw InputError(*other);
  refuse(archive,
         anchors.empty() ? "there is no .otf2 file in it" : "there are several .otf2 files in it",
         "give the archive's .otf2 file");
}

Otf2Reader open(const fs::path& anchor) {
  Otf2Reader reader{OTF2_Reader_Open(anchor.c_str()), &OTF2_Reader_Close};
  if (reader == nullptr) {
    throw InputError("cannot read " + anchor.string() + " (" +
                     (first_error().empty() ? "it is no OTF2 archive" : first_error()) +
                     "): give the directory or the .otf2 file of an OTF2 archive");
  }
  OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  return reader;
}

std::string text_of(char* text) {
  const std::unique_ptr<char, decltype(&std::free)> owned{text, &std::free};
  return text == nullptr ? "" : text;
}

bool is_own(OTF2_Reader* reader) {
  char* value = nullptr;
  if (OTF2_Reader_GetProperty(reader, own_property, &value) != OTF2_SUCCESS) return false;
  const auto version = text_of(value);
  if (version == own_version || version == version_of_threads) return true;
  throw InputError("the trace is of version " + version + " (this program reads up to version " +
                   version_of_threads + "): use a newer one");
}

bool is_score_p(OTF2_Reader* reader) {
  char* creator = nullptr;
  if (OTF2_Reader_GetCreator(reader, &creator) != OTF2_SUCCESS) return false;
  return text_of(creator).starts_with("Score-P");
}

void read_local_definitions(OTF2_Reader* reader, OTF2_LocationRef location) {
  auto* definitions = OTF2_Reader_GetDefReader(reader, location);
  if (definitions == nullptr) return;
  std::uint64_t read = 0;
  const auto code = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseDefReader(reader, definitions);
  if (code == OTF2_SUCCESS) return;
  throw InputError("the definitions of location " + std::to_string(location) + " are damaged (" +
                   OTF2_Error_GetDescription(code) +
                   "): copy the archive again, or record it again");
}

/// Numbers of each location's own definitions are translated once these are read.
void read_local_definitions(OTF2_Reader* reader, const Catalogue& catalogue) {
  for (const auto& source : catalogue.sources()) {
    for (const auto& one : source.own) OTF2_Reader_SelectLocation(reader, one.number);
    for (const auto thread : source.threads) OTF2_Reader_SelectLocation(reader, thread);
  }
  OTF2_Reader_OpenEvtFiles(reader);
  const bool has_files = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
  for (const auto& source : catalogue.sources()) {
    for (const auto& one : source.own) read_local_definitions(reader, one.number);
  }
  if (has_files) OTF2_Reader_CloseDefFiles(reader);
}

/// No file of an archive has more records than there are bytes in all of them.
std::uint64_t bytes_of(const fs::path& directory) {
  std::uint64_t bytes = 0;
  constexpr auto skips = fs::directory_options::skip_permission_denied;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry{directory, skips, failed}, end;
       !failed && entry != end; entry.increment(failed)) {
    std::error_code unknown;
    if (entry->is_regular_file(unknown)) bytes += entry->file_size(unknown);
  }
  return bytes;
}

Trace read_archive(OTF2_Reader* reader, bool own, std::uint64_t most_records, Remarks& remarks) {
  Trace trace;
  const auto raw = read_definitions(reader, most_records);
  Catalogue catalogue{raw, own, trace, remarks};
  read_local_definitions(reader, catalogue);
  std::vector<Unknown> unknown;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    RankReader rank{catalogue, trace, static_cast<std::int32_t>(i), own, remarks};
    rank.read(reader, most_records);
    unknown.push_back(rank.unknown());
  }
  OTF2_Reader_CloseEvtFiles(reader);
  if (!own) {
    merge_communicators(trace, unknown, remarks);
    complete_collectives(trace, unknown, is_score_p(reader), remarks);
    complete_receives(trace, unknown, remarks);
  }
  return trace;
}

}  // namespace

Trace read(const fs::path& archive) {
  Remarks remarks;
  const bool is_checked = check_archive(directory_of(archive));
  const auto anchor = checked(anchor_of(archive));
  check_counts(anchor);
  const QuietErrors quiet;
  forget_errors();
  const auto reader = open(anchor);
  const bool own = is_own(reader.get());
  if (own && !is_checked) remarks.add("its checksums are missing: damage may not be seen");
  auto trace = read_archive(reader.get(), own, bytes_of(directory_of(archive)), remarks);
  note_clocks(trace, remarks);
  remarks.append_to(trace.remarks);
  return trace;
}

}  // namespace commgauge::trace
