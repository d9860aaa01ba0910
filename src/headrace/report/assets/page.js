(() => {
  const content = JSON.parse(document.getElementById("chart-data").textContent);
  const timeline = timeCharts(content, document.getElementById("charts"), 0);
  timeline.draw();
  sortable(document.getElementById("policies"));
  onScreenAndPaper([timeline]);
})();
