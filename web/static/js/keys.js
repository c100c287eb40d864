// Keys: one table of what they do, and the rule by which a key press finds its
// entry. The page's list of keys is written from the same table.

/** @typedef {{name: string, min: number, max: number}} Score */
/**
 * @typedef {object} Key
 * @property {string[]} keys as matched: a letter, digit, sign, or "Enter"
 * @property {string} does in words
 * @property {string} act what the page is asked to do
 * @property {string} [score] name of the score that it gives
 * @property {boolean} [mod] with Ctrl, or ⌘ on a Mac
 * @property {boolean} [shift]
 * @property {boolean} [typing] also while someone types
 * @property {string} [shown] instead of keys
 */

/** The keys of a page whose cards have these scores. @param {Score[]} scores @returns {Key[]} */
export function table(scores) {
  const s = scores.length === 1 && scores[0].max <= 9 && scores[0].min >= 0 ? scores[0] : null;
  /** @type {Key[]} */
  const digits = s ? [{
    keys: Array.from({ length: s.max - s.min + 1 }, (_, i) => String(s.min + i)),
    shown: `${s.min} – ${s.max}`, does: 'score the card in work', act: 'score', score: s.name,
  }] : [];
  return [
    ...digits,
    { keys: ['j', 'Enter'], does: 'next card', act: 'next' },
    { keys: ['k'], does: 'previous card', act: 'previous' },
    { keys: ['n'], does: 'comment on the card', act: 'comment' },
    { keys: ['z'], mod: true, does: 'undo', act: 'undo' },
    { keys: ['z'], mod: true, shift: true, does: 'redo', act: 'redo' },
    { keys: ['Enter'], mod: true, typing: true, does: 'submit the segment', act: 'submit' },
    { keys: ['g'], does: 'guide', act: 'guide' },
    { keys: ['?'], does: 'keys', act: 'keys' },
    { keys: ['Escape'], typing: true, shown: 'Esc', does: 'leave what is open', act: 'leave' },
  ];
}

/**
 * The character a key stands for. Where the layout gives no Latin letter, it
 * goes by the place on the keyboard; so do digits above the letters.
 * @param {{key: string, code: string, shiftKey: boolean}} e
 */
export function character(e) {
  if (e.key === '?' || /^[a-z0-9]$/.test(e.key)) return e.key;
  if (/^[A-Z]$/.test(e.key)) return e.key.toLowerCase();
  if (e.key.length > 1 && !['Dead', 'Process', 'Unidentified'].includes(e.key)) return e.key;
  const latin = /^[!-~]$/.test(e.key);
  const place = /^(?:Key([A-Z])|(?:Digit|Numpad)([0-9]))$/.exec(e.code);
  if (place?.[2] && !e.shiftKey) return place[2];
  if (place?.[1] && !latin) return place[1].toLowerCase();
  if (e.code === 'Slash' && e.shiftKey && !latin) return '?';
  return e.key;
}

/**
 * The entry that a key press means; undefined: leave it to the browser.
 * @param {Key[]} keys
 * @param {{key: string, code: string, shiftKey: boolean, ctrlKey: boolean, metaKey: boolean, altKey: boolean, isComposing: boolean}} e
 * @param {{typing: boolean, mac: boolean, letters: boolean}} where letters: single keys are switched on
 * @returns {(Key & {pressed: string})|undefined}
 */
export function match(keys, e, { typing, mac, letters }) {
  if (e.isComposing || e.key === 'Process' || e.altKey) return undefined;
  const mod = mac ? e.metaKey : e.ctrlKey;
  if ((mac ? e.ctrlKey : e.metaKey)) return undefined;
  const pressed = character(e);
  const found = keys.find((k) => {
    if (!k.keys.includes(pressed) || (k.mod ?? false) !== mod || (typing && !k.typing)) return false;
    if (!letters && !k.mod && pressed !== 'Escape') return false;
    // Some layouts have the digits and the question mark on the upper row.
    const free = pressed === '?' || (/^[0-9]$/.test(pressed) && e.key === pressed);
    return free || (k.shift ?? false) === e.shiftKey;
  });
  return found && { ...found, pressed };
}

/** How an entry is written: the keys to be drawn, in order. @param {Key} k @param {boolean} mac @returns {string[][]} */
export function drawn(k, mac) {
  const names = k.shown ? [k.shown] : k.keys.map((key) => (key === 'Enter' ? '↵' : k.mod ? key.toUpperCase() : key));
  return names.map((name) => [...(k.mod ? [mac ? '⌘' : 'Ctrl'] : []), ...(k.shift ? ['Shift'] : []), name]);
}
