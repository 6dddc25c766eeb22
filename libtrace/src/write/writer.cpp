#include "commgauge/trace/write/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <new>
#include <unordered_map>
#include <utility>

#include "archive/state.hpp"
#include "commgauge/base/files.hpp"
#include "write/collectives.hpp"
#include "write/definitions_writer.hpp"
#include "write/record_writer.hpp"

namespace commgauge::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t definitions_chunk = std::uint64_t{4} << 20U;

/// Of a rank's buffer [byte]: smaller where a process has many.
std::uint64_t events_chunk(std::size_t ranks) {
  return std::uint64_t{1} << (ranks > 16 ? 18U : 20U);
}

/// Memory for a buffer of OTF2: one chunk for events, which goes to the disk when it is full and
/// is used again; as many as it needs for definitions.
struct Chunks {
  std::vector<std::unique_ptr<std::byte[]>> all;
  std::size_t used{};
};

void* allocate(void*, OTF2_FileType type, OTF2_LocationRef, void** buffer, std::uint64_t size) {
  try {
    if (*buffer == nullptr) *buffer = new Chunks;
    auto& chunks = *static_cast<Chunks*>(*buffer);
    if (type == OTF2_FILETYPE_EVENTS && chunks.used == 1) return nullptr;
    if (chunks.used == chunks.all.size()) {
      chunks.all.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    }
    return chunks.all[chunks.used++].get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void free_all(void*, OTF2_FileType, OTF2_LocationRef, void** buffer, bool is_final) {
  auto* chunks = static_cast<Chunks*>(*buffer);
  if (chunks == nullptr) return;
  chunks->used = 0;
  if (!is_final) return;
  delete chunks;
  *buffer = nullptr;
}

constexpr OTF2_MemoryCallbacks memory{allocate, free_all};

}  // namespace

class Writer::Implementation {
 public:
  Implementation(const fs::path& directory, const About& about, const std::vector<Place>& places,
                 Together& together)
      : directory_{directory},
        about_{about},
        places_{places},
        together_{together},
        context_{&together} {
    begin();
    forget_errors();
    archive_ = OTF2_Archive_Open(directory.c_str(), archive_name, OTF2_FILEMODE_WRITE,
                                 events_chunk(places.size()), definitions_chunk,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ != nullptr) open();
    agree(archive_ == nullptr || !first_error().empty() ? first_error() : "");
  }

  ~Implementation() {
    if (archive_ != nullptr) abandon();
  }

  RecordWriter& thread(int rank, int thread) {
    auto& own = writers_[rank];
    auto& writer = own.threads[thread];
    if (writer == nullptr) {
      const auto location = location_of(rank, thread);
      auto* records = OTF2_Archive_GetEvtWriter(archive_, location);
      const auto file = directory_ / events_file(location);
      writer = std::make_unique<RecordWriter>(records, location, about_.has_processor_time,
                                              definitions_, own.requests, file.string());
    }
    return *writer;
  }

  std::uint32_t name(const std::string& text) {
    const auto [found, is_new] =
        names_.emplace(text, static_cast<std::uint32_t>(report_.names.size()));
    if (is_new) {
      report_.names.push_back(text);
      definitions_.used.push_back(0);
    }
    return found->second;
  }

  std::uint32_t site(const Site& site) {
    if (site == Site{}) return no_site;
    const auto [found, is_new] =
        sites_.emplace(site, static_cast<std::uint32_t>(report_.sites.size() + 1));
    if (is_new) {
      report_.sites.push_back(site);
      ++definitions_.sites;
    }
    return found->second;
  }

  std::uint32_t communicator(const Communicator& communicator, const Origin& origin) {
    report_.communicators.push_back(communicator);
    report_.origins.push_back(origin);
    definitions_.communicators.emplace_back(communicator);
    return static_cast<std::uint32_t>(report_.communicators.size() - 1);
  }

  void set_name(std::uint32_t communicator, const std::string& name) {
    report_.communicators.at(communicator).name = name;
  }

  void give_up(const std::string& reason) noexcept {
    for (const auto& place : places_) {
      note_problem(directory_, place.rank, reason);
      const auto found = writers_.find(place.rank);
      if (found == writers_.end()) continue;
      for (const auto& [thread, writer] : found->second.threads) writer->stop(reason);
    }
  }

  void finish_rank(int rank);
  void close(const std::function<Site(const Site&)>& resolve);

  std::vector<Remark> remarks;

 private:
  void begin();
  void open();
  void agree(const std::string& problem);
  std::uint64_t finish_thread(RecordWriter& writer, RankReport& report);
  void finish_ranks();
  void abandon();
  [[nodiscard]] std::vector<std::uint64_t> locations() const;
  Unified gather_reports(const std::function<Site(const Site&)>& resolve);
  Unified::Numbers own_numbers(const Unified& unified);
  void write_own_definitions(const Unified::Numbers& numbers);
  void write_all_definitions(const Report& all);
  std::string own_checksums();
  void finish(const std::vector<std::string>& checksums);
  template <typename What>
  void agreed(const What& what);

  /// The writers of a rank's threads, its first one's before the others', and what they share.
  struct RankWriters {
    std::map<int, std::unique_ptr<RecordWriter>> threads;
    RankRequests requests;
  };

  RecordWriter* writer_of(OTF2_LocationRef location) {
    const auto rank = writers_.find(rank_of(location));
    if (rank == writers_.end()) return nullptr;
    const auto writer = rank->second.threads.find(thread_of(location));
    return writer == rank->second.threads.end() ? nullptr : writer->second.get();
  }

  static OTF2_FlushType before_flush(void* self, OTF2_FileType type, OTF2_LocationRef location,
                                     void*, bool) {
    auto* const writer = static_cast<Implementation*>(self)->writer_of(location);
    if (type != OTF2_FILETYPE_EVENTS || writer == nullptr) return OTF2_FLUSH;
    // After a write that failed OTF2 crashes on the next.
    if (!writer->problem().empty()) return OTF2_NO_FLUSH;
    writer->flushes();
    forget_errors();
    return OTF2_FLUSH;
  }

  QuietErrors quiet_;
  fs::path directory_;
  About about_;
  std::vector<Place> places_;
  Together& together_;
  OTF2_CollectiveContext context_;
  OTF2_Archive* archive_{};
  Definitions definitions_;
  Report report_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::map<Site, std::uint32_t> sites_;
  std::unordered_map<int, RankWriters> writers_;
  std::unordered_map<int, RankReport> finished_;
};

/// The root makes the directory, or all learn why it can't.
void Writer::Implementation::begin() {
  std::string problem;
  if (together_.rank() == 0) {
    try {
      begin_archive(directory_);
    } catch (const InputError& error) {
      problem = error.what();
    }
  }
  problem = together_.bcast(problem);
  if (!problem.empty()) throw InputError(problem);
}

void Writer::Implementation::open() {
  static constexpr OTF2_FlushCallbacks flush{before_flush, nullptr};
  OTF2_Archive_SetFlushCallbacks(archive_, &flush, this);
  OTF2_Archive_SetMemoryCallbacks(archive_, &memory, nullptr);
  OTF2_Archive_SetCollectiveCallbacks(archive_, &collective_callbacks(), nullptr, &context_,
                                      nullptr);
  OTF2_Archive_OpenEvtFiles(archive_);
}

/// Any process's problem is everybody's.
void Writer::Implementation::agree(const std::string& problem) {
  std::string first;
  for (const auto& one : together_.gather(problem)) {
    if (first.empty()) first = one;
  }
  first = together_.bcast(first);
  if (first.empty()) return;
  throw WriteError("cannot write the trace " + directory_.string() + " (" + first + ")",
                   "free some room, or give another directory");
}

/// Closing would need the other processes, and after a write that failed OTF2 crashes in it.
void Writer::Implementation::abandon() {
  for (const auto& [rank, own] : writers_) {
    for (const auto& [thread, writer] : own.threads) {
      if (!writer->problem().empty()) note_problem(directory_, rank, writer->problem());
    }
  }
  static auto& abandoned = *new std::vector<OTF2_Archive*>;
  abandoned.push_back(std::exchange(archive_, nullptr));
}

/// Its events go to the disk, and its buffers are free again.
void Writer::Implementation::finish_rank(int rank) {
  const auto& first = thread(rank, 0);
  RankReport report{.rank = rank, .threads = first.threads(), .is_complete = first.is_complete()};
  for (const auto& [thread, writer] : writers_[rank].threads) {
    const auto events = finish_thread(*writer, report);
    if (thread == 0) {
      report.events = events;
    } else {
      report.further_threads.push_back({location_of(rank, thread), events});
    }
  }
  if (!report.problem.empty()) note_problem(directory_, rank, report.problem);
  finished_[rank] = std::move(report);
  writers_.erase(rank);
}

/// @return how many events it has
std::uint64_t Writer::Implementation::finish_thread(RecordWriter& writer, RankReport& report) {
  forget_errors();
  std::uint64_t events = 0;
  OTF2_EvtWriter_GetNumberOfEvents(writer.records(), &events);
  if (writer.problem().empty()) OTF2_Archive_CloseEvtWriter(archive_, writer.records());
  writer.look_for_errors();
  if (report.problem.empty()) report.problem = writer.problem();
  report.last_time = std::max(report.last_time, writer.last_time());
  return events;
}

void Writer::Implementation::finish_ranks() {
  for (const auto& place : places_) {
    if (!finished_.contains(place.rank)) finish_rank(place.rank);
    auto& report = finished_[place.rank];
    report.host = place.host;
    report_.ranks.push_back(std::move(report));
  }
  report_.used = definitions_.used;
}

/// At the root: what all processes report.
Unified Writer::Implementation::gather_reports(const std::function<Site(const Site&)>& resolve) {
  std::vector<Report> all;
  std::ranges::transform(together_.gather(to_bytes(report_)), std::back_inserter(all), to_report);
  return unify(all, resolve);
}

Unified::Numbers Writer::Implementation::own_numbers(const Unified& unified) {
  std::vector<std::string> numbers;
  for (const auto& one : unified.numbers) numbers.push_back(to_bytes(one));
  return to_numbers(together_.scatter(numbers));
}

/// Of this process's ranks, once they are finished.
std::vector<std::uint64_t> Writer::Implementation::locations() const {
  std::vector<std::uint64_t> all;
  for (const auto& rank : report_.ranks) {
    all.push_back(location_of(rank.rank, 0));
    for (const auto& thread : rank.further_threads) all.push_back(thread.number);
  }
  return all;
}

void Writer::Implementation::write_own_definitions(const Unified::Numbers& numbers) {
  OTF2_Archive_OpenDefFiles(archive_);
  for (const auto location : locations()) {
    auto* writer = OTF2_Archive_GetDefWriter(archive_, location);
    write_numbers(writer, numbers);
    OTF2_Archive_CloseDefWriter(archive_, writer);
  }
  OTF2_Archive_CloseDefFiles(archive_);
}

void Writer::Implementation::write_all_definitions(const Report& all) {
  auto* writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  write_definitions(writer, about_, all, remarks);
  OTF2_Archive_CloseGlobalDefWriter(archive_, writer);
  OTF2_Archive_SetProperty(archive_, own_property,
                           has_further_threads(all) ? version_of_threads : own_version, true);
  OTF2_Archive_SetCreator(archive_, "commgauge");
}

/// Of this process's files.
std::string Writer::Implementation::own_checksums() {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto location : locations()) {
    for (auto& file : {events_file(location), definitions_file(location)}) {
      if (fs::exists(directory_ / file, ignored)) files.push_back(file);
    }
  }
  return checksums_of(directory_, files);
}

/// At the root, last of all.
void Writer::Implementation::finish(const std::vector<std::string>& checksums) {
  std::string lines;
  for (const auto& one : checksums) lines += one;
  const std::string name = archive_name;
  finish_archive(directory_, lines + checksums_of(directory_, {name + ".otf2", name + ".def"}));
}

/// @throws what any process threw, at all of them
template <typename What>
void Writer::Implementation::agreed(const What& what) {
  std::string problem;
  try {
    what();
    if (!first_error().empty()) problem = directory_.string() + " (" + first_error() + ")";
  } catch (const WriteError& error) {
    problem = error.problem();
  } catch (const Error& error) {
    problem = error.what();
  }
  agree(problem);
}

void Writer::Implementation::close(const std::function<Site(const Site&)>& resolve) {
  forget_errors();
  finish_ranks();
  const auto unified = gather_reports(resolve);
  std::string problem;
  for (const auto& rank : unified.whole.ranks) {
    if (problem.empty() && !rank.problem.empty()) {
      problem = "rank " + std::to_string(rank.rank) + ": " + rank.problem;
    }
  }
  agree(problem);
  OTF2_Archive_CloseEvtFiles(archive_);
  write_own_definitions(own_numbers(unified));
  const bool is_root = together_.rank() == 0;
  if (is_root) write_all_definitions(unified.whole);
  OTF2_Archive_Close(std::exchange(archive_, nullptr));
  std::string own;
  agreed([&] { own = own_checksums(); });
  const auto checksums = together_.gather(own);
  agreed([&] {
    if (is_root) finish(checksums);
  });
}

Writer::Writer(const fs::path& directory, const About& about, const std::vector<Place>& places,
               Together& together)
    : implementation_{std::make_unique<Implementation>(directory, about, places, together)} {}

Writer::~Writer() = default;

RankWriter& Writer::rank(int rank) { return implementation_->thread(rank, 0); }

RankWriter& Writer::thread(int rank, int thread) { return implementation_->thread(rank, thread); }

std::uint32_t Writer::name(const std::string& text) { return implementation_->name(text); }

std::uint32_t Writer::site(const Site& site) { return implementation_->site(site); }

std::uint32_t Writer::communicator(const Communicator& communicator, const Origin& origin) {
  return implementation_->communicator(communicator, origin);
}

void Writer::set_name(std::uint32_t communicator, const std::string& name) {
  implementation_->set_name(communicator, name);
}

void Writer::set_remarks(const std::vector<Remark>& remarks) { implementation_->remarks = remarks; }

void Writer::finish_rank(int rank) { implementation_->finish_rank(rank); }

void Writer::give_up(const std::string& reason) noexcept { implementation_->give_up(reason); }

void Writer::close(const std::function<Site(const Site&)>& resolve) {
  implementation_->close(resolve);
}

}  // namespace commgauge::trace
