/**
 * Copies sign-in links: a button with data-copy names the field to copy, one
 * with data-copy-all takes every field marked data-link with its login. The
 * buttons are hidden until this runs.
 */

const said = document.querySelector("[data-copied]");

/** @param {string} text @param {HTMLElement} button */
async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  const label = button.firstChild;
  if (!(label instanceof Text)) return;
  button.dataset.label ??= label.data;
  label.data = "Copied";
  if (said) said.textContent = "Copied";
  setTimeout(() => {
    label.data = button.dataset.label ?? "";
    if (said) said.textContent = "";
  }, 2000);
}

/** @param {Element} field @returns {string} the login that stands above a link */
const loginOf = (field) => document.querySelector(`label[for="${field.id}"]`)?.firstChild?.textContent?.trim() ?? "";

// Without a secure context there is no clipboard; the fields can be copied by hand.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy], [data-copy-all]")) {
    if (!(button instanceof HTMLElement)) continue;
    button.hidden = false;
    button.addEventListener("click", () => {
      if (button.dataset.copy) {
        const field = document.getElementById(button.dataset.copy);
        if (field instanceof HTMLInputElement) copy(field.value, button);
        return;
      }
      const lines = [...document.querySelectorAll("input[data-link]")].map((field) => `${loginOf(field)}\t${/** @type {HTMLInputElement} */ (field).value}`);
      copy(lines.join("\n"), button);
    });
  }
}
for (const field of document.querySelectorAll("input[data-link]")) {
  if (field instanceof HTMLInputElement) field.addEventListener("focus", () => field.select());
}
