// Messages that are under way together, and how long they take.
//
//   emulated-traffic fan-out|fan-in|stream|late|beside|ahead SIZE
//
// fan-out: rank 0 starts a message to every other rank at once; fan-in: the reverse; stream: rank 0
// sends ten to rank 1, one after the other; late: a fan-out to ranks that receive a second later;
// beside: rank 0 receives one from anybody, which rank 1 sends, while rank 2 computes for a second;
// ahead: rank 1 starts one to rank 0, which waits for it, and computes for a second.
// Prints the rank and its virtual time at its end, from the start [s].

#include <mpi.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int streamed = 10;

class Traffic {
 public:
  explicit Traffic(int size) : size_{size} {
    MPI_Comm_rank(MPI_COMM_WORLD, &own_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  void fan_out() { own_ == 0 ? with_all_others(&Traffic::start_sending) : receive(0); }
  void fan_in() { own_ == 0 ? with_all_others(&Traffic::start_receiving) : send(0); }
  void stream() {
    for (int i = 0; i < streamed; ++i) {
      if (own_ == 0) send(1);
      if (own_ == 1) receive(0);
    }
  }
  void late() {
    const timespec second{1, 0};
    if (own_ != 0) nanosleep(&second, nullptr);
    fan_out();
  }
  void beside() {
    if (own_ == 0) receive(MPI_ANY_SOURCE);
    if (own_ == 1) send(0);
    if (own_ == 2) compute_for_a_second();
  }
  void ahead() {
    if (own_ == 0) receive(1);
    if (own_ != 1) return;
    Bytes bytes(static_cast<std::size_t>(size_));
    MPI_Request request = MPI_REQUEST_NULL;
    start_sending(bytes, 0, &request);
    compute_for_a_second();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  [[nodiscard]] int own() const { return own_; }

 private:
  using Bytes = std::vector<char>;

  static void compute_for_a_second() {
    for (const std::clock_t end = std::clock() + CLOCKS_PER_SEC; std::clock() < end;) continue;
  }
  void send(int to) {
    Bytes bytes(static_cast<std::size_t>(size_));
    MPI_Send(bytes.data(), size_, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }
  void receive(int from) {
    Bytes bytes(static_cast<std::size_t>(size_));
    MPI_Recv(bytes.data(), size_, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void start_sending(Bytes& bytes, int to, MPI_Request* request) {
    MPI_Isend(bytes.data(), size_, MPI_BYTE, to, 0, MPI_COMM_WORLD, request);
  }
  void start_receiving(Bytes& bytes, int from, MPI_Request* request) {
    MPI_Irecv(bytes.data(), size_, MPI_BYTE, from, 0, MPI_COMM_WORLD, request);
  }
  void with_all_others(void (Traffic::*start)(Bytes&, int, MPI_Request*)) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    std::vector<Bytes> bytes(ranks, Bytes(static_cast<std::size_t>(size_)));
    std::vector<MPI_Request> requests(ranks, MPI_REQUEST_NULL);
    for (std::size_t i = 1; i < ranks; ++i) {
      (this->*start)(bytes[i], static_cast<int>(i), &requests[i]);
    }
    MPI_Waitall(ranks_, requests.data(), MPI_STATUSES_IGNORE);
  }

  int size_;
  int own_{};
  int ranks_{};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string pattern = argc > 1 ? argv[1] : "";
  Traffic traffic(argc > 2 ? std::atoi(argv[2]) : 0);
  const double start = MPI_Wtime();
  if (pattern == "fan-out") traffic.fan_out();
  if (pattern == "fan-in") traffic.fan_in();
  if (pattern == "stream") traffic.stream();
  if (pattern == "late") traffic.late();
  if (pattern == "beside") traffic.beside();
  if (pattern == "ahead") traffic.ahead();
  std::printf("%d %.12e\n", traffic.own(), MPI_Wtime() - start);
  MPI_Finalize();
}
