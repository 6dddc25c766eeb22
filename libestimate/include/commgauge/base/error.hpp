#pragma once

#include <stdexcept>

namespace commgauge {

/// Base of everything that commgauge throws. Messages read: problem (why it is one): what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bad input: a file, an option, an argument. Exit code 2.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The data can't determine what was asked for. Exit code 2.
class FitError : public Error {
 public:
  using Error::Error;
};

}  // namespace commgauge
