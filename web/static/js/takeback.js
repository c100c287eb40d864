// Taking a submission back: for some seconds the page that follows it offers to. That page is an
// annotate page or My work, which has no assignment.

/** How many milliseconds the page waits for the server's answer, and shows why nothing was taken back. */
const PATIENCE = 10_000;

/** Where the offer is kept between two pages. */
const KEY = 'annotate/take-back';

/** @typedef {{url: string, until: number}} Offer */

/** @type {Storage|null} */
let storage = null;
try { storage = sessionStorage; } catch { /* it is not offered then */ }

/**
 * Notes, before the page is left for the next segment, whether what was done can be taken back. An earlier offer ends: it
 * would seem to mean what was done last.
 * @param {string} url where it is taken back; empty if it is not
 * @param {number} seconds for which that is offered
 */
export function leaving(url, seconds) {
  try {
    storage?.removeItem(KEY);
    if (url) storage?.setItem(KEY, JSON.stringify({ url, until: Date.now() + 1000 * seconds }));
  } catch { /* it is not offered then */ }
}

/** The offer that still holds. It is kept for when the page is loaded again. @returns {Offer|null} */
function offered() {
  try {
    const offer = JSON.parse(storage?.getItem(KEY) ?? 'null');
    return offer && offer.until > Date.now() ? offer : null;
  } catch {
    return null;
  }
}

/** @type {(() => void)|null} */
let take = null;

/** Takes the submission back, if that is offered now. @returns {boolean} whether it is */
export function takeBack() {
  const now = take; // taking it ends the offer
  now?.();
  return now !== null;
}

/** @param {Offer} offer */
function show(offer) {
  const note = document.createElement('div');
  note.className = 'take-back';
  note.setAttribute('role', 'status');
  const text = document.createElement('span');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn btn-small';
  button.textContent = 'Take back';
  // Undo is for the submission until something is changed on this page (components.css).
  const chip = document.createElement('span');
  chip.dataset.key = 'undo';
  for (const name of ['Ctrl', 'Z']) chip.append(Object.assign(document.createElement('kbd'), { textContent: name }));
  button.append(' ', chip);
  document.body.append(note);
  note.append(text, button);
  text.textContent = 'Submitted.';
  const gone = setTimeout(() => { take = null; note.remove(); }, offer.until - Date.now());
  take = async () => {
    take = null;
    clearTimeout(gone);
    storage?.removeItem(KEY);
    button.disabled = true;
    let why = 'no connection';
    try {
      const answer = await fetch(offer.url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}', signal: AbortSignal.timeout(PATIENCE) });
      const json = await answer.json().catch(() => null);
      if (answer.ok && json?.next) return location.assign(json.next);
      why = json?.error ?? `the server answered ${answer.status}`;
    } catch { /* no connection */ }
    button.remove();
    text.textContent = `Not taken back: ${why}.`;
    setTimeout(() => note.remove(), PATIENCE);
  };
  button.addEventListener('click', () => takeBack());
}

const { preview } = JSON.parse(document.getElementById('assignment-state')?.textContent ?? '{}');
const offer = preview ? null : offered();
if (offer) show(offer);
