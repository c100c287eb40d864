// The questions of a card: which of them are asked, what is still missing, and the controls
// with which they are answered. A question that is a number has the controls of a score.

import { isolated } from './bidi.js';
import { blank } from './codepoints.js';

/** @typedef {import('./save.js').Value} Value */
/** @typedef {import('../../wire').Question} Question */
/** @typedef {import('../../wire').CandidateText} CandidateText */

/** The answer to a question, as a list of texts; undefined: there is none. @param {Question} q @param {Value} v @returns {string[]|undefined} */
export function answerTo(q, v) {
  if (q.kind !== 'number') return v.answers?.[q.name];
  const x = v.scores[q.name];
  return x === undefined ? undefined : [String(x)];
}

/** Whether a question is asked. @param {Question[]} all @param {Question} q @param {Value} v @returns {boolean} */
export function isAsked(all, q, v) {
  if (!q.when) return true;
  const of = all.find((o) => o.name === q.when?.question);
  const is = q.when.is;
  return !!of && isAsked(all, of, v) && !!answerTo(of, v)?.some((x) => is.includes(x));
}

/** @typedef {{source?: string, reference?: string}} SegmentTexts */

/** The text that a text begins from. @param {Question} q @param {Value} v @param {SegmentTexts} texts @param {CandidateText[]} candidates */
export const beginning = (q, v, texts, candidates) => (q.begin === 'source' || q.begin === 'reference' ? texts[q.begin] ?? ''
  : candidates.find((c) => c.id === v.answers?.[q.begin ?? '']?.[0])?.text ?? '');

/**
 * What the questions of a card still need; undefined: nothing.
 * @param {Question[]} all @param {Value} v @param {(q: Question) => string} begun the text that a text begins from
 * @returns {{what: string, question: string, comment?: boolean}|undefined}
 */
export function unanswered(all, v, begun) {
  for (const q of all) {
    if (!isAsked(all, q, v)) continue;
    const given = answerTo(q, v) ?? (q.kind === 'text' && begun(q) ? [begun(q)] : undefined);
    const empty = !given?.length || (q.kind === 'text' && blank(given[0]));
    if (q.required && empty) return { what: q.kind === 'number' ? `a score for ${q.label}` : `an answer to “${q.label}”`, question: q.name };
    const explained = q.options?.find((o) => o.comment && given?.includes(o.value));
    if (explained && blank(v.comment)) return { what: `a comment that explains “${explained.label}”`, question: q.name, comment: true };
  }
  return undefined;
}

/**
 * The text of an edit of the reference that an earlier answer asks for and that changes nothing; undefined: there is none.
 * White space at its ends is not submitted.
 * @param {Question[]} all @param {Value} v @param {(q: Question) => string} begun the text that a text begins from
 */
export const unedited = (all, v, begun) => all.find((q) => {
  const text = v.answers?.[q.name]?.[0];
  return q.begin === 'reference' && q.when && isAsked(all, q, v) && (text === undefined || [text, text.trim()].includes(begun(q)));
});

/** A value with another answer; undefined or an empty list: with none. @param {Value} v @param {string} name @param {string[]|undefined} answer @returns {Value} */
export function answered(v, name, answer) {
  const { [name]: _, ...rest } = v.answers ?? {};
  return { ...v, answers: answer?.length ? { ...rest, [name]: answer } : rest };
}

/** The answers of a value in words, without those to questions that are not asked. @param {Question[]} all @param {Value} v @param {(id: string) => string} candidate @returns {string[]} */
export const answersInWords = (all, v, candidate) => all.filter((q) => q.kind !== 'number' && v.answers?.[q.name] && isAsked(all, q, v)).map((q) => {
  const given = v.answers?.[q.name] ?? [];
  const said = q.kind === 'candidate' ? given.map((id) => (id ? candidate(id) : q.none ?? ''))
    : given.map((x) => q.options?.find((o) => o.value === x)?.label ?? `“${isolated(x)}”`);
  return `${q.label} ${said.join(', ')}`;
});

/**
 * Makes the controls of the questions on all cards work.
 * @param {object} page
 * @param {Question[]} page.questions
 * @param {HTMLElement[]} page.cards
 * @param {(i: number) => Value} page.value
 * @param {SegmentTexts} page.texts
 * @param {(i: number) => CandidateText[]} page.candidates
 * @param {(i: number, value: Value) => void} page.enter gives a card another value, to be undone
 * @param {(i: number, area: HTMLTextAreaElement, value: () => Value) => void} page.typed saves what is typed
 * @param {(i: number, name: string, x: number) => void} page.score
 * @param {() => boolean} page.closed
 * @param {(text: string) => void} page.announce
 * @param {{read: () => [string, string][][], write: (texts: [string, string][][]) => void}} page.kept the texts that stayed, by card, for when the page is loaded again
 */
export function questions({ questions: all, cards, value, texts, candidates, enter, typed, score, closed, announce, kept }) {
  const blocks = cards.map((card) => all.map((q) => /** @type {HTMLElement} */ (card.querySelector(`[data-question="${q.name}"]`))));
  /** The question that digits answer on each card; -1: the first that is open. */
  const at = cards.map(() => -1);
  /** By name of each text that stayed when another candidate was chosen, the candidate of the edit, or none. @type {Map<string, string>[]} */
  const stayed = cards.map((_, i) => new Map(kept.read()[i]));
  const stays = (/** @type {number} */ i, /** @type {string} */ name, /** @type {string|undefined} */ of) => {
    if (of === undefined ? stayed[i].delete(name) : stayed[i].set(name, of)) kept.write(stayed.map((m) => [...m]));
  };
  const begun = (/** @type {number} */ i, /** @type {Question} */ q) => beginning(q, value(i), texts, candidates(i));
  const area = (/** @type {number} */ i, /** @type {number} */ n) => /** @type {HTMLTextAreaElement|null} */ (blocks[i][n].querySelector('textarea'));
  const boxes = (/** @type {number} */ i, /** @type {number} */ n) => /** @type {HTMLInputElement[]} */ ([...blocks[i][n].querySelectorAll('input[type=radio], input[type=checkbox]')]);
  const asked = (/** @type {number} */ i) => [...all.keys()].filter((n) => isAsked(all, all[n], value(i)));

  /** The question in work of a card: the one last gone to, or the first without an answer. @param {number} i */
  function inWork(i) {
    const list = asked(i);
    if (list.includes(at[i])) return at[i];
    return list.find((n) => all[n].kind !== 'text' && !answerTo(all[n], value(i))) ?? list[0] ?? -1;
  }

  /** Gives the answer of a box. @param {number} i @param {number} n @param {HTMLInputElement} box */
  function choose(i, n, box) {
    const q = all[n];
    let v = value(i);
    for (const text of all) {
      const given = text.begin === q.name ? v.answers?.[text.name] : undefined;
      if (!given) continue;
      // A text that is as it began was never edited: it begins with the other candidate.
      if (given[0] === begun(i, text)) v = answered(v, text.name, undefined);
      else if (!stayed[i].has(text.name)) stays(i, text.name, v.answers?.[q.name]?.[0] ?? '');
    }
    if (q.several) enter(i, answered(v, q.name, q.options?.filter((o) => boxes(i, n).some((x) => x.checked && x.value === o.value)).map((o) => o.value)));
    else enter(i, answered(v, q.name, [box.value]));
  }

  cards.forEach((_, i) => all.forEach((q, n) => {
    blocks[i][n].addEventListener('focusin', () => {
      at[i] = n;
      mark(i);
    });
    const text = area(i, n);
    if (text) {
      text.addEventListener('input', () => stays(i, q.name, undefined));
      typed(i, text, () => answered(value(i), q.name, text.value === begun(i, q) ? undefined : [text.value]));
      blocks[i][n].querySelector('[data-begin]')?.addEventListener('click', () => {
        if (closed()) return;
        cards[i].focus({ preventScroll: true }); // the button is of no use now, and would lose the focus to the page; keys still act
        enter(i, answered(value(i), q.name, undefined));
      });
    }
    if (q.kind !== 'number') for (const box of boxes(i, n)) box.addEventListener('change', () => { if (!closed()) choose(i, n, box); });
  }));

  /** Marks the question that digits answer. @param {number} i the card in work */
  function mark(i) {
    const n = i < 0 ? -1 : inWork(i);
    blocks.forEach((list, k) => list.forEach((block, m) => block.classList.toggle('at', k === i && m === n)));
  }

  /** Goes to a question. @param {number} i @param {string} name */
  function go(i, name) {
    const n = all.findIndex((q) => q.name === name);
    if (n < 0 || blocks[i][n].hidden) return;
    at[i] = n;
    const list = boxes(i, n);
    const to = area(i, n) ?? list.find((x) => x.checked) ?? list[0] ?? /** @type {HTMLElement|null} */ (blocks[i][n].querySelector('input'));
    to?.focus({ preventScroll: true });
    // The caret of a long text stands at its end.
    if (to instanceof HTMLTextAreaElement && to.selectionEnd === to.value.length) to.scrollTop = to.scrollHeight;
    blocks[i][n].scrollIntoView({ block: 'nearest' });
  }

  return {
    go,
    /**
     * Goes to the question before or after the one in work. The caret goes into a text only on the way in.
     * @param {number} i @param {1|-1} by @param {boolean} [into] a text in work is entered first
     * @returns {boolean} whether there is one
     */
    step(i, by, into = false) {
      const list = asked(i);
      const n = inWork(i);
      const next = into && all[n]?.kind === 'text' ? n : list[list.indexOf(n) + by];
      if (next === undefined) return false;
      if (into || all[next].kind !== 'text') {
        go(i, all[next].name);
        return true;
      }
      at[i] = next;
      cards[i].focus({ preventScroll: true });
      mark(i);
      blocks[i][next].scrollIntoView({ block: 'nearest' });
      return true;
    },
    /** What the questions of a card still need. @param {number} i */
    missing: (i) => unanswered(all, value(i), (q) => begun(i, q)),
    /** The edit of a card that changes nothing. @param {number} i */
    unedited: (i) => unedited(all, value(i), (q) => begun(i, q)),
    /** The value with which a digit answers the question in work or, of a text, the one that it begins with; false: it answers none. @param {number} i @param {number} digit */
    digit(i, digit) {
      let n = inWork(i);
      if (all[n]?.kind === 'text') n = asked(i).find((m) => all[m].name === all[n].begin) ?? n;
      const q = all[n];
      if (!q || q.kind === 'text' || closed()) return false;
      at[i] = n;
      if (q.kind === 'number') {
        if (digit < (q.min ?? 0) || digit > (q.max ?? 0)) return false;
        score(i, q.name, digit);
        announce(`${q.label}: ${digit}`);
      } else {
        const list = boxes(i, n);
        const box = digit === 0 && q.none ? list.at(-1) : list[digit - 1];
        if (!box || box.disabled) return false;
        box.checked = q.several ? !box.checked : true;
        // The focus does not stay at another answer, from which arrows would go on.
        if (list.some((x) => x === document.activeElement)) box.focus({ preventScroll: true });
        choose(i, n, box);
        announce(`${q.label}: ${box.closest('label')?.querySelector('.answer-name')?.textContent}${box.checked ? '' : ', taken back'}`);
      }
      // An answer leads on to the next question that has none.
      if (!q.several) at[i] = asked(i).find((m) => m > n && all[m].kind !== 'text' && !answerTo(all[m], value(i))) ?? n;
      return true;
    },
    /** Shows on a card which questions are asked, and their answers. @param {number} i */
    show(i) {
      const v = value(i);
      all.forEach((q, n) => {
        const block = blocks[i][n];
        block.hidden = !isAsked(all, q, v);
        const given = v.answers?.[q.name];
        const text = area(i, n);
        if (text) {
          const words = given?.[0] ?? begun(i, q);
          if (text.value !== words) text.value = words;
          const back = /** @type {HTMLButtonElement|null} */ (block.querySelector('[data-begin]'));
          if (back) back.disabled = !begun(i, q) || words === begun(i, q) || closed();
          if (!given) stays(i, q.name, undefined);
          block.querySelector('[data-stayed]')?.toggleAttribute('hidden', !stayed[i].has(q.name) || stayed[i].get(q.name) === (v.answers?.[q.begin ?? '']?.[0] ?? ''));
        } else if (q.kind !== 'number') for (const box of boxes(i, n)) box.checked = !!given?.includes(box.value);
      });
    },
    mark,
  };
}
