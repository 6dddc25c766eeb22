#pragma once

#include "rank/threads.hpp"

/// How the emulation follows threads, for the calls by which they wait for each other.
namespace commgauge::preload {

namespace threads = emulate::threads;

}  // namespace commgauge::preload
