#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json_reader.hpp"

namespace commgauge::detail {

/// Equal ones that follow one another as one object, with how many they are as `count`.
/// @param as_object  what each of them is
template <class T, class AsObject>
[[nodiscard]] OrderedJson runs_of(const std::vector<T>& all, AsObject&& as_object) {
  OrderedJson runs = OrderedJson::array();
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first + 1;
    while (end < all.size() && all[end] == all[first]) ++end;
    OrderedJson run = as_object(all[first]);
    run["count"] = end - first;
    runs.push_back(std::move(run));
    first = end;
  }
  return runs;
}

/// Calls use(run, count) for each of the runs.
/// @throws InputError  they aren't of `total` in all: before more than that was used.
template <class Use>
void for_each_run(const Reader& runs, int total, Use&& use) {
  int left = total;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Reader run = runs[i];
    const Reader count = run["count"];
    const int length = count.count();
    if (length < 1) count.fail("is not at least 1");
    if (length > left) {
      count.fail("makes more than " + std::to_string(total) + " in all");
    }
    use(run, length);
    left -= length;
  }
  if (left > 0) {
    runs.fail("has " + std::to_string(total - left) + " in all where " + std::to_string(total) +
              " belong");
  }
}

}  // namespace commgauge::detail
