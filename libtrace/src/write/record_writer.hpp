#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/otf2.hpp"
#include "commgauge/trace/write/rank_writer.hpp"
#include "write/communicators.hpp"

namespace commgauge::trace {

/// What a process's ranks have in common while they write.
struct Definitions {
  std::vector<Members> communicators;
  std::vector<std::uint8_t> used;  ///< of each name: bit 0 as a call, bit 1 as a region
  std::uint32_t sites{};           ///< how many there are
};

/// What is started and not over.
struct Pending {
  enum class Kind : std::uint8_t { nothing, send, receive, collective, message, access, prepared };
  Kind kind{};
  Effect effect{};
  OTF2_CollectiveOp operation{};
  std::uint32_t context{};
  std::int32_t peer{};
  std::int32_t tag{};
  std::uint32_t root{};
  std::uint64_t bytes{};     ///< of a collective operation: sent
  std::uint64_t received{};  ///< of a collective operation
};

/// What a thread has started and nobody has found over, by request.
class Requests {
 public:
  /// @return nothing: there is no such one
  [[nodiscard]] const Pending* find(std::uint32_t request) const;
  void start(std::uint32_t request, const Pending& what);
  void end(std::uint32_t request);

 private:
  std::vector<Pending> first_;                          ///< of small numbers
  std::unordered_map<std::uint32_t, Pending> further_;  ///< which may be used once only
};
/// By thread.
using RankRequests = std::map<int, Requests>;

/// Writes a thread's events as OTF2's records.
class RecordWriter final : public RankWriter {
 public:
  /// @param requests  of all threads of the rank; must outlive it, as `definitions`
  RecordWriter(OTF2_EvtWriter* records, std::uint64_t location, bool has_processor_time,
               Definitions& definitions, RankRequests& requests, std::string file);
  ~RecordWriter() override;
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  void write(const Event& event) override;
  void write(const Event& event, std::span<const Over> over) override;
  void write(const Event& event, const Collective& collective) override;
  void set_threads(int threads) override { threads_ = threads; }
  void set_complete(bool is_complete) override { is_complete_ = is_complete; }

  /// Nothing is written any more. @param problem  with its reason in parentheses
  void stop(const std::string& problem);
  /// After the archive's writer was closed, which may have been the first to write to the disk.
  void look_for_errors();

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] OTF2_EvtWriter* records() const { return records_; }
  [[nodiscard]] std::uint64_t last_time() const { return last_; }
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  /// OTF2 is about to write to the disk.
  void flushes() { flushed_ = true; }

 private:
  void record(const event::Enter& call);
  void record(const event::Leave& call);
  void record(const event::RegionBegin& region);
  void record(const event::RegionEnd& region);
  void record(const event::Send& send);
  void record(const event::Receive& receive);
  void record(const event::MatchedReceive& receive);
  void record(const event::UnsuccessfulPolls& polls);
  void record(const event::Probe& probe);
  void record(const event::MatchedProbe& probe);
  void record(const event::Meet& meet);
  void record(const event::ClockReads& reads);
  void record(const event::Sleep& sleep);
  void record(const event::Free& free);
  void record(const event::Cancel& cancel);
  void record(const event::Access& access);
  void record(const event::ThreadBegin& begin);
  void record(const event::ThreadEnd& end);
  void record(const event::ThreadStart& start);
  void record(const event::Release& release);
  void record(const event::Acquire& acquire);
  void record(const event::PrepareSend& prepared);
  void record(const event::PrepareReceive& prepared);
  void record(const event::Start& start);
  void record(const event::Ready& ready);
  void record(const event::Arrived& arrived);
  // These come with their lists.
  void record(const event::Wait& wait);
  void record(const event::Poll& poll);
  void record(const event::Flush& flush);
  void record(const event::Collective& collective);

  void border(const Event& event);
  void begin(std::uint32_t name, std::int64_t processor, bool is_region, std::uint32_t site);
  void end(std::uint32_t name, std::int64_t processor, bool is_region);
  void use(std::uint32_t name, bool is_region);
  void processor_time(std::int64_t processor);
  template <class Any>
  void receive(const Any& receive, const Pending& posted);
  void received(const Pending& posted, const Over& over, bool is_started);
  template <class Any>
  void probe(const Any& probe, Parameter parameter);
  template <class Any>
  void prepare(const Any& prepared, Parameter parameter);
  void over(const Over& over);
  void heard_of(const Over& over);
  void lists(const Collective& collective);
  void attributes_of(const Collective& collective, const Members& members);

  void parameter(Parameter parameter, std::uint64_t value);
  void add(Attribute attribute, std::uint64_t value);
  void add(Attribute attribute, std::int32_t value);
  void add_context(std::uint32_t context);
  void add_site(std::uint32_t site);
  void tick(const Event& event);
  void check(OTF2_ErrorCode code);
  [[noreturn]] void refuse(const std::string& why) const;
  [[nodiscard]] const Members& members(std::uint32_t context) const;
  [[nodiscard]] std::uint32_t place(std::int32_t peer, std::uint32_t context) const;
  [[nodiscard]] Requests& requests_with(std::uint32_t request) const;
  [[nodiscard]] const Pending& pending(std::uint32_t request) const;
  Pending take(std::uint32_t request);
  void start(std::uint32_t request, const Pending& what);

  OTF2_EvtWriter* records_;
  OTF2_AttributeList* attributes_;
  std::int32_t rank_;
  int thread_;
  bool runs_;  ///< its thread has begun, and hasn't ended
  bool has_processor_time_;
  Definitions& definitions_;
  std::string file_;
  RankRequests& requests_;
  Requests& own_requests_;
  std::uint64_t last_{};    ///< time of the last record [ns]
  std::uint64_t border_{};  ///< time of the last call's or region's begin or end [ns]
  std::uint64_t events_{};
  int threads_{1};
  bool is_complete_{true};
  bool flushed_{};
  std::string problem_;
};

}  // namespace commgauge::trace
