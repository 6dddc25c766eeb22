#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::tasks {

/// In which order masters hand tasks out.
enum class Order {
  given,         ///< by number
  random,        ///< each order is as likely as any other
  longest_first  ///< those of one length by number
};

/// How masters and workers deal with one another: a worker asks, with the results of what it has
/// done; its master answers with tasks, or sends it away when there are none (Mizutani, Ino,
/// Hagihara). Masters take requests in the order of their arrival.
struct Protocol {
  Bytes request{8};        ///< of an asking message, without results
  Bytes task{8};           ///< of an answer
  Bytes result{4};         ///< of a task, where the tasks' own sizes aren't known
  std::uint64_t chunk{1};  ///< tasks in an answer
  Seconds serve{};         ///< what a master does with each request
  Order order{};
  std::uint64_t seed{1};  ///< of a random order
  /// Each with its share of the ranks, and of the tasks in their order; it is the first one of its
  /// ranks.
  int masters{1};
  /// A master whose workers wait longer than that for a task, on the average, makes one of them a
  /// master of almost half of its workers, and of their share of its tasks. 0: never.
  Seconds split_after{};
};

/// The tasks, in the order in which they are handed out.
struct Work {
  std::vector<double> times_s;              ///< where they were measured
  std::vector<std::uint32_t> result_bytes;  ///< empty: all are Protocol::result
};

/// @param times_s       by number @param result_bytes  likewise, or empty
[[nodiscard]] Work work_in_order(std::vector<double> times_s,
                                 std::vector<std::uint32_t> result_bytes, const Protocol& protocol);

/// A run of masters and workers, in virtual time.
struct Run {
  double time{};          ///< until all ranks are done [s]
  double masters{};       ///< share of that time that the first masters send, receive and serve
  double workers{};       ///< share of that time that the others compute, on the average
  std::int64_t splits{};  ///< masters that masters made
};

/// On the virtual machine, of all its ranks. Any protocol, any machine.
/// @throws InputError  fewer ranks than two for each master; no tasks. O(tasks · log ranks)
[[nodiscard]] Run run_on_virtual_machine(const simulate::Machine& machine, const Work& work,
                                         const Protocol& protocol);

/// Whether run_quickly() can tell: no master makes others, all messages are eager, no processor is
/// disturbed, no links are shared.
[[nodiscard]] bool is_plain(const simulate::Machine& machine, const Work& work,
                            const Protocol& protocol);

/// The same times, to the bit, without the virtual machine's generality: a heap of requests under
/// way. @pre is_plain(). @throws as run_on_virtual_machine(). O(tasks · log ranks)
[[nodiscard]] Run run_quickly(const simulate::Machine& machine, const Work& work,
                              const Protocol& protocol);

/// Whichever of the two is quicker.
[[nodiscard]] Run run(const simulate::Machine& machine, const Work& work, const Protocol& protocol);

}  // namespace commgauge::tasks
