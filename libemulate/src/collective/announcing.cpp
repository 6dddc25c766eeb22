#include "collective/announcing.hpp"

#include <cstring>
#include <string>

#include "arguments/collective_calls.hpp"
#include "base/say.hpp"
#include "commgauge/base/error.hpp"
#include "job/call.hpp"

namespace commgauge::emulate {

namespace {

bool differ(const auto& a, const auto& b) { return a && b && *a != *b; }

bool have_other_elements(const CollectiveNote& a, const CollectiveNote& b) {
  return a.elements != Element::unknown && b.elements != Element::unknown &&
         a.elements != b.elements;
}

/// "MPI_Bcast with root 1"; what is the same for both isn't told.
std::string in_words(const CollectiveNote& call, const CollectiveNote& other) {
  std::string text = call.name.data();
  if (text != other.name.data()) return text;
  if (differ(call.root, other.root)) text += " with root " + std::to_string(*call.root);
  if (call.op != other.op) {
    text +=
        std::string{" with "} + (call.op ? preload::operator_name(*call.op) : "its own operator");
  }
  if (differ(call.bytes, other.bytes)) text += " of " + std::to_string(*call.bytes) + " bytes";
  if (have_other_elements(call, other)) text += std::string{" of "} + name_of(call.elements);
  return text;
}

/// Whether one rank's call can't be the other's. Where errors aren't fatal messages that don't fit
/// tell the program.
bool are_unlike(const CollectiveNote& a, const CollectiveNote& b, MPI_Comm comm) {
  return std::strcmp(a.name.data(), b.name.data()) != 0 || differ(a.root, b.root) || a.op != b.op ||
         (a.op && have_other_elements(a, b)) ||
         (differ(a.bytes, b.bytes) && errors_are_fatal(comm));
}

}  // namespace

void announce(Emulator& e, const Members& members, CollectiveNote own) {
  const std::string name = e.call_name();
  // A group that isn't a communicator yet is known by its members alone.
  if (name.empty() || members.tag >= tags_of_collectives) return;
  name.copy(own.name.data(), own.name.size() - 1, 0);
  own.rank = e.rank();
  // Its types are each rank's own.
  if (name.find("lltoallw") != std::string::npos) own.elements = Element::unknown;
  const CollectiveNote first =
      e.live().note_collective(members.context, members.tag, members.size(), own);
  const auto both = [&] {
    return "rank " + std::to_string(own.rank) + " called " + in_words(own, first) + ", but rank " +
           std::to_string(first.rank) + " called " + in_words(first, own);
  };
  if (are_unlike(own, first, members.comm->handle)) {
    throw InputError(both() +
                     " (MPI wants the same operation, with the same root, operator and amount of "
                     "data, on all ranks of a communicator): correct the program");
  }
  if (have_other_elements(own, first) && e.live().is_first_to_warn()) {
    say(both() +
        " (MPI wants the same types; the bytes are taken as they are): use the same type on both "
        "ranks");
  }
}

}  // namespace commgauge::emulate
