#include "messages/buffers.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <vector>

namespace commgauge::bench::buffers_test {

bool is_on_a_page(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % page == 0;
}

TEST(MessageBuffers, EachMessageBeginsOnAPageOfItsOwn) {
  for (const Buffers habit : {Buffers::rotating, Buffers::same}) {
    MessageBuffers buffers(habit, 4 * page, 0);
    const std::byte* const first = buffers.next_send(1);
    const std::byte* const second = buffers.next_send(page + 1);
    const std::byte* const third = buffers.next_send(1);
    EXPECT_TRUE(is_on_a_page(first));
    EXPECT_EQ(second, first + page);
    EXPECT_EQ(third, second + 2 * page);
  }
}

TEST(MessageBuffers, AnEmptyMessageTakesNoPlace) {
  MessageBuffers buffers(Buffers::rotating, page, 0);
  const std::byte* const first = buffers.next_send(10);
  EXPECT_NE(buffers.next_send(0), nullptr);
  EXPECT_EQ(buffers.next_send(10), first + page);
}

TEST(MessageBuffers, SendingAndReceivingNeverShareBytes) {
  for (const Buffers habit : {Buffers::rotating, Buffers::same}) {
    MessageBuffers buffers(habit, page, 0);
    std::memset(buffers.next_send(page), 17, page);
    std::memset(buffers.next_receive(page), 18, page);
    buffers.begin_repetition();
    const std::byte there = habit == Buffers::same ? std::byte{18} : std::byte{0};
    EXPECT_EQ(buffers.next_receive(page)[0], there);
  }
}

/// Two pages: room for the message and the page that it starts on.
TEST(MessageBuffers, RotatingOnesMoveOnThroughTheCache) {
  constexpr std::size_t pages = 5;
  MessageBuffers buffers(Buffers::rotating, page, pages * page);
  std::set<const std::byte*> places;
  for (std::size_t message = 0; message < pages; ++message) {
    buffers.begin_repetition();
    places.insert(buffers.next_send(1));
  }
  EXPECT_EQ(places.size(), pages);
  EXPECT_EQ(buffers.next_send(1), *places.begin()) << "from the beginning again";
}

TEST(MessageBuffers, TheSameOnesStartEachRepetitionAtTheBeginning) {
  MessageBuffers buffers(Buffers::same, 4 * page, 64 * page);
  const std::byte* const sent = buffers.next_send(1);
  const std::byte* const received = buffers.next_receive(1);
  EXPECT_NE(buffers.next_send(1), sent);
  buffers.begin_repetition();
  EXPECT_EQ(buffers.next_send(1), sent);
  EXPECT_EQ(buffers.next_receive(1), received);
}

TEST(MessageBuffers, AReplyLiesWhereTheMessageDidOnlyInTheSameOnes) {
  MessageBuffers same(Buffers::same, page, 0);
  EXPECT_EQ(same.next_reply_receive(1), same.next_send(1));
  EXPECT_EQ(same.next_reply_send(1), same.next_receive(1));
  MessageBuffers rotating(Buffers::rotating, 8 * page, 0);
  const std::byte* const sent = rotating.next_send(1);
  EXPECT_EQ(rotating.next_reply_send(1), sent + page);
  const std::byte* const received = rotating.next_receive(1);
  EXPECT_EQ(rotating.next_reply_receive(1), received + page);
}

TEST(MessageBuffers, MakeRoomForMore) {
  MessageBuffers buffers(Buffers::same, page, 0);
  constexpr std::size_t more = 100 * page;
  buffers.reserve(more);
  std::memset(buffers.next_send(more), 3, more);
  std::memset(buffers.next_receive(more), 4, more);
  const std::byte* const first = buffers.next_send(1);
  buffers.reserve(more / 2);
  buffers.begin_repetition();
  EXPECT_EQ(buffers.next_send(1), first) << "there was room enough";
}

TEST(MessageBuffers, KeepTheirRoomIfThereIsNotEnoughMemory) {
  MessageBuffers buffers(Buffers::same, page, 0);
  EXPECT_THROW(buffers.reserve(std::size_t{1} << 60U), std::bad_alloc);
  std::memset(buffers.next_send(page), 3, page);
  std::memset(buffers.next_receive(page), 4, page);
}

/// As many of a region's pages as the system has given to the process.
std::size_t pages_there(std::byte* start, std::size_t pages) {
  std::vector<unsigned char> there(pages);
  if (mincore(start, pages * page, there.data()) != 0) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(there, [](auto one) { return one & 1U; }));
}

TEST(MessageBuffers, AllPagesAreThereBeforeTheFirstMessage) {
  constexpr std::size_t pages = 64;
  MessageBuffers buffers(Buffers::rotating, page, pages * page);
  EXPECT_EQ(pages_there(buffers.next_send(1), pages), pages);
  EXPECT_EQ(pages_there(buffers.next_receive(1), pages), pages);
}

TEST(MessageBuffers, RenewedRotatingOnesGoOnWithOtherPagesOfTheSameMemory) {
  constexpr std::size_t pages = 1000;
  MessageBuffers buffers(Buffers::rotating, page, pages * page);
  const std::byte* const start = buffers.next_send(1);
  std::set<std::ptrdiff_t> places{0};
  for (int pass = 1; pass < 10; ++pass) {
    buffers.renew();
    const std::ptrdiff_t place = (buffers.next_send(1) - start) / static_cast<long>(page);
    EXPECT_GE(place, 0);
    EXPECT_LT(place, static_cast<long>(pages));
    places.insert(place);
  }
  ASSERT_EQ(places.size(), 10U);
  for (auto next = std::next(places.begin()); next != places.end(); ++next) {
    EXPECT_GE(*next - *std::prev(next), 50) << "ten of a thousand pages keep apart";
  }
}

TEST(MessageBuffers, RenewedSameOnesHaveNewMemory) {
  MessageBuffers buffers(Buffers::same, page, 0);
  buffers.next_send(1)[0] = std::byte{17};
  buffers.renew();
  EXPECT_EQ(buffers.next_send(1)[0], std::byte{0});
}

TEST(CacheShare, IsSmallerForMoreRanks) {
  EXPECT_GT(cache_share(1), 0U);
  EXPECT_GE(cache_share(1), cache_share(4));
  EXPECT_EQ(cache_share(0), cache_share(1));
}

}  // namespace commgauge::bench::buffers_test
