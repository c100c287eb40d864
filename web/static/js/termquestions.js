// The questions that are asked of each term in the source. They stand in the list of a card's marks, below their term.

import { answerTerm, askedOf } from './terms.js';
import { called } from './rules.js';
import { make } from './desk.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */

/**
 * @param {import('./desk.js').Desk} desk
 * @param {object} on
 * @param {(i: number, value: Value) => void} on.enter gives a card another value, to be undone
 * @param {(i: number, area: HTMLTextAreaElement, value: () => Value) => void} on.typed saves what is typed
 * @param {(i: number, id: string) => void} on.pick makes a term the one in work
 * @param {(act: string, of?: string) => string} on.hint the key of an act, as it is written
 * @param {(text: string) => void} on.announce
 */
export function termQuestions(desk, { enter, typed, pick, hint, announce }) {
  const all = desk.rules.questions ?? [];
  const changed = (/** @type {number} */ i, /** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ text) => {
    const v = desk.value(i);
    return { ...v, spans: answerTerm(v.spans ?? [], id, name, text) };
  };
  const blockOf = (/** @type {number} */ i, /** @type {string} */ id, /** @type {string} */ name) => /** @type {HTMLElement|null} */ (
    desk.cards[i].querySelector(`.term-questions[data-of="${CSS.escape(id)}"] [data-asked="${name}"]`));

  /** @param {number} i @param {string} id @param {string} words of the term */
  function build(i, id, words) {
    const blocks = all.map((q) => {
      const key = hint('ask_term', q.name);
      const chip = make('span', {}, ...(key ? [make('kbd', {}, key)] : []));
      chip.dataset.key = `ask_term:${q.name}`;
      const legend = make('legend', { className: 'question-label' }, q.label, ...(q.required ? [] : [' ', make('span', { className: 'question-free' }, 'may be left open')]), ' ', chip);
      const block = make('fieldset', { className: 'question' }, legend);
      block.dataset.asked = q.name;
      if (q.help && q.kind !== 'text') block.append(make('p', { className: 'question-help' }, q.help));
      if (q.kind === 'text') {
        // What is asked for stands in the empty field: a card may have many terms.
        const area = make('textarea', { className: 'control question-text', rows: 1, placeholder: q.help ?? '', dir: 'auto', ariaLabel: `${q.label} of ${words}`, autocomplete: 'off' });
        typed(i, area, () => changed(i, id, q.name, area.value));
        block.append(area);
      } else {
        block.append(make('div', { className: 'answers' }, ...(q.options ?? []).map((o, n) => {
          const box = make('input', { type: 'radio', name: `${desk.cards[i].id}-${id}-${q.name}`, value: o.value, autocomplete: 'off' });
          box.addEventListener('change', () => { if (!desk.closed()) enter(i, changed(i, id, q.name, o.value)); });
          return make('label', { className: 'answer', title: o.text ?? '' }, box, make('kbd', { className: 'answer-digit', ariaHidden: 'true', hidden: n > 8 }, `${n + 1}`),
            make('span', { className: 'answer-words' }, make('span', { className: 'answer-name' }, o.label)));
        })));
      }
      block.addEventListener('focusin', () => { if (desk.card !== i || desk.picked !== id) pick(i, id); });
      return block;
    });
    const box = make('div', { className: 'term-questions' }, ...blocks);
    box.dataset.of = id;
    return box;
  }

  /** Shows the questions of a term in its entry of the list. @param {number} i @param {HTMLElement} row @param {Span} s */
  function fill(i, row, s) {
    if (!all.length || s.side !== 'source') return;
    let box = /** @type {HTMLElement|null} */ (row.querySelector('.term-questions'));
    if (!box) {
      box = build(i, s.id ?? '', called(s));
      row.append(box);
    }
    const asked = askedOf(desk.rules, s);
    const at = inWork(s);
    all.forEach((q, n) => {
      const block = /** @type {HTMLElement} */ (box.children[n]);
      block.hidden = !asked.includes(q);
      block.classList.toggle('at', q === at);
      const given = s.answers?.[q.name] ?? '';
      const area = block.querySelector('textarea');
      if (area && area.value !== given) area.value = given;
      for (const x of block.querySelectorAll('input')) x.checked = x.value === given;
    });
  }

  /** The choice of a term that digits answer: the first that is open, otherwise the last. @param {Span} s */
  const inWork = (s) => {
    const choices = askedOf(desk.rules, s).filter((q) => q.kind === 'choice');
    return choices.find((q) => !s.answers?.[q.name]) ?? choices.at(-1);
  };

  return {
    fill,
    /** Goes to a question of the term in work. @param {string} name */
    go(name) {
      const s = desk.one();
      const block = s && blockOf(desk.card, s.id ?? '', name);
      if (!block || block.hidden) return false;
      /** @type {HTMLElement|null} */ (block.querySelector('textarea, input:checked') ?? block.querySelector('input'))?.focus({ preventScroll: true });
      block.scrollIntoView({ block: 'nearest' });
      return true;
    },
    /** Answers the question in work of the term in work. @param {number} digit @returns {boolean} whether it has such an answer */
    digit(digit) {
      const s = desk.one();
      const q = s && inWork(s);
      const option = q?.options?.[digit - 1];
      if (!s || !q || !option || desk.closed()) return false;
      enter(desk.card, changed(desk.card, s.id ?? '', q.name, option.value));
      announce(`${called(s)}, ${q.label} ${option.label}`);
      return true;
    },
    /** Whether the term in work has a choice without an answer. */
    open: () => askedOf(desk.rules, /** @type {Span} */ (desk.one())).some((q) => q.kind === 'choice' && !desk.one()?.answers?.[q.name]),
  };
}
