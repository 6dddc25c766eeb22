#pragma once

#include <dlfcn.h>

#include <cstdint>

/// The emulation that this recorder is loaded before, if it is: `emulate --record`. Then calls of
/// MPI go on to it, and times are virtual.
namespace commgauge::record {

class Emulation {
 public:
  Emulation()
      : pause_{find<Look>("commgauge_emulate_pause")},
        go_on_{find<Look>("commgauge_emulate_go_on")},
        at_end_{find<AtEnd>("commgauge_emulate_at_end")} {}

  explicit operator bool() const { return pause_ != nullptr; }

  /// From here on what the rank computes isn't the program's. @param time  virtual [ns]
  /// @param cpu  CPU time that the program has had by then [ns]
  void pause(std::int64_t& time, std::int64_t& cpu) const { pause_(&time, &cpu); }
  void go_on(std::int64_t& time, std::int64_t& cpu) const { go_on_(&time, &cpu); }
  /// In MPI_Finalize, when no rank waits for another in virtual time any more.
  void at_end(void (*work)()) const { at_end_(work); }

 private:
  using Look = void (*)(std::int64_t*, std::int64_t*);
  using AtEnd = void (*)(void (*)());
  template <class Function>
  static Function find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }

  Look pause_;
  Look go_on_;
  AtEnd at_end_;
};

[[nodiscard]] inline const Emulation& emulation() {
  static const Emulation only;
  return only;
}

}  // namespace commgauge::record
