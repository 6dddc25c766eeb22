#include "write/record_writer.hpp"

#include <algorithm>

#include "archive/state.hpp"
#include "commgauge/base/files.hpp"
#include "write/sizes.hpp"
#include "write/unify.hpp"

namespace commgauge::trace {
namespace {

/// Requests' numbers are used again: a larger one is a mistake.
constexpr std::uint32_t most_requests = 1U << 24;
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
  using Kind = Event::Kind;
  switch (event.kind) {
    case Kind::enter:
    case Kind::leave:
    case Kind::region_begin:
    case Kind::region_end:
      return border(event);
    case Kind::send:
      return send(event);
    case Kind::receive:
      return receive(event);
    case Kind::matched_receive:
      return matched_receive(event);
    case Kind::probe:
      return probe(event, Parameter::probe);
    case Kind::matched_probe:
      return probe(event, Parameter::matched_probe);
    case Kind::meet:
      return meet(event);
    case Kind::clock_reads:
      return parameter(Parameter::clock_reads, event.attempts);
    case Kind::sleep:
      return parameter(Parameter::sleep, event.bytes);
    case Kind::free:
      if (requests_.size() > 1) own_requests_.end(event.request);
      return parameter(Parameter::request_freed, event.request);
    case Kind::cancel:
      return cancel(event);
    case Kind::polls_in_vain:
      add(Attribute::attempts, event.attempts);
      return check(
          OTF2_EvtWriter_MpiRequestTest(records_, attributes_, last_, OTF2_UNDEFINED_UINT64));
    case Kind::access:
      return access(event);
    case Kind::thread_begin:
      return thread_begin(event);
    case Kind::thread_end:
      return thread_end();
    case Kind::thread_start:
      return parameter(Parameter::thread_start, event.list);
    case Kind::release:
      return parameter(Parameter::release, event.list);
    case Kind::acquire:
      add(Attribute::count, std::uint64_t{event.count});
      return parameter(Parameter::acquire, event.list);
    case Kind::prepare_send:
    case Kind::prepare_receive:
      return prepare(event);
    case Kind::start:
      return start_prepared(event);
    case Kind::ready:
      return ready(event);
    case Kind::arrived:
      return arrived(event);
    case Kind::wait:
    case Kind::poll:
    case Kind::flush:
    case Kind::collective:
      refuse("it needs its list");
  }
}

void RecordWriter::write(const Event& event, std::span<const Over> over) {
  if (!problem_.empty()) return;
  const bool flushes = event.kind == Event::Kind::flush;
  for (const auto& one : over) {
    if (pending(one.request).kind != Pending::Kind::access && flushes) refuse("it isn't an access");
  }
  if (over.empty() && flushes) refuse("a flush has no accesses");
  tick(event);
  if (over.size() != 1) add(Attribute::together, std::uint64_t{over.size()});
  if (event.kind == Event::Kind::poll) add(Attribute::attempts, event.attempts);
  if (over.empty()) return parameter(Parameter::wait_for_nothing, 0);
  for (const auto& one : over) flushes ? heard_of(one) : this->over(one);
}

void RecordWriter::write(const Event& event, const Collective& collective) {
  if (!problem_.empty()) return;
  const auto& in = members(event.context);
  const auto own = in.own_place(rank_);
  if (own < 0) refuse("the rank isn't in the communicator");
  const auto& what = collective.what;
  const auto operation = to_otf2(what.operation);
  const auto sizes = sizes_of(collective, own);
  const auto root = is_rooted(what.operation) ? static_cast<std::uint32_t>(what.root)
                                              : std::uint32_t{OTF2_COLLECTIVE_ROOT_NONE};
  lists(collective);
  if (event.request != no_request) {
    tick(event);
    start(event.request, {.kind = Pending::Kind::collective,
                          .operation = operation,
                          .context = event.context,
                          .root = root,
                          .bytes = sizes.sent,
                          .received = sizes.received});
    add(Attribute::operation, std::uint64_t{operation});
    add_context(event.context);
    if (what.root != 0) add(Attribute::root, std::int32_t{what.root});
    attributes_of(collective, in);
    return check(
        OTF2_EvtWriter_NonBlockingCollectiveRequest(records_, attributes_, last_, event.request));
  }
  check(OTF2_EvtWriter_MpiCollectiveBegin(records_, nullptr, last_));
  tick(event);
  if (!is_rooted(what.operation) && what.root != 0) add(Attribute::root, std::int32_t{what.root});
  attributes_of(collective, in);
  check(OTF2_EvtWriter_MpiCollectiveEnd(records_, attributes_, last_, operation, event.context,
                                        root, sizes.sent, sizes.received));
}

void RecordWriter::border(const Event& event) {
  using enum Event::Kind;
  const auto time = static_cast<std::uint64_t>(event.time);
  if (event.time < 0 || time < border_) refuse("its time is before that of the one before");
  border_ = time;
  const bool is_user = event.kind == region_begin || event.kind == region_end;
  if (event.name >= definitions_.used.size()) refuse("its name isn't there");
  definitions_.used[event.name] |= is_user ? 2 : 1;
  if (event.kind == enter && event.list > definitions_.sites) refuse("its call site isn't there");
  if (has_processor_time_) {
    const OTF2_Type type = OTF2_TYPE_INT64;
    OTF2_MetricValue value{};
    value.signed_int = event.processor;
    check(OTF2_EvtWriter_Metric(records_, nullptr, last_, 0, 1, &type, &value));
  }
  const auto region = region_of(event.name, is_user);
  const bool begins = event.kind == enter || event.kind == region_begin;
  if (event.kind == enter) add_site(event.list);
  check(begins ? OTF2_EvtWriter_Enter(records_, attributes_, last_, region)
               : OTF2_EvtWriter_Leave(records_, nullptr, last_, region));
}

void RecordWriter::send(const Event& event) {
  const auto to = place(event.peer, event.context);
  const auto tag = static_cast<std::uint32_t>(event.tag);
  if (event.mode != Mode::standard) {
    add(Attribute::mode, static_cast<std::uint64_t>(event.mode));
  }
  if (event.request == no_request) {
    return check(
        OTF2_EvtWriter_MpiSend(records_, attributes_, last_, to, event.context, tag, event.bytes));
  }
  start(event.request, {.kind = Pending::Kind::send});
  check(OTF2_EvtWriter_MpiIsend(records_, attributes_, last_, to, event.context, tag, event.bytes,
                                event.request));
}

void RecordWriter::receive(const Event& event) {
  receive(event, {.kind = Pending::Kind::receive,
                  .context = event.context,
                  .peer = event.peer,
                  .tag = event.tag,
                  .bytes = event.bytes});
}

void RecordWriter::receive(const Event& event, const Pending& posted) {
  static_cast<void>(members(posted.context));
  if (event.request == no_request) {
    if (event.bytes != event.found_bytes) add(Attribute::bytes, event.bytes);
    return received(posted, {no_request, event.found_peer, event.found_tag, event.found_bytes},
                    false);
  }
  start(event.request, posted);
  add(Attribute::posted_source, posted.peer);
  add(Attribute::posted_tag, posted.tag);
  add(Attribute::bytes, event.bytes);
  add_context(posted.context);
  check(OTF2_EvtWriter_MpiIrecvRequest(records_, attributes_, last_, event.request));
}

void RecordWriter::matched_receive(const Event& event) {
  if (pending(event.list).kind != Pending::Kind::message) {
    refuse("what it receives isn't a probe's message");
  }
  const auto message = end(event.list);
  add(Attribute::message, std::uint64_t{event.list});
  auto posted = message;
  posted.kind = Pending::Kind::receive;
  receive(event, posted);
}

/// A receive is over: what it asked for stands there only where it isn't what it got.
void RecordWriter::received(const Pending& posted, const Over& over, bool is_started) {
  const bool knows_peer = over.found_peer != any;
  const bool knows_tag = over.found_tag != any;
  if (!knows_peer || !knows_tag) {
    add(Attribute::unknown, std::uint64_t{(knows_peer ? 0U : 1U) + (knows_tag ? 0U : 2U)});
  }
  const auto peer = knows_peer ? over.found_peer : posted.peer;
  const auto tag = knows_tag ? over.found_tag : posted.tag;
  if (!is_started && posted.peer != peer) add(Attribute::posted_source, posted.peer);
  if (!is_started && posted.tag != tag) add(Attribute::posted_tag, posted.tag);
  const auto from =
      peer == any ? std::uint32_t{OTF2_UNDEFINED_UINT32} : place(peer, posted.context);
  const auto otf2_tag = static_cast<std::uint32_t>(tag);
  check(is_started ? OTF2_EvtWriter_MpiIrecv(records_, attributes_, last_, from, posted.context,
                                             otf2_tag, over.found_bytes, over.request)
                   : OTF2_EvtWriter_MpiRecv(records_, attributes_, last_, from, posted.context,
                                            otf2_tag, over.found_bytes));
}

void RecordWriter::probe(const Event& event, Parameter parameter) {
  static_cast<void>(members(event.context));
  if (parameter == Parameter::matched_probe) {
    start(event.request, {.kind = Pending::Kind::message,
                          .context = event.context,
                          .peer = event.found_peer != any ? event.found_peer : event.peer,
                          .tag = event.found_tag != any ? event.found_tag : event.tag,
                          .bytes = event.bytes});
    add(Attribute::request, std::uint64_t{event.request});
  }
  add(Attribute::posted_source, event.peer);
  add(Attribute::posted_tag, event.tag);
  add(Attribute::found_source, event.found_peer);
  add(Attribute::found_tag, event.found_tag);
  add_context(event.context);
  if (event.attempts != 0) add(Attribute::attempts, event.attempts);
  this->parameter(parameter, event.bytes);
}

void RecordWriter::meet(const Event& event) {
  static_cast<void>(members(event.context));
  check(OTF2_EvtWriter_MpiCollectiveBegin(records_, nullptr, last_));
  check(OTF2_EvtWriter_MpiCollectiveEnd(records_, nullptr, last_, OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                                        event.context, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
}

void RecordWriter::thread_begin(const Event& event) {
  if (thread_ == 0) refuse("a rank's first thread has no beginning");
  if (runs_) refuse("the thread before it hasn't ended");
  runs_ = true;
  parameter(Parameter::thread_begin, event.list);
}

void RecordWriter::thread_end() {
  if (thread_ == 0) refuse("a rank's first thread has no end");
  runs_ = false;
  parameter(Parameter::thread_end, 0);
}

void RecordWriter::cancel(const Event& event) {
  if (pending(event.request).kind != Pending::Kind::receive) {
    refuse("what is cancelled isn't a receive");
  }
  end(event.request);
  check(OTF2_EvtWriter_MpiRequestCancelled(records_, attributes_, last_, event.request));
}

/// A lock's number is its request's.
void RecordWriter::access(const Event& event) {
  if (!members(event.context).is_window()) refuse("its communicator isn't a window's");
  if (event.request == no_request) refuse("an access has no request");
  const auto to = place(event.peer, event.context);
  start(event.request, {.kind = Pending::Kind::access,
                        .effect = event.effect,
                        .context = event.context,
                        .peer = event.peer});
  const auto window = event.context;
  const std::uint64_t id = event.request;
  if (event.effect == Effect::unlock) {
    return check(OTF2_EvtWriter_RmaReleaseLock(records_, nullptr, last_, window, to, id));
  }
  if (event.effect != Effect::access) {
    return check(OTF2_EvtWriter_RmaRequestLock(records_, nullptr, last_, window, to, id,
                                               lock_type(event.effect)));
  }
  if (event.found_bytes == 0) {
    return check(OTF2_EvtWriter_RmaPut(records_, nullptr, last_, window, to, event.bytes, id));
  }
  if (event.bytes == 0) {
    return check(
        OTF2_EvtWriter_RmaGet(records_, nullptr, last_, window, to, event.found_bytes, id));
  }
  check(OTF2_EvtWriter_RmaAtomic(records_, nullptr, last_, window, to,
                                 OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, event.bytes,
                                 event.found_bytes, id));
}

/// The first record of several says how many they are.
void RecordWriter::heard_of(const Over& over) {
  const auto what = end(over.request);
  const bool locks = what.effect != Effect::access && what.effect != Effect::unlock;
  check(locks ? OTF2_EvtWriter_RmaAcquireLock(records_, attributes_, last_, what.context,
                                              place(what.peer, what.context), over.request,
                                              lock_type(what.effect))
              : OTF2_EvtWriter_RmaOpCompleteRemote(records_, attributes_, last_, what.context,
                                                   over.request));
}

void RecordWriter::over(const Over& over) {
  const auto what = end(over.request);
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

void RecordWriter::prepare(const Event& event) {
  if (event.peer != nobody) static_cast<void>(place(event.peer, event.context));
  if (event.request >= most_requests) refuse("it prepares no request");
  add(Attribute::request, std::uint64_t{event.request});
  add(Attribute::peer, event.peer);
  add(Attribute::tag, event.tag);
  add(Attribute::count, std::uint64_t{event.count});
  add_context(event.context);
  const bool sends = event.kind == Event::Kind::prepare_send;
  parameter(sends ? Parameter::prepared_send : Parameter::prepared_receive, event.bytes);
}

void RecordWriter::start_prepared(const Event& event) {
  start(event.request, {.kind = Pending::Kind::prepared});
  parameter(Parameter::prepared_started, event.request);
}

/// One partition goes without saying.
void RecordWriter::ready(const Event& event) {
  add(Attribute::request, std::uint64_t{event.request});
  if (event.count != 1) add(Attribute::count, std::uint64_t{event.count});
  parameter(Parameter::partition_ready, static_cast<std::uint32_t>(event.tag));
}

void RecordWriter::arrived(const Event& event) {
  add(Attribute::request, std::uint64_t{event.request});
  if (event.attempts != 0) add(Attribute::attempts, event.attempts);
  parameter(Parameter::partition_arrived, static_cast<std::uint32_t>(event.tag));
}

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
  if (!runs_ && event.kind != Event::Kind::thread_begin) refuse("its thread hasn't begun");
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
Pending RecordWriter::end(std::uint32_t request) {
  auto& requests = requests_with(request);
  const auto what = *requests.find(request);
  requests.end(request);
  return what;
}

void RecordWriter::start(std::uint32_t request, const Pending& what) {
  if (request >= most_requests) refuse("there are too many requests");
  own_requests_.start(request, what);
}

}  // namespace commgauge::trace
