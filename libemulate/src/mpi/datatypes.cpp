#include "mpi/datatypes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "arguments/groups.hpp"
#include "mpi/failure.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"
#include "system/lasting.hpp"

namespace commgauge::emulate {

namespace {

void require_success(int code) {
  if (code != MPI_SUCCESS) throw MpiFailure{MPI_COMM_WORLD, code};
}

/// For packing, with errors returned: the program's error handlers are called by report_failure()
/// only.
MPI_Comm quiet() {
  static MPI_Comm comm = MPI_COMM_NULL;
  if (comm == MPI_COMM_NULL) {
    // Not MPI_Comm_dup, which would call the program's attribute callbacks.
    real::Comm_split(preload::job_communicators().self, 0, 0, &comm);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  return comm;
}

/// Elements as MPI_Pack takes them. MPICH 4's doesn't know MPI_BOTTOM: such elements are described
/// relative to another address.
class Elsewhere {
 public:
  Elsewhere(void* buffer, MPI_Count count, MPI_Datatype type)
      : buffer_{buffer}, count_{count}, type_{type} {
    if (buffer != MPI_BOTTOM) return;
    static std::byte origin;
    MPI_Aint address = 0;
    PMPI_Get_address(&origin, &address);
    const MPI_Count back = -address;
    require_success(PMPI_Type_create_hindexed_block_c(1, count, &back, type, &type_));
    PMPI_Type_commit(&type_);
    buffer_ = &origin;
    count_ = 1;
    is_made_ = true;
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() {
    if (is_made_) real::Type_free(&type_);
  }

  void pack(std::byte* packed, std::uint64_t bytes) const {
    MPI_Count position = 0;
    require_success(PMPI_Pack_c(buffer_, count_, type_, packed, static_cast<MPI_Count>(bytes),
                                &position, quiet()));
  }
  void unpack(const std::byte* packed, std::uint64_t bytes) const {
    MPI_Count position = 0;
    require_success(PMPI_Unpack_c(packed, static_cast<MPI_Count>(bytes), &position, buffer_, count_,
                                  type_, quiet()));
  }

 private:
  void* buffer_;
  MPI_Count count_;
  MPI_Datatype type_;
  bool is_made_{};
};

/// A datatype that MPI_Type_get_contents has given.
class Inner {
 public:
  explicit Inner(MPI_Datatype type) : type_{type} {}
  Inner(const Inner&) = delete;
  Inner(Inner&& other) noexcept : type_{std::exchange(other.type_, MPI_DATATYPE_NULL)} {}
  Inner& operator=(Inner&&) = delete;
  ~Inner() {
    if (type_ != MPI_DATATYPE_NULL && !is_predefined(type_)) real::Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

/// Of which a contiguous type is a row; nothing: it isn't one.
std::optional<Inner> elements_of(MPI_Datatype type) {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  int combiner = 0;
  PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  if (combiner != MPI_COMBINER_CONTIGUOUS) return std::nullopt;
  int integer = 0;
  MPI_Aint address = 0;
  MPI_Count count = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents_c(type, integers, addresses, counts, types, &integer, &address, &count,
                           &inner);
  return Inner(inner);
}

}  // namespace

void pack(const void* buffer, MPI_Count count, MPI_Datatype type, std::byte* packed) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(type);
  if (bytes == 0) return;
  if (plain_size(type) > 0 && buffer != MPI_BOTTOM) {
    std::memcpy(packed, buffer, bytes);
    return;
  }
  Elsewhere(const_cast<void*>(buffer), count, type).pack(packed, bytes);
}

void unpack(const std::byte* packed, std::uint64_t bytes, void* buffer, MPI_Datatype type) {
  if (bytes == 0) return;
  if (plain_size(type) > 0 && buffer != MPI_BOTTOM) {
    std::memcpy(buffer, packed, bytes);
    return;
  }
  const std::uint64_t size = size_of(type);
  const std::uint64_t rest = bytes % size;
  const std::uint64_t whole = bytes - rest;
  const auto count = static_cast<MPI_Count>(bytes / size);
  if (whole > 0) Elsewhere(buffer, count, type).unpack(packed, whole);
  if (rest == 0) return;
  if (const auto inner = elements_of(type)) {
    unpack(packed + whole, rest, element(buffer, count, type), inner->get());
    return;
  }
  std::vector<std::byte> last(size);
  const Elsewhere place(element(buffer, count, type), 1, type);
  place.pack(last.data(), size);
  std::copy_n(packed + whole, rest, last.begin());
  place.unpack(last.data(), size);
}

bool ends_within_element(std::uint64_t bytes, MPI_Datatype type) {
  if (plain_size(type) > 0 || bytes % size_of(type) == 0) return false;
  const auto elements_in = [type](std::uint64_t part) {
    MPI_Status status{};
    MPI_Count elements = 0;
    PMPI_Status_set_elements_x(&status, MPI_BYTE, static_cast<MPI_Count>(part));
    PMPI_Get_elements_x(&status, type, &elements);
    return elements;
  };
  return elements_in(bytes) == elements_in(bytes - 1);
}

int error_of(MPI_Datatype type) {
  if (plain_size(type) > 0) return MPI_SUCCESS;
  std::byte nothing{};
  int position = 0;
  return PMPI_Pack(&nothing, 0, type, &nothing, 0, &position, quiet());
}

Element element_of(MPI_Datatype type) {
  static const std::array integers{
      MPI_CHAR,     MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT,         MPI_UNSIGNED_SHORT,
      MPI_INT,      MPI_UNSIGNED,    MPI_LONG,          MPI_UNSIGNED_LONG, MPI_LONG_LONG,
      MPI_INT8_T,   MPI_INT16_T,     MPI_INT32_T,       MPI_INT64_T,       MPI_UNSIGNED_LONG_LONG,
      MPI_UINT8_T,  MPI_UINT16_T,    MPI_UINT32_T,      MPI_UINT64_T,      MPI_INTEGER,
      MPI_AINT,     MPI_OFFSET,      MPI_COUNT,         MPI_INTEGER1,      MPI_INTEGER2,
      MPI_INTEGER4, MPI_INTEGER8};
  static const std::array floating{MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL,
                                   MPI_REAL4, MPI_REAL8,  MPI_REAL16,      MPI_DOUBLE_PRECISION};
  static const std::array complex{
      MPI_C_FLOAT_COMPLEX,   MPI_C_DOUBLE_COMPLEX,   MPI_C_LONG_DOUBLE_COMPLEX,
      MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX,
      MPI_COMPLEX,           MPI_DOUBLE_COMPLEX,     MPI_COMPLEX8,
      MPI_COMPLEX16,         MPI_COMPLEX32};
  const auto is_of = [&](const auto& types) {
    return std::ranges::find(types, type) != types.end();
  };
  if (type == MPI_DATATYPE_NULL) return Element::unknown;
  if (is_of(integers)) return Element::integer;
  if (is_of(floating)) return Element::floating;
  return is_of(complex) ? Element::complex : Element::unknown;
}

const char* name_of(Element element) {
  static constexpr std::array names{"other data", "integers", "floating-point numbers",
                                    "complex numbers"};
  return names[static_cast<std::size_t>(element)];
}

bool takes(MPI_Op op, MPI_Datatype type) {
  if (world() != MPI_COMM_WORLD) return true;
  static auto& known = preload::lasting<std::map<std::pair<MPI_Op, MPI_Datatype>, bool>>();
  const auto [found, is_new] = known.try_emplace({op, type});
  if (!is_new) return found->second;
  // It says so to the handler of one of these, as no communicator is given.
  std::array comms{MPI_COMM_WORLD, MPI_COMM_SELF};
  std::array<MPI_Errhandler, 2> handlers{};
  for (std::size_t i = 0; i < comms.size(); ++i) {
    PMPI_Comm_get_errhandler(comms[i], &handlers[i]);
    PMPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
  }
  std::array<std::max_align_t, 4> left{};
  std::array<std::max_align_t, 4> right{};
  found->second = PMPI_Reduce_local(left.data(), right.data(), 1, type, op) == MPI_SUCCESS;
  for (std::size_t i = 0; i < comms.size(); ++i) {
    PMPI_Comm_set_errhandler(comms[i], handlers[i]);
    PMPI_Errhandler_free(&handlers[i]);
  }
  return found->second;
}

MPI_Datatype keep(MPI_Datatype type) {
  MPI_Datatype kept = MPI_DATATYPE_NULL;
  require_success(PMPI_Type_contiguous(1, type, &kept));
  require_success(PMPI_Type_commit(&kept));
  return kept;
}

Elements::Elements(MPI_Count count, MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint true_extent = 0;
  MPI_Aint extent = 0;
  MPI_Aint ignored = 0;
  PMPI_Type_get_true_extent(type, &lower, &true_extent);
  PMPI_Type_get_extent(type, &ignored, &extent);
  const MPI_Aint steps = std::max<MPI_Count>(0, count - 1) * extent;
  bytes_.resize(static_cast<std::size_t>(std::max<MPI_Aint>(std::abs(steps) + true_extent, 1)));
  start_ = bytes_.data() - lower - std::min<MPI_Aint>(0, steps);
}

void copy(const void* from, MPI_Count count, MPI_Datatype from_type, void* to,
          MPI_Datatype to_type) {
  if (from == to && from_type == to_type) return;
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(from_type);
  std::vector<std::byte> packed(bytes);
  pack(from, count, from_type, packed.data());
  unpack(packed.data(), bytes, to, to_type);
}

}  // namespace commgauge::emulate
