// Reporting a problem with a segment. It is loaded when one is reported.

/**
 * Sends a report, once all that was entered is saved, and goes on.
 * @param {string} url @param {string} text
 * @param {object} page
 * @param {() => Promise<string>} page.saved saves; why that can't be for now, or nothing
 * @param {(url: string, body: object) => Promise<{status: number, json: any}>} page.post
 * @param {(status: number, json: any) => string} page.reason
 * @param {() => void} page.gone there is nothing left to be kept
 * @returns {Promise<string>} why it was not sent; empty if it was
 */
export async function report(url, text, { saved, post, reason, gone }) {
  const unsaved = await saved();
  if (unsaved) return unsaved;
  const { status, json } = await post(url, { text });
  if (status !== 200 || !json?.next) return reason(status, json);
  gone();
  location.assign(json.next);
  return '';
}
