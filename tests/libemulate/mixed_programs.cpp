// Random programs in which everything is open at once: receives from one rank and from any source,
// sends that wait and that don't, empty messages, a collective operation, probes, a new
// communicator.
//
//   emulated-mixed-programs COUNT FIRST_SEED PAUSES
//
// PAUSES seeds real pauses, of which virtual time must know nothing; 0: none. Prints a line for
// each program: its seed and every rank's virtual time at its end, to the bit.

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <deque>
#include <vector>

#include "random_run.hpp"

namespace {

using namespace random_run;

constexpr int largest = 5000;  ///< [bytes]

enum class From { one, any, probed };

struct Message {
  int from{};
  int to{};
  int size{};
  From wanted{};
  bool waits{};  ///< for its receiver
  int send_delay{};
  int receive_delay{};
};

/// One step of a program.
class Step {
 public:
  Step(Random& random, int first_tag, Pauses& pauses) : tag_{first_tag}, pauses_{pauses} {
    messages_.resize(at(1 + draw(random, 7)));
    for (Message& m : messages_) m = draw_message(random);
    collective_ = draw(random, 4);
    root_ = draw(random, ranks - 1);
    duplicates_ = draw(random, 5) == 0;
    for (int r = 0; r < ranks; ++r) {
      const int way = draw(random, 3);
      const int delay = mostly_none(random, 150);
      const bool probes = draw(random, 2) == 0;
      if (r != own) continue;
      way_ = way;
      delay_ = delay;
      probes_ = probes;
    }
  }

  void run() {
    compute(1 + delay_);
    pauses_.maybe();
    start_collective();
    for (const Message& m : messages_) start(m);
    for (const Message& m : messages_) {
      if (is_probed(m)) probe();
    }
    if (duplicates_) make_communicator();
    pauses_.maybe();
    finish();
  }

 private:
  static Message draw_message(Random& random) {
    Message m;
    m.from = draw(random, ranks - 1);
    m.to = (m.from + 1 + draw(random, ranks - 2)) % ranks;
    const int kind = draw(random, 3);
    m.size = kind == 0 ? 0 : draw(random, kind == 1 ? 90 : largest);
    m.wanted = static_cast<From>(draw(random, 2));
    m.waits = draw(random, 2) == 0;
    m.send_delay = mostly_none(random, 120);
    m.receive_delay = mostly_none(random, 120);
    return m;
  }

  static int mostly_none(Random& random, int most) {
    return draw(random, 2) == 0 ? draw(random, most) : 0;
  }

  [[nodiscard]] bool is_probed(const Message& m) const {
    return m.to == own && m.wanted == From::probed && probes_;
  }

  [[nodiscard]] int tag_of(const Message& m) const { return tag_ + static_cast<int>(m.wanted); }
  char* buffer() { return buffers_.emplace_back(at(largest)).data(); }
  MPI_Request* request() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  void start_collective() {
    MPI_Comm world = MPI_COMM_WORLD;
    if (collective_ == 1) {
      MPI_Ibcast(values_.data(), static_cast<int>(values_.size()), MPI_INT, root_, world,
                 request());
    } else if (collective_ == 2) {
      MPI_Iallreduce(values_.data(), sums_.data(), static_cast<int>(values_.size()), MPI_INT,
                     MPI_SUM, world, request());
    } else if (collective_ == 3) {
      MPI_Ibarrier(world, request());
    }
  }

  void start(const Message& m) {
    if (m.to == own) {
      pauses_.maybe();
      compute(m.receive_delay);
    }
    if (m.to == own && !is_probed(m)) {
      const int source = m.wanted == From::one ? m.from : MPI_ANY_SOURCE;
      MPI_Irecv(buffer(), largest, MPI_BYTE, source, tag_of(m), MPI_COMM_WORLD, request());
    }
    if (m.from == own) {
      pauses_.maybe();
      compute(m.send_delay);
      (m.waits ? MPI_Issend : MPI_Isend)(buffer(), m.size, MPI_BYTE, m.to, tag_of(m),
                                         MPI_COMM_WORLD, request());
    }
  }

  void probe() {
    const int tag = tag_ + static_cast<int>(From::probed);
    MPI_Status status;
    MPI_Message found = MPI_MESSAGE_NULL;
    if (way_ % 2 == 0) {
      MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
      pauses_.maybe();
      MPI_Mrecv(buffer(), largest, MPI_BYTE, &found, &status);
    } else {
      for (int flag = 0; flag == 0; compute(1)) {
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, &status);
      }
      MPI_Recv(buffer(), largest, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, &status);
    }
    compute(3 * status.MPI_SOURCE + 1);
  }

  void make_communicator() {
    pauses_.maybe();
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
  }

  /// What a rank does next depends on what is over first.
  void finish() {
    std::vector<MPI_Request> open(requests_.begin(), requests_.end());
    const int count = static_cast<int>(open.size());
    std::vector<int> indices(open.size());
    for (int left = count; left > 0;) {
      int number = 1;
      if (way_ == 0) {
        MPI_Waitall(count, open.data(), MPI_STATUSES_IGNORE);
        return;
      }
      if (way_ == 1) {
        MPI_Waitany(count, open.data(), indices.data(), MPI_STATUS_IGNORE);
      } else if (way_ == 2) {
        MPI_Waitsome(count, open.data(), &number, indices.data(), MPI_STATUSES_IGNORE);
      } else {
        MPI_Testany(count, open.data(), indices.data(), &number, MPI_STATUS_IGNORE);
      }
      for (int i = 0; i < number; ++i) compute(3 * indices[at(i)] + 1);
      if (number == 0) compute(1);
      left -= number;
      pauses_.maybe();
    }
  }

  int tag_;
  Pauses& pauses_;
  std::vector<Message> messages_;
  int collective_{};
  int root_{};
  bool duplicates_{};
  int way_{};
  int delay_{};
  bool probes_{};  ///< or else it receives what may be probed
  std::array<int, 100> values_{};
  std::array<int, 100> sums_{};
  std::deque<std::vector<char>> buffers_;
  std::deque<MPI_Request> requests_;
};

void run_program(std::uint64_t seed, Pauses& pauses) {
  Random random(seed);
  const int steps = 1 + draw(random, 3);
  for (int s = 0; s < steps; ++s) {
    // Ranks may be a step ahead of others.
    Step(random, 10 * (static_cast<int>(seed % 1000) * 4 + s), pauses).run();
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4 || ranks < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
  Pauses pauses(std::atoi(argv[3]));
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  run_all(count, first, [&](std::uint64_t seed) { run_program(seed, pauses); });
  MPI_Finalize();
}
