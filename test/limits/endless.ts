/** Programs that never end, in every construct that calls a function of the program; `$` is what goes on for ever. */
const SPIN = '{ for (;;) {} }'

/** The host gets its turn inside these, with labels and without, so a timer's abort ends them at once. */
export const YIELDING: readonly string[] = [
  'while (true) {}',
  'const f = () => $; f()',
  'const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); f(60)',
  'async function f() { while (true) await null } await f()',
  '[1].map(() => $)',
  '[1].forEach(() => $)',
  '[1].filter(() => $)',
  '[1].some(() => $)',
  '[1].every(() => $)',
  '[1].find(() => $)',
  '[1].findIndex(() => $)',
  '[1].findLast(() => $)',
  '[1].findLastIndex(() => $)',
  '[1].flatMap(() => $)',
  '[1, 2].reduce(() => $)',
  '[1, 2].reduceRight(() => $)',
  '[1, 2].sort(() => $)',
  '[1, 2].toSorted(() => $)',
  'Object.freeze([1]).map(() => $)',
  'new Map([[1, 1]]).forEach(() => $)',
  'new Set([1]).forEach(() => $)',
  'Array.from([1], () => $)',
  'Array.from("a", () => $)',
  'Array.from({ length: 1 }, () => $)',
  'Object.groupBy([1], () => $)',
  'Map.groupBy([1], () => $)',
  '"a".replace("a", () => $)',
  '"a".replace(/a/, () => $)',
  '"a".replace(/a/g, () => $)',
  '"a".replaceAll("a", () => $)',
  '"a".replaceAll(/a/g, () => $)',
  'for (;;) await tools.clean({})',
].map((source) => source.replace('$', SPIN))

/** The same where labels are off; where they are followed, these run on the native stack. */
export const YIELDING_UNLABELLED: readonly string[] = [
  '(() => $).call()',
  '(() => $).apply(null, [])',
  'await Promise.resolve().then(() => $)',
  'await Promise.reject(1).catch(() => $)',
].map((source) => source.replace('$', SPIN))

/** These run on the native stack: the abort of a timer is seen when the time is up, since no timer fires before. */
export const NATIVE: readonly string[] = [
  'await Promise.resolve().finally(() => $)',
  'new Promise(() => $)',
  'JSON.stringify([1], () => $)',
  'JSON.stringify({ toJSON: () => $ })',
  'JSON.parse("[1]", () => $)',
  'String({ toString: () => $ })',
  '1 + { valueOf: () => $ }',
  '[{ toString: () => $ }].join()',
  'Array.from.call(null, [1], () => $)',
  'new Uint8Array(1).map(() => $)',
  'new Uint8Array(2).sort(() => $)',
  'Uint8Array.from([1], () => $)',
  'new Uint8Array(2).reduce(() => $)',
  'new URLSearchParams("a=1").forEach(() => $)',
  'new URLSearchParams({ a: { toString: () => $ } })',
  'const map = [1].map; [[1].map][0].call([1], () => $)',
].map((source) => source.replace('$', SPIN))
