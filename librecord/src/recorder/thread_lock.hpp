#pragma once

/// The lock that guards what the threads of this process have in common while they are recorded. A
/// call holds it from Recorder::begin() to left().
namespace commgauge::record::threads {

/// Whether a second thread may record. Until then the lock isn't taken.
void set_several(bool are);
/// For the calling thread, up to let_go(). Nothing if it has it.
void hold();
void let_go();
/// As long as it lives, for what a call looks up before it goes to MPI.
class Held {
 public:
  Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held();

 private:
  bool had_;
};

/// In a process that was forked off: nobody else is there who had the lock.
void begin_again_in_child();
}  // namespace commgauge::record::threads
