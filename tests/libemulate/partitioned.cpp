// Whether partitioned communication does what the standard says. Runs with and without the
// emulation, at any number of ranks; exit code 1 and a line for what is wrong.
//
//   emulated-partitioned [random SEED [native]]
//
// native: without what MPICH 4.0 can't do: no partitions, MPI_PROC_NULL, MPI_Testall.

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace {

int own = 0;
int ranks = 0;
int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d of %d: WRONG: %s\n", own, ranks, what);
}

using Ints = std::vector<int>;

int next() { return (own + 1) % ranks; }
int before() { return (own - 1 + ranks) % ranks; }

/// Marks the partitions, the last one first.
void mark(int partitions, MPI_Request request) {
  for (int p = partitions - 1; p >= 0; --p) MPI_Pready(p, request);
}

/// Around a ring, with so many partitions on either side, several times.
void ring(int out_partitions, int in_partitions) {
  constexpr int total = 240;
  Ints out(total);
  Ints in(total);
  MPI_Request pair[2];
  MPI_Psend_init(out.data(), out_partitions, total / out_partitions, MPI_INT, next(), 5,
                 MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
  MPI_Precv_init(in.data(), in_partitions, total / in_partitions, MPI_INT, before(), 5,
                 MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]);
  for (int turn = 0; turn < 3; ++turn) {
    std::iota(out.begin(), out.end(), 1000 * own + turn);
    in.assign(total, -1);
    MPI_Startall(2, pair);
    mark(out_partitions, pair[0]);
    for (int p = 0; p < in_partitions; ++p) {
      int flag = 0;
      while (flag == 0) MPI_Parrived(pair[1], p, &flag);
      const int last = (p + 1) * (total / in_partitions) - 1;
      check(in[static_cast<std::size_t>(last)] == 1000 * before() + turn + last,
            "a partition that has arrived");
    }
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    check(in.front() == 1000 * before() + turn && in.back() == 1000 * before() + turn + total - 1,
          "all partitions");
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
  check(pair[0] == MPI_REQUEST_NULL, "null when freed");
}

void range_and_list() {
  constexpr int partitions = 8;
  Ints out(partitions * 3);
  Ints in(partitions * 3, -1);
  std::iota(out.begin(), out.end(), 100 * own);
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Psend_init(out.data(), partitions, 3, MPI_INT, next(), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &send);
  MPI_Precv_init(in.data(), partitions, 3, MPI_INT, before(), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &receive);
  MPI_Start(&receive);
  MPI_Start(&send);
  MPI_Pready_range(2, 5, send);
  int flag = 1;
  MPI_Test(&send, &flag, MPI_STATUS_IGNORE);
  check(flag == 0, "a send with partitions that aren't ready is over");
  int others[] = {7, 0, 1, 6};
  MPI_Pready_list(4, others, send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  Ints wanted(partitions * 3);
  std::iota(wanted.begin(), wanted.end(), 100 * before());
  check(in == wanted, "partitions of a range and a list");
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

/// A partition each column of a matrix, into columns.
void derived_datatypes() {
  constexpr int n = 6;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(n, 1, n, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &type);
  MPI_Type_commit(&type);
  Ints out(n * n);
  Ints in(n * n, -1);
  std::iota(out.begin(), out.end(), own);
  MPI_Request pair[2];
  MPI_Psend_init(out.data(), n, 1, type, next(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
  MPI_Precv_init(in.data(), n / 2, 2, type, before(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]);
  MPI_Type_free(&column);
  MPI_Startall(2, pair);
  mark(n, pair[0]);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  Ints wanted(n * n);
  std::iota(wanted.begin(), wanted.end(), before());
  check(in == wanted, "columns as partitions");
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
  MPI_Type_free(&type);
}

/// Messages of one pair and tag are matched in the order in which they are prepared.
void order() {
  int out[2] = {2 * own, 2 * own + 1};
  int in[2] = {-1, -1};
  MPI_Request all[4];
  for (int k = 0; k < 2; ++k) {
    MPI_Psend_init(&out[k], 1, 1, MPI_INT, next(), 9, MPI_COMM_WORLD, MPI_INFO_NULL, &all[k]);
    MPI_Precv_init(&in[k], 1, 1, MPI_INT, before(), 9, MPI_COMM_WORLD, MPI_INFO_NULL, &all[2 + k]);
  }
  MPI_Startall(4, all);
  MPI_Pready(0, all[1]);
  MPI_Pready(0, all[0]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  check(in[0] == 2 * before() && in[1] == 2 * before() + 1, "two of the same tag");
  for (MPI_Request& request : all) MPI_Request_free(&request);
}

void never_started() {
  int data[2] = {};
  MPI_Request pair[2];
  MPI_Psend_init(&data[0], 1, 1, MPI_INT, next(), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
  MPI_Precv_init(&data[1], 1, 1, MPI_INT, before(), 3, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

/// Of the same random numbers on all ranks, but for the order in which each does its own part.
class Random {
 public:
  Random(unsigned seed, bool is_native)
      : common_{seed}, own_{seed + 1000U * static_cast<unsigned>(own)}, is_native_{is_native} {}

  void run() {
    for (int turn = 0; turn < 6; ++turn) {
      const int messages = number(common_, 1, 3);
      all_.clear();
      for (int k = 0; k < messages; ++k) prepare();
      const int rounds = number(common_, 1, 3);
      for (int round = 0; round < rounds; ++round) this->round();
      for (Both& one : all_) {
        for (MPI_Request& request : one.requests) MPI_Request_free(&request);
      }
    }
  }

 private:
  /// To one rank, and from another, or to and from nobody.
  struct Both {
    Ints out;
    Ints in;
    int from{};
    int out_partitions{};
    int in_partitions{};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    Ints not_ready{};
  };

  static int number(std::mt19937& random, int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  }
  int one_of(const Ints& list) {
    return list[static_cast<std::size_t>(number(common_, 0, static_cast<int>(list.size()) - 1))];
  }

  void prepare() {
    const int shift = number(common_, 0, ranks - 1);
    const int of_each = 24 * one_of({1, 5, 100});
    const bool is_empty = number(common_, 0, 9) == 0 && !is_native_;
    const bool is_to_nobody = number(common_, 0, 9) == 0 && !is_native_;
    const auto partitions = [&] { return is_empty ? 0 : one_of({1, 2, 3, 4, 6, 8, 12, 24}); };
    Both& both = all_.emplace_back();
    both.out_partitions = partitions();
    both.in_partitions = is_empty ? number(common_, 0, 3) : partitions();
    both.from = is_to_nobody ? MPI_PROC_NULL : (own - shift + ranks) % ranks;
    const int to = is_to_nobody ? MPI_PROC_NULL : (own + shift) % ranks;
    both.out.resize(static_cast<std::size_t>(of_each));
    both.in.resize(both.out.size());
    const auto part = [&](int count) { return count == 0 ? 1 : of_each / count; };
    const auto send = [&] {
      MPI_Psend_init(both.out.data(), both.out_partitions, part(both.out_partitions), MPI_INT, to,
                     shift % 2, MPI_COMM_WORLD, MPI_INFO_NULL, &both.requests[0]);
    };
    const auto receive = [&] {
      MPI_Precv_init(both.in.data(), both.in_partitions, part(both.in_partitions), MPI_INT,
                     both.from, shift % 2, MPI_COMM_WORLD, MPI_INFO_NULL, &both.requests[1]);
    };
    if (number(own_, 0, 1) == 0) {
      send();
      receive();
    } else {
      receive();
      send();
    }
  }

  void round() {
    MPI_Request meanwhile = MPI_REQUEST_NULL;
    const bool is_beside = number(common_, 0, 1) == 0;
    if (is_beside) MPI_Ibarrier(MPI_COMM_WORLD, &meanwhile);
    ++round_;
    std::vector<MPI_Request> requests;
    for (Both& one : all_) {
      std::iota(one.out.begin(), one.out.end(), 1000 * own + round_);
      std::fill(one.in.begin(), one.in.end(), -1);
      one.not_ready.resize(static_cast<std::size_t>(one.out_partitions));
      std::iota(one.not_ready.begin(), one.not_ready.end(), 0);
      if (number(own_, 0, 1) == 0) {
        std::shuffle(one.not_ready.begin(), one.not_ready.end(), own_);
      }
      requests.insert(requests.end(), one.requests, one.requests + 2);
    }
    MPI_Startall(static_cast<int>(requests.size()), requests.data());
    while (make_ready()) look();
    finish(requests);
    MPI_Wait(&meanwhile, MPI_STATUS_IGNORE);
    for (const Both& one : all_) {
      if (one.from == MPI_PROC_NULL || one.out_partitions == 0) continue;
      Ints wanted(one.in.size());
      std::iota(wanted.begin(), wanted.end(), 1000 * one.from + round_);
      check(one.in == wanted, "what has come in a random round");
    }
  }

  /// Some more partitions. @return whether there were any left
  bool make_ready() {
    bool any = false;
    for (Both& one : all_) {
      Ints& left = one.not_ready;
      if (left.empty()) continue;
      any = true;
      const auto some = static_cast<std::size_t>(number(own_, 1, static_cast<int>(left.size())));
      Ints now(left.end() - static_cast<long>(some), left.end());
      left.resize(left.size() - some);
      const bool is_range =
          now.back() - now.front() == static_cast<int>(some) - 1 && std::ranges::is_sorted(now);
      if (some == 1) {
        MPI_Pready(now.front(), one.requests[0]);
      } else if (is_range) {
        MPI_Pready_range(now.front(), now.back(), one.requests[0]);
      } else {
        MPI_Pready_list(static_cast<int>(some), now.data(), one.requests[0]);
      }
    }
    return any;
  }

  /// Asks, maybe in vain, and does something else.
  void look() {
    for (const Both& one : all_) {
      usleep(static_cast<unsigned>(number(own_, 0, 60)));
      if (one.in_partitions == 0) continue;
      int flag = 0;
      MPI_Parrived(one.requests[1], number(own_, 0, one.in_partitions - 1), &flag);
      usleep(1);
    }
  }

  /// In one of the ways in which MPI lets a program wait.
  void finish(std::vector<MPI_Request>& requests) {
    const int count = static_cast<int>(requests.size());
    const int how = number(own_, is_native_ ? 1 : 0, 4);
    int flag = 0;
    for (int index = 0; how == 1 && index != MPI_UNDEFINED;) {
      MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
    }
    while (how == 0 && flag == 0) {
      MPI_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE);
    }
    for (MPI_Request& request : requests) {
      for (flag = 0; how == 3 && flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    for (const Both& one : all_) {
      for (int p = 0; how == 4 && p < one.in_partitions; ++p) {
        for (flag = 0; flag == 0;) MPI_Parrived(one.requests[1], p, &flag);
      }
    }
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  }

  std::mt19937 common_;
  std::mt19937 own_;
  bool is_native_;
  std::vector<Both> all_;
  int round_{};
};

void everything() {
  for (const auto& [out, in] : {std::pair{1, 1}, {8, 8}, {1, 16}, {16, 3}, {5, 8}}) ring(out, in);
  range_and_list();
  derived_datatypes();
  order();
  never_started();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 2 && std::string_view{argv[1]} == "random") {
    Random{static_cast<unsigned>(std::atoi(argv[2])), argc > 3}.run();
  } else {
    everything();
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
