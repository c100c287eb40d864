// The bar beside the mark in work: its severity, category, comment and link. Its buttons
// stay the same nodes, so that the focus stays where it is.

import { isolated } from './bidi.js';
import { inOrder, set } from './spans.js';
import { called, categorise, kindName } from './rules.js';
import { NUMBERS, pick as list } from './picker.js';
import { make } from './desk.js';
import { isWaiting } from './suggestions.js';

/** @typedef {import('./spans.js').Span} Span */

/**
 * @param {import('./desk.js').Desk} desk
 * @param {ReturnType<typeof import('./overlay.js').overlay>} over
 * @param {object} on
 * @param {(change: (spans: Span[], id: string) => Span[]) => boolean} on.edit changes the mark in work; false: that was refused
 * @param {(id: string) => void} on.severity
 * @param {(id: string) => void} on.drop
 * @param {() => void} on.accept
 * @param {() => void} on.reject
 * @param {(node: HTMLTextAreaElement) => void} on.typing saves what is typed as the comment of the mark in work
 * @param {(act: string, of?: string) => string} on.hint the key of an act, as it is written
 * @param {(i: number) => string} on.nameOf name of a card
 * @param {() => void} on.ask asks for a paint
 * @param {(i: number) => Promise<import('./document.js').Elsewhere[]>} on.elsewhere marks in other segments that those of a card can be linked to
 * @param {(text: string) => void} on.announce
 * @param {(text: string) => void} on.refuse says why something was not done, for all to see
 */
export function markBar(desk, over, { edit, severity, drop, accept, reject, typing, hint, nameOf, ask, elsewhere, announce, refuse }) {
  const { rules } = desk;
  /** The marks in other segments that the open list of links offers. @type {import('./document.js').Elsewhere[]} */
  let far = [];
  /** Writes the keys on the buttons. @type {(() => void)[]} */
  const keys = [];

  /** @param {string} label @param {[string, string?]} key act, and of what @param {(e: PointerEvent) => void} act @param {Record<string, string>} [data] */
  function button(label, key, act, data) {
    const name = make('span', {}, label);
    const kbd = make('kbd', {});
    const b = make('button', { type: 'button', className: 'btn btn-small', onclick: act }, name, kbd);
    Object.assign(b.dataset, data);
    keys.push(() => {
      const text = hint(...key);
      kbd.textContent = text;
      // A severity that is called by its number says its key itself.
      kbd.hidden = !text || (/^\d/.test(text) && name.textContent.startsWith(text));
    });
    return b;
  }

  /** Whether a list that a press opens takes the focus. Its field would bring up the keyboard of a phone, over the list. @param {PointerEvent} e */
  const keyed = (e) => e.pointerType !== 'touch';

  const whose = make('span', { className: 'mark-whose' });
  const yes = button('Accept', ['accept'], accept, { do: 'accept' });
  const no = button('Reject', ['reject'], reject, { do: 'reject' });
  const grades = make('span', { className: 'mark-grades', role: 'group', ariaLabel: 'Severity' }, ...rules.severities.map(({ id, name }) => {
    const b = button(name, ['severity', id], () => severity(id), { grade: id });
    b.children[0].className = `grade ${desk.style(id)}`;
    return b;
  }));
  const kinds = button('Category', ['category'], (e) => category(keyed(e)), { do: 'category' });
  // Each name has room in the button.
  const longest = Math.max(8, ...(rules.categories ?? []).flatMap((c) => [c, ...c.sub ?? []]).map((c) => c.name.length));
  kinds.style.setProperty('--longest', String(longest));
  const words = button('Comment', ['comment'], () => comment(), { do: 'comment' });
  const links = button('Link', ['link'], (e) => link(keyed(e)), { do: 'link' });
  const away = button('Remove', ['remove'], () => desk.picked && drop(desk.picked), { do: 'remove' });
  // To remove a mark that was suggested is to reject the suggestion: one place for both.
  const cut = make('span', { className: 'mark-cut' }, no, away);
  const box = make('div', { className: 'mark-box', hidden: true });
  over.bar.append(make('div', { className: 'mark-tools' }, whose, yes, ...(rules.terms ? [] : [grades]), ...(rules.given ? [] : [kinds]), words, ...(rules.links ? [links] : []), ...(rules.given ? [] : [cut])), box);
  // A click leaves the focus in the text, where the keys are heard.
  over.bar.addEventListener('mousedown', (e) => { if (!(/** @type {Element} */ (e.target)).closest('input, textarea')) e.preventDefault(); });
  over.bar.addEventListener('keydown', (e) => {
    if (e.key !== 'Escape' || !desk.asking) return;
    e.stopPropagation();
    shut();
  });

  /** The bar that was drawn last, and whether it was opened for a suggestion. */
  let opened = { n: 0, waits: false };

  /** What the box shows. @type {import('./desk.js').Asking|null} */
  let shown = null;

  function draw() {
    const s = desk.one();
    if (s) {
      const waits = isWaiting(s);
      over.bar.ariaLabel = `Mark ${called(s)}`;
      whose.textContent = s.side === 'source' && desk.cards.length > 1 ? `for ${nameOf(desk.card)}` : '';
      // The parts of the bar that a suggestion does not use keep their room, so that nothing moves once it is
      // a mark.
      if (opened.n !== desk.opened) {
        opened = { n: desk.opened, waits };
        if (waits && !rules.given && yes.nextSibling !== cut) yes.after(cut);
        if (!waits && cut.nextSibling) cut.parentElement?.append(cut);
      }
      for (const b of [yes, no]) {
        b.hidden = !opened.waits;
        b.classList.toggle('unused', !waits);
      }
      away.classList.toggle('unused', waits);
      // One question at a time: what is open has the keys, and alone looks like it.
      grades.classList.toggle('asked', !s.severity && !desk.asking);
      for (const b of grades.children) b.setAttribute('aria-pressed', String(b.getAttribute('data-grade') === s.severity));
      kinds.hidden = !(rules.categories && (s.start < s.end || (s.category && !s.subcategory)));
      kinds.children[0].textContent = s.subcategory || s.category || 'Category';
      kinds.title = kindName(s);
      kinds.setAttribute('aria-expanded', String(desk.asking?.what === 'category'));
    } else desk.asking = null;
    if (desk.asking === shown) return;
    shown = desk.asking;
    box.hidden = !shown;
    box.replaceChildren();
    over.bar.classList.toggle('asking', !!shown);
    if (shown && s) fill[shown.what](s);
  }

  /** What the box gets when it opens. */
  const fill = {
    /** @param {Span} s */
    category(s) {
      const entries = (rules.categories ?? []).flatMap((c, i) => (c.sub ?? [c]).map((o, j) => ({
        name: o.name, text: o.text, group: c.sub ? c.name : c.group ?? '', keys: (NUMBERS[i] ?? '') + (c.sub ? NUMBERS[j] ?? '' : ''),
        off: c.rule === 'source_error' && s.side !== 'source', value: `${c.name}/${c.sub ? o.name : ''}`,
      })));
      list(box, {
        label: 'Category', entries, shut, chosen: `${s.category}/${s.subcategory ?? ''}`,
        choose(way) {
          const [name, sub] = way.split('/');
          const { refused } = categorise(rules, desk.drawn(), desk.texts(), s.id, name, sub);
          if (refused) return refuse(refused);
          shut();
          if (edit((spans, id) => categorise(rules, spans, desk.texts(), id, name, sub).spans)) announce(`${called(s)}: ${name} ${sub}`);
        },
      });
    },
    /** @param {Span} s */
    link(s) {
      const entries = others(s).map(({ o, n }) => ({ name: `${isolated(o.text) || called(o)} · ${desk.about(o)}`, keys: NUMBERS[n] ?? '', value: o.id }));
      entries.push(...far.map(({ id, words: name }, k) => ({ name, keys: NUMBERS[desk.spans().length + k] ?? '', value: id })));
      if (s.link) entries.push({ name: 'no link', keys: '', value: '' });
      list(box, {
        label: 'Goes with', entries, shut, chosen: s.link,
        choose(to) {
          shut();
          // A counterpart is of the same category.
          const other = desk.spans().find((o) => o.id === to);
          const category = rules.terms && other && !s.category ? { category: other.category } : {};
          if (edit((spans, id) => set(spans, id, { link: to, ...category }, far))) announce(to ? 'linked' : 'link removed');
        },
      });
    },
    /** @param {Span} s */
    comment(s) {
      const area = make('textarea', { className: 'control', rows: 2, dir: 'auto', placeholder: 'Comment on this mark', value: s.comment ?? '', ariaLabel: `Comment on ${called(s)}` });
      typing(area);
      box.append(area);
    },
  };

  /** The marks that one can be linked to, with their numbers in the list: a term goes with words of the other text. @param {Span} s */
  const others = (s) => inOrder(desk.spans()).map((o, n) => ({ o, n })).filter(({ o }) => (rules.terms ? o.side !== s.side : o.id !== s.id));

  const none = () => refuse(desk.drawn().length ? `No mark is picked; ${hint('pick', '1')} goes to the next one` : 'Nothing is marked yet; Enter marks the word');

  /** Opens the box for the mark in work. @param {import('./desk.js').Asking['what']} what @param {boolean} [focus] */
  function open(what, focus = true) {
    desk.asking = { what, focus };
    ask();
  }

  function shut() {
    desk.asking = null;
    // Typed text is saved when its field is left.
    desk.cards[desk.card].focus({ preventScroll: true });
    ask();
  }

  /** @param {boolean} [focus] */
  function category(focus) {
    const s = desk.closed() ? undefined : desk.one();
    if (!s || !rules.categories) return s || none();
    if (s.start === s.end && s.subcategory) return refuse(`${called(s)} keeps its category`);
    open('category', focus);
  }

  /** @param {boolean} [focus] */
  async function link(focus) {
    const s = desk.closed() ? undefined : desk.one();
    if (!s) return none();
    far = rules.terms ? [] : await elsewhere(desk.card);
    if (desk.one()?.id !== s.id) return; // something else was picked meanwhile
    if (!others(s).length && !far.length) return refuse(rules.terms ? `Nothing is marked in the ${s.side === 'source' ? 'reference' : 'source'} to link to` : 'There is no other mark to link to');
    open('link', focus);
  }

  /** @returns {boolean} whether a mark is in work */
  function comment() {
    if (desk.closed() || !desk.one()) return false;
    open('comment');
    return true;
  }

  /** Writes the keys as they are now. */
  function hints() {
    for (const write of keys) write();
  }

  hints();
  return {
    draw, category, link, comment, shut, none, hints, others,
    /** Gives what was just opened the focus, where it wants it. */
    focus() {
      if (!shown?.focus) return false;
      shown.focus = false;
      const field = /** @type {HTMLElement|null} */ (box.querySelector('input, textarea'));
      field?.focus({ preventScroll: true });
      return true;
    },
    /** Gives an open list the focus, so that it gets what is typed. @returns {boolean} whether one is open */
    find() {
      if (!shown || shown.what === 'comment') return false;
      box.querySelector('input')?.focus({ preventScroll: true });
      return true;
    },
  };
}
