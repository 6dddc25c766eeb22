#include "base/activity.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

namespace commgauge::bench {

namespace {

// Written by the thread that measures, read by signal handlers.
std::atomic<std::uint64_t> steps{0};
std::atomic<bool> sleeps{false};
std::atomic<bool> was_kept{false};
std::array<char, 120> experiment_text{};

void set_text(const std::string& words) {
  const std::size_t length = std::min(words.size(), experiment_text.size() - 1);
  std::copy_n(words.data(), length, experiment_text.data());
  experiment_text[length] = '\0';
  note_step();
}

std::string described(const Experiment& experiment) {
  const std::vector<int>& peers = experiment.peers;
  std::string words = std::string{to_text(experiment.kind)} + " of rank " +
                      std::to_string(experiment.root) + " with rank" +
                      (peers.size() == 1 ? " " : "s ");
  constexpr std::size_t shown = 4;
  for (std::size_t k = 0; k < std::min(shown, peers.size()); ++k) {
    words += (k == 0 ? "" : ", ") + std::to_string(peers[k]);
  }
  if (peers.size() > shown) words += ", ...";
  return words + ", " + to_text(std::max(experiment.out, experiment.back));
}

}  // namespace

ExperimentUnderWay::ExperimentUnderWay(const Experiment& experiment) {
  set_text(described(experiment));
}

ExperimentUnderWay::~ExperimentUnderWay() { set_text(""); }

void note_step() noexcept {
  steps.store(steps.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

Asleep::Asleep() { sleeps = true; }

Asleep::~Asleep() {
  sleeps = false;
  note_step();
}

void note_kept(bool is_kept) noexcept { was_kept = is_kept; }

Activity activity() noexcept {
  return {steps.load(std::memory_order_relaxed), experiment_text.data(), sleeps.load(),
          was_kept.load()};
}

}  // namespace commgauge::bench
