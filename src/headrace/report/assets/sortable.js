"use strict";
/* A table sorts by any column whose head is a button; what is not known goes last. */
const sortable = table => {
  const body = table.tBodies[0];
  for (const button of table.querySelectorAll("thead button")) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const column = Number(button.dataset.column);
      const down = head.getAttribute("aria-sort") === "ascending";
      const value = row => {
        if (column === 0) return row.cells[0].querySelector("bdi").textContent;
        const text = row.cells[column].dataset.value;
        return text === undefined ? null : Number(text);
      };
      const order = (a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === null || y === null) return (x === null) - (y === null);
        const found = column === 0 ? x.localeCompare(y, "en") : x - y;
        return down ? -found : found;
      };
      body.append(...[...body.rows].sort(order));
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  }
};
