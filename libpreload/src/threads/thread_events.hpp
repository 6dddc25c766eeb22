#pragma once

#include <cstdint>

/// What the recorder is told of the threads of a process: by the emulation, where a program is
/// recorded under it, else by the library that follows threads for it.
namespace commgauge::preload {

struct ThreadEvent {
  enum class What : std::uint8_t {
    begin,    ///< `thread` begins
    end,      ///< it ends
    start,    ///< it has started another one: `number`
    enter,    ///< it calls something that waits
    release,  ///< something has happened to an object that threads wait for: `number`, which
    acquire,  ///< it has waited until so much had: `count` of release, by any thread
    sleep,    ///< it has waited unsuccessfully, so long: `count` [ns]
    resume,   ///< what it has used of its processor since it left wasn't the program's
    leave,    ///< the call is over, if one goes on
    clock,    ///< it has read a clock other than MPI_Wtime
    guess     ///< it goes on, and nobody knows because of whom
  };
  What what{};
  int thread{};  ///< its number, the same as long as it lives; from 0
  std::uint32_t number{};
  std::uint64_t count{};
  const char* call{};   ///< name of the function that the program called
  const void* from{};   ///< where it did
  bool has_moment{};    ///< the next two are set; else it is now
  std::int64_t time{};  ///< virtual [ns]
  std::int64_t cpu{};   ///< of the thread's own [ns]
};

/// Of the recorder, by the name commgauge_record_thread_event.
using TellThreadEvent = void(const ThreadEvent&);
/// Of whoever follows threads, by the name commgauge_thread_number: the calling one's; −1: it isn't
/// known.
using ThreadNumber = int();
/// Likewise, by the name commgauge_act_as: the calling one goes on as that one, which has ended or
/// sleeps, as the one that has started MPI may, when another ends it.
using ActAs = void(int);
/// Likewise, by the name commgauge_tell_threads: says `begin` of all that there are.
using TellThreads = void();

}  // namespace commgauge::preload
