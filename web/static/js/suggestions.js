// Suggested errors, which something other than a person found. They wait on their card
// until each is accepted, changed or rejected. Until then they are no marks and cost
// nothing.

import { freshId } from './spans.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */

/** @param {string[]} ids places of suggestions */
const inPlace = (ids) => ids.toSorted((a, b) => Number(a) - Number(b));

/** The id of a suggestion among the marks that a text shows. @param {string} id */
export const waitingId = (id) => `?${id}`;

/** Whether a span that a text shows is a suggestion that waits. @param {Span} s */
export const isWaiting = (s) => s.id[0] === '?';

/** The suggestions that no mark came of, and that were not rejected. @param {Span[]} suggested @param {Value} v */
export const undecided = (suggested, v) => suggested.filter(({ id }) => !v.rejected?.includes(id) && !v.spans?.some((s) => s.suggestion === id));

/** What a card needs while suggestions wait on it; undefined once all are decided. @param {Span[]} suggested @param {Value} v */
export function needed(suggested, v) {
  const open = undecided(suggested, v);
  return open.length ? { what: `a decision on ${open.length} suggestion${open.length > 1 ? 's' : ''}`, span: waitingId(open[0].id) } : undefined;
}

/** Makes marks of suggestions. @param {Value} v @param {Span[]} chosen @returns {Value} */
export function accepted(v, chosen) {
  const spans = [...v.spans ?? []];
  for (const s of chosen) spans.push({ ...s, id: freshId(spans), suggestion: s.id });
  const ids = chosen.map((s) => s.id);
  return { ...v, spans, no_errors: false, rejected: (v.rejected ?? []).filter((id) => !ids.includes(id)) };
}

/** Rejects a suggestion, or takes that back. @param {Value} v @param {string} id @param {boolean} [back] @returns {Value} */
export function rejected(v, id, back = false) {
  const rest = (v.rejected ?? []).filter((o) => o !== id);
  return { ...v, rejected: back ? rest : inPlace([...rest, id]) };
}
