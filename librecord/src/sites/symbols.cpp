#include "sites/symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <array>
#include <charconv>
#include <cstdlib>

namespace commgauge::record {

namespace {

constexpr std::string_view separator = "+0x";

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};

/// "Grid::exchange(int)" of a C++ function; empty: it is none.
std::string demangled(const char* name) {
  const std::unique_ptr<char, Freed> text{abi::__cxa_demangle(name, nullptr, nullptr, nullptr)};
  return std::string_view{name}.starts_with("_Z") && text != nullptr ? text.get() : "";
}

/// The only one of its file.
Dwfl_Module* module_of(Dwfl& file) {
  Dwfl_Module* only = nullptr;
  dwfl_getmodules(
      &file,
      [](Dwfl_Module* module, void**, const char*, Dwarf_Addr, void* found) -> int {
        *static_cast<Dwfl_Module**>(found) = module;
        return DWARF_CB_OK;
      },
      &only, 0);
  return only;
}

/// The part of the debug information that an address is in. Some compilers leave no table of them.
/// @param bias  set: of libdwfl's addresses against those of the debug information
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr& bias) {
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias)) return unit;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (dwarf_haspc(unit, address - bias) > 0) return unit;
  }
  return nullptr;
}

bool is_function(Dwarf_Die& scope) {
  const int tag = dwarf_tag(&scope);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

std::string name_of(Dwarf_Die& function) {
  Dwarf_Attribute found{};
  Dwarf_Attribute* const linkage = dwarf_attr_integrate(&function, DW_AT_linkage_name, &found);
  const char* const mangled = linkage != nullptr ? dwarf_formstring(linkage) : nullptr;
  const std::string name = mangled != nullptr ? demangled(mangled) : "";
  if (!name.empty()) return name;
  const char* const plain = dwarf_diename(&function);
  return plain != nullptr ? plain : "";
}

/// One within another's, whose code isn't within the other's (Fortran); empty: none.
std::string nested_function_at(Dwarf_Die* unit, Dwarf_Addr address) {
  struct Search {
    Dwarf_Addr wanted;
    std::string found;
  };
  Search search{address, {}};
  dwarf_getfuncs(
      unit,
      [](Dwarf_Die* function, void* user) -> int {
        auto& [wanted, found] = *static_cast<Search*>(user);
        if (dwarf_haspc(function, wanted) > 0) found = name_of(*function);
        return found.empty() ? DWARF_CB_OK : DWARF_CB_ABORT;
      },
      &search, 0);
  return search.found;
}

/// The innermost; empty: none.
std::string function_at(Dwarf_Die* unit, Dwarf_Addr address) {
  Dwarf_Die* found = nullptr;
  const int count = dwarf_getscopes(unit, address, &found);
  const std::unique_ptr<Dwarf_Die, Freed> scopes{found};
  for (int i = 0; i < count; ++i) {
    if (is_function(found[i])) return name_of(found[i]);
  }
  return nested_function_at(unit, address);
}

/// Of the symbol whose code this is; empty: none.
std::string symbol_at(Dwfl_Module* module, Dwarf_Addr address) {
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* const name =
      dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr || offset >= symbol.st_size) return {};
  const std::string text = demangled(name);
  return text.empty() ? name : text;
}

}  // namespace

trace::Site place_in(const std::string& file, std::uint64_t offset) {
  std::array<char, 16> digits{};
  char* const end = std::to_chars(digits.begin(), digits.end(), offset, 16).ptr;
  return {.file = file + std::string{separator} + std::string{digits.begin(), end}};
}

Dwfl& Symbols::file(const std::string& path) {
  File& known = files_[path];
  if (known) return *known;
  // Debug information of packages is found where they put it; no server is asked for any.
  static constexpr Dwfl_Callbacks callbacks{.find_elf = nullptr,
                                            .find_debuginfo = dwfl_build_id_find_debuginfo,
                                            .section_address = dwfl_offline_section_address,
                                            .debuginfo_path = nullptr};
  known = File{dwfl_begin(&callbacks), dwfl_end};
  dwfl_report_offline(known.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(known.get(), nullptr, nullptr);
  return *known;
}

trace::Site Symbols::resolve(const trace::Site& place) {
  const std::size_t end = place.file.rfind(separator);
  const std::uint64_t offset =
      std::strtoull(place.file.c_str() + end + separator.size(), nullptr, 16);
  Dwfl_Module* const module = module_of(file(place.file.substr(0, end)));
  Dwarf_Addr bias = 0;
  if (module == nullptr || dwfl_module_getelf(module, &bias) == nullptr) return place;
  // The call is before what it returns to.
  const Dwarf_Addr address = offset - 1 + bias;
  trace::Site site = place;
  site.function = symbol_at(module, address);
  Dwarf_Die* const unit = unit_of(module, address, bias);
  Dwarf_Line* const line = unit != nullptr ? dwarf_getsrc_die(unit, address - bias) : nullptr;
  const char* const source = line != nullptr ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
  if (source == nullptr) return site;
  int number = 0;
  dwarf_lineno(line, &number);
  const std::string function = function_at(unit, address - bias);
  return {function.empty() ? site.function : function, source, static_cast<std::uint32_t>(number)};
}

}  // namespace commgauge::record
