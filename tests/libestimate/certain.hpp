#pragma once

#include "commgauge/model/model.hpp"

namespace commgauge {

constexpr double us = 1e-6;
constexpr double ns = 1e-9;

/// A fit without any doubt: three equal replicates.
template <class Parameters>
Fitted<Parameters> certain(const Parameters& p) {
  Fitted<Parameters> fitted;
  fitted.value = fitted.low = fitted.high = p;
  fitted.replicates = {p, p, p};
  fitted.first = Bytes{100};
  fitted.last = Bytes{2000};
  return fitted;
}

}  // namespace commgauge
