// All of it.

function drawAll() {
  readColours();
  draw();
  drawMatrix();
  drawWhatIfs();
}

// Boxes that scroll can be reached by keys.
function letScroll() {
  for (const box of document.querySelectorAll(".scroll")) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    if (scrolls) box.tabIndex = 0;
  }
}

fillGrid();
writeSummary();
writeLegend();
writePairs();
writeNotes();
if (explanation) writeExplanation();
writeWhatIfs();
listen();
listenToMatrix();
drawAll();
canvas.dataset.firstMs = performance.now() - started;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
addEventListener("resize", drawAll);
// A long table is nothing to wait for.
setTimeout(() => {
  writeRanks();
  letScroll();
});
