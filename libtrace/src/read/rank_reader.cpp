#include "read/rank_reader.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <utility>

#include "archive/state.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::trace {
namespace {

constexpr std::uint64_t most_requests = 1U << 24;

using schedule::Operation;

std::optional<Operation> operation_of(OTF2_CollectiveOp operation) {
  if (operation == OTF2_COLLECTIVE_OP_ALLTOALLW) return Operation::alltoallv;
  for (const auto one : schedule::all_operations()) {
    if (to_otf2(one) == operation) return one;
  }
  return std::nullopt;
}

/// What all members have to come to, like a communicator that is made.
bool is_meeting(OTF2_CollectiveOp operation) {
  return operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE ||
         operation == OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE ||
         operation == OTF2_COLLECTIVE_OP_ALLOCATE || operation == OTF2_COLLECTIVE_OP_DEALLOCATE ||
         operation == OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE;
}

/// MPI_Iallreduce and MPI_Allreduce are of this kind; MPI_Comm_split isn't.
bool is_collective(const std::string& call) {
  if (!call.starts_with("MPI_")) return false;
  auto name = call.substr(4);
  if (name.starts_with("I") && name.size() > 1) {
    name = name.substr(1);
    name.front() = static_cast<char>(std::toupper(name.front()));
  }
  static const std::vector<std::string> names{"Barrier",
                                              "Bcast",
                                              "Reduce",
                                              "Allreduce",
                                              "Gather",
                                              "Gatherv",
                                              "Scatter",
                                              "Scatterv",
                                              "Allgather",
                                              "Allgatherv",
                                              "Alltoall",
                                              "Alltoallv",
                                              "Alltoallw",
                                              "Scan",
                                              "Exscan",
                                              "Reduce_scatter",
                                              "Reduce_scatter_block"};
  return std::ranges::find(names, name) != names.end();
}

bool is_message(const std::string& call) {
  static const std::vector<std::string> names{"MPI_Send",     "MPI_Ssend",
                                              "MPI_Bsend",    "MPI_Rsend",
                                              "MPI_Recv",     "MPI_Isend",
                                              "MPI_Issend",   "MPI_Ibsend",
                                              "MPI_Irsend",   "MPI_Irecv",
                                              "MPI_Start",    "MPI_Startall",
                                              "MPI_Sendrecv", "MPI_Sendrecv_replace",
                                              "MPI_Mrecv"};
  return std::ranges::find(names, call) != names.end();
}

/// In place of an event that is left out.
Event nothing_at(std::int64_t time) { return {event::ClockReads{}, time}; }

/// @pre it is a receive
void set_found(Event& receive, const Found& found) {
  if (auto* const one = receive.as<event::Receive>()) one->found = found;
  if (auto* const one = receive.as<event::MatchedReceive>()) one->found = found;
}

}  // namespace

/// OTF2 calls a method; exceptions wait until it has come back.
template <typename... Parts, void (RankReader::*method)(Parts...)>
struct RankReader::Callback<method> {
  static OTF2_CallbackCode call(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t position,
                                void* user, OTF2_AttributeList* attributes, Parts... parts) {
    auto& reader = *static_cast<RankReader*>(user);
    try {
      reader.time_ = reader.catalogue_.time(time);
      reader.position_ = position;
      if (reader.records_left_-- == 0) reader.refuse("the file doesn't end");
      reader.take(attributes);
      (reader.*method)(parts...);
      return OTF2_CALLBACK_SUCCESS;
    } catch (...) {
      reader.problem_ = std::current_exception();
      return OTF2_CALLBACK_INTERRUPT;
    }
  }
};

OTF2_EvtReaderCallbacks* RankReader::callbacks() {
  using Reader = RankReader;
  auto* all = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(all, Callback<&Reader::enter>::call);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(all, Callback<&Reader::leave>::call);
  OTF2_EvtReaderCallbacks_SetMetricCallback(all, Callback<&Reader::metric>::call);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(all, Callback<&Reader::send>::call);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(all, Callback<&Reader::isend>::call);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(all, Callback<&Reader::isend_complete>::call);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(all, Callback<&Reader::irecv_request>::call);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(all, Callback<&Reader::recv>::call);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(all, Callback<&Reader::irecv>::call);
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(all, Callback<&Reader::request_test>::call);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
      all, Callback<&Reader::request_cancelled>::call);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(all,
                                                        Callback<&Reader::collective_begin>::call);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(all, Callback<&Reader::collective_end>::call);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      all, Callback<&Reader::collective_request>::call);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      all, Callback<&Reader::collective_complete>::call);
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(all, Callback<&Reader::parameter>::call);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(all, Callback<&Reader::put>::call);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(all, Callback<&Reader::get>::call);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(all, Callback<&Reader::atomic>::call);
  OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(all, Callback<&Reader::request_lock>::call);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(all, Callback<&Reader::release_lock>::call);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(all,
                                                           Callback<&Reader::access_over>::call);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(all,
                                                         Callback<&Reader::access_heard_of>::call);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(all, Callback<&Reader::acquire_lock>::call);
  return all;
}

RankReader::RankReader(Catalogue& catalogue, Trace& trace, std::int32_t rank, bool is_own,
                       Remarks& remarks)
    : catalogue_{catalogue}, trace_{trace}, rank_{rank}, is_own_{is_own}, remarks_{remarks} {}

void RankReader::read(OTF2_Reader* reader, std::uint64_t most_records) {
  records_left_ = most_records;
  const auto& source = catalogue_.sources()[static_cast<std::size_t>(rank_)];
  for (const auto thread : source.threads) check_thread(reader, thread);
  if (is_own_) events_.reserve(std::min(source.own.front().events, most_records));
  for (const auto& location : source.own) read_location(reader, location);
  if (!is_own_) finish();
  auto& rank = trace_.ranks[static_cast<std::size_t>(rank_)];
  rank.events = std::move(events_);
  rank.further_threads = std::move(further_threads_);
  rank.requests = std::move(requests_);
  rank.collectives = std::move(collectives_);
  find_elsewhere(rank);
}

void RankReader::read_location(OTF2_Reader* reader, const Catalogue::Location& location) {
  ++thread_;
  runs_ = thread_ == 0;
  position_ = 0;
  processor_ = 0;
  started_.clear();
  next_ = {};
  next_counts_.clear();
  auto* records = OTF2_Reader_GetEvtReader(reader, location.number);
  if (records == nullptr) refuse("its events can't be read");
  const std::unique_ptr<OTF2_EvtReaderCallbacks, decltype(&OTF2_EvtReaderCallbacks_Delete)> calls{
      callbacks(), &OTF2_EvtReaderCallbacks_Delete};
  OTF2_Reader_RegisterEvtCallbacks(reader, records, calls.get(), this);
  std::uint64_t count = 0;
  const auto code = OTF2_Reader_ReadAllLocalEvents(reader, records, &count);
  OTF2_Reader_CloseEvtReader(reader, records);
  if (problem_) std::rethrow_exception(problem_);
  if (code != OTF2_SUCCESS) refuse(OTF2_Error_GetDescription(code));
  if (count != location.events) {
    if (is_own_) refuse("the file ends here, but should go on");
    remarks_.add("numbers of events in the definitions are wrong");
  }
}

/// Another thread of the process: if it calls MPI, too, its calls can't be told in order.
void RankReader::check_thread(OTF2_Reader* reader, OTF2_LocationRef thread) {
  auto* records = OTF2_Reader_GetEvtReader(reader, thread);
  if (records == nullptr) return;
  RankReader other{catalogue_, trace_, rank_, false, remarks_};
  other.records_left_ = records_left_;
  const std::unique_ptr<OTF2_EvtReaderCallbacks, decltype(&OTF2_EvtReaderCallbacks_Delete)> calls{
      OTF2_EvtReaderCallbacks_New(), &OTF2_EvtReaderCallbacks_Delete};
  OTF2_EvtReaderCallbacks_SetEnterCallback(calls.get(), Callback<&RankReader::find_call>::call);
  OTF2_Reader_RegisterEvtCallbacks(reader, records, calls.get(), &other);
  std::uint64_t count = 0;
  OTF2_Reader_ReadAllLocalEvents(reader, records, &count);
  OTF2_Reader_CloseEvtReader(reader, records);
  if (other.problem_) std::rethrow_exception(other.problem_);
  remarks_.add("threads beside the one that calls MPI: left out");
}

void RankReader::find_call(OTF2_RegionRef region) {
  const auto name = catalogue_.name(region);
  if (name && name->is_call) {
    refuse("a second thread calls " + trace_.names[name->name] +
           ", and which of the calls come first can't be told");
  }
}

void RankReader::enter(OTF2_RegionRef region) {
  const auto name = catalogue_.name(region);
  if (!name) refuse("its region isn't defined");
  const auto place = is_own_ && has(Attribute::site) ? site() : no_site;
  if (name->is_call) {
    add(event::Enter{name->name, place, processor_});
  } else {
    add(event::RegionBegin{name->name, processor_});
  }
  if (is_own_) return;
  calls_.push_back({name->name, name->is_call});
  records_ = 0;
  completions_ = 0;
}

void RankReader::leave(OTF2_RegionRef region) {
  const auto name = catalogue_.name(region);
  if (!name) refuse("its region isn't defined");
  if (!is_own_) {
    if (calls_.empty() || calls_.back().name != name->name) {
      return remarks_.add("ends of regions that don't fit to a beginning: left out");
    }
    calls_.pop_back();
    if (name->is_call) {
      missing_completions(trace_.names[name->name]);
      check_records_of(trace_.names[name->name]);
    }
  }
  add_end(name->name, name->is_call);
}

void RankReader::add_end(std::uint32_t name, bool is_call) {
  if (is_call) {
    add(event::Leave{name, processor_});
  } else {
    add(event::RegionEnd{name, processor_});
  }
}

void RankReader::metric(OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type*,
                        const OTF2_MetricValue* values) {
  if (count > 0 && catalogue_.is_processor_time(metric)) processor_ = values[0].signed_int;
}

void RankReader::send(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag,
                      std::uint64_t bytes) {
  add_send(receiver, comm, tag, bytes);
}

void RankReader::isend(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag,
                       std::uint64_t bytes, std::uint64_t request) {
  reuse(request);
  add_send(receiver, comm, tag, bytes);
  start(request);
}

void RankReader::isend_complete(std::uint64_t request) {
  if (is_elsewhere(request)) return over_elsewhere(request, Beginning::send);
  over(request);
}

void RankReader::irecv_request(std::uint64_t request) {
  reuse(request);
  const auto bytes = uint64(Attribute::bytes, 0);
  if (has(Attribute::message)) {
    add(event::MatchedReceive{.message = value(Attribute::message).uint32, .bytes = bytes});
  } else {
    add(event::Receive{.peer = int32(Attribute::posted_source, any),
                       .tag = int32(Attribute::posted_tag, any),
                       .context = context_attribute(),
                       .bytes = bytes});
  }
  ++records_;
  start(request);
}

void RankReader::recv(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag,
                      std::uint64_t bytes) {
  const auto found = found_by(sender, comm, tag, bytes);
  const auto most = uint64(Attribute::bytes, bytes);
  ++records_;
  if (has(Attribute::message)) {
    const auto message = value(Attribute::message).uint32;
    add(event::MatchedReceive{.message = message, .bytes = most, .found = found});
    return;
  }
  const auto where = context(comm);
  const bool has_sender = sender != OTF2_UNDEFINED_UINT32;
  add(event::Receive{
      .peer = int32(Attribute::posted_source, has_sender ? peer(sender, where) : any),
      .tag = int32(Attribute::posted_tag, static_cast<std::int32_t>(tag)),
      .context = where,
      .bytes = most,
      .found = found});
}

void RankReader::irecv(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag,
                       std::uint64_t bytes, std::uint64_t request) {
  const auto found = found_by(sender, comm, tag, bytes);
  if (is_elsewhere(request)) return over_elsewhere(request, Beginning::receive, found);
  auto* const what = started(request);
  if (what == nullptr) refuse("a receive is over that wasn't started");
  auto& event = events_[what->event];
  check_beginning(event, Beginning::receive);
  set_found(event, found);
  if (auto* const receive = event.as<event::Receive>(); receive != nullptr && !is_own_) {
    receive->context = context(comm);
    receive->peer = found.peer;
    receive->tag = found.tag;
    receive->bytes = bytes;
  }
  over(request);
}

void RankReader::request_test(std::uint64_t) {
  if (!is_own_ && !events_.empty()) {
    if (auto* const last = events_.back().as<event::UnsuccessfulPolls>()) {
      ++last->attempts;
      return;
    }
  }
  add(event::UnsuccessfulPolls{uint64(Attribute::attempts, 1)});
}

/// The receive that never was; a send is over all the same.
void RankReader::request_cancelled(std::uint64_t request) {
  if (is_elsewhere(request)) {
    add(event::Cancel{static_cast<std::uint32_t>(request)});
    return;
  }
  auto* const what = started(request);
  if (what == nullptr) refuse("a request is cancelled that wasn't started");
  auto& event = events_[what->event];
  if (!event.is<event::Receive>()) return over(request);
  event = nothing_at(event.time);
  remarks_.add("receives that were cancelled: left out");
  ++completions_;
  forget(request);
}

void RankReader::collective_begin() {}

void RankReader::collective_end(OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root,
                                std::uint64_t sent, std::uint64_t received) {
  ++records_;
  if (is_meeting(operation)) {
    add(event::Meet{context(comm)});
    return;
  }
  if (operation == OTF2_COLLECTIVE_OP_DESTROY_HANDLE) return;
  add_collective(add(event::Collective{}), operation, comm, root, sent, received);
}

void RankReader::collective_request(std::uint64_t request) {
  reuse(request);
  ++records_;
  auto& one = add(event::Collective{});
  one.operation = static_cast<std::uint32_t>(collectives_.size());
  if (is_own_) {
    one.context = context_attribute();
    collectives_.push_back(own_collective(
        has(Attribute::operation) ? value(Attribute::operation).uint8 : std::uint8_t{}, one.context,
        int32(Attribute::root, 0)));
  } else {
    collectives_.emplace_back();
  }
  start(request);
}

void RankReader::collective_complete(OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                     std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                                     std::uint64_t request) {
  if (is_elsewhere(request)) return over_elsewhere(request, Beginning::collective);
  auto* const what = started(request);
  if (what == nullptr) refuse("a collective operation is over that wasn't started");
  auto& event = events_[what->event];
  check_beginning(event, Beginning::collective);
  if (!is_own_)
    add_collective(std::get<event::Collective>(event.what), operation, comm, root, sent, received);
  over(request);
}

void RankReader::parameter(OTF2_ParameterRef number, std::uint64_t value) {
  const auto what = catalogue_.parameter(number);
  if (!what) return;
  if (*what >= Parameter::prepared_send && *what <= Parameter::prepared_over && !is_own_) return;
  const auto neighbour = [&] {
    return Collective::Neighbour{int32(Attribute::peer, 0), int32(Attribute::tag, 0), value};
  };
  switch (*what) {
    case Parameter::counts:
      next_counts_.push_back(value);
      break;
    case Parameter::counts_in:
      next_.what.counts_in.push_back(value);
      break;
    case Parameter::gives_to:
      next_.to.push_back(neighbour());
      break;
    case Parameter::gets_from:
      next_.from.push_back(neighbour());
      break;
    case Parameter::probe:
      probe(event::Probe{}, value);
      break;
    case Parameter::matched_probe:
      probe(event::MatchedProbe{.request = request_attribute()}, value);
      break;
    case Parameter::wait_for_nothing:
      add_wait(End::wait);
      break;
    case Parameter::clock_reads:
      add(event::ClockReads{value});
      break;
    case Parameter::sleep:
      add(event::Sleep{value});
      break;
    case Parameter::request_freed:
      add(event::Free{static_cast<std::uint32_t>(value)});
      if (has_further_threads()) started_.erase(value);
      break;
    case Parameter::thread_begin:
      thread_begin(value);
      break;
    case Parameter::thread_end:
      thread_end();
      break;
    case Parameter::thread_start:
      add(event::ThreadStart{static_cast<std::uint32_t>(value)});
      break;
    case Parameter::release:
      add(event::Release{static_cast<std::uint32_t>(value)});
      break;
    case Parameter::acquire:
      add(event::Acquire{static_cast<std::uint32_t>(value),
                         static_cast<std::uint32_t>(uint64(Attribute::count, 0))});
      break;
    case Parameter::prepared_send:
      prepared<event::PrepareSend>(value);
      break;
    case Parameter::prepared_receive:
      prepared<event::PrepareReceive>(value);
      break;
    case Parameter::prepared_started:
      prepared_started(value);
      break;
    case Parameter::partition_ready:
      ready(value);
      break;
    case Parameter::partition_arrived:
      arrived(value);
      break;
    case Parameter::prepared_over:
      prepared_over(value);
      break;
    case Parameter::number_of:
      break;
  }
}

void RankReader::take(OTF2_AttributeList* attributes) {
  values_.present = 0;
  OTF2_AttributeRef number = 0;
  OTF2_Type type = 0;
  OTF2_AttributeValue value{};
  for (auto left = OTF2_AttributeList_GetNumberOfElements(attributes); left > 0; --left) {
    OTF2_AttributeList_PopAttribute(attributes, &number, &type, &value);
    const auto what = catalogue_.attribute(number);
    if (!what) continue;
    if (type != word_of(*what).type) refuse("an attribute of it is of the wrong type");
    values_.present |= 1U << static_cast<unsigned>(*what);
    values_.values[static_cast<std::size_t>(*what)] = value;
  }
}

bool RankReader::has(Attribute attribute) const {
  return (values_.present >> static_cast<unsigned>(attribute) & 1U) != 0;
}

OTF2_AttributeValue RankReader::value(Attribute attribute) const {
  return values_.values[static_cast<std::size_t>(attribute)];
}

std::int32_t RankReader::int32(Attribute attribute, std::int32_t otherwise) const {
  return has(attribute) ? value(attribute).int32 : otherwise;
}

std::uint64_t RankReader::uint64(Attribute attribute, std::uint64_t otherwise) const {
  return has(attribute) ? value(attribute).uint64 : otherwise;
}

std::uint32_t RankReader::context_attribute() {
  return has(Attribute::context) ? context(value(Attribute::context).commRef) : 0;
}

std::uint32_t RankReader::site() const {
  const auto found = catalogue_.site(value(Attribute::site).callingContextRef);
  if (!found) refuse("its call site isn't defined");
  return *found;
}

/// A thread begins where another one of the archive's location has ended, if any.
void RankReader::thread_begin(std::uint64_t number) {
  if (thread_ == 0) refuse("a rank's first thread has no beginning");
  if (runs_) refuse("the thread before it hasn't ended");
  runs_ = true;
  started_.clear();
  further_threads_.push_back(static_cast<std::uint32_t>(events_.size()));
  add(event::ThreadBegin{static_cast<std::uint32_t>(number)});
}

void RankReader::thread_end() {
  if (thread_ == 0) refuse("a rank's first thread has no end");
  add(event::ThreadEnd{});
  runs_ = false;
}

template <class Kind>
Kind& RankReader::add(const Kind& what) {
  if (left_ > 0) refuse("a wait isn't complete");
  if (is_own_ && !runs_) refuse("its thread hasn't begun, or has ended");
  return std::get<Kind>(events_.emplace_back(Event{what, time_}).what);
}

template <class Kind>
void RankReader::probe(Kind what, std::uint64_t bytes) {
  what.peer = int32(Attribute::posted_source, any);
  what.tag = int32(Attribute::posted_tag, any);
  what.context = context_attribute();
  what.found = {int32(Attribute::found_source, any), int32(Attribute::found_tag, any), bytes};
  what.attempts = uint64(Attribute::attempts, 0);
  add(what);
}

std::uint32_t RankReader::request_attribute() const {
  return has(Attribute::request) ? value(Attribute::request).uint32 : no_request;
}

// Others' windows, and what locks and synchronises them, are recorded in other ways.

void RankReader::put(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t bytes,
                     std::uint64_t id) {
  add_access(Effect::access, window, target, bytes, 0, id);
}

void RankReader::get(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t bytes,
                     std::uint64_t id) {
  add_access(Effect::access, window, target, 0, bytes, id);
}

void RankReader::atomic(OTF2_RmaWinRef window, std::uint32_t target, OTF2_RmaAtomicType,
                        std::uint64_t sent, std::uint64_t received, std::uint64_t id) {
  add_access(Effect::access, window, target, sent, received, id);
}

void RankReader::request_lock(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t id,
                              OTF2_LockType type) {
  const bool is_exclusive = type == OTF2_LOCK_EXCLUSIVE;
  add_access(is_exclusive ? Effect::exclusive_lock : Effect::shared_lock, window, target, 0, 0, id);
}

void RankReader::release_lock(OTF2_RmaWinRef window, std::uint32_t target, std::uint64_t id) {
  add_access(Effect::unlock, window, target, 0, 0, id);
}

void RankReader::access_over(OTF2_RmaWinRef, std::uint64_t id) { access_over_by(End::wait, id); }

void RankReader::access_heard_of(OTF2_RmaWinRef, std::uint64_t id) {
  access_over_by(End::flush, id);
}

void RankReader::access_over_by(End end, std::uint64_t id) {
  if (!is_own_) return;
  if (is_elsewhere(id)) return over_elsewhere(id, Beginning::access, {}, end);
  const auto* const what = started(id);
  if (what != nullptr) check_beginning(events_[what->event], Beginning::access);
  over(id, end);
}

void RankReader::acquire_lock(OTF2_RmaWinRef window, std::uint32_t, std::uint64_t id,
                              OTF2_LockType) {
  access_heard_of(window, id);
}

void RankReader::add_access(Effect effect, OTF2_RmaWinRef window, std::uint32_t target,
                            std::uint64_t sent, std::uint64_t received, std::uint64_t id) {
  if (!is_own_) return remarks_.add("accesses of other ranks' windows: left out");
  const auto context = catalogue_.context_of_window(window, rank_);
  if (!context) refuse("its window isn't defined");
  const auto to = peer(target, *context);
  add(event::Access{
      .peer = to, .context = *context, .effect = effect, .bytes = sent, .back = received});
  start(id);
}

// Messages in partitions. Others' archives have none.

constexpr std::uint64_t most_partitions = std::numeric_limits<std::int32_t>::max();

template <class Kind>
void RankReader::prepared(std::uint64_t bytes) {
  const auto partitions = uint64(Attribute::count, 0);
  if (partitions > most_partitions) refuse("it has more partitions than MPI can count");
  const Kind what{.request = request_attribute(),
                  .peer = int32(Attribute::peer, nobody),
                  .tag = int32(Attribute::tag, 0),
                  .context = context_attribute(),
                  .partitions = static_cast<std::uint32_t>(partitions),
                  .bytes = bytes};
  if (what.request >= most_requests) refuse("its request's number is too large");
  const auto ranks = static_cast<std::int32_t>(trace_.ranks.size());
  if (what.peer < nobody || what.peer >= ranks) refuse("its partner is no rank");
  add(what);
  prepared_.insert(what.request);
}

/// By another thread, for all that is known, where there are several.
bool RankReader::is_prepared(std::uint64_t id) const {
  return has_further_threads() || prepared_.contains(id);
}

void RankReader::prepared_started(std::uint64_t id) {
  if (id >= most_requests) refuse("its request's number is too large");
  if (!is_prepared(id)) refuse("it starts what wasn't prepared");
  add(event::Start{});
  start(id);
}

void RankReader::prepared_over(std::uint64_t id) {
  if (is_elsewhere(id)) return over_elsewhere(id, Beginning::partitioned);
  const auto* const what = started(id);
  if (what != nullptr) check_beginning(events_[what->event], Beginning::partitioned);
  over(id);
}

void RankReader::ready(std::uint64_t first) {
  const auto count = uint64(Attribute::count, 1);
  if (first > most_partitions || count > most_partitions) refuse("there is no such partition");
  add(event::Ready{request_attribute(), static_cast<std::int32_t>(first),
                   static_cast<std::uint32_t>(count)});
  if (!is_prepared(request_attribute())) refuse("its request isn't of partitions");
}

void RankReader::arrived(std::uint64_t partition) {
  if (partition > most_partitions) refuse("there is no such partition");
  add(event::Arrived{request_attribute(), static_cast<std::int32_t>(partition),
                     uint64(Attribute::attempts, 0)});
  if (!is_prepared(request_attribute())) refuse("its request isn't of partitions");
}

void RankReader::add_send(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag,
                          std::uint64_t bytes) {
  ++records_;
  const auto where = context(comm);
  add(event::Send{.peer = peer(receiver, where),
                  .tag = static_cast<std::int32_t>(tag),
                  .context = where,
                  .bytes = bytes,
                  .mode = is_own_ ? own_mode() : mode_of_call()});
}

Mode RankReader::own_mode() const {
  const auto mode = has(Attribute::mode) ? value(Attribute::mode).uint8 : 0;
  if (mode > static_cast<int>(Mode::synchronous)) refuse("its mode isn't known");
  return static_cast<Mode>(mode);
}

/// Others' records don't say it, but the call's name does; of MPI_Start nothing does.
Mode RankReader::mode_of_call() const {
  const auto call = std::ranges::find(calls_.rbegin(), calls_.rend(), true, &Call::is_call);
  if (call == calls_.rend()) return Mode::standard;
  const std::string& name = trace_.names[call->name];
  if (name == "MPI_Ssend" || name == "MPI_Issend") return Mode::synchronous;
  if (name == "MPI_Bsend" || name == "MPI_Ibsend") return Mode::buffered;
  return Mode::standard;
}

/// What a receive got.
Found RankReader::found_by(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag,
                           std::uint64_t bytes) {
  Found found{.bytes = bytes};
  const auto unknown = has(Attribute::unknown) ? value(Attribute::unknown).uint8 : 0U;
  if ((unknown & 1U) == 0) found.peer = peer(sender, context(comm));
  if ((unknown & 2U) == 0) found.tag = static_cast<std::int32_t>(tag);
  return found;
}

/// A request that is started again was over before.
void RankReader::reuse(std::uint64_t id) {
  if (!is_own_ && started_.contains(id)) forget(id);
}

/// The last event has this request. Others' numbers, often addresses, become small ones.
void RankReader::start(std::uint64_t id) {
  Started what{.event = events_.size() - 1};
  if (is_own_) {
    if (id >= most_requests) refuse("its request's number is too large");
    what.request = static_cast<std::uint32_t>(id);
  } else if (unused_.empty()) {
    what.request = next_request_++;
  } else {
    what.request = unused_.back();
    unused_.pop_back();
  }
  set_request(events_.back(), what.request);
  started_[id] = what;
}

RankReader::Started* RankReader::started(std::uint64_t id) {
  const auto found = started_.find(id);
  return found == started_.end() ? nullptr : &found->second;
}

/// Whether another thread of the rank has started it.
bool RankReader::is_elsewhere(std::uint64_t id) {
  return has_further_threads() && started(id) == nullptr;
}

bool RankReader::has_further_threads() const {
  return catalogue_.sources()[static_cast<std::size_t>(rank_)].own.size() > 1;
}

void RankReader::over_elsewhere(std::uint64_t id, Beginning beginning, const Found& found,
                                End end) {
  if (id >= most_requests) refuse("its request's number is too large");
  const auto entry = static_cast<std::uint32_t>(requests_.size());
  add_to_wait(static_cast<std::uint32_t>(id), end);
  elsewhere_[entry] = {beginning, found, thread_, position_};
}

/// All threads have been read: what was started is known.
void RankReader::find_elsewhere(Rank& rank) {
  for (const auto& one : crossings(rank)) {
    if (rank.events[one.end].is<event::Cancel>()) cancel(rank, one);
    const auto end = elsewhere_.find(one.entry);
    if (end == elsewhere_.end()) continue;
    thread_ = end->second.thread;
    position_ = end->second.position;
    auto& event = rank.events[one.start];
    check_beginning(event, end->second.beginning);
    if (end->second.beginning == Beginning::receive) set_found(event, end->second.found);
    elsewhere_.erase(end);
  }
  const auto is_cancel = [](const Event& event) { return event.is<event::Cancel>(); };
  if (std::ranges::any_of(rank.events, is_cancel)) {
    refuse("a request is cancelled that wasn't started");
  }
  if (elsewhere_.empty()) return;
  thread_ = elsewhere_.begin()->second.thread;
  position_ = elsewhere_.begin()->second.position;
  refuse("a request is over that wasn't started");
}

/// Another thread's receive.
void RankReader::cancel(Rank& rank, const Crossing& one) {
  auto& receive = rank.events[one.start];
  if (!receive.is<event::Receive>()) refuse("what is cancelled isn't a receive");
  receive = nothing_at(receive.time);
  auto& end = rank.events[one.end];
  end = nothing_at(end.time);
  remarks_.add("receives that were cancelled: left out");
}

/// @param beginning  of what is over
void RankReader::check_beginning(const Event& event, Beginning beginning) const {
  switch (beginning) {
    case Beginning::send:
      return;
    case Beginning::receive:
      if (event.is<event::Receive, event::MatchedReceive>()) return;
      refuse("a receive is over, but its request isn't one's");
    case Beginning::collective:
      if (event.is<event::Collective>()) return;
      refuse("a collective operation is over, but its request isn't one's");
    case Beginning::access:
      if (event.is<event::Access>()) return;
      refuse("an access is over, but its request isn't one's");
    case Beginning::partitioned:
      if (event.is<event::Start>()) return;
      refuse("a message in partitions is over, but its request isn't one's");
  }
}

void RankReader::over(std::uint64_t id, End end) {
  auto* const what = started(id);
  if (what == nullptr) {
    if (is_own_) refuse("a request is over that wasn't started");
    return remarks_.add("requests that are over without a beginning: left out");
  }
  ++completions_;
  const auto is_known = what->is_assumed_over;
  const auto request = what->request;
  if (!is_known) add_to_wait(request, end);
  started_.erase(id);
  if (!is_own_) unused_.push_back(request);
}

/// A wait, a flush, or a poll if it asked again and again; of no requests yet.
void RankReader::add_wait(End end) {
  const auto list = static_cast<std::uint32_t>(requests_.size());
  if (has(Attribute::attempts)) {
    add(event::Poll{.list = list, .attempts = uint64(Attribute::attempts, 0)});
  } else if (end == End::flush) {
    add(event::Flush{.list = list});
  } else {
    add(event::Wait{.list = list});
  }
}

/// Ours say which completions are one wait; others' are one if nothing is between them.
void RankReader::add_to_wait(std::uint32_t request, End end) {
  const bool is_new = is_own_ ? left_ == 0 : events_.empty() || !events_.back().is<event::Wait>();
  if (is_new) {
    add_wait(end);
    if (is_own_) left_ = has(Attribute::together) ? value(Attribute::together).uint32 : 1;
    if (is_own_ && left_ == 0) refuse("a wait has no requests");
  }
  requests_.push_back(request);
  std::visit(
      [](auto& wait) {
        if constexpr (requires { wait.list; }) ++wait.count;
      },
      events_.back().what);
  if (is_own_) --left_;
}

/// No completion of the request will come. A receive of which nothing is known is looked for later.
void RankReader::forget(std::uint64_t id) {
  const auto what = started_.at(id);
  const auto& event = events_[what.event];
  const auto* const collective = event.as<event::Collective>();
  if (collective != nullptr && collectives_[collective->operation].what.ranks == 0) {
    refuse("a collective operation was started whose end isn't recorded");
  }
  const auto* const receive = event.as<event::Receive>();
  if (receive != nullptr && receive->found.peer == any) unknown_.receives.push_back(what.event);
  if (!what.is_assumed_over && !event.is<event::ClockReads>()) {
    remarks_.add("completions of requests are missing: taken to be at the end of their use");
    add_to_wait(what.request);
  }
  started_.erase(id);
  unused_.push_back(what.request);
}

/// A waiting call without a completion: all that is started is over where it waits for all, else
/// the first of it.
void RankReader::missing_completions(const std::string& call) {
  const bool waits_for_all = call == "MPI_Waitall";
  if (completions_ > 0 || (!waits_for_all && call != "MPI_Wait")) return;
  std::vector<Started*> open;
  for (auto& [id, what] : started_) {
    if (!what.is_assumed_over) open.push_back(&what);
  }
  std::ranges::sort(open, {}, &Started::event);
  if (!waits_for_all && open.size() > 1) open.erase(open.begin() + 1, open.end());
  for (auto* what : open) {
    what->is_assumed_over = true;
    add_to_wait(what->request);
  }
  if (open.empty()) return;
  remarks_.add("completions of requests are missing: taken from the waiting calls", open.size());
}

void RankReader::check_records_of(const std::string& call) {
  if (records_ > 0) return;
  if (is_collective(call)) refuse(call + " has no record of what it did");
  if (is_message(call)) {
    remarks_.add("calls of " + call + " without a message: to MPI_PROC_NULL, or not recorded");
  }
}

void RankReader::close_calls() {
  if (!calls_.empty()) remarks_.add("regions left open at the end: closed", calls_.size());
  for (; !calls_.empty(); calls_.pop_back()) {
    add_end(calls_.back().name, calls_.back().is_call);
  }
}

void RankReader::finish() {
  std::vector<std::pair<std::size_t, std::uint64_t>> open;
  for (const auto& [id, what] : started_) open.emplace_back(what.event, id);
  std::ranges::sort(open);
  for (const auto& [event, id] : open) forget(id);
  close_calls();
}

Collective RankReader::own_collective(OTF2_CollectiveOp operation, std::uint32_t context,
                                      std::int32_t root) {
  auto one = std::exchange(next_, {});
  auto& what = one.what;
  const auto known = operation_of(operation);
  if (!known) refuse("its operation isn't known");
  what.operation = *known;
  what.root = root;
  const auto members = trace_.communicators[context].members.size();
  what.ranks = int32(Attribute::ranks, static_cast<std::int32_t>(members));
  if (next_counts_.empty()) {
    what.counts = {uint64(Attribute::count, 0)};
  } else {
    what.counts = std::exchange(next_counts_, {});
  }
  what.unit = {uint64(Attribute::unit, 1)};
  what.extent = {uint64(Attribute::extent, 1)};
  what.element = {uint64(Attribute::element, 1)};
  const auto flags = has(Attribute::operator_flags) ? value(Attribute::operator_flags).uint8 : 0U;
  what.is_commutative = (flags & not_commutative) == 0;
  what.is_built_in = (flags & not_built_in) == 0;
  what.is_in_place = (flags & in_place) != 0;
  one.is_neighbourhood = (flags & neighbourhood) != 0;
  one.is_own = (flags & mpis_own) != 0;
  return one;
}

/// `start` may be one that was started before, with an empty operation.
void RankReader::add_collective(event::Collective& start, OTF2_CollectiveOp operation,
                                OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                std::uint64_t received) {
  start.context = context(comm);
  const auto known = operation_of(operation);
  if (!known) refuse("its operation isn't known");
  const bool has_root = is_rooted(*known);
  auto where = has_root ? static_cast<std::int32_t>(root) : int32(Attribute::root, 0);
  if (start.request == no_request) {
    start.operation = static_cast<std::uint32_t>(collectives_.size());
    collectives_.emplace_back();
  }
  auto& one = collectives_[start.operation];
  one = own_collective(operation, start.context, where);
  if (is_own_) return;
  if (has_root && root >= static_cast<std::uint32_t>(one.what.ranks)) {
    refuse("its root isn't in the communicator");
  }
  unknown_.collectives.push_back({start.operation, start.context, sent, received});
}

std::uint32_t RankReader::context(OTF2_CommRef comm) {
  const auto found = catalogue_.context(comm, rank_);
  if (!found) refuse("its communicator isn't defined");
  return *found;
}

std::int32_t RankReader::peer(std::uint32_t place, std::uint32_t context) const {
  const auto& in = trace_.communicators[context];
  const bool is_first = std::ranges::find(in.members, rank_) != in.members.end();
  const auto& side = !in.others.empty() && is_first ? in.others : in.members;
  if (place >= side.size()) refuse("its partner isn't in the communicator");
  return side[place];
}

void RankReader::refuse(const std::string& why) const {
  throw InputError(name_of_thread(rank_, std::max(thread_, 0)) + "'s event " +
                   std::to_string(position_) + " cannot be used (" + why +
                   "): record the program again");
}

}  // namespace commgauge::trace
