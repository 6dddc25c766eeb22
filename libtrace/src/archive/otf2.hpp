#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>

#include "commgauge/trace/events/trace.hpp"

/// What this project's archives say beyond OTF2's own records, and small helpers for its library.
namespace commgauge::trace {

/// Attributes on records. Most stand only where the record itself doesn't say it.
enum class Attribute : std::uint8_t {
  posted_source,  ///< rank of the job, or any
  posted_tag,
  context,
  bytes,  ///< the most that a receive takes
  mode,
  unknown,   ///< of what a receive got: 1 the source, 2 the tag
  together,  ///< how many requests a wait found over: this record and those behind it
  attempts,  ///< unsuccessful, of a poll
  request,
  message,  ///< a matched probe's, which is received
  operation,
  ranks,
  root,
  count,
  unit,
  extent,
  element,
  operator_flags,
  found_source,
  found_tag,
  peer,
  tag,
  site,      ///< of a call
  number_of  ///< none, but how many there are
};

/// Bits of Attribute::operator_flags.
enum OperatorFlag : std::uint8_t {
  not_commutative = 1,
  not_built_in = 2,
  in_place = 4,
  neighbourhood = 8,
  mpis_own = 16
};

/// Records for what OTF2 has none for, and lists in front of a collective operation.
enum class Parameter : std::uint8_t {
  counts,
  counts_in,
  gives_to,
  gets_from,
  probe,
  matched_probe,
  wait_for_nothing,
  clock_reads,
  sleep,
  request_freed,
  thread_begin,
  thread_end,
  thread_start,
  release,
  acquire,
  prepared_send,
  prepared_receive,
  prepared_started,
  partition_ready,
  partition_arrived,
  prepared_over,
  number_of
};

struct Word {
  const char* name;
  const char* description;
  OTF2_Type type;
};

[[nodiscard]] const Word& word_of(Attribute attribute);
[[nodiscard]] const Word& word_of(Parameter parameter);

/// The archive's property that tells ours from others'.
inline constexpr const char* own_property = "COMMGAUGE::TRACE";
inline constexpr const char* own_version = "1";
/// With further threads, which readers of version 1 would leave out.
inline constexpr const char* version_of_threads = "2";
inline constexpr const char* program_property = "commgauge::program";
inline constexpr const char* virtual_property = "commgauge::virtual time";
inline constexpr const char* remark_property = "commgauge::remark";
inline constexpr const char* threads_property = "commgauge::threads";
inline constexpr const char* complete_property = "commgauge::complete";
inline constexpr const char* metric_name = "CPU time";

[[nodiscard]] OTF2_CollectiveOp to_otf2(schedule::Operation operation);
[[nodiscard]] bool is_rooted(schedule::Operation operation);

/// Keeps what OTF2 would print of errors, as long as one lives, for last_error(). Some errors it
/// tells in no other way: that the disk is full.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
};

/// The first that OTF2 said in this thread since forget_errors(); empty: nothing.
[[nodiscard]] const std::string& first_error();
void forget_errors();

}  // namespace commgauge::trace
