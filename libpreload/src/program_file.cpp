#include "program_file.hpp"

#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace commgauge::preload {

namespace {

namespace fs = std::filesystem;

fs::path find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream directories(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    const fs::path file = fs::path{directory.empty() ? "." : directory} / program;
    if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file;
  }
  return program;
}

template <class T>
bool read_at(std::ifstream& file, std::uint64_t place, T& value) {
  file.seekg(static_cast<std::streamoff>(place));
  return bool(file.read(reinterpret_cast<char*>(&value), sizeof value));
}

using Header = ElfW(Ehdr);

/// Nothing: the file is no binary program, but a script, or isn't there.
std::optional<Header> header_of(std::ifstream& file) {
  Header header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  return header;
}

/// Whether the program names a dynamic loader, as all but statically linked ones do.
bool has_interpreter(std::ifstream& file, const Header& header) {
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part{};
    const auto place = header.e_phoff + static_cast<std::uint64_t>(i) * header.e_phentsize;
    if (!read_at(file, place, part)) return true;
    if (part.p_type == PT_INTERP) return true;
  }
  return false;
}

}  // namespace

std::string why_not(const Purpose& purpose, const std::string& program) {
  std::ifstream file(find_program(program), std::ios::binary);
  const std::optional<Header> header = header_of(file);
  if (!header) return {};
  std::ifstream own_file("/proc/self/exe", std::ios::binary);
  const std::optional<Header> own = header_of(own_file);
  const std::string problem = program + " can't be " + purpose.done;
  if (own && (own->e_ident[EI_CLASS] != header->e_ident[EI_CLASS] ||
              own->e_machine != header->e_machine)) {
    return problem + " (it is for another kind of processor): build it for this one";
  }
  if (has_interpreter(file, *header)) return {};
  return problem + " (it is linked statically, so " + purpose.doing +
         " can't be loaded into it): link it with the shared MPI library";
}

}  // namespace commgauge::preload
