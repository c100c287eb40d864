// The documents of a plan: how many are chosen with how many words, and choosing several at once by Shift and
// a click, or by Shift and an arrow key. Without it every box can be clicked.

for (const form of document.querySelectorAll("[data-plan]")) {
  if (form instanceof HTMLFormElement) choose(form);
}

/** @param {HTMLFormElement} form */
function choose(form) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input[name=document]")]);
  const all = /** @type {HTMLInputElement|null} */ (form.querySelector("[data-all]"));
  const everything = /** @type {HTMLInputElement|null} */ (form.querySelector("input[name=scope]"));
  const words = form.querySelector("[data-chosen]");
  let last = -1; // the place of the box that was used last

  /** @param {HTMLInputElement} box */
  const wordsOf = (box) => Number(box.closest("tr")?.dataset.words ?? 0);

  const show = () => {
    const chosen = boxes.filter((b) => b.checked);
    if (all) {
      all.hidden = false;
      all.checked = chosen.length > 0 && chosen.length === boxes.length;
      all.indeterminate = chosen.length > 0 && chosen.length < boxes.length;
    }
    if (!words) return;
    const sum = chosen.reduce((n, b) => n + wordsOf(b), 0).toLocaleString("en");
    const count = chosen.length === 1 ? "1 document" : `${chosen.length} documents`;
    if (everything?.checked) words.textContent = everything.closest("label")?.textContent?.trim().toLowerCase() ?? "";
    else words.textContent = chosen.length === 0 ? "what is chosen" : `${count}, ${sum} words`;
  };

  /**
   * Sets all boxes from the one used last to this one.
   * @param {number} to @param {boolean} checked
   */
  const range = (to, checked) => {
    const from = last < 0 ? to : last;
    for (let i = Math.min(from, to); i <= Math.max(from, to); i++) {
      const box = boxes[i];
      if (box) box.checked = checked;
    }
  };

  form.addEventListener("click", (e) => {
    const at = e.target instanceof HTMLInputElement ? boxes.indexOf(e.target) : -1;
    if (at < 0) return;
    if (e.shiftKey) range(at, /** @type {HTMLInputElement} */ (e.target).checked);
    last = at;
    show();
  });
  form.addEventListener("keydown", (e) => {
    const at = e.target instanceof HTMLInputElement ? boxes.indexOf(e.target) : -1;
    if (at < 0 || e.ctrlKey || e.altKey || e.metaKey || (e.key !== "ArrowDown" && e.key !== "ArrowUp")) return;
    const to = boxes[at + (e.key === "ArrowDown" ? 1 : -1)];
    e.preventDefault();
    if (!to) return;
    if (e.shiftKey) {
      const from = boxes[at];
      if (from) from.checked = true;
      to.checked = true;
      show();
    }
    last = boxes.indexOf(to);
    to.focus();
  });
  form.addEventListener("change", (e) => {
    if (e.target === all) for (const b of boxes) b.checked = all?.checked ?? false;
    show();
  });
  // Enter in the form must not press its first button.
  form.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && e.target instanceof HTMLInputElement) e.preventDefault();
  });
  show();
}
