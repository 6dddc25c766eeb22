#include "commgauge/trace/write/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"
#include "commgauge/trace/read/reader.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::writer_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Writer, ThatWasNotClosedIsRefused) {
  const Folder folder;
  {
    Alone alone;
    Writer writer{folder / "trace", {}, {{0, "node"}}, alone};
    static_cast<void>(writer.communicator({"MPI_COMM_WORLD", {0}, {}}));
    writer.rank(0).write(event::Sleep{.nanoseconds = 1});
  }
  EXPECT_THAT([&] { static_cast<void>(read(folder / "trace")); },
              ThrowsMessage<InputError>(HasSubstr("is unfinished (its program ended")));
}

TEST(Writer, ThatWasGivenUpSaysWhy) {
  const Folder folder;
  {
    Alone alone;
    Writer writer{folder / "trace", {}, {{0, "node"}}, alone};
    writer.give_up("MPI_Abort was called");
  }
  EXPECT_THAT([&] { static_cast<void>(read(folder / "trace")); },
              ThrowsMessage<InputError>(HasSubstr("(rank 0: MPI_Abort was called)")));
}

TEST(Writer, ANameAndASiteHaveOneNumberEach) {
  const Folder folder;
  Alone alone;
  Writer writer{folder / "trace", {}, {{0, "node"}}, alone};
  const auto send = writer.name("MPI_Send");
  EXPECT_NE(writer.name("MPI_Recv"), send);
  EXPECT_EQ(writer.name("MPI_Send"), send);
  const auto site = writer.site({"solve", "solve.c", 7});
  EXPECT_NE(site, no_site);
  EXPECT_EQ(writer.site({"solve", "solve.c", 7}), site);
  EXPECT_NE(writer.site({"solve", "solve.c", 8}), site);
  const Communicator world{"MPI_COMM_WORLD", {0}, {}};
  EXPECT_EQ(writer.communicator(world), 0U);
  EXPECT_EQ(writer.communicator(world), 1U) << "each is a new one";
}

}  // namespace commgauge::trace::writer_test
