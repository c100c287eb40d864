// Keys: one table of what they do, and the rule by which a key press finds its
// entry. The page's list of keys is written from the same table.

/** @typedef {{name: string, label: string, min: number, max: number}} Score */
/**
 * @typedef {object} Key
 * @property {string[]} keys as matched: a letter, digit, sign, or "Enter"
 * @property {string} does in words
 * @property {string} act what the page is asked to do
 * @property {string} [of] name of the score, or id of the severity, that it gives
 * @property {boolean} [mod] with Ctrl, or ⌘ on a Mac
 * @property {boolean} [shift]
 * @property {boolean} [loose] with or without Shift, Ctrl and Alt
 * @property {boolean} [typing] also while someone types
 * @property {{key: string, shift: boolean}} [also] another key, that every layout has
 * @property {string} [shown] instead of keys
 * @property {boolean} [fixed] it can't be given another key
 */

/** Severities that many protocols share have letters of their own. @type {Record<string, [string, boolean]>} */
const LETTERS = { neutral: ['u', false], minor: ['m', false], major: ['m', true], critical: ['x', true] };

/** The keys of severities: their letters if each has one, else their places. @param {{id: string, name: string}[]} severities @returns {Key[]} */
const grades = (severities) => severities.map(({ id, name }, i) => {
  const [key, shift] = severities.every((s) => LETTERS[s.id]) ? LETTERS[id] : [String(i + 1), false];
  return { keys: [key], shift, shown: shift ? key.toUpperCase() : key, does: name, act: 'severity', of: id };
}).filter((k) => k.keys[0].length === 1);

/** The letters of the questions that are asked of a term. */
const OF_TERMS = 'fuioty';

/** The keys with which the questions of a term are answered. @param {import('./rules.js').Marking} m @returns {Key[]} */
const termAsks = (m) => [
  ...(m.questions?.some((q) => q.kind === 'choice') ? [{ keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], shown: '1 – 9', does: 'answer the question about the term, and go on', act: 'choose', fixed: true }] : []),
  ...(m.questions ?? []).slice(0, OF_TERMS.length).map(({ name, label }, i) => ({ keys: [OF_TERMS[i]], does: label.toLowerCase(), act: 'ask_term', of: name })),
];

/** The keys where terms are given. @param {import('./rules.js').Marking} m @returns {Key[]} */
const asksTerms = (m) => [
  ...termAsks(m),
  { keys: ['n'], does: 'comment on the term or the card', act: 'comment' },
  { keys: ['.'], does: 'next term', act: 'pick', of: '1' },
  { keys: [','], does: 'previous term', act: 'pick', of: '-1' },
];

/** The keys with which errors are marked. @param {import('./rules.js').Marking} m @returns {Key[]} */
const marking = (m) => (m.given ? asksTerms(m) : [
  { keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'], loose: true, shown: '← → ↑ ↓', does: 'move in the text by character; with Ctrl by word, with Shift to select', act: 'caret', fixed: true },
  { keys: ['Enter'], does: 'mark the selection, or the word at the caret', act: 'mark' },
  { keys: ['s'], does: m.reference ? 'source or reference' : 'source or translation', act: 'side' },
  ...grades(m.severities),
  ...(m.categories ? [{ keys: ['c'], does: 'category', act: 'category' }] : []),
  { keys: ['n'], does: 'comment on the mark or the card', act: 'comment' },
  ...(m.links ? [{ keys: ['l'], does: 'link to another mark', act: 'link' }] : []),
  ...(m.terms ? termAsks(m) : []),
  { keys: ['x', 'Delete'], shown: 'x', does: 'remove the mark', act: 'remove' },
  { keys: ['.'], does: 'next mark', act: 'pick', of: '1' },
  { keys: [','], does: 'previous mark', act: 'pick', of: '-1' },
  { keys: ['['], also: { key: 'e', shift: true }, does: 'move the end of the mark back by a character', act: 'end', of: '-1' },
  { keys: [']'], also: { key: 'e', shift: false }, does: 'move the end of the mark forward by a character', act: 'end', of: '1' },
  { keys: ['['], also: { key: 'b', shift: false }, shift: true, does: 'move the start of the mark back by a character', act: 'start', of: '-1' },
  { keys: [']'], also: { key: 'b', shift: true }, shift: true, does: 'move the start of the mark forward by a character', act: 'start', of: '1' },
  ...(m.missing_punctuation ? [{ keys: ['p'], does: 'missing punctuation at the caret', act: 'gap' }] : []),
  ...(m.suggestions ? [
    { keys: ['y'], does: 'accept the suggestion, or go to the first', act: 'accept' },
    { keys: ['r'], does: 'reject the suggestion', act: 'reject' },
  ] : []),
  { keys: ['0'], does: m.terms ? 'no terms' : 'no errors', act: 'none' },
]);

/** The keys with which an adjudicator takes from the annotators' ratings. @param {boolean} marks errors are marked @returns {Key[]} */
const peers = (marks) => [
  { keys: ['o'], does: "next of the annotators' marks and scores", act: 'peer', of: '1' },
  { keys: ['o'], shift: true, does: "previous of the annotators' marks and scores", act: 'peer', of: '-1' },
  { keys: ['t'], does: 'take it, or drop it again', act: 'take' },
  ...(marks ? [
    { keys: ['i'], does: 'merge it with what overlaps', act: 'merge' },
    { keys: ['v'], does: 'start with the marks of most annotators', act: 'majority' },
  ] : []),
];

/** The letters of questions, in their order: no other entry has them on a page without marks. */
const QUESTIONS = 'eryubcfmpxl';

/** The keys with which questions are answered. @param {{name: string, label: string}[]} questions @param {boolean} marks errors are marked, which takes the digits and most letters @returns {Key[]} */
const asking = (questions, marks) => (marks ? [] : [
  { keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'], shown: '1 – 9, 0', does: 'answer the question in work', act: 'answer', fixed: true },
  ...questions.slice(0, QUESTIONS.length).map(({ name, label }, i) => ({ keys: [QUESTIONS[i]], does: label.toLowerCase(), act: 'question', of: name })),
]);

/** The keys with which one goes through a document. @type {Key[]} */
const places = [
  { keys: ['d'], does: 'the whole document', act: 'document' },
  { keys: ['q'], does: 'segment before', act: 'segment', of: '-1' },
  { keys: ['w'], does: 'segment after', act: 'segment', of: '1' },
];

/**
 * The keys of a page whose cards have these scores and marks.
 * @param {Score[]} scores @param {import('./rules.js').Marking} [m]
 * @param {Record<string, string>} [own] keys that a person has changed, by the names of acts
 * @param {boolean} [adjudicates] the annotators' ratings stand below the cards
 * @param {boolean} [document] the segment is one of several of a document
 * @param {{name: string, label: string}[]} [questions] that each card is asked
 * @returns {Key[]}
 */
export function table(scores, m, own = {}, adjudicates = false, document = false, questions = []) {
  return changed(usual(scores, m, adjudicates, document, questions), own);
}

/** The keys that the page comes with. @param {Score[]} scores @param {import('./rules.js').Marking|undefined} m @param {boolean} adjudicates @param {boolean} document @param {{name: string, label: string}[]} questions @returns {Key[]} */
function usual(scores, m, adjudicates, document, questions) {
  const s = !m && !questions.length && scores.length === 1 && scores[0].max <= 9 && scores[0].min >= 0 ? scores[0] : null;
  /** @type {Key[]} */
  const own = m ? [...marking(m), ...scores.slice(0, 2).map(({ name, label }, i) => ({ keys: ['af'[i]], does: label.toLowerCase(), act: 'field', of: name }))] : [
    ...(s ? [{
      keys: Array.from({ length: s.max - s.min + 1 }, (_, i) => String(s.min + i)),
      shown: `${s.min} – ${s.max}`, does: 'score the card in work', act: 'score', of: s.name, fixed: true,
    }] : []),
    { keys: ['n'], does: 'comment on the card', act: 'comment' },
  ];
  return [
    ...(questions.length ? asking(questions, !!m) : []),
    ...own,
    ...(adjudicates ? peers(!!m) : []),
    { keys: m ? ['j'] : ['j', 'Enter'], does: questions.length ? 'next question or card' : 'next card', act: 'next' },
    { keys: ['k'], does: questions.length ? 'previous question or card' : 'previous card', act: 'previous' },
    ...(document ? places : []),
    { keys: ['h'], does: 'fold the card that is done, and go on', act: 'fold' },
    { keys: ['h'], shift: true, shown: 'H', does: 'fold all cards that are done, or open them', act: 'foldall' },
    { keys: ['='], does: 'take over the judgement of a card with the same text', act: 'as' },
    { keys: ['d'], shift: true, shown: 'D', does: 'show or hide what differs between the translations', act: 'compare' },
    { keys: ['s'], shift: true, shown: 'S', does: 'show or hide spaces', act: 'spaces' },
    { keys: ['v'], shift: true, shown: 'V', does: 'source and translation side by side, in step', act: 'beside' },
    { keys: ['z'], mod: true, does: 'undo', act: 'undo' },
    { keys: ['z'], mod: true, shift: true, does: 'redo', act: 'redo' },
    { keys: ['Enter'], mod: true, typing: true, does: 'submit the segment', act: 'submit' },
    { keys: ['g'], does: 'guide', act: 'guide' },
    ...(adjudicates ? [] : [
      { keys: ['a'], shift: true, shown: 'A', does: 'ask the lead about the segment', act: 'ask' },
      { keys: ['r'], shift: true, shown: 'R', does: 'report a problem with the segment, or skip it', act: 'problem' },
    ]),
    { keys: ['?'], does: 'keys', act: 'keys' },
    { keys: ['Escape'], typing: true, shown: 'Esc', does: 'leave what is open', act: 'leave', fixed: true },
  ];
}

/** The groups of the list of keys, with the acts of each. @type {[string, string[]][]} */
const GROUPS = [
  ['Mark an error', ['caret', 'mark', 'side', 'gap', 'none']],
  ['The mark in work', ['choose', 'ask_term', 'severity', 'category', 'link', 'remove', 'pick', 'end', 'start']],
  ['Suggestions', ['accept', 'reject']],
  ["The annotators' ratings", ['peer', 'take', 'merge', 'majority']],
  ['Questions', ['answer', 'question']],
  ['Scores and comments', ['score', 'field', 'comment', 'as']],
  ['Cards', ['next', 'previous', 'fold', 'foldall']],
  ['Segment', ['document', 'segment', 'undo', 'redo', 'submit', 'ask', 'problem']],
  ['Page', ['compare', 'spaces', 'beside', 'guide', 'keys', 'leave']],
];

/** The keys of a page by group, each group with some. @param {Key[]} keys @returns {{name: string, keys: Key[]}[]} */
export const grouped = (keys) => GROUPS.map(([name, acts]) => ({ name, keys: keys.filter((k) => acts.includes(k.act)) })).filter((g) => g.keys.length);

/** What an entry is called where a person's keys are kept. @param {Key} k */
export const nameOf = (k) => (k.of ? `${k.act}:${k.of}` : k.act);

/** Letters, digits and brackets are told apart by Shift; other signs need it on some keyboards and not on others. @param {string} key */
export const shifts = (key) => key.length > 1 || /[\p{L}\p{N}[\]]/u.test(key);

/** @param {Key} k @param {string} spelt @returns {Key} */
function rebound(k, spelt) {
  const [, mod, shift, key] = /^(Ctrl\+)?(Shift\+)?(.+)$/u.exec(spelt) ?? [];
  const letter = /^\p{L}$/u.test(key);
  const shown = mod || key.length > 1 ? undefined : shift && letter ? key.toUpperCase() : key;
  return { ...k, also: undefined, keys: [key], mod: !!mod, shift: !!shift, shown: shift && !letter ? undefined : shown };
}

/** The presses that an entry is for. @param {Key} k @returns {{key: string, mod: boolean, shift: boolean}[]} */
const presses = (k) => [...k.keys.map((key) => ({ key, mod: k.mod ?? false, shift: k.shift ?? false })), ...(k.also ? [{ ...k.also, mod: false }] : [])];

/** Whether a press could mean either. @param {Key} a @param {Key} b */
export const clash = (a, b) => a !== b && presses(a).some((p) => presses(b).some((q) => p.key === q.key &&
  (a.loose || b.loose || (p.mod === q.mod && (!shifts(p.key) || p.shift === q.shift)))));

/**
 * Gives entries a person's keys. Keys that were changed on a page that has other acts may
 * be taken here: such a key is left as it came.
 * @param {Key[]} keys @param {Record<string, string>} own
 */
function changed(keys, own) {
  const left = new Map(Object.entries(own));
  for (;;) {
    const all = keys.map((k) => (!k.fixed && left.has(nameOf(k)) ? rebound(k, left.get(nameOf(k)) ?? '') : k));
    const bad = all.find((k) => left.has(nameOf(k)) && all.some((o) => clash(k, o)));
    if (!bad) return all;
    left.delete(nameOf(bad));
  }
}

/** Signs that stand elsewhere on many keyboards, by their places. @type {Record<string, string>} */
const SIGNS = { BracketLeft: '[', BracketRight: ']', Period: '.', Comma: ',' };

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
  return (!latin && SIGNS[e.code]) || bracket(e.key);
}

/** A brace is a bracket with Shift. @param {string} key */
const bracket = (key) => ({ '{': '[', '}': ']' })[key] ?? key;

/**
 * Whether Ctrl and Alt, or Option on a Mac, have only made the character: a German
 * keyboard has its brackets on AltGr, which Windows reports as Ctrl and Alt.
 * @param {Press} e @param {boolean} mac
 */
const composed = (e, mac) => /^[!-~]$/.test(e.key) && !/[a-z0-9]/i.test(e.key) && (mac ? e.altKey && !e.ctrlKey && !e.metaKey : !!e.getModifierState?.('AltGraph') || (e.ctrlKey && e.altKey));

/** @typedef {{key: string, code: string, shiftKey: boolean, ctrlKey: boolean, metaKey: boolean, altKey: boolean, isComposing: boolean, getModifierState?: (key: string) => boolean}} Press */

/**
 * The entry that a key press means; undefined: leave it to the browser.
 * @param {Key[]} keys
 * @param {Press} e
 * @param {{typing: boolean, mac: boolean, letters: boolean}} where letters: keys of one character are switched on
 * @returns {(Key & {pressed: string})|undefined}
 */
export function match(keys, e, { typing, mac, letters }) {
  if (e.isComposing || e.key === 'Process') return undefined;
  const made = composed(e, mac);
  const pressed = made ? bracket(e.key) : character(e);
  const loose = keys.find((k) => k.loose && k.keys.includes(pressed));
  // Alt and an arrow, on a Mac ⌘ and an arrow, go back in the browser.
  if (loose) return !typing && !e.metaKey && (mac || !e.altKey) ? { ...loose, pressed } : undefined;
  if (!made && (e.altKey || (mac ? e.ctrlKey : e.metaKey))) return undefined;
  const mod = !made && (mac ? e.metaKey : e.ctrlKey);
  if (!letters && !mod && pressed.length === 1) return undefined;
  const shift = e.shiftKey || e.key === '{' || e.key === '}';
  // Some layouts have the digits and many signs on the upper row.
  const free = !shifts(pressed) || (/^[0-9]$/.test(pressed) && e.key === pressed);
  const found = keys.find((k) => (!typing || k.typing) && presses(k).some((p) => p.key === pressed && p.mod === mod && (free || p.shift === shift)));
  return found && { ...found, pressed };
}

/** How an entry is written: the keys to be drawn, in order. @param {Key} k @param {boolean} mac @returns {string[][]} */
export function drawn(k, mac) {
  const names = k.shown ? [k.shown] : k.keys.map((key) => (key === 'Enter' ? '↵' : k.mod ? key.toUpperCase() : key));
  const also = k.also ? [[k.also.shift ? k.also.key.toUpperCase() : k.also.key]] : [];
  return [...names.map((name) => [...(k.mod ? [mac ? '⌘' : 'Ctrl'] : []), ...(k.shift && !k.shown ? ['Shift'] : []), name]), ...also];
}
