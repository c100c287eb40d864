// The heatmaps' colours: what is printed on each reads at 4.5:1, and the order of
// the scale can be told from lightness alone, in light and in dark.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const css = readFileSync(new URL('../static/css/palette.css', import.meta.url), 'utf8');
const pairs = Object.fromEntries([...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, light, dark]) => [name, [light, dark]]));

/** @param {string} hex */
function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {string} a @param {string} b */
function contrast(a, b) {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (hi + 0.05) / (lo + 0.05);
}

for (const [theme, at] of [['light', 0], ['dark', 1]]) {
  for (let step = 0; step <= 5; step++) {
    test(`${theme}: step ${step} can be read`, () => {
      const got = contrast(pairs[`heat-${step}`][at], pairs[`heat-ink-${step}`][at]);
      assert.ok(got >= 4.5, `contrast ${got.toFixed(2)}`);
    });
  }
  for (let step = 2; step <= 5; step++) {
    test(`${theme}: step ${step} differs from ${step - 1} in lightness`, () => {
      const [less, more] = [pairs[`heat-${step - 1}`][at], pairs[`heat-${step}`][at]];
      assert.ok(theme === 'light' ? luminance(more) < luminance(less) : luminance(more) > luminance(less));
      const got = contrast(less, more);
      assert.ok(got >= 1.12, `contrast of neighbours ${got.toFixed(2)}`);
    });
  }
}
