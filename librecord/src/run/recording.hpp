#pragma once

#include <functional>
#include <string>

#include "sites/sites.hpp"

/// From MPI_Init, or the first session, to MPI_Finalize, or the end of the last.
namespace commgauge::record {

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
}
