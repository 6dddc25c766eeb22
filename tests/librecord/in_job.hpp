#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <filesystem>
#include <memory>
#include <string>

#include "job/communicator.hpp"
#include "job/requests.hpp"
#include "mpi/by_mpi.hpp"
#include "recorded_rank.hpp"
#include "recorder/session.hpp"

namespace commgauge::record {

/// A recording by all ranks of this job. Of what this rank's recorder writes a test can look.
class InJob : public testing::Test {
 protected:
  InJob() {
    session.together = by_mpi();
    session.rank = session.together->rank();
    session.size = session.together->size();
    folder = session.together->bcast(testing::TempDir() + "in-job-" + std::to_string(getpid()));
    session.writer = std::make_unique<trace::Writer>(
        folder, trace::About{session.size}, std::vector{trace::Place{session.rank, "node"}},
        *session.together);
    session.recorder = std::make_unique<Recorder>(*session.writer, kept, Clocks(false), 0);
    current_session = &session;
    adopt(MPI_COMM_WORLD);
  }
  ~InJob() override {
    forget_requests();
    current_session = nullptr;
    session.writer.reset();
    session.together->barrier();
    if (session.rank == 0) std::filesystem::remove_all(folder);
  }
  InJob(const InJob&) = delete;
  InJob& operator=(const InJob&) = delete;

  [[nodiscard]] Recorder& recorder() { return *session.recorder; }
  [[nodiscard]] const Communicator* known(MPI_Comm comm) {
    return communicator(recorder(), comm, {"MPI_Barrier", 0});
  }

  std::filesystem::path folder;
  Kept kept;
  Session session;
};

}  // namespace commgauge::record
