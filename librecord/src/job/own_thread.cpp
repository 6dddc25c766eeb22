#include "job/own_thread.hpp"

namespace commgauge::record::threads {

OwnThread& own_thread() {
  [[gnu::tls_model("initial-exec")]] static thread_local constinit OwnThread self{};
  return self;
}

int own_slot() { return own_thread().session == session() ? own_thread().slot : 0; }

}  // namespace commgauge::record::threads
