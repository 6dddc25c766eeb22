// Which threads there are: who follows them says so. Without that only the one that starts MPI is
// recorded.

#include "job/threads.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "job/own_thread.hpp"
#include "job/requests.hpp"
#include "recorder/thread_lock.hpp"

namespace commgauge::record::threads {

namespace {

using preload::ThreadEvent;
using What = ThreadEvent::What;

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Of the first thread the recorder is the session's.
struct Thread {
  int slot{};
  Recorder* recorder{};
  std::unique_ptr<Recorder> further{};
};

struct Threads {
  preload::ThreadNumber* number{};          ///< nullptr: nobody follows threads
  std::unordered_map<int, Thread> all;      ///< by number
  std::multimap<std::int64_t, int> unused;  ///< slots, by when they were last in use [ns]
  int slots{};
  std::unordered_map<std::uint32_t, std::uint32_t> objects;  ///< ours, by the follower's number
  std::uint32_t last_object{};
  int at_first{};  ///< so many had the process
  std::vector<std::unique_ptr<Recorder>> ended;
  std::vector<std::unique_ptr<Session>> ended_sessions;
};
/// There are threads until the process ends.
Threads& process() {
  static auto* const only = new Threads;
  return *only;
}

/// That nobody follows.
constinit std::atomic<bool> others_have_called = false;

int threads_now() {
  std::error_code ignored;
  int count = 0;
  for (std::filesystem::directory_iterator task{"/proc/self/task", ignored}, end;
       !ignored && task != end; task.increment(ignored)) {
    ++count;
  }
  return count;
}

/// One that nothing later has been written to than that.
int free_slot(std::int64_t time) {
  Threads& p = process();
  if (const auto last = p.unused.upper_bound(time); last != p.unused.begin()) {
    const auto found = std::prev(last);
    const int slot = found->second;
    p.unused.erase(found);
    return slot;
  }
  return ++p.slots;
}

/// @param at  when it begins; nullptr: now, by the calling thread's clocks
Thread& add(int number, const Moment* at) {
  Threads& p = process();
  set_several(true);
  Session& here = *session();
  Thread& added = p.all[number];
  const Moment start = at != nullptr ? *at : here.recorder->now();
  added.slot = free_slot(here.recorder->since_start(start.time));
  added.further =
      std::make_unique<Recorder>(*here.recorder, here.writer->thread(here.rank, added.slot), start);
  added.recorder = added.further.get();
  added.recorder->begin_thread(number);
  return added;
}

/// What its recorder has to say is the session's.
void take_over(const Recorder& ended) {
  session()->left_out.insert(ended.left_out().begin(), ended.left_out().end());
  if (session()->problem.empty()) session()->problem = ended.problem();
}

void remove(int number) {
  Threads& p = process();
  const auto found = p.all.find(number);
  if (found == p.all.end() || !found->second.further) return;
  Recorder& ended = *found->second.further;
  ended.end_thread(number);
  take_over(ended);
  forget_unused(found->second.slot);
  // Its destructors may still call MPI.
  if (own_thread().recorder == &ended) own_thread() = {};
  p.unused.emplace(ended.last_time(), found->second.slot);
  p.all.erase(found);
}

/// The calling thread's. @pre locked
const OwnThread& find_own(int number) {
  Threads& p = process();
  const auto found = p.all.find(number);
  const Thread& own = found != p.all.end() ? found->second : add(number, nullptr);
  return own_thread() = {session(), own.recorder, own.slot};
}

}  // namespace

Recorder* own() {
  const Session* const here = session();
  if (here == nullptr) return nullptr;
  if (const OwnThread& self = own_thread(); self.session == here) return self.recorder;
  // Asked before the lock is taken, for who follows threads has one of its own.
  const int number = process().number != nullptr ? process().number() : -1;
  if (number < 0) {
    others_have_called.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  set_several(true);
  const Held adding;
  return session() == here ? find_own(number).recorder : nullptr;
}

std::uint32_t new_object() { return ++process().last_object; }

void begin(Recorder& first) {
  Threads& p = process();
  p.number = find<preload::ThreadNumber>("commgauge_thread_number");
  own_thread() = {session(), &first, 0};
  p.all[p.number != nullptr ? p.number() : 0] = {0, &first, nullptr};
  p.at_first = threads_now();
  if (auto* const tell = find<preload::TellThreads>("commgauge_tell_threads")) tell();
}

void act_as_first() {
  auto* const act_as = find<preload::ActAs>("commgauge_act_as");
  if (act_as == nullptr || own() == session()->recorder.get()) return;
  const auto is_first = [](const auto& one) { return one.second.further == nullptr; };
  act_as(std::ranges::find_if(process().all, is_first)->first);
  own_thread() = {};
}

void finish() {
  const auto end = [](Recorder& one) {
    one.finish();
    one.stop();  // what closes the archive takes locks itself
  };
  end(*session()->recorder);
  for (auto& [number, thread] : process().all) {
    if (!thread.further) continue;
    end(*thread.further);
    take_over(*thread.further);
  }
}

void end() {
  Threads& p = process();
  for (auto& [number, thread] : p.all) {
    if (thread.further) p.ended.push_back(std::move(thread.further));
  }
  p.all.clear();
  p.unused.clear();
  p.slots = 0;
  p.objects.clear();
  p.last_object = 0;
  set_several(false);
}

void retire(std::unique_ptr<Session> ended) {
  if (!process().ended.empty()) process().ended_sessions.push_back(std::move(ended));
}

bool have_others_called() { return others_have_called; }

int unrecorded() {
  if (process().number != nullptr) return 0;
  return std::max(0, threads_now() - process().at_first);
}

namespace {

void follow(const ThreadEvent& event) {
  Threads& p = process();
  const Moment given{event.time, event.cpu};
  const Moment* const at = event.has_moment ? &given : nullptr;
  if (event.what == What::begin) {
    if (!p.all.contains(event.thread)) (void)add(event.thread, at);
    return;
  }
  if (event.what == What::end) return remove(event.thread);
  const auto found = p.all.find(event.thread);
  Recorder& recorder =
      found != p.all.end() ? *found->second.recorder : *add(event.thread, at).recorder;
  ThreadEvent told = event;
  const bool is_of_object = event.what == What::release || event.what == What::acquire;
  if (is_of_object) {
    std::uint32_t& number = p.objects[event.number];
    if (number == 0) number = new_object();
    told.number = number;
  }
  recorder.follow(told, at);
}

}  // namespace

}  // namespace commgauge::record::threads

extern "C" void commgauge_record_thread_event(const commgauge::preload::ThreadEvent& event) {
  using namespace commgauge::record;
  if (session() == nullptr) return;
  threads::set_several(true);
  const threads::Held writing;
  if (session() != nullptr) threads::follow(event);
}
