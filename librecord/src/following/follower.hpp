#pragma once

#include "following/threads.hpp"

/// How the recorder follows threads, for the calls by which they wait for each other.
namespace commgauge::preload {

namespace threads = record::following;

}  // namespace commgauge::preload
