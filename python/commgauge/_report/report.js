"use strict";
(() => {
  const tip = document.getElementById("tip");
  const hosts = JSON.parse(document.getElementById("hosts").textContent);

  function show(text, x, y) {
    tip.textContent = text;
    tip.hidden = text === "";
    if (tip.hidden) return;
    const box = tip.getBoundingClientRect();
    const left = Math.min(x + 14, innerWidth - box.width - 6);
    const above = y - box.height - 12;
    tip.style.left = Math.max(6, left) + "px";
    tip.style.top = (above > 4 ? above : y + 18) + "px";
  }

  const matrices = new WeakMap();

  // Value, low and high of each square; of a block of pairs median, smallest and largest.
  function matrixOf(picture) {
    if (!matrices.has(picture)) {
      const about = JSON.parse(picture.dataset.about);
      const bytes = Uint8Array.from(atob(picture.dataset.cells), (c) => c.charCodeAt(0));
      matrices.set(picture, { about, numbers: new Float32Array(bytes.buffer) });
    }
    return matrices.get(picture);
  }

  function named(index, about) {
    const first = index * about.block;
    const last = Math.min(first + about.block, about.ranks) - 1;
    const rank = about.order ? about.order[first] : first;
    if (last > first && about.order) return `${last - first + 1} ranks beside rank ${rank}`;
    if (last > first) return `ranks ${first} to ${last}`;
    return hosts[rank] ? `rank ${rank} (${hosts[rank]})` : `rank ${rank}`;
  }

  function described(picture, row, column) {
    const { about, numbers } = matrixOf(picture);
    const cells = about.rows * about.rows;
    const [value, low, high] = [0, 1, 2].map((k) => numbers[k * cells + row * about.rows + column]);
    const text = (number) => `${Number((number * about.scale).toPrecision(3))} ${about.unit}`;
    const where = `${named(row, about)} to ${named(column, about)}: `;
    if (row === column && about.block === 1) return "";
    if (Number.isNaN(value)) {
      return where + (Number.isNaN(high) ? "not measured" : `at most ${text(high)} (a bound)`);
    }
    if (about.block > 1) return `${where}median ${text(value)}, from ${text(low)} to ${text(high)}`;
    if (Number.isNaN(low) || Number.isNaN(high)) return `${where}${text(value)} (no interval)`;
    return `${where}${text(value)} (${text(low)} to ${text(high)})`;
  }

  function point(event) {
    const target = event.target instanceof Element ? event.target : null;
    const picture = target && target.closest(".picture");
    if (picture && target.tagName === "IMG") {
      const box = target.getBoundingClientRect();
      const { about } = matrixOf(picture);
      const place = (part, all) =>
        Math.min(about.rows - 1, Math.max(0, Math.floor((part / all) * about.rows)));
      const row = place(event.clientY - box.top, box.height);
      const column = place(event.clientX - box.left, box.width);
      show(described(picture, row, column), event.clientX, event.clientY);
      return;
    }
    const tipped = target && target.closest("[data-tip]");
    show(tipped ? tipped.dataset.tip : "", event.clientX, event.clientY);
  }

  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", point);
  document.addEventListener("scroll", () => show("", 0, 0), true);
  for (const box of document.querySelectorAll(".scroll")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
})();
