#include "export/collective_choice.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/collective_plan.hpp"
#include "commgauge/predict/tree.hpp"
#include "costs/message.hpp"
#include "export/exporters.hpp"

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
    const SizeSpan fitted = fitted_sizes(model, name);
    first_ = fitted.first.value;
    last_ = std::min(fitted.last.value, INT_MAX / size_factor(model, operation));
    if (first_ > last_) {
      throw InputError("the smallest size that the model was fitted for, " +
                       to_text(Bytes{first_}) +
                       ", is beyond what MPI's counts hold for all ranks together: calibrate with "
                       "smaller messages");
    }
  }

  [[nodiscard]] CollectiveChoice choose() const {
    CollectiveChoice choice{operation_, ranges(), 0, {}};
    for (const SizeRange& range : choice.ranges) {
      std::set<std::uint64_t> sizes{range.first.value, range.last.value};
      std::ranges::copy_if(looked_at(), std::inserter(sizes, sizes.end()), [&](std::uint64_t size) {
        return size > range.first.value && size < range.last.value;
      });
      for (const std::uint64_t size : sizes) {
        choice.worst_excess = std::max(choice.worst_excess, excess(size, range.algorithm));
      }
    }
    choice.uncertain = uncertain(choice.ranges);
    return choice;
  }

 private:
  [[nodiscard]] Query query(int root, std::uint64_t size, Algorithm algorithm) const {
    return {.model = name_,
            .operation = operation_,
            .from = root,
            .size = Bytes{size},
            .algorithm = algorithm,
            .service = service_};
  }
  [[nodiscard]] double time(int root, std::uint64_t size, Algorithm algorithm) const {
    const double value = predict_time(model_, query(root, size, algorithm)).value;
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

  [[nodiscard]] double excess(std::uint64_t size, Algorithm algorithm) const {
    double most = 0;
    for (const int root : roots_) {
      const Times times = times_of(root, size);
      most = std::max(most, times.of(algorithm) / std::min(times.flat, times.tree) - 1);
    }
    return most;
  }

  /// Of all roots. An interval that is not known makes nothing certain.
  [[nodiscard]] bool is_certain(std::uint64_t size, Algorithm algorithm) const {
    return std::ranges::all_of(roots_, [&](int root) {
      try {
        const FasterAlgorithm found = faster_algorithm(model_, query(root, size, algorithm));
        return found.certain && found.algorithm == algorithm;
      } catch (const InputError&) {
        return false;
      }
    });
  }

  [[nodiscard]] std::vector<std::pair<Bytes, Bytes>> uncertain(
      const std::vector<SizeRange>& ranges) const {
    std::vector<std::pair<Bytes, Bytes>> found;
    bool continues = false;
    for (const SizeRange& range : ranges) {
      for (const std::uint64_t size : doublings(range)) {
        if (is_certain(size, range.algorithm)) {
          continues = false;
          continue;
        }
        if (!continues) found.emplace_back(Bytes{size}, Bytes{size});
        found.back().second = Bytes{size};
        continues = true;
      }
    }
    return found;
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

namespace {

std::string uncertain_text(const CollectiveChoice& choice) {
  std::vector<std::string> ranges;
  for (const auto& [first, last] : choice.uncertain) {
    ranges.push_back(first == last ? to_text(first) : to_text(first) + " to " + to_text(last));
  }
  return std::string(to_text(choice.operation)) + " of " + comma_list(ranges);
}

/// Nothing where all choices are certain.
std::optional<std::string> uncertainty(const std::vector<CollectiveChoice>& choices) {
  std::string text;
  for (const CollectiveChoice& choice : choices) {
    if (choice.uncertain.empty()) continue;
    if (!text.empty()) text += "; ";
    text += uncertain_text(choice);
  }
  if (text.empty()) return std::nullopt;
  return "certainty (some root's choice would be another, the two algorithms' intervals meet, "
         "messages "
         "are outside the sizes of the fit, gathers may escalate, or flat ones were measured to "
         "take longer): " +
         text;
}

/// Nothing where no gather is known to escalate.
std::optional<std::string> escalations(const Model& model,
                                       const std::vector<CollectiveChoice>& choices) {
  if (!model.thresholds || !model.thresholds->gather_m1.size) return std::nullopt;
  const Bytes first = *model.thresholds->gather_m1.size;
  const std::optional<Bytes> last = model.thresholds->gather_m2.size;
  const auto is_flat_there = [&](const SizeRange& range) {
    return range.algorithm == Algorithm::flat && range.last > first &&
           (!last || range.first <= *last);
  };
  const auto gather = std::ranges::find(choices, Operation::gather, &CollectiveChoice::operation);
  const bool is_chosen = std::ranges::any_of(gather->ranges, is_flat_there);
  return "that flat gathers above " + to_text(first) +
         (last ? ", up to " + to_text(*last) + "," : "") +
         " escalated when they were measured: the predicted times are of regular ones, and the "
         "file " +
         (is_chosen ? "takes flat ones there" : "takes none there");
}

/// Nothing where all launches ran under the library, or the file doesn't say.
std::optional<std::string> other_library(const Model& model, const std::string& library) {
  const auto other = std::ranges::find_if(model.launches, [&](const Launch& launch) {
    const std::string& measured = launch.mpi_library;
    return !measured.empty() && measured.find(library) == std::string::npos;
  });
  if (other == model.launches.end()) return std::nullopt;
  return "what " + library + "'s messages cost: the model was measured under '" +
         one_line(other->mpi_library) + "', so calibrate under " + library +
         ", or compare before you trust the choices";
}

}  // namespace

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
  for (const std::optional<std::string>& loss :
       {uncertainty(choices), escalations(model, choices), other_library(model, library)}) {
    if (loss) losses.push_back(*loss);
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
