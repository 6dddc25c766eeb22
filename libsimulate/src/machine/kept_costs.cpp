#include "commgauge/simulate/machine/kept_costs.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

#include "machine/bytes.hpp"

namespace commgauge::simulate {

/// How many, where each begins and the last one ends, counted from behind these numbers; the costs.
class KeptCosts::Stored {
 public:
  explicit Stored(std::string_view bytes)
      : places_{bytes.substr(sizeof(std::uint64_t))}, known_(number_at(bytes, 0)) {}
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;
  ~Stored() {
    for (const auto& costs : known_) delete costs.load();
  }

  [[nodiscard]] std::size_t size() const { return known_.size(); }

  const PairCosts& operator[](std::size_t number) {
    const PairCosts* known = known_[number].load(std::memory_order_acquire);
    if (known != nullptr) return *known;
    auto costs = std::make_unique<PairCosts>();
    Reader reader(
        places_.substr((size() + 1) * sizeof(std::uint64_t) + number_at(places_, number)));
    reader(*costs);
    // Another thread may have been faster.
    if (known_[number].compare_exchange_strong(known, costs.get(), std::memory_order_acq_rel)) {
      return *costs.release();
    }
    return *known;
  }

 private:
  static std::uint64_t number_at(std::string_view bytes, std::size_t index) {
    std::uint64_t number{};
    std::memcpy(&number, bytes.data() + index * sizeof number, sizeof number);
    return number;
  }

  std::string_view places_;
  std::vector<std::atomic<const PairCosts*>> known_;
};

KeptCosts::KeptCosts(std::string_view bytes) : stored_{std::make_shared<Stored>(bytes)} {}

std::size_t KeptCosts::size() const { return stored_ ? stored_->size() : own_.size(); }

const PairCosts& KeptCosts::read(std::size_t number) const { return (*stored_)[number]; }

std::vector<PairCosts>& KeptCosts::all() {
  if (stored_) {
    for (std::size_t k = 0; k < size(); ++k) own_.push_back(read(k));
    stored_.reset();
  }
  return own_;
}

void Writer::operator()(const KeptCosts& costs) {
  Writer all;
  std::vector<std::uint64_t> places;
  for (std::size_t k = 0; k < costs.size(); ++k) {
    places.push_back(all.bytes().size());
    all(costs[k]);
  }
  places.push_back(all.bytes().size());
  (*this)(std::uint64_t{costs.size()});
  for (const std::uint64_t place : places) (*this)(place);
  bytes_ += all.bytes();
}

void Reader::operator()(KeptCosts& costs) {
  costs = KeptCosts(bytes_);
  std::uint64_t number{};
  (*this)(number);
  bytes_.remove_prefix(number * sizeof number);
  std::uint64_t end{};
  (*this)(end);
  bytes_.remove_prefix(end);
}

}  // namespace commgauge::simulate
