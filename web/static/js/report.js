/**
 * The report: copies tables, prints, and follows the computing. A button with
 * data-copy-from names the address of what it copies. An element with
 * data-report-status names the address that tells how far the computing is; when
 * it is over, the page is loaded anew.
 */

const said = document.querySelector("[data-report-said]");
const every = 700; // ms between two questions
const longest = 15_000; // ms, where the answers fail

/** @param {string} text */
const say = (text) => {
  if (said) said.textContent = text;
};

/**
 * Says for a moment what became of a copy.
 * @param {HTMLButtonElement} button @param {string} word what the button says @param {string} text what is said for all to hear
 */
function flash(button, word, text) {
  button.dataset.label ??= button.textContent ?? "";
  button.textContent = word;
  say(text);
  setTimeout(() => {
    button.textContent = button.dataset.label ?? "";
    if (said?.textContent === text) say(""); // not what is said of another copy
  }, 2000);
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const name = button.dataset.label ?? button.textContent;
  try {
    const answer = await fetch(button.dataset.copyFrom ?? "", { redirect: "error" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    await navigator.clipboard.writeText(await answer.text());
    flash(button, "Copied", `${button.closest("[role=group]")?.getAttribute("aria-label") ?? "Table"} copied as ${name}`);
  } catch {
    flash(button, "Not copied", "It was not copied: save the file instead.");
  }
}

// Without a secure context there is no clipboard; the files can be saved.
if (navigator.clipboard) {
  for (const part of document.querySelectorAll("[data-copies]")) if (part instanceof HTMLElement) part.hidden = false;
  for (const button of document.querySelectorAll("[data-copy-from]")) {
    if (button instanceof HTMLButtonElement) button.addEventListener("click", () => copy(button));
  }
}

const print = document.querySelector("[data-print]");
if (print instanceof HTMLElement) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}

/** @param {HTMLElement} root */
function follow(root) {
  const share = root.querySelector("[data-report-share]");
  const words = root.querySelector("[data-report-words]");
  let wait = every;

  async function look() {
    try {
      const answer = await fetch(root.dataset.reportStatus ?? "", { headers: { Accept: "application/json" }, redirect: "manual", cache: "no-store" });
      if (answer.status >= 400 && answer.status < 500 && answer.status !== 429 || answer.type === "opaqueredirect") {
        if (words) words.textContent = "not followed any more: load the page again, or sign in";
        return;
      }
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const state = await answer.json();
      wait = every;
      if (!state.busy) {
        location.reload();
        return;
      }
      if (share instanceof HTMLProgressElement) share.value = Math.round(100 * state.share);
      if (words) words.textContent = state.words;
    } catch {
      wait = Math.min(wait * 2, longest);
      if (words) words.textContent = "no connection, trying again";
    }
    setTimeout(look, wait);
  }
  setTimeout(look, wait);
}

const status = document.querySelector("[data-report-status]");
if (status instanceof HTMLElement) follow(status);
