// SPDX-License-Identifier: GPL-2.0-only
"use strict";
(() => {
  // Tables: a click on a heading sorts by it, a second one the other way.
  const value = (cell) => {
    const text = cell.dataset.v || cell.textContent.trim();
    const number = parseFloat(text.replace(/[\s\u00a0×]/g, "").replace("−", "-"));
    return { text, number };
  };
  const sort = (table, column, down) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row, i) => ({ row, i, ...value(row.cells[column]) }));
    const numeric = rows.some((r) => !isNaN(r.number)) && table.tHead.rows[0].cells[column].classList.contains("n");
    rows.sort((a, b) => {
      let d = 0;
      if (numeric) {
        if (isNaN(a.number) || isNaN(b.number)) return isNaN(a.number) - isNaN(b.number) || a.i - b.i;
        d = a.number - b.number;
      } else {
        d = a.text.localeCompare(b.text, "en", { numeric: true });
      }
      return (down ? -d : d) || a.i - b.i;
    });
    body.append(...rows.map((r) => r.row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table, column, down);
      });
    });
  }

  // Pictures: a button opens one in the whole window, with wheel, drag and keys.
  const dialog = document.createElement("dialog");
  dialog.className = "zoom";
  document.body.append(dialog);
  let svg, whole, box;
  const show = () => svg.setAttribute("viewBox", box.join(" "));
  const scale = (f, x = 0.5, y = 0.5) => {
    const w = Math.min(whole[2], Math.max(whole[2] / 60, box[2] * f)), h = w * whole[3] / whole[2];
    box = [box[0] + (box[2] - w) * x, box[1] + (box[3] - h) * y, w, h];
    move(0, 0);
  };
  const move = (dx, dy) => {
    box[0] = Math.min(whole[0] + whole[2] - box[2], Math.max(whole[0], box[0] + dx * box[2]));
    box[1] = Math.min(whole[1] + whole[3] - box[3], Math.max(whole[1], box[1] + dy * box[3]));
    show();
  };
  const actions = [["+", "Enlarge", () => scale(0.7)], ["−", "Shrink", () => scale(1 / 0.7)], ["1", "Whole picture", () => scale(1e9)], ["×", "Close", () => dialog.close()]];
  const bar = document.createElement("div");
  for (const [text, label, act] of actions) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.title = label;
    button.addEventListener("click", act);
    bar.append(button);
  }
  const place = (e) => {
    const r = svg.getBoundingClientRect();
    return [(e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height];
  };
  dialog.addEventListener("wheel", (e) => { e.preventDefault(); scale(e.deltaY < 0 ? 0.85 : 1 / 0.85, ...place(e)); }, { passive: false });
  let from = null;
  dialog.addEventListener("pointerdown", (e) => { if (svg.contains(e.target)) { from = place(e); dialog.setPointerCapture(e.pointerId); } });
  dialog.addEventListener("pointermove", (e) => { if (from) { const to = place(e); move(from[0] - to[0], from[1] - to[1]); from = to; } });
  dialog.addEventListener("pointerup", () => { from = null; });
  dialog.addEventListener("keydown", (e) => {
    const keys = { "+": () => scale(0.7), "-": () => scale(1 / 0.7), "0": () => scale(1e9), ArrowLeft: () => move(-0.1, 0), ArrowRight: () => move(0.1, 0), ArrowUp: () => move(0, -0.1), ArrowDown: () => move(0, 0.1) };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
  for (const figure of document.querySelectorAll("figure")) {
    const picture = figure.querySelector("svg");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "enlarge";
    button.textContent = "Enlarge";
    button.setAttribute("aria-label", "Enlarge: " + picture.querySelector("title").textContent);
    button.addEventListener("click", () => {
      svg = picture.cloneNode(true);
      svg.setAttribute("aria-label", svg.querySelector("title").textContent);
      svg.removeAttribute("aria-labelledby");
      svg.querySelectorAll("[id]").forEach((n) => n.removeAttribute("id"));
      whole = svg.getAttribute("viewBox").split(" ").map(Number);
      box = whole.slice();
      dialog.setAttribute("aria-label", svg.getAttribute("aria-label"));
      dialog.replaceChildren(bar, svg);
      dialog.showModal();
    });
    figure.querySelector("figcaption").prepend(button);
  }
})();
