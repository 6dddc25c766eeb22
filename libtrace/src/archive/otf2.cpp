#include "archive/otf2.hpp"

#include <array>
#include <cstdarg>
#include <mutex>

namespace commgauge::trace {
namespace {

thread_local std::string first_said;
std::mutex mutex;
int quiet = 0;
OTF2_ErrorCallback before = nullptr;

OTF2_ErrorCode keep(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                    const char*, va_list) {
  if (first_said.empty()) first_said = OTF2_Error_GetDescription(code);
  return code;
}

}  // namespace

const Word& word_of(Attribute attribute) {
  static constexpr std::array<Word, static_cast<std::size_t>(Attribute::number_of)> words{{
      {"commgauge::posted source",
       "rank of the job that a receive or probe asks for; the least number: any", OTF2_TYPE_INT32},
      {"commgauge::posted tag", "tag that a receive or probe asks for; the least number: any",
       OTF2_TYPE_INT32},
      {"commgauge::communicator", "of what is started or probed", OTF2_TYPE_COMM},
      {"commgauge::bytes", "the most that a receive takes", OTF2_TYPE_UINT64},
      {"commgauge::mode", "1: buffered, 2: synchronous", OTF2_TYPE_UINT8},
      {"commgauge::unknown", "of what a receive got: 1 the source, 2 the tag", OTF2_TYPE_UINT8},
      {"commgauge::together", "requests that one wait found over, from this record on",
       OTF2_TYPE_UINT32},
      {"commgauge::attempts", "tests in vain before", OTF2_TYPE_UINT64},
      {"commgauge::request", "that is started, or whose partitions they are", OTF2_TYPE_UINT32},
      {"commgauge::message", "of a matched probe, which is received", OTF2_TYPE_UINT32},
      {"commgauge::operation", "as in MpiCollectiveEnd", OTF2_TYPE_UINT8},
      {"commgauge::ranks", "that take part, where not the communicator's", OTF2_TYPE_INT32},
      {"commgauge::root", "where the record has none", OTF2_TYPE_INT32},
      {"commgauge::count", "units that a rank gives to another, or its part; partitions",
       OTF2_TYPE_UINT64},
      {"commgauge::unit", "bytes of a unit", OTF2_TYPE_UINT64},
      {"commgauge::extent", "bytes of an element in memory", OTF2_TYPE_UINT64},
      {"commgauge::element", "bytes of data in an element", OTF2_TYPE_UINT64},
      {"commgauge::operator",
       "1: not commutative, 2: the program's own, 4: in place, 8: of neighbours, 16: MPI's own",
       OTF2_TYPE_UINT8},
      {"commgauge::found source", "rank of the job", OTF2_TYPE_INT32},
      {"commgauge::found tag", "", OTF2_TYPE_INT32},
      {"commgauge::peer", "rank of the job", OTF2_TYPE_INT32},
      {"commgauge::tag", "", OTF2_TYPE_INT32},
      {"commgauge::site", "where the program calls it", OTF2_TYPE_CALLING_CONTEXT},
  }};
  return words.at(static_cast<std::size_t>(attribute));
}

const Word& word_of(Parameter parameter) {
  static constexpr std::array<Word, static_cast<std::size_t>(Parameter::number_of)> words{{
      {"commgauge::counts", "", OTF2_TYPE_UINT64},
      {"commgauge::counts in", "", OTF2_TYPE_UINT64},
      {"commgauge::bytes to neighbour", "", OTF2_TYPE_UINT64},
      {"commgauge::bytes from neighbour", "", OTF2_TYPE_UINT64},
      {"commgauge::probe", "", OTF2_TYPE_UINT64},
      {"commgauge::matched probe", "", OTF2_TYPE_UINT64},
      {"commgauge::wait for nothing", "", OTF2_TYPE_UINT64},
      {"commgauge::clock reads", "", OTF2_TYPE_UINT64},
      {"commgauge::sleep [ns]", "", OTF2_TYPE_UINT64},
      {"commgauge::request freed", "", OTF2_TYPE_UINT64},
      {"commgauge::thread begins", "", OTF2_TYPE_UINT64},
      {"commgauge::thread ends", "", OTF2_TYPE_UINT64},
      {"commgauge::thread started", "", OTF2_TYPE_UINT64},
      {"commgauge::release of object", "", OTF2_TYPE_UINT64},
      {"commgauge::wait for object", "", OTF2_TYPE_UINT64},
      {"commgauge::partitioned send [bytes]", "", OTF2_TYPE_UINT64},
      {"commgauge::partitioned receive [bytes]", "", OTF2_TYPE_UINT64},
      {"commgauge::partitioned request started", "", OTF2_TYPE_UINT64},
      {"commgauge::partition ready", "", OTF2_TYPE_UINT64},
      {"commgauge::partition arrived", "", OTF2_TYPE_UINT64},
      {"commgauge::partitioned request over", "", OTF2_TYPE_UINT64},
  }};
  return words.at(static_cast<std::size_t>(parameter));
}

OTF2_CollectiveOp to_otf2(schedule::Operation operation) {
  using enum schedule::Operation;
  switch (operation) {
    case barrier:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case bcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case reduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case allreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case gather:
      return OTF2_COLLECTIVE_OP_GATHER;
    case gatherv:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case scatter:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case scatterv:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case allgather:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case allgatherv:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case alltoall:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case alltoallv:
      return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case scan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case exscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
    case reduce_scatter:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case reduce_scatter_block:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case p2p:  // no collective
    case exchange:
    case ring:
      break;
  }
  return OTF2_COLLECTIVE_OP_BARRIER;
}

bool is_rooted(schedule::Operation operation) {
  using enum schedule::Operation;
  return operation == bcast || operation == reduce || operation == gather || operation == gatherv ||
         operation == scatter || operation == scatterv;
}

QuietErrors::QuietErrors() {
  const std::lock_guard lock{mutex};
  if (quiet++ == 0) before = OTF2_Error_RegisterCallback(keep, nullptr);
}

QuietErrors::~QuietErrors() {
  const std::lock_guard lock{mutex};
  if (--quiet == 0) OTF2_Error_RegisterCallback(before, nullptr);
}

const std::string& first_error() { return first_said; }

void forget_errors() { first_said.clear(); }

}  // namespace commgauge::trace
