// The communication matrix.

const MOST_CELLS = 128;
const grid = { size: 0, block: 1, messages: null, bytes: null };
const matrix = element("matrix");
let cursor = [0, 0];

function fillGrid() {
  grid.block = Math.ceil(ranks / MOST_CELLS);
  grid.size = Math.ceil(ranks / grid.block);
  for (const what of ["messages", "bytes"]) {
    grid[what] = new Float64Array(grid.size * grid.size);
    for (const pair of events.pairs) {
      const [row, column] = [pair.from, pair.to].map((rank) => Math.floor(rank / grid.block));
      grid[what][row * grid.size + column] += pair[what];
    }
  }
}

const measureText = (what, value) => (what === "bytes" ? bytesText(value) : String(value));

function drawMatrix() {
  const what = element("measure").value;
  const side = Math.min(matrix.clientWidth, 520);
  const { context } = fit(matrix, side);
  const [left, top] = [48, 34];
  const cell = (side - left) / grid.size;
  context.clearRect(0, 0, side, side);
  const values = grid[what];
  const there = values.filter((value, i) => value > 0 || grid.messages[i] > 0);
  const most = there.reduce((a, b) => Math.max(a, b), 0);
  const least = there.reduce((a, b) => Math.min(a, b), most);
  const [low, high] = [parts(colours.low), parts(colours.high)];
  const height = (side - top) / grid.size;
  const line = cell >= 6 ? 1 : 0;
  for (let row = 0; row < grid.size; ++row) {
    for (let column = 0; column < grid.size; ++column) {
      const at = row * grid.size + column;
      if (grid.messages[at] === 0) continue;
      const share = most > least ? Math.log1p(values[at] - least) / Math.log1p(most - least) : 1;
      const mixed = low.map((one, k) => Math.round(one + share * (high[k] - one)));
      context.fillStyle = `rgb(${mixed.join(",")})`;
      context.fillRect(left + column * cell, top + row * height, cell - line, height - line);
    }
  }
  context.strokeStyle = colours.rule;
  context.strokeRect(left - 0.5, top - 0.5, side - left, side - top);
  context.fillStyle = colours.soft;
  context.font = FONT;
  const step = Math.max(1, Math.ceil((8 + 8 * String(ranks - 1).length) / cell));
  for (let k = 0; k < grid.size; k += step) {
    const text = String(k * grid.block);
    const half = context.measureText(text).width / 2;
    context.textAlign = "center";
    context.fillText(text, Math.min(side - half, left + (k + 0.5) * cell), top - 6);
    context.textAlign = "right";
    context.fillText(text, left - 6, top + (k + 0.5) * height + 4);
  }
  context.textAlign = "center";
  context.fillText("receiver", left + (side - left) / 2, 12);
  context.textAlign = "left";
  if (document.activeElement === matrix) {
    context.strokeStyle = colours.chosen;
    context.lineWidth = 2;
    const [row, column] = cursor;
    context.strokeRect(left + column * cell, top + row * height, cell - line, height - line);
  }
  element("least").textContent = `${measureText(what, least)} (logarithmic)`;
  element("most").textContent = measureText(what, most);
  Object.assign(matrix.dataset, { left, top, cell, height });
}

function blockText(k) {
  const last = Math.min(ranks, (k + 1) * grid.block) - 1;
  return grid.block === 1 ? `rank ${k}` : `ranks ${k * grid.block} to ${last}`;
}

function cellText(row, column) {
  const at = row * grid.size + column;
  const count = grid.messages[at];
  const sum = `${counted(count, "message")}, ${bytesText(grid.bytes[at])}`;
  return `${blockText(row)} to ${blockText(column)}: ${count === 0 ? "nothing" : sum}`;
}

const CELL_STEPS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
};

function listenToMatrix() {
  const tellCell = (event) => {
    const box = matrix.getBoundingClientRect();
    const { left, top, cell, height } = matrix.dataset;
    const column = Math.floor((event.clientX - box.left - left) / cell);
    const row = Math.floor((event.clientY - box.top - top) / height);
    const isThere = row >= 0 && column >= 0 && row < grid.size && column < grid.size;
    showTip(isThere ? cellText(row, column) : "", event.clientX, event.clientY);
  };
  matrix.addEventListener("pointermove", tellCell);
  matrix.addEventListener("pointerdown", tellCell);
  matrix.addEventListener("pointerleave", () => showTip("", 0, 0));
  matrix.addEventListener("keydown", (event) => {
    const step = CELL_STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    cursor = cursor.map((at, k) => Math.max(0, Math.min(grid.size - 1, at + step[k])));
    element("cell").textContent = cellText(...cursor);
    drawMatrix();
  });
  for (const name of ["focus", "blur"]) matrix.addEventListener(name, drawMatrix);
  element("measure").addEventListener("change", drawMatrix);
}
