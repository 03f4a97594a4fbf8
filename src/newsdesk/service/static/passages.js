// Mark passages of a text by selecting them. What is marked stands in the fields as lines that the server reads, with or without this script.
"use strict";

(() => {
  const form = document.querySelector("form.answers.kind-spans");
  if (!form) return;
  const groups = [...form.querySelectorAll(".passages")];
  const areaOf = (group) => group.querySelector("textarea");
  let active = groups[0];
  form.addEventListener("focusin", (event) => { active = event.target.closest(".passages") || active; });

  // Places are counted in characters of the stored text; the browser counts UTF-16 units.
  const characters = (text) => [...text].length;
  function place(node, offset) {
    const line = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-start]");
    if (!line) return null;
    const before = document.createRange();
    before.setStart(line, 0);
    before.setEnd(node, offset);
    return Number(line.dataset.start) + characters(before.toString());
  }

  function mark(range) {
    const text = range.toString().replace(/\s+/g, " ").trim();
    if (!active || !text) return;
    const said = range.commonAncestorContainer;
    const owner = (said.nodeType === Node.TEXT_NODE ? said.parentElement : said).closest("[data-marked]");
    if (!owner || !owner.closest(".text").contains(active)) return;
    const start = place(range.startContainer, range.startOffset);
    const end = place(range.endContainer, range.endOffset);
    if (start === null || end === null || start >= end) return;
    const area = areaOf(active);
    const lines = area.value.split("\n").filter((line) => line.trim() && line.trim().toLowerCase() !== "none");
    const written = `[${start}-${end}] ${text}`;
    // Marked again: not marked any longer.
    area.value = (lines.includes(written) ? lines.filter((line) => line !== written) : [...lines, written]).join("\n");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, input")) return;
    const selection = getSelection();
    if (event.key === "m" && selection.rangeCount && !selection.isCollapsed) {
      mark(selection.getRangeAt(0));
      selection.removeAllRanges();
    } else if (/^[1-9]$/.test(event.key)) {
      const line = active && active.closest(".text").querySelectorAll("[data-start]")[Number(event.key) - 1];
      if (!line) return;
      const range = document.createRange();
      range.selectNodeContents(line);
      mark(range);
    }
  });
  form.addEventListener("pointerup", (event) => {
    const selection = getSelection();
    if (event.pointerType !== "touch" && event.target.closest("[data-marked]") && !selection.isCollapsed) mark(selection.getRangeAt(0));
  });

  // Show what the fields say, where the browser can.
  function paint() {
    if (!window.CSS || !CSS.highlights) return;
    const ranges = [[], [], [], []];
    for (const group of groups) {
      const colour = Number(/mark-([1-4])/.exec(group.className)[1]) - 1;
      const lines = [...group.closest(".text").querySelectorAll("[data-start]")];
      for (const written of areaOf(group).value.split("\n")) {
        const match = /^\[(\d+)-(\d+)\]/.exec(written.trim());
        for (const line of lines) {
          const node = line.firstChild;
          if (!node) continue;
          let from, to;
          if (match) {
            const start = Number(line.dataset.start);
            const units = (count) => [...node.data].slice(0, Math.max(0, count)).join("").length;
            [from, to] = [units(match[1] - start), units(match[2] - start)];
          } else {
            const quote = written.trim();
            from = quote && quote.toLowerCase() !== "none" ? node.data.indexOf(quote) : -1;
            to = from + quote.length;
          }
          if (from < 0 || from >= to) continue;
          const range = document.createRange();
          range.setStart(node, from);
          range.setEnd(node, to);
          ranges[colour].push(range);
          if (!match) break;
        }
      }
    }
    ranges.forEach((each, number) => CSS.highlights.set(`passage-${number + 1}`, new Highlight(...each)));
  }
  form.addEventListener("input", paint);
  setTimeout(paint, 0);
})();
