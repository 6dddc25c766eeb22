#include "recorder/recorder.hpp"

#include <algorithm>
#include <utility>

#include "commgauge/base/files.hpp"
#include "recorder/thread_lock.hpp"

namespace commgauge::record {

Recorder::Recorder(trace::Writer& archive, trace::RankWriter& writer, const Clocks& clocks,
                   std::int64_t start)
    : archive_{archive},
      writer_{writer},
      sites_{archive},
      clocks_{clocks},
      start_{start},
      least_gap_{clocks_.least_gap()} {
  exit_ = clocks_.at_leave(clocks_.at_return());
}

Recorder::Recorder(const Recorder& first, trace::RankWriter& writer, const Moment& at)
    : archive_{first.archive_},
      writer_{writer},
      sites_{first.sites_},
      clocks_{first.clocks_.of_another_thread()},
      start_{first.start_},
      least_gap_{first.least_gap_},
      exit_{at} {}

void Recorder::begin_thread(int number) {
  write({event::ThreadBegin{static_cast<std::uint32_t>(number)},
         std::max<std::int64_t>(exit_.time - start_, 0)});
}

void Recorder::end_thread(int number) {
  finish();
  write(event::ThreadEnd{static_cast<std::uint32_t>(number)});
}

Recorder::Gap Recorder::gap() const {
  return {std::max<std::int64_t>(0, entry_.time - exit_.time - least_gap_.time),
          std::max<std::int64_t>(0, entry_.cpu - exit_.cpu - least_gap_.cpu)};
}

bool Recorder::is_work(const Gap& gap) const {
  return (clocks_.reads_cpu() ? gap.cpu : gap.time) >= shortest_work;
}

void Recorder::write_pending() {
  if (const auto leave = std::exchange(pending_leave_, std::nullopt)) write(*leave);
  if (clock_reads_ > 0) write(event::ClockReads{std::exchange(clock_reads_, 0)});
}

/// Unsuccessful attempts that something else comes after.
void Recorder::end_unsuccessful() {
  if (unsuccessful_.attempts == 0) return;
  write({event::Enter{unsuccessful_.name, unsuccessful_.site, unsuccessful_.processor},
         unsuccessful_.time});
  write_unsuccessful(unsuccessful_.attempts);
  write({event::Leave{unsuccessful_.name, processor_}, exit_.time - start_});
  unsuccessful_ = {};
}

void Recorder::begin(const Name& name) {
  returned_ = clocks_.at_return();
  threads::hold();
  write_begin(name.number);
}

void Recorder::write_begin(std::uint32_t name) {
  write_pending();
  end_unsuccessful();
  entered_with_ = processor_ + gap().cpu;
  write({event::Enter{name, sites_.number(called_from_), entered_with_}, entry_.time - start_});
}

/// The program's computing between two attempts counts as before the first of them.
void Recorder::add_unsuccessful_gap() {
  const Gap between = gap();
  processor_ += between.cpu;
  if (!is_work(between)) return;
  unsuccessful_.time += clocks_.reads_cpu() ? between.cpu : between.time;
  unsuccessful_.processor += between.cpu;
}

std::uint64_t Recorder::begin_poll(const Name& name) {
  if (unsuccessful_.attempts == 0) {
    begin(name);
    return 0;
  }
  returned_ = clocks_.at_return();
  threads::hold();
  add_unsuccessful_gap();
  entered_with_ = processor_;
  write_pending();
  write({event::Enter{name.number, sites_.number(called_from_), unsuccessful_.processor},
         unsuccessful_.time});
  const std::uint64_t attempts = unsuccessful_.attempts;
  unsuccessful_ = {};
  return attempts;
}

void Recorder::leave(const Name& name) { write_end(name.number, clocks_.at_leave(returned_)); }

/// Later: MPI_Wtime may be read before the next call.
void Recorder::write_end(std::uint32_t name, const Moment& at) {
  exit_ = at;
  processor_ = entered_with_ + exit_.cpu - entry_.cpu;
  pending_leave_ = {event::Leave{name, processor_}, exit_.time - start_};
}

void Recorder::leave_unsuccessful(const Name& name) {
  threads::hold();
  if (unsuccessful_.attempts == 0) {
    write_pending();
    processor_ += gap().cpu;
    unsuccessful_ = {0, name.number, sites_.number(called_from_), entry_.time - start_, processor_};
  } else {
    add_unsuccessful_gap();
  }
  ++unsuccessful_.attempts;
  exit_ = clocks_.at_leave(clocks_.at_return());
  processor_ += exit_.cpu - entry_.cpu;
}

std::uint32_t Recorder::number_of(const char* call) {
  const auto found = std::ranges::find(names_, call, &std::pair<const char*, std::uint32_t>::first);
  if (found != names_.end()) return found->second;
  const threads::Held naming;
  const std::uint32_t number = archive_.name(call);
  names_.emplace_back(call, number);
  return number;
}

void Recorder::follow(const preload::ThreadEvent& told, const Moment* at) {
  using What = preload::ThreadEvent::What;
  if (told.what == What::clock) {
    if (!is_inside_) read_clock();
    return;
  }
  if (told.what == What::guess) {
    return leave_out("waits of threads for each other in ways that aren't seen");
  }
  if (told.what == What::leave) {
    if (!is_waiting_ || is_inside_) return;
    is_waiting_ = false;
    write_end(waits_in_, at != nullptr ? *at : clocks_.at_leave(clocks_.at_return()));
    return;
  }
  if (told.what == What::resume) {
    if (!is_waiting_ && !is_inside_) exit_ = clocks_.at_leave(clocks_.at_return());
    return;
  }
  const Moment now = at != nullptr ? *at : clocks_.at_enter();
  // In a function of the program's that MPI calls: before that call of MPI, in the trace.
  if (is_inside_) {
    write_pending();
    end_unsuccessful();
  } else if (!is_waiting_) {
    is_waiting_ = true;
    entry_ = now;
    called_from_ = {told.from, nullptr};
    waits_in_ = number_of(told.call);
    write_begin(waits_in_);
    acquired_ = {};
  }
  follow_object(told, now);
}

void Recorder::follow_object(const preload::ThreadEvent& told, const Moment& now) {
  using What = preload::ThreadEvent::What;
  const std::int64_t time = now.time - start_;
  switch (told.what) {
    case What::start:
      return write({event::ThreadStart{told.number}, time});
    case What::release:
      return write({event::Release{told.number}, time});
    case What::acquire:
      // Who is let go on by another may then ask what has happened to the object.
      if (acquired_ == std::pair{told.number, told.count}) return;
      acquired_ = {told.number, told.count};
      return write({event::Acquire{told.number, static_cast<std::uint32_t>(told.count)}, time});
    case What::sleep:
      return write({event::Sleep{told.count}, time});
    default:
      return;
  }
}

void Recorder::begin_region(std::uint32_t name) {
  begin_border();
  write({event::RegionBegin{name, entered_with_}, entry_.time - start_});
  end_border();
}

void Recorder::end_region(std::uint32_t name) {
  begin_border();
  write({event::RegionEnd{name, entered_with_}, entry_.time - start_});
  end_border();
}

void Recorder::begin_border() {
  threads::hold();
  write_pending();
  end_unsuccessful();
  entered_with_ = processor_ + gap().cpu;
}

void Recorder::end_border() {
  exit_ = clocks_.at_leave(entry_.time);
  processor_ = entered_with_;
}

void Recorder::finish() {
  if (is_waiting_) write_end(waits_in_, exit_.time > entry_.time ? exit_ : entry_);
  is_waiting_ = false;
  write_pending();
  end_unsuccessful();
}

template <class... Arguments>
void Recorder::try_to_write(const Arguments&... arguments) {
  if (is_broken_) return;
  try {
    writer_.write(arguments...);
  } catch (const WriteError&) {
    is_broken_ = true;
  } catch (const Error& error) {
    if (problem_.empty()) problem_ = error.what();
  }
}

/// What is over when MPI returns: a message that came, not one that was started.
void Recorder::stamp(Event& event) const {
  using namespace trace::event;
  const bool waits = event.is<Wait, Poll, Probe, MatchedProbe, Meet, Arrived>();
  const bool may_wait = event.is<Receive, MatchedReceive, Collective>();
  if (waits || (may_wait && request_in(event) == trace::no_request)) {
    event.time = returned_ - start_;
  }
}

void Recorder::write(Event event) {
  stamp(event);
  try_to_write(event);
}
void Recorder::write(Event event, std::span<const trace::Over> over, bool ends_call) {
  if (ends_call) stamp(event);
  try_to_write(event, over);
}
/// Of MPI's own ones others may come behind, within the same call.
void Recorder::write(Event event, const trace::Collective& collective) {
  if (!collective.is_own) stamp(event);
  try_to_write(event, collective);
}

void Recorder::write_unsuccessful(std::uint64_t attempts) {
  if (attempts > 0) write(event::UnsuccessfulPolls{attempts});
}

}  // namespace commgauge::record
