// Text and tables.

function add(parent, tag, text = "", className = "") {
  const one = document.createElement(tag);
  if (className) one.className = className;
  one.textContent = text;
  parent.append(one);
  return one;
}

function addCard(name, value, note) {
  const card = add(element("cards"), "div", "", "card");
  add(card, "span", name, "name");
  add(card, "strong", value);
  add(card, "span", note, "note");
}

const seconds = (s) => timeText(s * 1e9);
const sentBytes = () => events.pairs.reduce((sum, pair) => sum + pair.bytes, 0);

function intervalText() {
  if (head.exact) return "exact for these parameters";
  if (head.low_s === null) return "no interval";
  return `${seconds(head.low_s)} to ${seconds(head.high_s)}: ${head.interval_meaning}`;
}

function writeSummary() {
  const program = head.program || "A program";
  document.title = `${program}: ${seconds(head.time_s)}`;
  element("program").textContent = program;
  element("where").textContent =
    `${counted(ranks, "rank")} ${head.where}, replayed in virtual time.`;
  addCard("Predicted time", seconds(head.time_s), intervalText());
  const shares = head.ranks.map((rank) => rank.utilisation);
  const least = shares.reduce((best, share, r) => (share < shares[best] ? r : best), 0);
  const most = shares.reduce((best, share, r) => (share > shares[best] ? r : best), 0);
  const named = (r) => `rank ${r}, ${percentText(shares[r])}`;
  addCard("Utilisation", percentText(head.utilisation),
    `of the ranks' time is computing; least ${named(least)}, most ${named(most)}`);
  const bytes = bytesText(sentBytes());
  addCard("Messages", String(messages.count), `${bytes}, those of collective operations included`);
  const pairs = `${counted(events.pairs.length, "pair")} of ranks`;
  element("matrix-sum").textContent =
    `${counted(messages.count, "message")}, ${bytes}, between ${pairs}` +
    (grid.block > 1 ? `; a cell is ${grid.block} × ${grid.block} pairs.` : ".");
}

// Sleeping only where somebody sleeps.
const sleeps = head.ranks.some((rank) => rank.sleeping_s > 0);
const shownDoings = DOINGS.filter((name) => sleeps || name !== "sleeping");

function writeLegend() {
  for (const name of shownDoings) {
    const item = add(element("doings"), "li");
    add(item, "span", "", "key").style.background = `var(--${name})`;
    item.append(name);
  }
  if (predicted < whole) {
    const item = add(element("doings"), "li");
    const key = add(item, "span", "", "key");
    key.style.cssText = "background: var(--accent); width: 2px; height: 14px";
    item.append("predicted time (MPI_Finalize is beyond it)");
  }
}

function writePairs() {
  const bytes = sentBytes();
  const byWeight = (a, b) => b.bytes - a.bytes || b.messages - a.messages;
  for (const pair of [...events.pairs].sort(byWeight).slice(0, 10)) {
    const row = add(element("pairs").tBodies[0], "tr");
    const share = bytes > 0 ? percentText(pair.bytes / bytes) : "-";
    for (const text of [pair.from, pair.to, pair.messages, bytesText(pair.bytes), share]) {
      add(row, "td", String(text));
    }
  }
}

const MOST_ROWS = 1024;
function writeRanks() {
  element("sleeping").hidden = !sleeps;
  const body = element("ranks").tBodies[0];
  for (const rank of head.ranks.slice(0, MOST_ROWS)) {
    const row = add(body, "tr");
    add(row, "th", String(rank.rank)).scope = "row";
    add(row, "td", rank.host, "host").title = rank.host;
    add(row, "td", seconds(rank.end_s));
    const strip = document.createElement("div");
    strip.className = "strip";
    for (const name of shownDoings) {
      const whole = head.time_s + (rank.further_threads_s || 0);
      const share = whole > 0 ? rank[`${name}_s`] / whole : 0;
      add(row, "td", percentText(share));
      const part = add(strip, "span");
      part.style.cssText = `background: var(--${name}); width: ${100 * share}%`;
    }
    add(row, "td").append(strip);
  }
  if (ranks <= MOST_ROWS) return;
  element("ranks-note").textContent = `The first ${MOST_ROWS} of ${ranks}.`;
}

function writeNotes() {
  for (const note of head.notes) add(element("notes"), "li", note);
  element("notes-section").hidden = head.notes.length === 0;
}
