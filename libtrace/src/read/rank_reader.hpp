#pragma once

#include <array>
#include <exception>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "commgauge/trace/events/crossings.hpp"
#include "read/catalogue.hpp"
#include "read/unknown.hpp"

namespace commgauge::trace {

/// Reads the records of one rank: of ours all of its threads, of others' its first one.
class RankReader {
 public:
  RankReader(Catalogue& catalogue, Trace& trace, std::int32_t rank, bool is_own, Remarks& remarks);

  /// @throws InputError  with the rank, the event and the reason
  /// @param most_records  that its file can have
  void read(OTF2_Reader* reader, std::uint64_t most_records);
  [[nodiscard]] const Unknown& unknown() const { return unknown_; }

 private:
  struct Values {
    std::uint32_t present{};
    std::array<OTF2_AttributeValue, static_cast<std::size_t>(Attribute::number_of)> values{};
  };
  /// What a request was started by.
  enum class Beginning : std::uint8_t { send, receive, collective, access, partitioned };
  /// What waits until it is over.
  enum class End : std::uint8_t { wait, flush };
  struct Started {
    std::uint32_t request{};
    std::size_t event{};
    bool is_assumed_over{};
    OTF2_CollectiveOp operation{};
  };
  struct Call {
    std::uint32_t name{};
    bool is_call{};
  };
  /// A completion of what another thread started, which may not have been read yet.
  struct Elsewhere {
    Beginning beginning{};  ///< what has to have been started
    Found found{};          ///< of a receive
    int thread{};
    std::uint64_t position{};
  };

  template <auto method>
  struct Callback;
  [[nodiscard]] static OTF2_EvtReaderCallbacks* callbacks();

  void read_location(OTF2_Reader* reader, const Catalogue::Location& location);
  void check_thread(OTF2_Reader* reader, OTF2_LocationRef thread);
  void find_call(OTF2_RegionRef region);

  void enter(OTF2_RegionRef region);
  void leave(OTF2_RegionRef region);
  void metric(OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type* types,
              const OTF2_MetricValue* values);
  void send(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes);
  void isend(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
             std::uint64_t request);
  void isend_complete(std::uint64_t request);
  void irecv_request(std::uint64_t request);
  void recv(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes);
  void irecv(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
             std::uint64_t request);
  void request_test(std::uint64_t request);
  void request_cancelled(std::uint64_t request);
  void collective_begin();
  void collective_end(OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root,
                      std::uint64_t sent, std::uint64_t received);
  void collective_request(std::uint64_t request);
  void collective_complete(OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root,
                           std::uint64_t sent, std::uint64_t received, std::uint64_t request);
  void parameter(OTF2_ParameterRef parameter, std::uint64_t value);
  void put(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t bytes, std::uint64_t id);
  void get(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t bytes, std::uint64_t id);
  void atomic(OTF2_RmaWinRef window, std::uint32_t target, OTF2_RmaAtomicType type,
              std::uint64_t sent, std::uint64_t received, std::uint64_t id);
  void request_lock(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t id,
                    OTF2_LockType type);
  void release_lock(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t id);
  void access_over(OTF2_RmaWinRef window, std::uint64_t id);
  void access_heard_of(OTF2_RmaWinRef window, std::uint64_t id);
  void acquire_lock(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t id,
                    OTF2_LockType type);

  void take(OTF2_AttributeList* attributes);
  [[nodiscard]] bool has(Attribute attribute) const;
  [[nodiscard]] OTF2_AttributeValue value(Attribute attribute) const;
  [[nodiscard]] std::int32_t int32(Attribute attribute, std::int32_t otherwise) const;
  [[nodiscard]] std::uint64_t uint64(Attribute attribute, std::uint64_t otherwise) const;
  [[nodiscard]] std::uint32_t context_attribute();
  [[nodiscard]] std::uint32_t site() const;

  void thread_begin(std::uint64_t number);
  void thread_end();
  template <class Kind>
  Kind& add(const Kind& what);
  void add_end(std::uint32_t name, bool is_call);
  template <class Kind>
  void probe(Kind what, std::uint64_t bytes);
  void add_send(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes);
  template <class Kind>
  void prepared(std::uint64_t bytes);
  void ready(std::uint64_t first);
  void arrived(std::uint64_t partition);
  [[nodiscard]] std::uint32_t request_attribute() const;
  [[nodiscard]] bool is_prepared(std::uint64_t id) const;
  void prepared_started(std::uint64_t id);
  void prepared_over(std::uint64_t id);
  void add_access(Effect effect, OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t sent,
                  std::uint64_t received, std::uint64_t id);
  [[nodiscard]] Mode own_mode() const;
  [[nodiscard]] Mode mode_of_call() const;
  [[nodiscard]] Found found_by(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag,
                               std::uint64_t bytes);
  void reuse(std::uint64_t id);
  void start(std::uint64_t id);
  Started* started(std::uint64_t id);
  [[nodiscard]] bool is_elsewhere(std::uint64_t id);
  void over_elsewhere(std::uint64_t id, Beginning beginning, const Found& found = {},
                      End end = End::wait);
  void find_elsewhere(Rank& rank);
  void cancel(Rank& rank, const Crossing& one);
  [[nodiscard]] bool has_further_threads() const;
  void check_beginning(const Event& event, Beginning beginning) const;
  void over(std::uint64_t id, End end = End::wait);
  void access_over_by(End end, std::uint64_t id);
  void add_wait(End end);
  void add_to_wait(std::uint32_t request, End end = End::wait);
  void forget(std::uint64_t id);
  void missing_completions(const std::string& call);
  void check_records_of(const std::string& call);
  void close_calls();
  void finish();
  Collective own_collective(OTF2_CollectiveOp operation, std::uint32_t context, std::int32_t root);
  void add_collective(event::Collective& start, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                      std::uint32_t root, std::uint64_t sent, std::uint64_t received);
  [[nodiscard]] std::uint32_t context(OTF2_CommRef comm);
  [[nodiscard]] std::int32_t peer(std::uint32_t place, std::uint32_t context) const;
  [[noreturn]] void refuse(const std::string& why) const;

  Catalogue& catalogue_;
  Trace& trace_;
  std::int32_t rank_;
  bool is_own_;
  Remarks& remarks_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> requests_;
  std::vector<Collective> collectives_;
  Unknown unknown_;
  Values values_;
  std::uint64_t records_left_{};
  std::int64_t time_{};
  int thread_{-1};  ///< that is read: which of the rank's locations
  bool runs_{};     ///< it has begun, and hasn't ended
  std::vector<std::uint32_t> further_threads_;
  std::map<std::uint32_t, Elsewhere> elsewhere_;  ///< by where they stand in requests_
  std::uint64_t position_{};
  std::int64_t processor_{};
  std::vector<Call> calls_;
  std::uint64_t records_{};      ///< of messages and collective operations, in this call
  std::uint64_t completions_{};  ///< in this call
  std::uint64_t left_{};         ///< completions that belong to the last wait
  std::unordered_map<std::uint64_t, Started> started_;
  std::unordered_set<std::uint64_t> prepared_;  ///< requests of messages in partitions
  std::vector<std::uint32_t> unused_;           ///< numbers of requests that are free again
  std::uint32_t next_request_{};
  Collective next_;  ///< lists of the collective operation that follows
  std::vector<std::uint64_t> next_counts_;
  std::exception_ptr problem_;
};

}  // namespace commgauge::trace
