#include "sites/sites.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "recorded_rank.hpp"
#include "sites/own_file.hpp"
#include "sites/symbols.hpp"

namespace commgauge::record::sites_test {

class SitesOfCalls : public RecordedRank {
 protected:
  [[nodiscard]] std::uint32_t number_of_place(const void* address) {
    return archive.site(place_in(own_file(), offset_of(address)));
  }
  Sites sites{archive};
};

[[gnu::noinline]] CalledFrom called_from() { return COMMGAUGE_CALLED_FROM; }

TEST_F(SitesOfCalls, ASiteIsAPlaceInTheProgramsFile) {
  const CalledFrom from = called_from();
  const std::uint32_t number = sites.number(from);
  EXPECT_NE(number, trace::no_site);
  EXPECT_EQ(number, number_of_place(from.address));
}

TEST_F(SitesOfCalls, TheSameAddressHasTheSameNumber) {
  const CalledFrom one = called_from();
  const CalledFrom other = called_from();
  ASSERT_NE(one.address, other.address);
  EXPECT_NE(sites.number(one), sites.number(other));
  EXPECT_EQ(sites.number(one), sites.number(one));
}

TEST_F(SitesOfCalls, AnAddressInNoFileHasNoSite) {
  const std::vector<char> on_the_heap(100);
  EXPECT_EQ(sites.number({on_the_heap.data() + 50, nullptr}), trace::no_site);
  EXPECT_EQ(sites.number({}), trace::no_site);
}

/// As of MPI's functions for Fortran: who called them is looked for on the stack.
TEST_F(SitesOfCalls, OfMpisOwnCallIsTheNearestCallerOutsideOfMpi) {
  const auto* const within = reinterpret_cast<const char*>(&PMPI_Get_version) + 1;
  const std::uint32_t number = sites.number({within, nullptr});
  EXPECT_NE(number, trace::no_site);
  // It isn't MPI's file that stands there.
  EXPECT_NE(number, number_of_place(within));
}

}  // namespace commgauge::record::sites_test
