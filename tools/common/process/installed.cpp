#include "common/process/installed.hpp"

#include "commgauge/base/error.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

std::filesystem::path installed(const std::string& place) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    throw InputError("cannot read /proc/self/exe (" + error.message() +
                     "): mount /proc, by which " + program_name + " finds what belongs to it");
  }
  return (own.parent_path() / place).lexically_normal();
}

}  // namespace commgauge::tools
