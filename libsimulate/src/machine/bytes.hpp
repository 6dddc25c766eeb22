#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commgauge/costs/costs_of_pairs.hpp"

namespace commgauge::simulate {

class KeptCosts;

/// Appends values to bytes that Reader makes the same values of, on one machine.
class Writer {
 public:
  static constexpr bool reads = false;
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& value) {
    (*this)(value.size());
    bytes_ += value;
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(values.size());
    for (const T& value : values) (*this)(value);
  }
  void operator()(const Curve& curve) {
    (*this)(curve.first);
    (*this)(curve.later);
    (*this)(curve.block);
    (*this)(curve.per_block);
  }
  void operator()(const PairCosts& costs);
  void operator()(const KeptCosts& costs);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  static constexpr bool reads = true;
  explicit Reader(std::string_view bytes) : bytes_{bytes} {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& value) {
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }
  void operator()(std::string& value) {
    std::size_t size{};
    (*this)(size);
    value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    std::size_t size{};
    (*this)(size);
    values.resize(size);
    for (T& value : values) (*this)(value);
  }
  void operator()(Curve& curve) {
    (*this)(curve.first);
    (*this)(curve.later);
    (*this)(curve.block);
    (*this)(curve.per_block);
  }
  void operator()(PairCosts& costs);
  void operator()(KeptCosts& costs);

 private:
  std::string_view bytes_;
};

/// The one order of the fields, for writing and reading.
template <class Stream, class Costs>
void visit_costs(Stream& stream, Costs& costs) {
  visit_curves(costs, stream);
  stream(costs.keeps_receiver);
  stream(costs.passes_at_once);
  stream(costs.ends_together);
  stream(costs.request);
  stream(costs.reply);
  stream(costs.has_handshake);
  stream(costs.reply_overhead);
  stream(costs.assumed);
  stream(costs.jitter);
  stream(costs.jitter_per_byte);
}

inline void Writer::operator()(const PairCosts& costs) { visit_costs(*this, costs); }
inline void Reader::operator()(PairCosts& costs) { visit_costs(*this, costs); }

}  // namespace commgauge::simulate
