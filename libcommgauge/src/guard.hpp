#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "commgauge.h"
#include "commgauge/base/error.hpp"
#include "commgauge/bench/base/error.hpp"
#include "last_message.hpp"

namespace commgauge::c {

inline commgauge_status failed(commgauge_status status, std::string_view why) noexcept {
  keep_message(why);
  return status;
}

/// Does `work`; what it throws becomes a status and a message.
template <class Work>
commgauge_status guarded(Work&& work) noexcept {
  try {
    work();
    return COMMGAUGE_OK;
  } catch (const bench::MpiError& error) {
    return failed(COMMGAUGE_MPI_FAILED, error.what());
  } catch (const FitError& error) {
    return failed(COMMGAUGE_CANT_FIT, error.what());
  } catch (const Error& error) {
    return failed(COMMGAUGE_BAD_INPUT, error.what());
  } catch (const std::bad_alloc&) {
    return failed(COMMGAUGE_NO_MEMORY,
                  "out of memory (the model or the job is too large for this machine): use fewer "
                  "ranks or a machine with more memory");
  } catch (const std::exception& error) {
    return failed(COMMGAUGE_INTERNAL, error.what());
  } catch (...) {
    return failed(COMMGAUGE_INTERNAL,
                  "unknown exception (a callback threw it, or commgauge has a fault): let "
                  "callbacks throw nothing");
  }
}

/// @throws InputError  it is null
template <class Pointed>
Pointed& given(Pointed* pointer, const char* name) {
  if (pointer != nullptr) return *pointer;
  throw InputError(std::string{name} + " is null (it has to point to something): give an address");
}

}  // namespace commgauge::c
