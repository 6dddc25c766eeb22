#include "shared/remote_memory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::emulate::remote_memory_test {

using Numbers = std::array<std::uint32_t, 4>;
constexpr std::uint64_t size = sizeof(std::uint32_t);

RemoteMemory memory_of(int pid, const Numbers& numbers) {
  return {pid, reinterpret_cast<std::uint64_t>(numbers.data())};
}

/// The first and the third.
const std::vector<Block> blocks{{0, size}, {2 * size, size}};

std::array<std::uint32_t, 2> read(int pid, const Numbers& numbers) {
  std::array<std::uint32_t, 2> got{};
  read_memory(memory_of(pid, numbers), blocks, reinterpret_cast<std::byte*>(got.data()));
  return got;
}

void write(int pid, const Numbers& numbers, std::array<std::uint32_t, 2> values) {
  write_memory(memory_of(pid, numbers), blocks, reinterpret_cast<const std::byte*>(values.data()));
}

/// A process that has its own of what is here, and does nothing.
class Other {
 public:
  Other() : pid_{fork()} {
    if (pid_ != 0) return;
    for (;;) pause();
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  ~Other() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] int pid() const { return pid_; }

 private:
  pid_t pid_;
};

using Both = std::array<std::uint32_t, 2>;

TEST(RemoteMemory, BlocksOfTheProcessItself) {
  Numbers numbers{1, 2, 3, 4};
  EXPECT_EQ(read(getpid(), numbers), (Both{1, 3}));
  write(getpid(), numbers, {10, 30});
  EXPECT_EQ(numbers, (Numbers{10, 2, 30, 4}));
}

TEST(RemoteMemory, BlocksOfAnother) {
  Numbers numbers{1, 2, 3, 4};
  const Other other;
  numbers = {5, 6, 7, 8};
  EXPECT_EQ(read(other.pid(), numbers), (Both{1, 3}));
  write(other.pid(), numbers, {10, 30});
  EXPECT_EQ(read(other.pid(), numbers), (Both{10, 30}));
  EXPECT_EQ(numbers, (Numbers{5, 6, 7, 8}));
}

TEST(RemoteMemory, WhatIsNotThereIsSaid) {
  const Other other;
  std::byte got{};
  EXPECT_THROW(read_memory({other.pid(), 8}, std::vector<Block>{{0, 1}}, &got), InputError);
}

}  // namespace commgauge::emulate::remote_memory_test
