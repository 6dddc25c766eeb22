#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commgauge::trace {

/// What processes that write one archive need of each other. All functions but rank() and size()
/// are collective; the root is rank 0. Strings are bytes, of any length, zeros among them.
class Together {
 public:
  Together() = default;
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;
  virtual ~Together() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void barrier() = 0;
  /// @return what rank 0 passed, at every rank.
  [[nodiscard]] virtual std::string bcast(std::string_view of_root) = 0;
  /// @return at rank 0 what each rank passed; nothing at others.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string_view own) = 0;
  /// @param of_root  at rank 0 a string for each rank; not looked at elsewhere.
  /// @return this rank's.
  [[nodiscard]] virtual std::string scatter(const std::vector<std::string>& of_root) = 0;
};

/// One process: a simulation that writes all ranks, or a test.
class Alone final : public Together {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void barrier() override {}
  [[nodiscard]] std::string bcast(std::string_view of_root) override {
    return std::string{of_root};
  }
  [[nodiscard]] std::vector<std::string> gather(std::string_view own) override {
    return {std::string{own}};
  }
  [[nodiscard]] std::string scatter(const std::vector<std::string>& of_root) override {
    return of_root.front();
  }
};

}  // namespace commgauge::trace
