#include "program/program_file.hpp"

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

using Part = ElfW(Phdr);

std::vector<Part> parts_of(std::ifstream& file, const Header& header) {
  std::vector<Part> parts(header.e_phnum);
  std::uint64_t place = header.e_phoff;
  for (Part& part : parts) {
    if (!read_at(file, place, part)) return {};
    place += header.e_phentsize;
  }
  return parts;
}

const Part* find_part(const std::vector<Part>& parts, unsigned type) {
  const auto found = std::ranges::find(parts, type, &Part::p_type);
  return found != parts.end() ? &*found : nullptr;
}

/// Where in the file is what a process has at this address.
std::uint64_t place_of(const std::vector<Part>& parts, std::uint64_t address) {
  for (const Part& part : parts) {
    if (part.p_type == PT_LOAD && address >= part.p_vaddr &&
        address - part.p_vaddr < part.p_filesz) {
      return part.p_offset + (address - part.p_vaddr);
    }
  }
  return 0;
}

/// Names of the shared libraries that the file asks for itself.
std::vector<std::string> needed_by(std::ifstream& file, const std::vector<Part>& parts) {
  const Part* const dynamic = find_part(parts, PT_DYNAMIC);
  if (dynamic == nullptr) return {};
  std::uint64_t names = 0;
  std::vector<std::uint64_t> needed;
  ElfW(Dyn) entry{};
  for (std::uint64_t at = 0; at + sizeof entry <= dynamic->p_filesz; at += sizeof entry) {
    if (!read_at(file, dynamic->p_offset + at, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) names = place_of(parts, entry.d_un.d_ptr);
    if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
  }
  std::vector<std::string> result;
  for (const std::uint64_t name : needed) {
    file.seekg(static_cast<std::streamoff>(names + name));
    std::getline(file, result.emplace_back(), '\0');
  }
  return result;
}

bool is_mpi_library(const std::string& name) {
  return name.starts_with("libmpi.so") || name.starts_with("libmpich.so");
}

std::string in_words(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
  return text;
}

}  // namespace

std::filesystem::path find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream directories(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string directory; std::getline(directories, directory, ':');) {
    const fs::path file = fs::path{directory.empty() ? "." : directory} / program;
    std::error_code ignored;
    if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file, ignored)) return file;
  }
  return program;
}

std::string mpi_library_of(const std::string& program) {
  std::ifstream file(find_program(program), std::ios::binary);
  const std::optional<Header> header = header_of(file);
  if (!header) return {};
  const std::vector<std::string> needed = needed_by(file, parts_of(file, *header));
  const auto found = std::ranges::find_if(needed, is_mpi_library);
  return found != needed.end() ? *found : std::string{};
}

std::string why_not(const Purpose& purpose, const std::string& program,
                    const std::vector<std::string>& mpi_libraries) {
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
  if (find_part(parts_of(file, *header), PT_INTERP) == nullptr) {
    return problem + " (it is linked statically, so " + purpose.doing +
           " can't be loaded into it): link it with the shared MPI library";
  }
  const std::string mpi = mpi_library_of(program);
  if (mpi.empty() || std::ranges::find(mpi_libraries, mpi) != mpi_libraries.end()) return {};
  return problem + " (it is linked with " + mpi + ", and " + purpose.doing + " was built for " +
         in_words(mpi_libraries) + "): link it with that";
}

}  // namespace commgauge::preload
