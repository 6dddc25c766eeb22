"use strict";

// Numbers in words.

const element = (id) => document.getElementById(id);
const DOINGS = ["computing", "sending", "receiving", "waiting", "sleeping"];

const rounded = (value, digits) => String(Number(value.toPrecision(digits)));

function unitOf(ns) {
  const size = Math.abs(ns);
  if (size >= 1e9) return [1e9, "s"];
  if (size >= 1e6) return [1e6, "ms"];
  if (size >= 1e3) return [1e3, "µs"];
  return [1, "ns"];
}

function timeText(ns, digits = 4) {
  const [scale, unit] = unitOf(ns);
  return `${rounded(ns / scale, digits)} ${unit}`;
}

function bytesText(bytes) {
  let value = bytes;
  for (const unit of ["B", "KiB", "MiB", "GiB", "TiB"]) {
    if (value < 1024 || unit === "TiB") return `${rounded(value, 4)} ${unit}`;
    value /= 1024;
  }
  return "";
}

const percentText = (share) => `${rounded(100 * share, 3)} %`;
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
