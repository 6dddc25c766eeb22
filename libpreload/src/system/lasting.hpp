#pragma once

namespace commgauge::preload {

/// An object that is never destroyed: programs may call MPI_Finalize while the process exits, when
/// others' static objects are gone.
template <class Object>
[[nodiscard]] Object& lasting() {
  return *new Object;
}

}  // namespace commgauge::preload
