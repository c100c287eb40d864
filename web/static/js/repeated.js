// Knows the second press of a double click. A click on a button may bring something else under
// the pointer, which that press is not meant for.

/** How far apart the clicks of a double click are at most, in pixels. A finger that taps two buttons in turn makes a double click of it, far apart. */
const SAME = 12;

/** Whether the press under way repeats the one before. */
let repeats = false;
/** @type {MouseEvent|null} */
let last = null;
addEventListener('mousedown', (e) => {
  repeats = !!last && e.detail > 1 && Math.hypot(e.clientX - last.clientX, e.clientY - last.clientY) <= SAME;
  last = e;
}, true);

/** Whether a press, or the click that it led to, repeats the one before at the same place. @param {MouseEvent} e */
export const repeated = (e) => e.detail > 1 && repeats;
