// What the tests of pointing ask a page: where words stand as the page is now, and
// whether a text has moved while somebody points. Which characters a gesture means
// follows from where they are drawn and from the text alone, not from the page's code.
window.pointing = (() => {
  const cards = [...document.querySelectorAll('.card')];
  const source = document.querySelector('.source [data-side=source]');
  const targets = cards.map((c) => c.querySelector('[data-side=target]'));
  const surfaces = [source, ...targets];
  const name = (on) => (on === source ? 'the source' : `translation ${targets.indexOf(on)}`);
  const frame = () => new Promise((go) => requestAnimationFrame(go));

  // ---- what a text is made of ----

  /** A character or word that can be pointed at: from and to in code points, unit and end as the browser counts. */
  const made = new Map();
  function parts(on) {
    const text = on.textContent;
    let all = made.get(text + on.lang);
    if (!all) {
      let from = 0;
      const clusters = [...new Intl.Segmenter().segment(text)].map(({ segment, index }) => {
        const c = { unit: index, end: index + segment.length, from, to: from + [...segment].length, text: segment };
        from = c.to;
        return c;
      });
      // Where a text runs both ways, the direction of anything but letters and digits
      // depends on what is around it; a test that worked that out would be the browser.
      // And where two directions meet, one place in the window is two in the text, so
      // that no drag ends there: what is selected is seen before the button goes up.
      const mixed = /[\u0590-\u08ff]/.test(text) || getComputedStyle(on).direction === 'rtl';
      const wanted = mixed ? /^[\p{L}0-9]/u : /^[\p{L}\p{N}\p{Extended_Pictographic}\p{RI}]/u;
      for (const c of clusters) {
        c.rtl = /^[\u0590-\u065f\u066a-\u08ff]/.test(c.text);
        c.good = wanted.test(c.text);
      }
      const ltr = (c) => !!c && c.good && !c.rtl;
      clusters.forEach((c, i) => {
        const beside = [clusters[i - 1], clusters[i + 1]];
        c.inside = c.good && (!mixed || (c.rtl ? !beside.some(ltr) : beside.every(ltr)));
      });
      const words = [...new Intl.Segmenter(on.lang, { granularity: 'word' }).segment(text)].filter((s) => /[\p{L}\p{N}]/u.test(s.segment)).map(({ segment, index }) => {
        const within = clusters.filter((c) => c.end > index && c.unit < index + segment.length);
        return { from: within[0].from, to: within.at(-1).to, within: within.filter((c) => c.good) };
      }).filter((w) => w.within.length);
      all = { clusters, good: clusters.filter((c) => c.inside), words };
      made.set(text + on.lang, all);
    }
    return all;
  }

  /** Where a character is drawn; nothing for one that takes no room. */
  function box(on, c) {
    const r = new Range();
    let [from, to] = [c.unit, c.end];
    const all = document.createTreeWalker(on, NodeFilter.SHOW_TEXT);
    let began = false;
    for (let n = all.nextNode(); n; n = all.nextNode()) {
      const size = n.nodeValue.length;
      if (!began && from < size) {
        r.setStart(n, from);
        began = true;
      }
      if (began && to <= size) {
        r.setEnd(n, to);
        break;
      }
      from -= size;
      to -= size;
    }
    const boxes = [...r.getClientRects()].filter((b) => b.width >= 3 && b.height > 0);
    return boxes.length === 1 ? boxes[0] : undefined;
  }

  /** Whether a character is drawn in one shape with one beside it, which then has no width of its own: a drag takes both. */
  function joined(on, c) {
    const { clusters } = parts(on);
    const i = clusters.indexOf(c);
    return [clusters[i - 1], clusters[i + 1]].some((o) => o && /^\p{L}/u.test(o.text) && !box(on, o));
  }

  /** A point of a character, by how far it lies from where reading enters it, 0 to 1; nothing where something lies over it. */
  function spot(on, c, along, down) {
    const b = box(on, c);
    if (!b) return undefined;
    const x = c.rtl ? b.right - along * b.width : b.left + along * b.width;
    const y = b.top + b.height * (0.35 + 0.3 * down);
    const over = document.elementFromPoint(x, y);
    // A browser takes a finger beside a button for one on it.
    const near = navigator.maxTouchPoints ? [[-10, 0], [10, 0], [0, -10], [0, 10]] : [];
    if (near.some(([a, b]) => document.elementFromPoint(x + a, y + b)?.closest('button, .mark-bar, .handle'))) return undefined;
    return over && on.contains(over) ? { x, y, marked: !!over.closest('mark') } : undefined;
  }

  // ---- whether something moves ----

  /** Where each text that is in view stands in the window, or each one; with some characters of the one that is pointed at. */
  function standing(on, each = false) {
    const out = new Map();
    for (const s of surfaces) {
      if (!s) continue;
      const r = s.getBoundingClientRect();
      if (each || (r.bottom > 0 && r.top < innerHeight)) out.set(name(s), [r.left, r.top]);
    }
    const { good } = parts(on);
    for (let i = 0; i < 6; i++) {
      const c = good[Math.floor((i * good.length) / 6)];
      const b = c && box(on, c);
      if (b) out.set(`“${c.text}” in ${name(on)}`, [b.left, b.top]);
    }
    return out;
  }

  let told = [];
  /** @type {{on: Element, was: Map<string, number[]>, from: number, scroll: number}|null} */
  let held = null;
  /** Two clicks make one mark: nothing may move from the first to the second. */
  let clicks = 1;
  const times = [];
  // A finger that rests, on a busy machine also one that taps, makes the page vibrate.
  let rested = false;
  navigator.vibrate = () => { rested = true; return true; };
  let wheeledAt = -Infinity;

  function compare(when) {
    if (!held) return;
    const now = standing(held.on, true); // a hair's breadth may bring a text out of view
    for (const [what, [x, y]] of held.was) {
      const [a, b] = now.get(what) ?? [NaN, NaN];
      if (!(Math.abs(a - x) <= 0.6 && Math.abs(b - y) <= 0.6)) {
        told.push(`${what} moved by ${Math.round(a - x)}, ${Math.round(b - y)} ${when}; the page scrolled by ${scrollY - held.scroll}, ${Math.round(performance.now() - wheeledAt)} ms after a wheel, the card in work is ${current()}, the focus is on ${document.activeElement?.tagName}.${document.activeElement?.className}`);
        held.was = now;
        return;
      }
    }
  }
  function release() {
    compare('before the pointer went up');
    if (held) times.push([held.from, performance.now()]);
    held = null;
  }
  addEventListener('pointerdown', (e) => {
    rested = false;
    const on = e.target.closest?.('[data-side]');
    if (held) return compare('between two clicks');
    if (on) held = { on, was: standing(on), from: performance.now(), scroll: scrollY };
  }, true);
  addEventListener('pointermove', () => compare('while the pointer moved'), true);
  addEventListener('pointerup', () => { if (--clicks <= 0) release(); else compare('at the first click'); }, true);
  addEventListener('pointercancel', () => { if (clicks <= 1) release(); }, true);
  (function look() { compare('while the pointer was down'); requestAnimationFrame(look); })();

  const shifts = [];
  const isText = (node) => node && surfaces.some((s) => s && (s.contains(node) || node.contains?.(s)));
  new PerformanceObserver((list) => {
    for (const e of list.getEntries()) {
      const hit = e.sources.find(({ node }) => isText(node));
      if (hit) shifts.push({ at: e.startTime, text: `${hit.node.nodeName}.${hit.node.className ?? ''} shifted from ${hit.previousRect.y} to ${hit.currentRect.y}` });
    }
  }).observe({ type: 'layout-shift', buffered: false });

  /** What moved a text since it was last asked, while a pointer was down or between two clicks. */
  function moved() {
    const out = told;
    told = [];
    for (const s of shifts.splice(0)) {
      if (times.some(([from, to]) => s.at >= from && s.at <= to)) out.push(`layout shift: ${s.text}`);
    }
    return out;
  }

  // ---- gestures ----

  /** Takes numbers from 0 to 1 in turn. */
  const dice = (r) => { let i = 0; return () => r[i++ % r.length]; };

  /** Brings a character to a height of the window, from 0 to 1, before anything is pointed at. */
  async function bring(on, c, height) {
    const b = box(on, c);
    const around = on.closest('.card-scroll');
    if (b && around && getComputedStyle(around).overflowY === 'auto') {
      // The text scrolls beside the source, which follows it. The bar moves with the text.
      around.scrollTop += b.top - around.getBoundingClientRect().top - around.clientHeight / 2;
      around.scrollIntoView({ block: 'center', behavior: 'instant' });
      await still(3);
    } else {
      if (b && on !== source) scrollBy({ top: b.top - innerHeight * height, behavior: 'instant' });
      await still(1); // the bar moves in the next frame
    }
  }
  /** Waits until nothing has scrolled for so many frames. @param {number} frames */
  async function still(frames) {
    const boxes = [document.documentElement, document.getElementById('source'), ...document.querySelectorAll('.card-scroll')];
    for (let n = 0, was = ''; n < frames;) {
      await frame();
      const now = boxes.map((x) => x.scrollTop).join();
      n = now === was ? n + 1 : 0;
      was = now;
    }
  }
  // The page may get the event of a wheel late. Afterwards it scrolls for some time, but not in every frame.
  let wheels = 0;
  addEventListener('wheel', () => { wheels++; wheeledAt = performance.now(); }, { passive: true, capture: true });

  /** From where to where a drag from one character to another marks: with whole words, to the ends of the words around them that are written with blanks between. */
  function dragged(on, first, last) {
    if (!document.querySelector('#whole-words').checked) return [first.from, last.to];
    const { words } = parts(on);
    const around = (c) => (/^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}]/u.test(c.text) ? c : words.find((w) => w.from <= c.from && c.to <= w.to) ?? c);
    return [around(first).from, around(last).to];
  }

  /** The card that a mark of the source belongs to. */
  const current = () => cards.indexOf(document.querySelector('.card[aria-current]'));

  /**
   * Chooses what to mark: characters by a drag, words by two clicks. The answer has
   * the stretch that is meant in code points, the points to go to, and the card.
   */
  async function plan(kind, phone, ...r) {
    const roll = dice(r);
    let covered = 0;
    held = null; // what comes now is another gesture
    for (let tries = 0; tries < 12; tries++) {
      const on = roll() < 0.06 ? source : targets[Math.floor(roll() * targets.length)];
      if (!on) continue;
      const { good, words } = parts(on);
      const all = kind === 'drag' ? good : words;
      const i = Math.floor(((roll() + tries / 12) % 1) * all.length);
      const size = roll() < 0.3 ? 1 + Math.floor(roll() * 4) : roll() < 0.8 ? 1 + Math.floor(roll() * 25) : 1 + Math.floor(roll() * 150);
      const first = kind === 'drag' ? all[i] : all[i]?.within[0];
      if (!first) continue;
      await bring(on, first, (phone ? 0.5 : 0.25) + 0.3 * roll());
      for (let n = kind === 'drag' ? size : Math.ceil(size / 4); n > 0; n = n > 1 ? Math.floor(n / 2) : 0) {
        const last = all[Math.min(all.length - 1, i + n - 1)];
        const ends = kind === 'drag'
          ? [[all[i], 0.1 + 0.3 * roll()], [last, 0.6 + 0.3 * roll()]]
          : [all[i], last].map((w) => [{ ...w.within[Math.floor(roll() * w.within.length)], word: [w.from, w.to] }, 0.1 + 0.8 * roll()]);
        if (roll() < 0.3) ends.reverse();
        const spots = ends.map(([c, along]) => spot(on, c, along, roll()));
        if (!spots[0] || !spots[1]) { covered++; continue; }
        if (kind === 'drag' && ends.some(([c]) => joined(on, c))) continue;
        // A click on a mark picks it, and so it does not begin another one.
        if (kind !== 'drag' && (spots[0].marked || kind === 'press' && spots[1].marked)) break;
        // A way of a few pixels is a click that was not quite still.
        const way = Math.hypot(spots[0].x - spots[1].x, spots[0].y - spots[1].y);
        if (kind === 'drag' && way < 8) continue;
        // And the browser tells the page of no way of a finger that is shorter than it is wide.
        if (kind === 'press' && n > 1 && way < 24) continue;
        clicks = kind === 'clicks' ? 2 : 1;
        chosen = { on, ends };
        const [from, to] = kind === 'drag' ? dragged(on, all[i], last) : [all[i].from, last.to];
        return {
          card: on === source ? current() : targets.indexOf(on), side: on === source ? 'source' : 'target', from, to, covered,
          words: ends.map(([c]) => c.word ?? [0, 0]), at: spots.map(({ x, y }) => [x, y]), what: on.textContent.slice(first.unit, last.end ?? last.within.at(-1).end),
        };
      }
    }
    return null;
  }
  let chosen = null;

  /** Waits until something is about to be marked, or nothing is any more; not for ever. */
  async function previewed(wanted) {
    for (let n = 0; n < 120; n++) {
      if ([...CSS.highlights.keys()].some((name) => name.startsWith('sv-')) === wanted) return true;
      await frame();
    }
    return false;
  }

  /** Where the second of two clicks goes, as the page is now. */
  function second() {
    const { on, ends: [, [c, along]] } = chosen;
    const s = spot(on, c, along, 0.5);
    return s ? [s.x, s.y] : null;
  }

  /** What lies over the place of the second of two clicks. */
  function over() {
    const { on, ends: [, [c]] } = chosen;
    const b = box(on, c);
    const e = b && document.elementFromPoint((b.left + b.right) / 2, (b.top + b.bottom) / 2);
    return b ? `${e?.tagName}.${e?.className} at ${b.left}, ${b.top}` : 'nothing, it has no place';
  }

  /** Waits for what a click has made of the page. */
  const painted = () => Promise.resolve();

  /**
   * Gives each card what it still needs to be submitted: rejects what is suggested, gives
   * each mark a severity and a category, and the card its scores. Answers what is missing.
   */
  async function judge() {
    const click = async (node) => { node.click(); await painted(); };
    const bar = document.querySelector('#mark-bar');
    for (const card of cards) {
      card.focus({ preventScroll: true });
      await painted();
      for (let b; (b = card.querySelector('[data-suggest=reject]'));) await click(b);
      const marks = [...card.querySelectorAll('.card-marks .mark-entry')];
      for (const entry of marks) {
        const needs = entry.querySelector('.need')?.textContent ?? '';
        if (!needs) continue;
        await click(entry);
        if (needs.includes('severity')) await click(bar.querySelector('[data-grade]'));
        if (!needs.includes('category')) continue;
        if (!bar.querySelector('.picker')) await click(bar.querySelector('[data-do=category]'));
        await click(bar.querySelector('#picker-1'));
      }
      const none = card.querySelector('[data-none][aria-pressed=false]');
      if (none && !marks.length) await click(none);
      for (const x of card.querySelectorAll('input[type=number][data-score]')) {
        x.value = '70';
        x.dispatchEvent(new Event('change'));
      }
    }
    await painted();
    return document.querySelector('#missing').textContent;
  }

  return {
    plan, judge,
    /** Waits until the page has got the events of n wheels and has stopped scrolling. @param {number} n */
    async turned(n) {
      while (wheels < n) await frame();
      await still(12);
      return true;
    },
    /** Waits for what the first of two clicks begins. A tap that rested has marked the word that it is on. @param {boolean} taps it was a tap */
    async first(taps) {
      if (taps && rested) return { Rested: true };
      const began = await previewed(true);
      const to = second();
      return { Began: began, Second: to, Over: to ? '' : over() };
    },
    /** Whether a long press begins a mark. */
    pressed: () => previewed(true),
    /** What there is to say after a gesture: what moved a text, and whether a tap was a long press. @param {boolean} taps it was taps */
    async done(taps) {
      if (taps) await previewed(false);
      return { Rested: taps && rested, Moved: moved() };
    },
    /** The words that each card draws as marked, by the id of the mark. */
    drawn: () => cards.map((card, i) => {
      const out = {};
      for (const n of targets[i]?.querySelectorAll('mark') ?? []) for (const id of n.dataset.m.split(' ')) out[id] = (out[id] ?? '') + n.textContent;
      return out;
    }),
  };
})();
true;
