// Where the segment stands in the source: beside the first card, and in each segment of a
// document at the same height, whatever comes before it. The words before it can be scrolled to.

/** Lines of the text before the segment that are seen above it. */
const LINES = 2;

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
  function fit() {
    source.style.removeProperty('--rest');
    const before = segment.previousElementSibling;
    if (!before?.checkVisibility()) return 0;
    const { top: at } = segment.getBoundingClientRect();
    const top = at - source.getBoundingClientRect().top + source.scrollTop;
    const covered = getComputedStyle(head).position === 'sticky' ? head.offsetHeight : 0;
    const above = covered + LINES * parseFloat(getComputedStyle(before).lineHeight) + at - before.getBoundingClientRect().bottom;
    const { scroll, rest } = standing({ top, above, view: parseFloat(getComputedStyle(source).maxHeight), content: source.scrollHeight });
    source.style.setProperty('--rest', `${rest}px`);
    return scroll;
  }
  const stand = () => { source.scrollTop = fit(); };
  stand();
  document.getElementById('context')?.addEventListener('change', stand);
  // A source that somebody has scrolled stays there.
  addEventListener('resize', fit);
}
