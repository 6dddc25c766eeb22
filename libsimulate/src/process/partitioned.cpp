#include "commgauge/simulate/process/partitioned.hpp"

#include <utility>

namespace commgauge::simulate {

PartitionedSend::PartitionedSend(int partitions, StartPartition start)
    : partitions_{partitions}, start_{std::move(start)} {}

void PartitionedSend::prepare() { (void)start_(Request::Kind::send, tells_division); }

Task PartitionedSend::send() {
  ready_ = 0;
  messages_.clear();
  messages_.resize(static_cast<std::size_t>(partitions_));
  if (partitions_ == 0) co_return;
  Requests last_one;
  last_one.push_back(start_(Request::Kind::receive, tells_all_ready));
  co_await Over{last_one};
  co_await Over{messages_};
}

bool PartitionedSend::lacks(int partition) const {
  return partition >= 0 && static_cast<std::size_t>(partition) < messages_.size() &&
         messages_[static_cast<std::size_t>(partition)] == nullptr;
}

void PartitionedSend::ready(int partition) {
  messages_[static_cast<std::size_t>(partition)] = start_(Request::Kind::send, partition);
  if (++ready_ == partitions_) (void)start_(Request::Kind::send, tells_all_ready);
}

PartitionedReceive::PartitionedReceive(StartPartition start, std::function<Division()> told,
                                       std::uint64_t bytes)
    : start_{std::move(start)}, told_{std::move(told)}, bytes_{bytes} {}

void PartitionedReceive::prepare() {
  division_.push_back(start_(Request::Kind::receive, tells_division));
}

Task PartitionedReceive::receive() {
  messages_.clear();
  co_await Over{division_};
  sent_ = told_();
  for (int k = 0; k < sent_.partitions; ++k) {
    messages_.push_back(start_(Request::Kind::receive, k));
  }
  co_await Over{messages_};
}

bool PartitionedReceive::has(int partition) const {
  if (messages_.empty() || sent_.bytes == 0) return false;
  const std::uint64_t start = static_cast<std::uint64_t>(partition) * bytes_;
  const std::uint64_t end = start + bytes_;
  for (std::uint64_t k = start / sent_.bytes; k < messages_.size() && k * sent_.bytes < end; ++k) {
    if (!messages_[k]->done) return false;
  }
  return true;
}

}  // namespace commgauge::simulate
