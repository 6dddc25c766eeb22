// All of it.

fillGrid();
writeSummary();
writeLegend();
writePairs();
writeRanks();
writeNotes();
listen();
listenToMatrix();
function drawAll() {
  readColours();
  draw();
  drawMatrix();
}
drawAll();
canvas.dataset.firstMs = performance.now() - started;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
addEventListener("resize", drawAll);
for (const box of document.querySelectorAll(".scroll")) {
  if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
}
