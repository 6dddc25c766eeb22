#include "shared/shared_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

#include "commgauge/base/error.hpp"

namespace commgauge::emulate::shared_memory_test {

TEST(SharedMemory, WhoOpensItSeesTheSame) {
  const SharedMemory own = SharedMemory::create();
  own.base()[100] = std::byte{7};
  const SharedMemory opened = SharedMemory::open(getpid(), own.fd());
  EXPECT_EQ(opened.bytes(), own.bytes());
  EXPECT_NE(opened.base(), own.base());
  EXPECT_EQ(opened.base()[100], std::byte{7});
  opened.base()[101] = std::byte{8};
  EXPECT_EQ(own.base()[101], std::byte{8});
}

TEST(SharedMemory, ItIsThereForItsLastOwner) {
  SharedMemory first = SharedMemory::create();
  first.base()[0] = std::byte{9};
  const SharedMemory moved = std::move(first);
  EXPECT_EQ(moved.base()[0], std::byte{9});
}

TEST(SharedMemory, OfAFileThatIsNotThereTheReasonIsSaid) {
  constexpr int none = 1 << 20;
  EXPECT_THROW((void)SharedMemory::open(getpid(), none), InputError);
}

}  // namespace commgauge::emulate::shared_memory_test
