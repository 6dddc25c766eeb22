// What to do first, and where the time goes.

const FIRST_ANSWERS = 6;
const MOST_PARTS = 30;
const LEAST_SHARE = 0.002; // of the bar; what is less is one
const TONES = 8;

const ofInterval = ({ low, high }, text) =>
  (low === null || high === null || low === undefined ? "" : ` (${text(low)} to ${text(high)})`);

function addCells(row, texts) {
  for (const text of texts) add(row, "td", text);
}

function gainText({ gain_s, gain_percent, time_s, confirmed_s }) {
  let text = `saves ${seconds(gain_s.value)}${ofInterval(gain_s, seconds)}, `;
  text += `${percentText(gain_percent / 100)}; the run then takes ${seconds(time_s.value)}`;
  const isConfirmed = confirmed_s !== null && confirmed_s !== undefined;
  if (isConfirmed) text += `, and ${seconds(confirmed_s)} in a replay without that wait`;
  return text.replaceAll(/(\d) /g, "$1\u00a0");
}

const BOUNDS = ["all_waits", "all_balanced", "both"];
const isBound = ({ kind }) => BOUNDS.includes(kind);

// Of several that gain the same, which is the same wait in larger and larger groups, the first.
function firstAnswers(numbers) {
  const timeOf = (number) => explanation.answers[number].time_s.value;
  const least = 1e-9 * explanation.time_s.value;
  const first = [];
  for (const number of numbers) {
    const last = first[first.length - 1];
    if (last === undefined || timeOf(number) - timeOf(last) > least) first.push(number);
  }
  return first.slice(0, FIRST_ANSWERS);
}

function addAnswer(number, isFirst) {
  const answer = explanation.answers[number];
  const item = add(element("answers"), "li");
  item.hidden = !isFirst;
  const label = add(item, "label", "", "answer");
  const choice = add(label, "input");
  Object.assign(choice, { type: "radio", name: "answer", value: number });
  const body = add(label, "span", "", "answer-body");
  add(body, "strong", answer.title);
  add(body, "span", gainText(answer), "gain");
  const gauge = add(body, "span", "", "gauge");
  add(gauge, "span").style.width = `${Math.max(0.5, Math.min(100, answer.gain_percent))}%`;
  add(body, "span", answer.advice, "note");
  if (afterPlaces.has(number)) add(body, "span", "before and after in the timeline", "tag");
  choice.addEventListener("change", () => selectAnswer(number));
}

function showAfter(number) {
  after = afterPlaces.has(number) ? pictureAfter(number) : null;
  if (after) after.canvas.dataset.lastEnd = Math.max(...after.stretches.map(endOf));
  for (const id of ["before-name", "after-name", "after"]) element(id).hidden = !after;
  if (!after) return;
  element("after-what").textContent =
    `After: ${timeText(after.end)}, with this mended: ${explanation.answers[number].title}`;
  element("before-name").textContent = `Before: ${timeText(predicted)}`;
}

function selectAnswer(number) {
  const answer = explanation.answers[number];
  const path = explanation.domino_paths.findIndex((one) => one.rank === answer.rank);
  if (answer.kind === "domino_path" && path >= 0) {
    element("domino").value = path;
    element("shows-domino").checked = true;
    writeDomino();
  }
  showAfter(number);
  const rest = afterPlaces.has(number) ? "" : " There is no picture of the run after this.";
  element("answer-said").textContent = answer.title + rest;
  canvas.dataset.answer = number;
  redraw();
}

function writeAnswers() {
  const { answers, time_s } = explanation;
  const things = [...answers.keys()].filter((number) => !isBound(answers[number]));
  const first = firstAnswers(things);
  for (const number of things) addAnswer(number, first.includes(number));
  for (const answer of answers.filter(isBound)) {
    add(element("bounds"), "li", `${answer.title}: ${gainText(answer)}.`);
  }
  element("bounds-section").hidden = !answers.some(isBound);
  element("answers-sum").textContent = things.length === 0
    ? "Nothing that was tried makes this run shorter."
    : `What would make the run of ${seconds(time_s.value)} shorter, most first; each for itself. ` +
      "Choose one to see it in the timeline.";
  const more = element("more-answers");
  more.hidden = things.length === first.length;
  more.textContent = `All ${things.length}`;
  more.addEventListener("click", () => {
    for (const item of element("answers").children) item.hidden = false;
    more.hidden = true;
  });
}

// [name, seconds] of all that have the same name, most first.
function summed(parts, nameOf) {
  const sums = new Map();
  for (const part of parts) {
    const name = nameOf(part);
    sums.set(name, (sums.get(name) || 0) + part.seconds);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function writeBar(parts, all) {
  const kinds = summed(parts, (part) => kindText(part.kind));
  const large = kinds.filter(([, sum], k) => k < TONES - 2 && sum >= LEAST_SHARE * all);
  const small = kinds.filter((one) => !large.includes(one));
  const rest = small.reduce((sum, one) => sum + one[1], 0);
  const names = small.map(([name]) => name).join(", ");
  const shown = rest > 1e-9 * all ? [...large, [small.length > 1 ? `other: ${names}` : names, rest]] : large;
  let tone = 0; // of computing, as in the timeline
  for (const [name, sum] of shown) {
    const colour = `var(--tone${name === kindText("computing") ? 0 : ++tone})`;
    const text = `${name}: ${seconds(sum)}, ${percentText(sum / all)}`;
    const piece = add(element("path-bar"), "span");
    piece.style.cssText = `background: ${colour}; width: ${(100 * sum) / all}%`;
    piece.title = text;
    const item = add(element("path-legend"), "li");
    add(item, "span", "", "key").style.background = colour;
    item.append(text);
  }
}

const PLACES = {
  place: ["rank", "region", "call", "site", "kind"],
  rank: ["rank"], region: ["region"], call: ["call", "site"], kind: ["kind"],
};
const HEADS = { rank: "rank", region: "region", call: "call", site: "site", kind: "what" };

function placeText(part, column) {
  if (column === "kind") return kindText(part.kind);
  return part[column] === null || part[column] === undefined ? "-" : String(part[column]);
}

function writeParts() {
  const { parts } = explanation.critical_path;
  const all = explanation.time_s.value;
  const columns = PLACES[element("parts-by").value].filter(
    (column) => column !== "site" || parts.some((part) => part.site));
  const table = element("parts");
  table.tHead.replaceChildren();
  table.tBodies[0].replaceChildren();
  const titles = add(table.tHead, "tr");
  for (const title of ["time", "share", ...columns.map((column) => HEADS[column])]) {
    add(titles, "th", title);
  }
  const rows = summed(parts, (part) => JSON.stringify(columns.map((one) => placeText(part, one))));
  for (const [name, sum] of rows.slice(0, MOST_PARTS)) {
    addCells(add(table.tBodies[0], "tr"),
      [seconds(sum), percentText(sum / all), ...JSON.parse(name)]);
  }
  element("parts-note").textContent =
    rows.length > MOST_PARTS ? `The first ${MOST_PARTS} of ${rows.length}.` : "";
}

function writePath() {
  const { parts, left_out } = explanation.critical_path;
  writeBar(parts, parts.reduce((sum, part) => sum + part.seconds, 0) || 1);
  writeParts();
  element("parts-by").addEventListener("change", writeParts);
  if (left_out) {
    element("path-note").textContent = `The timeline has the path's first ` +
      `${counted(steps.length, "step")}; ${left_out} more are left out.`;
  }
}

function writeDomino() {
  const path = explanation.domino_paths[Number(element("domino").value)];
  const body = element("domino-steps").tBodies[0];
  body.replaceChildren();
  for (const [k, step] of path.steps.entries()) {
    const row = add(body, "tr");
    const cell = add(row, "td");
    const button = add(cell, "button", String(k + 1));
    button.type = "button";
    button.setAttribute("aria-label", `step ${k + 1}, show in the timeline`);
    button.addEventListener("click", () => lookAtStep(step));
    addCells(row, [seconds(step.at_s), `rank ${step.rank}`, step.call || "-", step.site || "-",
      `rank ${step.partner}`]);
  }
}

function lookAtStep({ at_s, rank, partner }) {
  const [time, margin] = [at_s * 1e9, Math.max(LEAST_TIME, whole / 100)];
  const [low, high] = [Math.min(rank, partner), Math.max(rank, partner) + 1];
  const fits = low >= view.top && high <= view.bottom;
  look(time - margin, time + margin, ...(fits ? [view.top, view.bottom] : [low - 1, high + 1]));
  canvas.scrollIntoView({ block: "center" });
}

function writeDominoPaths() {
  const paths = explanation.domino_paths;
  element("domino-section").hidden = paths.length === 0;
  element("domino-controls").hidden = paths.length === 0;
  paths.forEach((path, k) => {
    const text = `end of rank ${path.rank}: ${seconds(path.time_s)}`;
    add(element("domino"), "option", text).value = k;
  });
  if (paths.length === 0) return;
  writeDomino();
  element("domino").addEventListener("change", () => {
    writeDomino();
    redraw();
  });
}

function fillTable(id, rows) {
  for (const row of rows) addCells(add(element(id).tBodies[0], "tr"), row);
}

function writeBalance() {
  const { balance } = explanation;
  element("balance-section").hidden = balance.length === 0;
  fillTable("balance", balance.slice(0, MOST_PARTS).map((one) => [
    one.region, String(one.instances), seconds(one.sigma_s), percentText(one.mean_over_max),
    seconds(one.time_s), seconds(Math.max(0, explanation.time_s.value - one.time_s)),
  ]));
}

const FACTORS = ["load_balance", "serialisation", "transfer", "communication", "parallel"];

function writeEfficiency() {
  const { efficiency } = explanation;
  element("efficiency-section").hidden = !efficiency;
  if (!efficiency) return;
  const share = (value) => (typeof value === "number" ? percentText(value) : "-");
  const rowOf = (name, one) => [name, ...FACTORS.map((factor) => share(one[factor]))];
  const regions = (efficiency.regions || []).slice(0, MOST_PARTS);
  fillTable("efficiency",
    [rowOf("the run", efficiency), ...regions.map((one) => rowOf(one.region, one))]);
}

function writeExplanation() {
  writeAnswers();
  writePath();
  writeDominoPaths();
  writeBalance();
  writeEfficiency();
  for (const part of document.querySelectorAll(".explained")) part.hidden = false;
  for (const id of ["shows-path", "shows-domino"]) element(id).addEventListener("change", redraw);
  element("close-after").addEventListener("click", () => {
    document.querySelector("[name=answer]:checked").checked = false;
    showAfter(-1);
    redraw();
  });
}
