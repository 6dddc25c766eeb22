#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "commgauge/trace/writer.hpp"
#include "recorder.hpp"
#include "thread_events.hpp"

namespace commgauge::record {

/// What there is between MPI_Init and MPI_Finalize. It is never destroyed but by MPI_Finalize: a
/// process that ends otherwise leaves an unfinished archive.
struct Session {
  std::unique_ptr<trace::Together> together;
  std::unique_ptr<trace::Writer> writer;
  std::unique_ptr<Recorder> recorder;  ///< of the thread that started MPI
  int rank{};
  int size{};
  // Of threads that have ended:
  std::set<std::string> left_out{};
  std::string problem{};
};
/// nullptr: nothing is recorded.
inline constinit Session* current_session = nullptr;
/// Whether threads have called MPI that nobody follows, which a replay leaves out.
inline constinit std::atomic<bool> have_others_called = false;
[[nodiscard]] inline Session* session() { return current_session; }

/// Whether MPI_Init or a session has, and not all of them have ended.
[[nodiscard]] bool has_started_mpi();
/// Starts MPI, by MPI_Init or a session: with the first of them the recording begins.
/// @param start  () → MPI's code, which is returned
int start_mpi(const CalledFrom& from, const char* name, const std::function<int()>& start);
/// Ends it: with the last of them the recording ends. @param end  likewise
int end_mpi(const CalledFrom& from, const char* name, const std::function<int()>& end);

/// preload::Library::abandon: the trace stays unfinished.
[[nodiscard]] bool abandon(const std::string& how, int code);

/// Writes one line, `record: text`, on standard error.
void say(const std::string& text);

}  // namespace commgauge::record

extern "C" {
/// For the launcher, when it can't start the program on this rank: other ranks may wait in MPI_Init
/// for ever if it just ends. So this process starts MPI only to end the whole job, with this line.
/// @return only if MPI can't be started
void commgauge_record_refuse(const char* problem);
/// For who follows threads.
void commgauge_record_thread_event(const commgauge::preload::ThreadEvent& event);
}
