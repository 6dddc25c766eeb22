#include "commgauge/tasks/shape.hpp"

#include <cassert>
#include <charconv>
#include <utility>

#include "commgauge/base/error.hpp"

namespace commgauge::tasks {

Shape::Shape(std::vector<std::uint64_t> counts) : counts_{std::move(counts)} {
  if (counts_.empty()) {
    throw InputError("a shape without dimensions (nothing numbers the tasks): give one like 1000");
  }
  for (const std::uint64_t count : counts_) {
    if (count == 0) {
      throw InputError("a dimension of no tasks (then there are none at all): give at least 1");
    }
    if (count > most_tasks / size_) {
      throw InputError("more than " + std::to_string(most_tasks) +
                       " tasks (each takes memory): name coarser ones");
    }
    size_ *= count;
  }
}

std::uint64_t Shape::number_of(std::span<const std::uint64_t> task) const {
  assert(task.size() == counts_.size());
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < counts_.size(); ++k) number = number * counts_[k] + (task[k] - 1);
  return number;
}

std::vector<std::uint64_t> Shape::task_of(std::uint64_t number) const {
  std::vector<std::uint64_t> task(counts_.size());
  for (std::size_t k = counts_.size(); k-- > 0;) {
    task[k] = number % counts_[k] + 1;
    number /= counts_[k];
  }
  return task;
}

Shape parse_shape(std::string_view text) {
  std::vector<std::uint64_t> counts;
  const std::string whole{text};
  for (;;) {
    const std::string_view word = text.substr(0, text.find('x'));
    std::uint64_t count = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (word.empty() || stop != word.data() + word.size() || error != std::errc{}) {
      throw InputError("'" + whole +
                       "' is no shape (how many tasks in each dimension, with x between): give one "
                       "like 1024x1024");
    }
    counts.push_back(count);
    if (word.size() == text.size()) return Shape(std::move(counts));
    text.remove_prefix(word.size() + 1);
  }
}

std::string to_text(const Shape& shape) {
  std::string text;
  for (const std::uint64_t count : shape.counts()) {
    text += (text.empty() ? "" : "x") + std::to_string(count);
  }
  return text;
}

std::string to_text(const Shape& shape, std::uint64_t number) {
  std::string text;
  for (const std::uint64_t i : shape.task_of(number)) {
    text += (text.empty() ? "(" : ", ") + std::to_string(i);
  }
  return text + ")";
}

}  // namespace commgauge::tasks
