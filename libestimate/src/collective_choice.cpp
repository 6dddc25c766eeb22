#include "collective_choice.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <optional>
#include <set>

#include "commgauge/error.hpp"
#include "commgauge/tree.hpp"
#include "exporters.hpp"
#include "prediction_rules.hpp"
#include "text.hpp"

namespace commgauge {

namespace {

constexpr double same_time = 1e-9;  ///< relative; round-off
constexpr double steps_per_octave = 16;

/// Sizes of the subtrees whose blocks one message holds; 1 among them.
std::set<std::uint64_t> subtrees(int ranks, Operation operation) {
  std::set<std::uint64_t> sizes{1};
  if (operation == Operation::bcast) return sizes;
  for (const Branch& branch : binomial_tree(ranks, 0)) {
    sizes.insert(static_cast<std::uint64_t>(branch.ranks));
  }
  return sizes;
}

struct Times {
  double flat{};
  double tree{};
  /// Nothing where they are the same.
  [[nodiscard]] std::optional<Algorithm> faster() const {
    if (std::abs(flat - tree) <= same_time * tree) return std::nullopt;
    return flat < tree ? Algorithm::flat : Algorithm::binomial;
  }
  [[nodiscard]] double of(Algorithm algorithm) const {
    return algorithm == Algorithm::flat ? flat : tree;
  }
};

class Search {
 public:
  Search(const Model& model, const std::string& name, Operation operation, Service service)
      : model_(model),
        name_(name),
        operation_(operation),
        service_(service),
        roots_(compared_ranks(model.ranks)) {
    const std::vector<Bytes> fitted = sizes_of(model, name);
    first_ = fitted.front().value;
    last_ = std::min(std::ranges::max(fitted).value, INT_MAX / size_factor(model, operation));
    if (first_ > last_) {
      throw InputError("the smallest size that the model was fitted for, " +
                       to_text(Bytes{first_}) +
                       ", is beyond what MPI's counts hold for all ranks together: calibrate with "
                       "smaller messages");
    }
  }

  [[nodiscard]] CollectiveChoice choose() const {
    CollectiveChoice choice{operation_, ranges(), 0};
    for (const SizeRange& range : choice.ranges) {
      for (const std::uint64_t size : doublings(range)) {
        for (const int root : roots_) {
          const Times times = times_of(root, size);
          const double excess = times.of(range.algorithm) / std::min(times.flat, times.tree) - 1;
          choice.worst_excess = std::max(choice.worst_excess, excess);
        }
      }
    }
    return choice;
  }

 private:
  [[nodiscard]] double time(int root, std::uint64_t size, Algorithm algorithm) const {
    const double value = predict_time(model_, {.model = name_,
                                               .operation = operation_,
                                               .from = root,
                                               .size = Bytes{size},
                                               .algorithm = algorithm,
                                               .service = service_})
                             .value;
    if (value > 0) return value;
    throw InputError(name_ + " predicts no time above 0 for a " + std::string(to_text(operation_)) +
                     " of " + to_text(Bytes{size}) +
                     " (some of its parameters are negative): give another model with --model");
  }
  [[nodiscard]] Times times_of(int root, std::uint64_t size) const {
    return {time(root, size, Algorithm::flat), time(root, size, Algorithm::binomial)};
  }
  [[nodiscard]] Times sum_over_roots(std::uint64_t size) const {
    Times sum;
    for (const int root : roots_) {
      const Times one = times_of(root, size);
      sum.flat += one.flat;
      sum.tree += one.tree;
    }
    return sum;
  }
  [[nodiscard]] std::optional<Algorithm> faster(std::uint64_t size) const {
    return sum_over_roots(size).faster();
  }

  /// Where predicted times jump, on both sides, and a grid between.
  [[nodiscard]] std::set<std::uint64_t> looked_at() const {
    std::set<std::uint64_t> sizes{first_, last_};
    const auto add = [&](double size) {
      if (size > static_cast<double>(first_) && size < static_cast<double>(last_)) {
        sizes.insert(static_cast<std::uint64_t>(size));
      }
    };
    for (const std::uint64_t blocks : subtrees(model_.ranks, operation_)) {
      const double largest_eager = std::floor(eager_limit_of(model_) / static_cast<double>(blocks));
      add(largest_eager);
      add(largest_eager + 1);
    }
    for (double size = 1; size < static_cast<double>(last_);
         size *= std::exp2(1 / steps_per_octave)) {
      add(size);
    }
    return sizes;
  }

  /// The smallest size above `before`, up to `at`, from which on `algorithm` is faster.
  [[nodiscard]] std::uint64_t change(std::uint64_t before, std::uint64_t at,
                                     Algorithm algorithm) const {
    while (at - before > 1) {
      const std::uint64_t middle = before + (at - before) / 2;
      (faster(middle) == algorithm ? at : before) = middle;
    }
    return at;
  }

  [[nodiscard]] std::vector<SizeRange> ranges() const {
    std::vector<SizeRange> found;
    Algorithm current = faster(first_).value_or(Algorithm::flat);
    std::uint64_t start = first_;
    std::uint64_t before = first_;
    for (const std::uint64_t size : looked_at()) {
      const Algorithm now = faster(size).value_or(current);
      if (now != current) {
        const std::uint64_t next = change(before, size, now);
        found.push_back({Bytes{start}, Bytes{next - 1}, current});
        start = next;
        current = now;
      }
      before = size;
    }
    found.push_back({Bytes{start}, Bytes{last_}, current});
    return found;
  }

  static std::set<std::uint64_t> doublings(const SizeRange& range) {
    std::set<std::uint64_t> sizes{range.first.value, range.last.value};
    for (std::uint64_t size = 1; size < range.last.value; size *= 2) {
      if (size > range.first.value) sizes.insert(size);
    }
    return sizes;
  }

  const Model& model_;
  const std::string& name_;
  Operation operation_;
  Service service_;
  std::vector<int> roots_;
  std::uint64_t first_{};
  std::uint64_t last_{};
};

}  // namespace

std::vector<CollectiveChoice> choose_collectives(const Model& model, const std::string& name,
                                                 const FlatServices& services) {
  if (model.ranks < 4) {
    throw InputError(
        "the model has " + std::to_string(model.ranks) +
        " ranks, of which a tree is a star: there is nothing to choose, calibrate 4 or "
        "more");
  }
  std::vector<CollectiveChoice> choices;
  for (const auto& [operation, service] : {std::pair{Operation::scatter, services.scatter},
                                           std::pair{Operation::gather, services.gather},
                                           std::pair{Operation::bcast, services.bcast}}) {
    choices.push_back(Search(model, name, operation, service).choose());
  }
  return choices;
}

std::vector<std::string> losses_of(const Model& model, const std::vector<CollectiveChoice>& choices,
                                   const std::string& library) {
  const Bytes first = choices.front().ranges.front().first;
  const Bytes last = choices.front().ranges.back().last;
  const std::uint64_t blocks = *subtrees(model.ranks, Operation::scatter).rbegin();
  const std::string below =
      first.value > 0 ? "blocks below " + to_text(first) + " and " : "blocks ";
  std::vector<std::string> losses{
      "one choice for all roots: the smaller mean of their times",
      "no algorithm of " + library +
          "'s but flat and binomial ones: others are not predicted, and " +
          "not chosen where they would be faster",
      below + "above " + to_text(last) + ", and communicators of other than " +
          std::to_string(model.ranks) + " ranks: they are left to " + library};
  const Bytes fitted{last.value / blocks};
  losses.push_back((fitted < first ? "all blocks" : "blocks above " + to_text(fitted)) +
                   " give trees messages larger than the model was fitted to");
  losses.emplace_back(
      "intervals: where those of the two algorithms meet, the choice is not certain");
  const bool escalates = model.thresholds && model.thresholds->gather_m1.size;
  if (escalates) {
    losses.push_back("that flat gathers escalated above " +
                     to_text(*model.thresholds->gather_m1.size) +
                     " when they were measured: the predicted times are of regular ones");
  }
  return losses;
}

double worst_excess(const std::vector<CollectiveChoice>& choices) {
  return std::ranges::max(choices, {}, &CollectiveChoice::worst_excess).worst_excess;
}

std::uint64_t size_factor(const Model& model, Operation operation) {
  return operation == Operation::bcast ? 1 : static_cast<std::uint64_t>(model.ranks);
}

bool has_flat(const CollectiveChoice& choice) {
  return std::ranges::any_of(
      choice.ranges, [](const SizeRange& range) { return range.algorithm == Algorithm::flat; });
}

}  // namespace commgauge
