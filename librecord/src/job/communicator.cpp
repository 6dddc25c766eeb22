#include "job/communicator.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "recorder/session.hpp"

namespace commgauge::record {

namespace {

struct Communicators {
  std::unordered_map<MPI_Comm, std::unique_ptr<Communicator>> known;
  /// Requests may still be of them.
  std::vector<std::unique_ptr<Communicator>> forgotten;
  const Communicator* latest{};
  MPI_Comm latest_handle{MPI_COMM_NULL};
};
Communicators& communicators() {
  static Communicators all;
  return all;
}

std::vector<int> members_of(MPI_Comm comm, int (*group_of)(MPI_Comm, MPI_Group*)) {
  MPI_Group group = MPI_GROUP_NULL;
  group_of(comm, &group);
  std::vector<int> ranks = ranks_of_job(group);
  PMPI_Group_free(&group);
  return ranks;
}

std::string name_of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> text{};
  int length = 0;
  PMPI_Comm_get_name(comm, text.data(), &length);
  return text.data();
}

bool are_of_job(const std::vector<int>& ranks) {
  return std::ranges::find(ranks, MPI_UNDEFINED) == ranks.end();
}

/// Both sides of an intercommunicator say the same: first the side of the smallest rank.
void put_in_order(trace::Communicator& sides) {
  if (sides.others.empty()) return;
  if (std::ranges::min(sides.others) < std::ranges::min(sides.members)) {
    std::swap(sides.members, sides.others);
  }
}

}  // namespace

void leave_out_unknown(Recorder& recorder, const Name& name) {
  recorder.leave_out(std::string{name.text} + " of ranks that can't be known");
}

const Communicator* communicator(Recorder& recorder, MPI_Comm comm, const Name& name) {
  Communicators& all = communicators();
  if (comm == all.latest_handle && all.latest != nullptr) return all.latest;
  if (comm == MPI_COMM_SELF && !all.known.contains(comm)) adopt(comm);
  const auto found = all.known.find(comm);
  if (found == all.known.end()) {
    leave_out_unknown(recorder, name);
    return nullptr;
  }
  all.latest_handle = comm;
  return all.latest = found->second.get();
}

void adopt(MPI_Comm comm, const trace::Origin& origin) {
  if (comm == MPI_COMM_NULL) return;
  auto adopted = std::make_unique<Communicator>();
  adopted->handle = comm;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  adopted->is_inter = is_inter != 0;
  trace::Communicator told{name_of(comm), members_of(comm, PMPI_Comm_group), {}};
  if (adopted->is_inter) told.others = members_of(comm, PMPI_Comm_remote_group);
  if (!are_of_job(told.members) || !are_of_job(told.others)) return;
  adopted->peers = adopted->is_inter ? told.others : told.members;
  if (adopted->is_inter) adopted->beside = static_cast<int>(told.members.size());
  PMPI_Comm_rank(comm, &adopted->rank);
  put_in_order(told);
  adopted->context = session()->writer->communicator(told, origin);
  communicators().known[comm] = std::move(adopted);
  communicators().latest = nullptr;
}

Communicator like(const Communicator& other) {
  Communicator made = other;
  trace::Communicator told{"", members_of(other.handle, PMPI_Comm_group), {}};
  if (other.is_inter) told.others = members_of(other.handle, PMPI_Comm_remote_group);
  put_in_order(told);
  made.context = session()->writer->communicator(told, {other.context});
  return made;
}

void adopt_made(MPI_Comm comm, Communicator made) {
  made.handle = comm;
  communicators().known[comm] = std::make_unique<Communicator>(std::move(made));
  communicators().latest = nullptr;
}

void forget(MPI_Comm comm) {
  Communicators& all = communicators();
  if (const auto found = all.known.find(comm); found != all.known.end()) {
    all.forgotten.push_back(std::move(found->second));
    all.known.erase(found);
  }
  all.latest = nullptr;
}

std::uint32_t context_of(std::vector<int> ranks, const trace::Origin& origin) {
  return session()->writer->communicator({"", std::move(ranks), {}}, origin);
}

}  // namespace commgauge::record
