#include "job/meeting.hpp"

namespace commgauge::record {

void write_own(Recorder& recorder, std::uint32_t context, schedule::Operation operation, int ranks,
               int root, std::uint64_t bytes, std::uint32_t request) {
  trace::Collective collective;
  collective.is_own = true;
  collective.what.operation = operation;
  collective.what.ranks = ranks;
  collective.what.root = root;
  collective.what.counts = {bytes};
  recorder.write(event::Collective{.request = request, .context = context}, collective);
}

void write_meeting(Recorder& recorder, std::uint32_t context) {
  recorder.write(event::Meet{context});
}

void write_barrier(Recorder& recorder, std::uint32_t context, int ranks) {
  write_own(recorder, context, schedule::Operation::barrier, ranks);
}

void synchronise(Recorder& recorder, std::uint32_t context, int ranks) {
  write_barrier(recorder, context, ranks);
  write_meeting(recorder, context);
}

}  // namespace commgauge::record
