#include "messages/communicator.hpp"

#include <string>

#include "commgauge/bench/base/error.hpp"

namespace commgauge::bench {

void check(int code, std::string_view what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw MpiError(std::string(what) + " failed (" + std::string(text, static_cast<size_t>(length)) +
                 "): check the MPI installation and the network, then start again");
}

Communicator::Communicator(MPI_Comm comm) {
  check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Communicator::~Communicator() { MPI_Comm_free(&comm_); }

}  // namespace commgauge::bench
