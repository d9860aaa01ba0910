(() => {
  const content = JSON.parse(document.getElementById("chart-data").textContent);
  const sections = document.querySelectorAll("[data-timeline]");
  const timelines = [...sections].map(section => timeCharts(content.timelines[section.dataset.timeline], section, section.dataset.timeline));

  // Hundreds of models are hundreds of canvases: each is drawn when it comes near the screen, or onto paper.
  const watch = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watch.unobserve(entry.target);
      timelines.find(timeline => timeline.section === entry.target).draw();
    }
  }, { rootMargin: "1200px" });
  for (const section of sections) watch.observe(section);
  onScreenAndPaper(timelines);
  document.querySelectorAll("#models-table").forEach(sortable);
})();
