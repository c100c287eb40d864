// Choosing several rows of a form's table: one box for all of the page, and words
// that say how many are chosen. Without it the boxes of the rows do.

for (const form of document.querySelectorAll("[data-choose]")) {
  if (form instanceof HTMLFormElement) choose(form);
}

/** @param {HTMLFormElement} form */
function choose(form) {
  // The table may be drawn anew while the page is open.
  const rows = () => /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[name=segment]"));
  const show = () => {
    const all = /** @type {HTMLInputElement|null} */ (form.querySelector("[data-all]"));
    const chosen = [...rows()].filter((r) => r.checked).length;
    if (all) {
      all.hidden = false;
      all.checked = chosen > 0 && chosen === rows().length;
      all.indeterminate = chosen > 0 && chosen < rows().length;
    }
    const words = form.querySelector("[data-chosen]");
    const text = chosen === 0 ? "what is chosen" : chosen === 1 ? "1 segment" : `${chosen} segments`;
    if (words && words.textContent !== text) words.textContent = text; // else the observer would go on for ever
  };
  form.addEventListener("change", (e) => {
    if (e.target instanceof HTMLInputElement && e.target.hasAttribute("data-all")) {
      for (const r of rows()) r.checked = e.target.checked;
    }
    show();
  });
  new MutationObserver(show).observe(form, { childList: true, subtree: true, attributeFilter: ["hidden"] });
  show();
}
