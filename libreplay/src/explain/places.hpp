#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "commgauge/replay/explain/whereabouts.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

/// Where each event of each rank is in the program when it begins.
class Places {
 public:
  static constexpr std::uint32_t no_call = std::numeric_limits<std::uint32_t>::max();

  /// One stay of a rank's thread in a region. Within a region of the same name it is none of its
  /// own. Those of further threads come after those of the first.
  struct Instance {
    int rank{};
    std::uint32_t region{};  ///< of Trace::names; their number: the whole program
    std::uint32_t number{};  ///< how often the rank had been there before
    std::uint32_t around{};  ///< the instance around it; of the whole program: itself
  };

  /// @param trace  must outlive this
  explicit Places(const trace::Trace& trace);

  [[nodiscard]] int ranks() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] std::span<const trace::Event> events(int rank) const {
    return trace_.ranks[static_cast<std::size_t>(rank)].events;
  }
  [[nodiscard]] const trace::Event* event(int rank, std::uint32_t place) const;
  /// Where the events of a thread begin and end.
  struct Thread {
    std::uint32_t from{};
    std::uint32_t to{};
  };
  [[nodiscard]] Thread thread(int rank, std::uint32_t place) const;
  /// Whether the event is the call of MPI_Init, before which the program's computing isn't counted.
  [[nodiscard]] bool begins_mpi(int rank, std::uint32_t place) const;
  /// A call of MPI, by where the program calls it as far as that is known.
  struct Call {
    std::uint32_t name{no_call};  ///< of Trace::names
    std::uint32_t site{};         ///< of the trace's sites; 0: not known
    auto operator<=>(const Call&) const = default;
  };
  [[nodiscard]] Call call(int rank, std::uint32_t place) const { return at(rank, place).call; }
  /// Which of instances(): the innermost.
  [[nodiscard]] std::uint32_t instance(int rank, std::uint32_t place) const {
    return at(rank, place).instance;
  }
  [[nodiscard]] std::span<const Instance> instances() const { return instances_; }
  [[nodiscard]] std::uint32_t region(int rank, std::uint32_t place) const {
    return instances_[instance(rank, place)].region;
  }
  /// Whether it is in that region, however far inside.
  [[nodiscard]] bool is_within(int rank, std::uint32_t place, std::uint32_t region) const;
  /// Whether one instance is the other, or around it, however far.
  [[nodiscard]] bool is_around(std::uint32_t one, std::uint32_t other) const;
  [[nodiscard]] std::uint32_t whole() const {
    return static_cast<std::uint32_t>(trace_.names.size());
  }
  [[nodiscard]] std::string region_name(std::uint32_t region) const;
  [[nodiscard]] std::string call_name(Call call) const;
  [[nodiscard]] std::string site_name(Call call) const;
  [[nodiscard]] Whereabouts whereabouts(int rank, std::uint32_t place) const;

 private:
  struct At {
    Call call;
    std::uint32_t instance{};
  };
  void add(int rank);
  At add(int rank, std::uint32_t whole_rank, std::span<const trace::Event> events,
         std::vector<std::uint32_t>& entered);
  [[nodiscard]] const At& at(int rank, std::uint32_t place) const;
  [[nodiscard]] bool has_around(std::uint32_t instance, std::uint32_t region) const;

  const trace::Trace& trace_;
  std::vector<Instance> instances_;
  std::vector<std::vector<At>> ranks_;  ///< by event, and one for the first thread's end
};

}  // namespace commgauge::replay
