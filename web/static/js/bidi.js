// Text of a campaign within a sentence of the page, which is written from left to right.

/** A letter that is written from right to left, or a sign that begins such text. */
export const RTL = /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Keeps the signs and numbers around a text in their places; a text from left to right needs nothing. @param {string} text */
export const isolated = (text) => (RTL.test(text) ? `\u2068${text}\u2069` : text);
