#include "prediction/job_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"
#include "made_machine.hpp"

namespace commgauge::replay::job_machine_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

trace::Trace trace_of(std::size_t ranks) {
  trace::Trace trace;
  trace.ranks.resize(ranks);
  return trace;
}

TEST(JobMachine, HasAsManyRanksAsTheTrace) {
  const Model model = simulate::hockney_model(4);
  EXPECT_EQ(job_machine(trace_of(3), model, "hockney", {}).ranks, 3);
  EXPECT_EQ(job_machine(trace_of(4), model, "hockney", {}).ranks, 4);
}

TEST(JobMachine, WithFewerRanksIsRefused) {
  const auto machine = simulate::machine_of(simulate::hockney_model(2), "hockney");
  EXPECT_THAT([&] { (void)machine_for(trace_of(3), machine, "give a larger one"); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("the trace has 3 ranks, the machine 2"),
                                              HasSubstr("give a larger one"))));
}

TEST(JobMachine, IsWhatTheOptionsMakeOfTheModel) {
  PredictionOptions options;
  options.machine.placement = simulate::Placement{{3, 1, 2}, "places"};
  const auto machine = job_machine(trace_of(3), simulate::hockney_model(4), "hockney", options);
  EXPECT_EQ(machine.hosts.front(), simulate::hockney_model(4).host(3));
  EXPECT_THROW((void)job_machine(trace_of(4), simulate::hockney_model(4), "hockney", options),
               InputError);
}

TEST(TimesOnly, KeepsWhatChangesTheTimeAndNothingElse) {
  simulate::Causes causes(2);
  Options options;
  options.computes = false;
  options.rematches = true;
  options.keeps_timeline = options.keeps_marks = options.counts_traffic = true;
  options.causes = &causes;
  const Options times = times_only(options);
  EXPECT_FALSE(times.computes);
  EXPECT_TRUE(times.rematches);
  EXPECT_FALSE(times.keeps_timeline || times.keeps_marks || times.counts_traffic);
  EXPECT_EQ(times.causes, nullptr);
}

}  // namespace commgauge::replay::job_machine_test
