// What both canvases need: colours, sharpness, and what is said under the pointer.

const OTHER_COLOURS = [
  "sheet", "ink", "soft", "rule", "accent", "message", "chosen", "call", "region", "low", "high",
  "critical", "domino",
];
let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const valueOf = (name) => [name, style.getPropertyValue(`--${name}`).trim()];
  colours = Object.fromEntries([...DOINGS, ...OTHER_COLOURS].map(valueOf));
}
const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
// As a pixel of ImageData seen as 32-bit numbers, on machines whose lowest byte comes first.
const pixel = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

function fit(canvas, height) {
  const ratio = Math.min(2, devicePixelRatio || 1);
  const width = canvas.clientWidth;
  canvas.style.height = `${height}px`;
  const wanted = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wanted[0]) canvas.width = wanted[0];
  if (canvas.height !== wanted[1]) canvas.height = wanted[1];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, ratio, width, height };
}

const tip = element("tip");
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = text === "";
  if (tip.hidden) return;
  const box = tip.getBoundingClientRect();
  const top = y - box.height - 14;
  tip.style.left = `${Math.max(6, Math.min(x + 14, innerWidth - box.width - 6))}px`;
  tip.style.top = `${top > 4 ? top : y + 20}px`;
}
