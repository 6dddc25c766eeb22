#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "samples.hpp"

namespace commgauge::samples {

/// Why these measurements are refused; "no error" where they are not.
inline std::string message_of(const std::string& text) {
  try {
    (void)measurements_from_json(text, "m.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The message after one value of the sample was replaced.
inline std::string message_with(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json document = nlohmann::json::parse(to_json(measurements()));
  document.at(nlohmann::json::json_pointer{pointer}) = value;
  return message_of(document.dump());
}

inline std::string message_without(const std::string& parent, const std::string& member) {
  nlohmann::json document = nlohmann::json::parse(to_json(measurements()));
  document.at(nlohmann::json::json_pointer{parent}).erase(member);
  return message_of(document.dump());
}

}  // namespace commgauge::samples
