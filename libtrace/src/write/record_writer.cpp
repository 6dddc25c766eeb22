#include "write/record_writer.hpp"

#include <algorithm>

#include "archive/state.hpp"
#include "commgauge/base/files.hpp"
#include "write/sizes.hpp"
#include "write/unify.hpp"

namespace commgauge::trace {
namespace {

/// Requests' numbers are used again: a larger one is a mistake.
constexpr std::uint32_t largest_request = 1U << 24;
constexpr std::uint32_t small_numbers = 1U << 16;

OTF2_LockType lock_type(Effect effect) {
  return effect == Effect::exclusive_lock ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
}

}  // namespace

const Pending* Requests::find(std::uint32_t request) const {
  if (request < first_.size()) {
    return first_[request].kind == Pending::Kind::nothing ? nullptr : &first_[request];
  }
  if (request < small_numbers) return nullptr;
  const auto found = further_.find(request);
  return found == further_.end() ? nullptr : &found->second;
}

void Requests::start(std::uint32_t request, const Pending& what) {
  if (request >= small_numbers) {
    further_[request] = what;
    return;
  }
  if (request >= first_.size()) first_.resize(request + 1);
  first_[request] = what;
}

void Requests::end(std::uint32_t request) {
  if (request < first_.size()) first_[request].kind = Pending::Kind::nothing;
  if (request >= small_numbers) further_.erase(request);
}

RecordWriter::RecordWriter(OTF2_EvtWriter* records, std::uint64_t location, bool has_processor_time,
                           Definitions& definitions, RankRequests& requests, std::string file)
    : records_{records},
      attributes_{OTF2_AttributeList_New()},
      rank_{rank_of(location)},
      thread_{thread_of(location)},
      runs_{thread_ == 0},
      has_processor_time_{has_processor_time},
      definitions_{definitions},
      file_{std::move(file)},
      requests_{requests},
      own_requests_{requests[thread_]} {}

RecordWriter::~RecordWriter() { OTF2_AttributeList_Delete(attributes_); }

void RecordWriter::write(const Event& event) {
  if (!problem_.empty()) return;
  tick(event);
  border(event);
  std::visit([&](const auto& what) { record(what); }, event.what);
}

void RecordWriter::write(const Event& event, std::span<const Over> over) {
  if (!problem_.empty()) return;
  const bool flushes = event.is<event::Flush>();
  for (const auto& one : over) {
    if (pending(one.request).kind != Pending::Kind::access && flushes) refuse("it isn't an access");
  }
  if (over.empty() && flushes) refuse("a flush has no accesses");
  tick(event);
  if (over.size() != 1) add(Attribute::together, std::uint64_t{over.size()});
  if (const auto* const poll = event.as<event::Poll>()) add(Attribute::attempts, poll->attempts);
  if (over.empty()) return parameter(Parameter::wait_for_nothing, 0);
  for (const auto& one : over) flushes ? heard_of(one) : this->over(one);
}

void RecordWriter::write(const Event& event, const Collective& collective) {
  if (!problem_.empty()) return;
  const auto* const start = event.as<event::Collective>();
  if (start == nullptr) refuse("it is no collective operation");
  const auto& in = members(start->context);
  const auto own = in.own_place(rank_);
  if (own < 0) refuse("the rank isn't in the communicator");
  const auto& what = collective.what;
  const auto operation = to_otf2(what.operation);
  const auto sizes = sizes_of(collective, own);
  const auto root = is_rooted(what.operation) ? static_cast<std::uint32_t>(what.root)
                                              : std::uint32_t{OTF2_COLLECTIVE_ROOT_NONE};
  lists(collective);
  if (start->request != no_request) {
    tick(event);
    this->start(start->request, {.kind = Pending::Kind::collective,
                                 .operation = operation,
                                 .context = start->context,
                                 .root = root,
                                 .bytes = sizes.sent,
                                 .received = sizes.received});
    add(Attribute::operation, std::uint64_t{operation});
    add_context(start->context);
    if (what.root != 0) add(Attribute::root, std::int32_t{what.root});
    attributes_of(collective, in);
    return check(
        OTF2_EvtWriter_NonBlockingCollectiveRequest(records_, attributes_, last_, start->request));
  }
  check(OTF2_EvtWriter_MpiCollectiveBegin(records_, nullptr, last_));
  tick(event);
  if (!is_rooted(what.operation) && what.root != 0) add(Attribute::root, std::int32_t{what.root});
  attributes_of(collective, in);
  check(OTF2_EvtWriter_MpiCollectiveEnd(records_, attributes_, last_, operation, start->context,
                                        root, sizes.sent, sizes.received));
}

// Calls and regions.

/// Times of calls' and regions' begins and ends must not decrease.
void RecordWriter::border(const Event& event) {
  using namespace event;
  if (!event.is<Enter, Leave, RegionBegin, RegionEnd>()) return;
  const auto time = static_cast<std::uint64_t>(event.time);
  if (event.time < 0 || time < border_) refuse("its time is before that of the one before");
  border_ = time;
}

void RecordWriter::record(const event::Enter& call) {
  begin(call.name, call.processor, false, call.site);
}
void RecordWriter::record(const event::Leave& call) { end(call.name, call.processor, false); }
void RecordWriter::record(const event::RegionBegin& region) {
  begin(region.name, region.processor, true, no_site);
}
void RecordWriter::record(const event::RegionEnd& region) {
  end(region.name, region.processor, true);
}

void RecordWriter::begin(std::uint32_t name, std::int64_t processor, bool is_region,
                         std::uint32_t site) {
  use(name, is_region);
  if (site > definitions_.sites) refuse("its call site isn't there");
  processor_time(processor);
  add_site(site);
  check(OTF2_EvtWriter_Enter(records_, attributes_, last_, region_of(name, is_region)));
}

void RecordWriter::end(std::uint32_t name, std::int64_t processor, bool is_region) {
  use(name, is_region);
  processor_time(processor);
  check(OTF2_EvtWriter_Leave(records_, nullptr, last_, region_of(name, is_region)));
}

void RecordWriter::use(std::uint32_t name, bool is_region) {
  if (name >= definitions_.used.size()) refuse("its name isn't there");
  definitions_.used[name] |= is_region ? 2 : 1;
}

void RecordWriter::processor_time(std::int64_t processor) {
  if (!has_processor_time_) return;
  const OTF2_Type type = OTF2_TYPE_INT64;
  OTF2_MetricValue value{};
  value.signed_int = processor;
  check(OTF2_EvtWriter_Metric(records_, nullptr, last_, 0, 1, &type, &value));
}

// Messages.

void RecordWriter::record(const event::Send& send) {
  const auto to = place(send.peer, send.context);
  const auto tag = static_cast<std::uint32_t>(send.tag);
  if (send.mode != Mode::standard) add(Attribute::mode, static_cast<std::uint64_t>(send.mode));
  if (send.request == no_request) {
    return check(
        OTF2_EvtWriter_MpiSend(records_, attributes_, last_, to, send.context, tag, send.bytes));
  }
  start(send.request, {.kind = Pending::Kind::send});
  check(OTF2_EvtWriter_MpiIsend(records_, attributes_, last_, to, send.context, tag, send.bytes,
                                send.request));
}

void RecordWriter::record(const event::Receive& receive) {
  this->receive(receive, {.kind = Pending::Kind::receive,
                          .context = receive.context,
                          .peer = receive.peer,
                          .tag = receive.tag,
                          .bytes = receive.bytes});
}

void RecordWriter::record(const event::MatchedReceive& receive) {
  if (pending(receive.message).kind != Pending::Kind::message) {
    refuse("what it receives isn't a probe's message");
  }
  auto posted = take(receive.message);
  posted.kind = Pending::Kind::receive;
  add(Attribute::message, std::uint64_t{receive.message});
  this->receive(receive, posted);
}

template <class Any>
void RecordWriter::receive(const Any& receive, const Pending& posted) {
  static_cast<void>(members(posted.context));
  if (receive.request == no_request) {
    if (receive.bytes != receive.found.bytes) add(Attribute::bytes, receive.bytes);
    return received(posted, {no_request, receive.found}, false);
  }
  start(receive.request, posted);
  add(Attribute::posted_source, posted.peer);
  add(Attribute::posted_tag, posted.tag);
  add(Attribute::bytes, receive.bytes);
  add_context(posted.context);
  check(OTF2_EvtWriter_MpiIrecvRequest(records_, attributes_, last_, receive.request));
}

/// A receive is over: what it asked for stands there only where it isn't what it got.
void RecordWriter::received(const Pending& posted, const Over& over, bool is_started) {
  const bool knows_peer = over.found.peer != any;
  const bool knows_tag = over.found.tag != any;
  if (!knows_peer || !knows_tag) {
    add(Attribute::unknown, std::uint64_t{(knows_peer ? 0U : 1U) + (knows_tag ? 0U : 2U)});
  }
  const auto peer = knows_peer ? over.found.peer : posted.peer;
  const auto tag = knows_tag ? over.found.tag : posted.tag;
  if (!is_started && posted.peer != peer) add(Attribute::posted_source, posted.peer);
  if (!is_started && posted.tag != tag) add(Attribute::posted_tag, posted.tag);
  const auto from =
      peer == any ? std::uint32_t{OTF2_UNDEFINED_UINT32} : place(peer, posted.context);
  const auto otf2_tag = static_cast<std::uint32_t>(tag);
  check(is_started ? OTF2_EvtWriter_MpiIrecv(records_, attributes_, last_, from, posted.context,
                                             otf2_tag, over.found.bytes, over.request)
                   : OTF2_EvtWriter_MpiRecv(records_, attributes_, last_, from, posted.context,
                                            otf2_tag, over.found.bytes));
}

void RecordWriter::record(const event::UnsuccessfulPolls& polls) {
  add(Attribute::attempts, polls.attempts);
  check(OTF2_EvtWriter_MpiRequestTest(records_, attributes_, last_, OTF2_UNDEFINED_UINT64));
}

void RecordWriter::record(const event::Probe& probe) {
  static_cast<void>(members(probe.context));
  this->probe(probe, Parameter::probe);
}

void RecordWriter::record(const event::MatchedProbe& probe) {
  static_cast<void>(members(probe.context));
  const Found& found = probe.found;
  start(probe.request, {.kind = Pending::Kind::message,
                        .context = probe.context,
                        .peer = found.peer != any ? found.peer : probe.peer,
                        .tag = found.tag != any ? found.tag : probe.tag,
                        .bytes = found.bytes});
  add(Attribute::request, std::uint64_t{probe.request});
  this->probe(probe, Parameter::matched_probe);
}

template <class Any>
void RecordWriter::probe(const Any& probe, Parameter parameter) {
  add(Attribute::posted_source, probe.peer);
  add(Attribute::posted_tag, probe.tag);
  add(Attribute::found_source, probe.found.peer);
  add(Attribute::found_tag, probe.found.tag);
  add_context(probe.context);
  if (probe.attempts != 0) add(Attribute::attempts, probe.attempts);
  this->parameter(parameter, probe.found.bytes);
}

void RecordWriter::record(const event::Cancel& cancel) {
  if (pending(cancel.request).kind != Pending::Kind::receive) {
    refuse("what is cancelled isn't a receive");
  }
  take(cancel.request);
  check(OTF2_EvtWriter_MpiRequestCancelled(records_, attributes_, last_, cancel.request));
}

void RecordWriter::record(const event::Free& free) {
  if (requests_.size() > 1) own_requests_.end(free.request);
  parameter(Parameter::request_freed, free.request);
}

/// A lock's number is its request's.
void RecordWriter::record(const event::Access& access) {
  if (!members(access.context).is_window()) refuse("its communicator isn't a window's");
  if (access.request == no_request) refuse("an access has no request");
  const auto to = place(access.peer, access.context);
  start(access.request, {.kind = Pending::Kind::access,
                         .effect = access.effect,
                         .context = access.context,
                         .peer = access.peer});
  const auto window = access.context;
  const std::uint64_t id = access.request;
  if (access.effect == Effect::unlock) {
    return check(OTF2_EvtWriter_RmaReleaseLock(records_, nullptr, last_, window, to, id));
  }
  if (access.effect != Effect::access) {
    return check(OTF2_EvtWriter_RmaRequestLock(records_, nullptr, last_, window, to, id,
                                               lock_type(access.effect)));
  }
  if (access.back == 0) {
    return check(OTF2_EvtWriter_RmaPut(records_, nullptr, last_, window, to, access.bytes, id));
  }
  if (access.bytes == 0) {
    return check(OTF2_EvtWriter_RmaGet(records_, nullptr, last_, window, to, access.back, id));
  }
  check(OTF2_EvtWriter_RmaAtomic(records_, nullptr, last_, window, to,
                                 OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, access.bytes,
                                 access.back, id));
}

// What is over.

void RecordWriter::record(const event::Wait&) { refuse("it needs its list"); }
void RecordWriter::record(const event::Poll&) { refuse("it needs its list"); }
void RecordWriter::record(const event::Flush&) { refuse("it needs its list"); }
void RecordWriter::record(const event::Collective&) { refuse("it needs its list"); }

/// The first record of several says how many they are.
void RecordWriter::heard_of(const Over& over) {
  const auto what = take(over.request);
  const bool locks = what.effect != Effect::access && what.effect != Effect::unlock;
  check(locks ? OTF2_EvtWriter_RmaAcquireLock(records_, attributes_, last_, what.context,
                                              place(what.peer, what.context), over.request,
                                              lock_type(what.effect))
              : OTF2_EvtWriter_RmaOpCompleteRemote(records_, attributes_, last_, what.context,
                                                   over.request));
}

void RecordWriter::over(const Over& over) {
  const auto what = take(over.request);
  switch (what.kind) {
    case Pending::Kind::send:
      return check(OTF2_EvtWriter_MpiIsendComplete(records_, attributes_, last_, over.request));
    case Pending::Kind::receive:
      return received(what, over, true);
    case Pending::Kind::collective:
      return check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
          records_, attributes_, last_, what.operation, what.context, what.root, what.bytes,
          what.received, over.request));
    case Pending::Kind::access:
      return check(OTF2_EvtWriter_RmaOpCompleteBlocking(records_, attributes_, last_, what.context,
                                                        over.request));
    case Pending::Kind::prepared:
      return parameter(Parameter::prepared_over, over.request);
    case Pending::Kind::message:
    case Pending::Kind::nothing:
      refuse("a request that it waits for isn't there");
  }
}

// Messages in partitions, for which OTF2 has no records.

void RecordWriter::record(const event::PrepareSend& prepared) {
  prepare(prepared, Parameter::prepared_send);
}
void RecordWriter::record(const event::PrepareReceive& prepared) {
  prepare(prepared, Parameter::prepared_receive);
}

template <class Any>
void RecordWriter::prepare(const Any& prepared, Parameter parameter) {
  if (prepared.peer != nobody) static_cast<void>(place(prepared.peer, prepared.context));
  if (prepared.request >= largest_request) refuse("it prepares no request");
  add(Attribute::request, std::uint64_t{prepared.request});
  add(Attribute::peer, prepared.peer);
  add(Attribute::tag, prepared.tag);
  add(Attribute::count, std::uint64_t{prepared.partitions});
  add_context(prepared.context);
  this->parameter(parameter, prepared.bytes);
}

void RecordWriter::record(const event::Start& start) {
  this->start(start.request, {.kind = Pending::Kind::prepared});
  parameter(Parameter::prepared_started, start.request);
}

/// One partition goes without saying.
void RecordWriter::record(const event::Ready& ready) {
  add(Attribute::request, std::uint64_t{ready.request});
  if (ready.count != 1) add(Attribute::count, std::uint64_t{ready.count});
  parameter(Parameter::partition_ready, static_cast<std::uint32_t>(ready.first));
}

void RecordWriter::record(const event::Arrived& arrived) {
  add(Attribute::request, std::uint64_t{arrived.request});
  if (arrived.attempts != 0) add(Attribute::attempts, arrived.attempts);
  parameter(Parameter::partition_arrived, static_cast<std::uint32_t>(arrived.partition));
}

// What else ranks and their threads do.

void RecordWriter::record(const event::Meet& meet) {
  static_cast<void>(members(meet.context));
  check(OTF2_EvtWriter_MpiCollectiveBegin(records_, nullptr, last_));
  check(OTF2_EvtWriter_MpiCollectiveEnd(records_, nullptr, last_, OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                                        meet.context, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
}

void RecordWriter::record(const event::ClockReads& reads) {
  parameter(Parameter::clock_reads, reads.count);
}
void RecordWriter::record(const event::Sleep& sleep) {
  parameter(Parameter::sleep, sleep.nanoseconds);
}

void RecordWriter::record(const event::ThreadBegin& begin) {
  if (thread_ == 0) refuse("a rank's first thread has no beginning");
  if (runs_) refuse("the thread before it hasn't ended");
  runs_ = true;
  parameter(Parameter::thread_begin, begin.number);
}

void RecordWriter::record(const event::ThreadEnd&) {
  if (thread_ == 0) refuse("a rank's first thread has no end");
  runs_ = false;
  parameter(Parameter::thread_end, 0);
}

void RecordWriter::record(const event::ThreadStart& start) {
  parameter(Parameter::thread_start, start.number);
}
void RecordWriter::record(const event::Release& release) {
  parameter(Parameter::release, release.object);
}
void RecordWriter::record(const event::Acquire& acquire) {
  add(Attribute::count, std::uint64_t{acquire.count});
  parameter(Parameter::acquire, acquire.object);
}

// Collective operations.

/// Lists of counts stand before the operation, number by number: a record has no room for them.
void RecordWriter::lists(const Collective& collective) {
  const auto& what = collective.what;
  if (what.counts.size() != 1) {
    for (const auto count : what.counts) parameter(Parameter::counts, count);
  }
  for (const auto count : what.counts_in) parameter(Parameter::counts_in, count);
  const auto neighbours = [&](Parameter which, const auto& list) {
    for (const auto& one : list) {
      add(Attribute::peer, one.peer);
      add(Attribute::tag, one.tag);
      parameter(which, one.bytes);
    }
  };
  neighbours(Parameter::gives_to, collective.to);
  neighbours(Parameter::gets_from, collective.from);
}

void RecordWriter::attributes_of(const Collective& collective, const Members& members) {
  const auto& what = collective.what;
  if (what.ranks != members.size()) add(Attribute::ranks, std::int32_t{what.ranks});
  if (what.counts.size() == 1 && what.counts.front() != 0) {
    add(Attribute::count, what.counts.front());
  }
  if (what.unit.value != 1) add(Attribute::unit, what.unit.value);
  if (what.extent.value != 1) add(Attribute::extent, what.extent.value);
  if (what.element.value != 1) add(Attribute::element, what.element.value);
  std::uint64_t flags = 0;
  if (!what.is_commutative) flags |= not_commutative;
  if (!what.is_built_in) flags |= not_built_in;
  if (what.is_in_place) flags |= in_place;
  if (collective.is_neighbourhood) flags |= neighbourhood;
  if (collective.is_own) flags |= mpis_own;
  if (flags != 0) add(Attribute::operator_flags, flags);
}

void RecordWriter::parameter(Parameter parameter, std::uint64_t value) {
  check(OTF2_EvtWriter_ParameterUnsignedInt(records_, attributes_, last_,
                                            static_cast<OTF2_ParameterRef>(parameter), value));
}

void RecordWriter::add(Attribute attribute, std::uint64_t value) {
  OTF2_AttributeValue one{};
  const auto type = word_of(attribute).type;
  if (type == OTF2_TYPE_UINT8) {
    one.uint8 = static_cast<std::uint8_t>(value);
  } else if (type == OTF2_TYPE_UINT32) {
    one.uint32 = static_cast<std::uint32_t>(value);
  } else {
    one.uint64 = value;
  }
  OTF2_AttributeList_AddAttribute(attributes_, static_cast<OTF2_AttributeRef>(attribute), type,
                                  one);
}

void RecordWriter::add(Attribute attribute, std::int32_t value) {
  OTF2_AttributeList_AddInt32(attributes_, static_cast<OTF2_AttributeRef>(attribute), value);
}

/// MPI_COMM_WORLD goes without saying.
void RecordWriter::add_context(std::uint32_t context) {
  if (context == 0) return;
  OTF2_AttributeList_AddCommRef(attributes_, static_cast<OTF2_AttributeRef>(Attribute::context),
                                context);
}

/// The archive has no number for one that isn't known.
void RecordWriter::add_site(std::uint32_t site) {
  if (site == no_site) return;
  OTF2_AttributeList_AddCallingContextRef(
      attributes_, static_cast<OTF2_AttributeRef>(Attribute::site), site - 1);
}

void RecordWriter::tick(const Event& event) {
  ++events_;
  if (!runs_ && !event.is<event::ThreadBegin>()) refuse("its thread hasn't begun");
  if (event.time > 0) last_ = std::max(last_, static_cast<std::uint64_t>(event.time));
}

/// OTF2 says in no other way that the disk is full.
void RecordWriter::check(OTF2_ErrorCode code) {
  if (code == OTF2_SUCCESS && !flushed_) return;
  flushed_ = false;
  if (code == OTF2_SUCCESS && first_error().empty()) return;
  stop("cannot write " + file_ + " (" +
       (first_error().empty() ? OTF2_Error_GetDescription(code) : first_error()) + ")");
  throw WriteError(problem_, "the trace is unfinished; record it again where there is room");
}

void RecordWriter::look_for_errors() {
  if (!problem_.empty() || first_error().empty()) return;
  stop("cannot write " + file_ + " (" + first_error() + ")");
}

void RecordWriter::stop(const std::string& problem) {
  if (problem_.empty()) problem_ = problem;
}

void RecordWriter::refuse(const std::string& why) const {
  OTF2_AttributeList_RemoveAllAttributes(attributes_);
  throw InputError(name_of_thread(rank_, thread_) + "'s event " + std::to_string(events_) +
                   " cannot be written (" + why + "): it is left out");
}

const Members& RecordWriter::members(std::uint32_t context) const {
  if (context >= definitions_.communicators.size()) refuse("its communicator isn't there");
  return definitions_.communicators[context];
}

std::uint32_t RecordWriter::place(std::int32_t peer, std::uint32_t context) const {
  const auto place = members(context).place_of(peer, rank_);
  if (place < 0) refuse("rank " + std::to_string(peer) + " isn't in the communicator");
  return static_cast<std::uint32_t>(place);
}

/// The thread's own, else another's.
Requests& RecordWriter::requests_with(std::uint32_t request) const {
  if (own_requests_.find(request) != nullptr) return own_requests_;
  for (auto& [thread, one] : requests_) {
    if (one.find(request) != nullptr) return one;
  }
  refuse("a request that it waits for isn't there");
}

const Pending& RecordWriter::pending(std::uint32_t request) const {
  return *requests_with(request).find(request);
}

/// @return what was started
Pending RecordWriter::take(std::uint32_t request) {
  auto& requests = requests_with(request);
  const auto what = *requests.find(request);
  requests.end(request);
  return what;
}

void RecordWriter::start(std::uint32_t request, const Pending& what) {
  if (request >= largest_request) refuse("there are too many requests");
  own_requests_.start(request, what);
}

}  // namespace commgauge::trace
