// Where the segment stands in the source: beside the first card, and in each segment of a
// document at the same height, whatever comes before it. The words before it can be scrolled to.

/** Lines of the text before the segment that are seen above it. */
const LINES = 2;

/**
 * The height of the lines that are seen above the segment: the last ones before it, each whole.
 * @param {{top: number, bottom: number, line: number}[]} texts before the segment, the nearest first, with the height of their lines
 * @param {number} top of the segment
 */
export function seenAbove(texts, top) {
  let left = LINES;
  let from = top;
  for (const t of texts) {
    const lines = Math.min(left, Math.max(1, Math.round((t.bottom - t.top) / t.line)));
    from = t.bottom - lines * t.line;
    left -= lines;
    if (left <= 0) break;
  }
  return top - from;
}

/**
 * By how much the source is scrolled, and the room it needs for that below its texts.
 * @param {object} at in pixels
 * @param {number} at.top of the segment in what scrolls
 * @param {number} at.above what is seen above it at most
 * @param {number} at.view height of the source at most
 * @param {number} at.content height of what scrolls
 */
export function standing({ top, above, view, content }) {
  const scroll = Math.max(0, Math.round(top - above));
  return { scroll, rest: scroll && Math.max(0, Math.ceil(scroll + view - content)) };
}

/** @param {HTMLElement} source what scrolls @param {HTMLElement} segment */
export function standBeside(source, segment) {
  const head = /** @type {HTMLElement} */ (source.firstElementChild);
  const narrow = matchMedia('(max-width: 760px)');
  function fit() {
    source.style.removeProperty('--rest');
    const before = segment.previousElementSibling;
    if (!before?.checkVisibility()) return 0;
    const { top: at } = segment.getBoundingClientRect();
    const top = at - source.getBoundingClientRect().top + source.scrollTop;
    const covered = getComputedStyle(head).position === 'sticky' ? head.offsetHeight : 0;
    const texts = [];
    for (let t = /** @type {Element|null} */ (before); t?.checkVisibility() && texts.length < LINES; t = t.previousElementSibling) {
      const [box, style] = [t.getBoundingClientRect(), getComputedStyle(t)];
      texts.push({ top: box.top + parseFloat(style.paddingTop), bottom: box.bottom - parseFloat(style.paddingBottom), line: parseFloat(style.lineHeight) });
    }
    // There is always the room of lines of two texts. The head covers what of it shows a part of a line.
    const [near, far] = texts;
    const room = LINES * near.line + (far ? near.top - far.bottom : 0) + at - near.bottom;
    const above = covered + room;
    const { scroll, rest } = standing({ top, above, view: parseFloat(getComputedStyle(source).maxHeight), content: source.scrollHeight });
    // On a narrow page the source stands above the cards, and is scrolled only as far as it has texts.
    const short = narrow.matches && rest > 0;
    // Of a source that is not scrolled so far all texts above are whole.
    source.style.setProperty('--cover', `${covered && scroll && !short ? Math.max(0, room - seenAbove(texts, at)) : 0}px`);
    source.style.setProperty('--rest', `${short ? 0 : rest}px`);
    return scroll;
  }
  const stand = () => { source.scrollTop = fit(); };
  stand();
  document.getElementById('context')?.addEventListener('change', stand);
  // A source that somebody has scrolled stays there.
  addEventListener('resize', fit);
}
