#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace commgauge::emulate {

/// preload::Library::abandon: ends the job.
[[nodiscard]] bool abandon(const std::string& how, int code);

/// Starts MPI, by MPI_Init or a session: the first of them starts the emulation.
/// @param start  → MPI's code, which is returned
int start_mpi(const char* name, const std::function<int()>& start);
/// Ends it: with the last of them the emulation ends, too.
int end_mpi(const char* name, const std::function<int()>& end);

}  // namespace commgauge::emulate

extern "C" {
/// For the launcher, when it can't start the program on this rank: other ranks may wait in MPI_Init
/// for ever if it just ends. So this process starts MPI only to end the whole job, with this line.
/// @return only if MPI can't be started
void commgauge_emulate_refuse(const char* problem);

// For a recorder, which is loaded before this library. Virtual time, and CPU time of the program
// [ns]; 0 outside of MPI_Init and MPI_Finalize.
/// What the rank does from here on is not the program's.
void commgauge_emulate_pause(std::int64_t* time, std::int64_t* cpu);
/// From here on it is.
void commgauge_emulate_go_on(std::int64_t* time, std::int64_t* cpu);
/// Work for when all ranks have come to MPI_Finalize and MPI itself has not ended.
void commgauge_emulate_at_end(void (*work)());
/// preload::ThreadNumber, preload::ActAs, preload::TellThreads.
int commgauge_thread_number();
void commgauge_act_as(int first);
void commgauge_tell_threads();
}
