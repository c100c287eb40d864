// The bar below the mark in work: its severity, category, comment and link.

import { inOrder, set } from './spans.js';
import { called, categorise, kindName } from './rules.js';
import { NUMBERS, pick as list } from './picker.js';
import { make } from './desk.js';
import { reveal } from './overlay.js';

/**
 * @param {import('./desk.js').Desk} desk
 * @param {ReturnType<typeof import('./overlay.js').overlay>} over
 * @param {object} on
 * @param {(next: import('./spans.js').Span[]) => void} on.change gives the card in work other marks
 * @param {(id: string) => void} on.severity
 * @param {() => any} on.comment
 * @param {(id: string) => void} on.drop
 * @param {(act: string, of?: string) => string} on.hint the key of an act, as it is written
 * @param {(text: string) => void} on.announce
 * @param {(text: string) => void} on.refuse says why something was not done, for all to see
 * @param {() => Node[]} on.suggested what stands first where a suggestion is picked
 */
export function markBar(desk, over, { change, severity, comment, drop, hint, announce, refuse, suggested }) {
  const { rules } = desk;
  const tools = make('div', { className: 'mark-tools' });
  const box = make('div', { className: 'picker', hidden: true });
  over.bar.append(tools, box);

  /** @param {string} label @param {string} key @param {() => void} act @param {Record<string, string>} [data] */
  const button = (label, key, act, data) => {
    const b = make('button', { type: 'button', className: 'btn btn-small', onclick: act }, label, ...(key ? [make('kbd', {}, key)] : []));
    Object.assign(b.dataset, data);
    return b;
  };

  function draw() {
    const s = desk.one();
    box.hidden = true;
    box.replaceChildren();
    if (!s) return tools.replaceChildren();
    const first = suggested();
    over.bar.ariaLabel = `Mark ${called(s)}`;
    tools.replaceChildren(
      ...first,
      make('span', { className: 'mark-grades' }, ...rules.severities.map(({ id, name }) => {
        const key = hint('severity', id);
        // A severity that is called by its number says its key itself.
        const b = button('', /^\d/.test(key) && name.startsWith(key) ? '' : key, () => severity(id));
        b.prepend(make('span', { className: `grade ${desk.style(id)}` }, name));
        b.setAttribute('aria-pressed', String(id === s.severity));
        return b;
      })),
      ...(rules.categories && s.start < s.end || rules.categories && s.category && !s.subcategory ? [button(kindName(s) || 'Category', hint('category'), category, { do: 'category' })] : []),
      button('Comment', hint('comment'), comment),
      ...(rules.links ? [button('Link', hint('link'), link)] : []),
      ...(first.length ? [] : [button('Remove', hint('remove'), () => drop(s.id))]),
    );
  }

  const none = () => refuse(`No mark is picked; ${hint('pick', '1')} goes to the next one`);

  /** Opens the list of the bar. @param {Parameters<typeof list>[1]} what @param {boolean} focus */
  function open(what, focus) {
    box.hidden = false;
    const input = list(box, what);
    over.place();
    if (focus) input.focus({ preventScroll: true });
    reveal(box);
  }

  /** Gives the open list the focus, so that it gets what is typed. @returns {boolean} whether one is open */
  function find() {
    if (!box.hidden) box.querySelector('input')?.focus({ preventScroll: true });
    return !box.hidden;
  }

  function shut() {
    box.hidden = true;
    desk.cards[desk.card].focus({ preventScroll: true });
  }

  function category(focus = true) {
    const s = desk.closed() ? undefined : desk.own();
    if (!s || !rules.categories) return s || none();
    if (s.start === s.end && s.subcategory) return refuse(`${called(s)} keeps its category`);
    const entries = rules.categories.flatMap((c, i) => (c.sub ?? [c]).map((o, j) => ({
      name: o.name, text: o.text, group: c.sub ? c.name : c.group ?? '', keys: (NUMBERS[i] ?? '') + (c.sub ? NUMBERS[j] ?? '' : ''),
      off: c.rule === 'source_error' && s.side !== 'source', value: `${c.name}/${c.sub ? o.name : ''}`,
    })));
    open({
      label: 'Category', entries, chosen: `${s.category}/${s.subcategory ?? ''}`, leave: shut,
      choose(way) {
        const [name, sub] = way.split('/');
        const { spans: next, refused } = categorise(rules, desk.spans(), desk.texts(), s.id, name, sub);
        if (refused) return refuse(refused);
        shut();
        change(next);
        announce(`${called(s)}: ${name} ${sub}`);
      },
    }, focus !== false);
  }

  function link() {
    const s = desk.closed() ? undefined : desk.own();
    if (!s) return none();
    const order = inOrder(desk.spans());
    const entries = order.map((o, n) => ({ name: `${o.text || called(o)} · ${desk.about(o)}`, keys: NUMBERS[n] ?? '', value: o.id })).filter((e) => e.value !== s.id);
    if (!entries.length) return refuse('There is no other mark to link to');
    if (s.link) entries.push({ name: 'no link', keys: '', value: '' });
    open({
      label: 'Goes with', entries, chosen: s.link, leave: shut,
      choose(id) {
        shut();
        change(set(desk.spans(), s.id, { link: id }));
        announce(id ? 'linked' : 'link removed');
      },
    }, true);
  }

  return { draw, category, link, find, shut, none, get open() { return !box.hidden; } };
}
