#pragma once

#include "commgauge/base/error.hpp"

namespace commgauge::bench {

/// An MPI call failed. Exit code 4.
class MpiError : public Error {
 public:
  using Error::Error;
};

}  // namespace commgauge::bench
