// Scores that are a number: the field that takes digits, the slider beside it,
// and what their values mean in words.

/** @typedef {{name: string, label: string, min: number, max: number, levels?: {value: number, to?: number, name: string}[]}} Score */

/** What a value means; empty between described ones. @param {Score} score @param {number|undefined} x */
export const level = ({ levels = [] }, x) => levels.find((l) => x !== undefined && l.value <= x && x <= (l.to ?? l.value))?.name ?? '';

/** The value that the name of a level stands for: that of an anchor, or the middle of a band. @param {{value: number, to?: number}} level */
export const middle = ({ value, to = value }) => Math.round((value + to) / 2);

/** Writes what the levels of a scale are below its slider. A click on a name gives its value. @param {HTMLElement} into @param {Score} score @param {(x: number) => void} give */
function describe(into, { levels = [], min, max }, give) {
  for (const { value, to, name } of levels) {
    const item = document.createElement('span');
    item.textContent = name;
    item.title = to === undefined ? `A click gives ${value}` : `${value}–${to}; a click gives ${middle({ value, to })}`;
    item.addEventListener('click', () => give(middle({ value, to })));
    // A band is as wide as its values; an anchor stands at its own.
    item.style.setProperty('--at', String((value - min) / (max - min)));
    if (to !== undefined) item.style.setProperty('flex-grow', String(to - value + 1));
    into.append(item);
  }
  into.classList.toggle('bands', levels.some((l) => l.to !== undefined));
}

/** Shows a value, or that there is none, in a field or slider. @param {HTMLInputElement} x @param {number|undefined} given @param {Score} score */
export function showNumber(x, given, score) {
  if (x.type === 'range') {
    x.classList.toggle('unset', given === undefined);
    x.value = String(given ?? (score.min + score.max) / 2);
  } else if (document.activeElement !== x && !isBad(x)) x.value = given === undefined ? '' : String(given);
  const words = x.closest('.score')?.querySelector('.score-level');
  if (words && !words.parentElement?.querySelector('[aria-invalid]')) words.textContent = level(score, given);
}

/** Whether what stands in a field is no value. @param {HTMLInputElement} x */
export const isBad = (x) => x.hasAttribute('aria-invalid');

/** Marks what stands in a field as no value, with the reason beside it, or no longer; x may be its slider. @param {HTMLInputElement} x @param {Score} score @param {boolean} bad */
function judge(x, score, bad) {
  const box = /** @type {HTMLElement} */ (x.closest('.score'));
  const [field] = box.getElementsByTagName('input');
  const words = /** @type {HTMLElement} */ (box.querySelector('.score-level'));
  if (bad === isBad(field)) return;
  words.id = `${field.closest('.card')?.id}-${score.name}-level`;
  field.ariaInvalid = bad ? 'true' : null;
  field.setAttribute('aria-describedby', words.id);
  words.textContent = bad ? `a whole number from ${score.min} to ${score.max}` : '';
}

/** Forgets that what stands in a field is no value, before another value is written into it. @param {HTMLInputElement} x @param {Score} score */
export const pardon = (x, score) => judge(x, score, false);

/**
 * Tells a finger that sets a slider from one that scrolls the page. The browser moves a
 * slider to where a finger comes down, before it knows which of the two it is. The
 * finger sets the slider once it moves sideways or is lifted.
 * @param {HTMLInputElement} x a slider
 * @param {() => void} show writes the value into the slider that it had before
 * @returns {() => boolean} whether the finger may be scrolling, so that the slider says nothing
 */
function swipes(x, show) {
  /** Where a finger came down that may be scrolling. @type {{clientX: number, clientY: number}|null} */
  let finger = null;
  let scrolled = false;
  x.addEventListener('pointerdown', (e) => {
    finger = e.pointerType === 'touch' ? e : null;
    scrolled = false;
  });
  x.addEventListener('pointermove', (e) => {
    if (finger && Math.abs(e.clientX - finger.clientX) > Math.abs(e.clientY - finger.clientY)) finger = null;
  });
  x.addEventListener('pointerup', () => { finger = null; });
  x.addEventListener('pointercancel', () => {
    scrolled = finger !== null;
    finger = null;
    if (scrolled) show();
  });
  x.addEventListener('keydown', () => { scrolled = false; });
  return () => scrolled || finger !== null;
}

/**
 * Makes a card's fields and sliders work.
 * @param {HTMLElement} card @param {Score[]} scores
 * @param {object} on
 * @param {(name: string, x: number) => void} on.give to be undone
 * @param {(name: string, x: number) => void} on.draft while it is typed or dragged
 * @param {() => void} on.drop what was typed so far has become no value
 * @param {(why: string) => void} on.refuse what was typed is no value; empty: the field was emptied
 * @param {(from: HTMLInputElement) => void} on.next Enter was pressed in a field
 * @param {() => void} on.show writes what the card holds into its fields and sliders
 * @param {(name: string, x: number, level: string) => void} on.name the name of a level was clicked
 */
export function numbers(card, scores, { give, draft, drop, refuse, next, show, name }) {
  for (const x of /** @type {NodeListOf<HTMLInputElement>} */ (card.querySelectorAll('[type=number][data-score], [type=range][data-score]'))) {
    const score = scores.find((s) => s.name === x.dataset.score);
    if (!score) continue;
    const good = () => x.value !== '' && x.validity.valid;
    // A field that was emptied shows again what the card holds.
    const bad = () => !x.validity.valid;
    const swiped = x.type === 'range' ? swipes(x, show) : () => false;
    const left = () => {
      if (swiped()) return;
      judge(x, score, bad());
      if (good()) give(score.name, Number(x.value));
      else refuse(bad() ? `a whole number from ${score.min} to ${score.max}` : '');
    };
    // A wheel scrolls; it never changes a value.
    x.addEventListener('wheel', (e) => {
      if (document.activeElement !== x || e.ctrlKey) return;
      e.preventDefault();
      scrollBy({ top: e.deltaY * (e.deltaMode ? 16 : 1), behavior: 'instant' });
    }, { passive: false });
    x.addEventListener('input', () => {
      if (swiped()) return;
      if (!bad()) judge(x, score, false);
      if (good()) draft(score.name, Number(x.value));
      else drop();
    });
    x.addEventListener('change', left);
    if (x.type === 'range') {
      // A press where the slider rests changes nothing, but gives a value.
      x.addEventListener('click', () => { if (x.classList.contains('unset')) give(score.name, Number(x.value)); });
    } else {
      // What is typed after a click replaces the score that is there.
      let entered = false;
      x.addEventListener('pointerdown', () => { entered = document.activeElement !== x; });
      x.addEventListener('click', () => { if (entered) x.select(); });
      x.addEventListener('keydown', (e) => {
        if (e.key !== 'Enter' || e.ctrlKey || e.metaKey || e.isComposing) return;
        e.preventDefault();
        e.stopPropagation();
        if (bad()) {
          left();
          return x.select();
        }
        x.blur();
        next(x);
      });
    }
  }
  for (const s of scores) {
    const into = /** @type {HTMLElement|null} */ (card.querySelector(`[data-levels="${s.name}"]`));
    if (!into) continue;
    describe(into, s, (x) => {
      const field = /** @type {HTMLInputElement} */ (into.closest('.score')?.querySelector('input'));
      judge(field, s, false);
      name(s.name, x, level(s, x));
    });
  }
}
