/**
 * The parts of the suite's own harness that its tests of the subset use, in the subset. Functions carry no properties
 * there, so `assert.sameValue` and its kin are called by plain names; `rewrite` changes the calls.
 */
export const harness = `
const Test262Error = (message) => { const error = Error(message); error.name = 'Test262Error'; return error }
const $262_show = (v) => { try { return typeof v === 'object' && v !== null ? JSON.stringify(v) : String(v) } catch (e) { return 'something' } }
const assert = (value, message) => { if (value !== true) throw Test262Error(message ?? 'expected true, got ' + $262_show(value)) }
const $262_sameValue = (a, b, message) => {
  if (!Object.is(a, b)) throw Test262Error((message ?? '') + ' expected ' + $262_show(b) + ', got ' + $262_show(a))
}
const $262_notSameValue = (a, b, message) => { if (Object.is(a, b)) throw Test262Error((message ?? '') + ' got ' + $262_show(a)) }
/** Functions of the tests that are called with new; those of the harness make errors by themselves. */
const $262_isMadeBy = (thrown, expected) => { try { return thrown instanceof expected } catch (error) { return false } }
const $262_throws = (expected, fn, message) => {
  let thrown
  let isThrown = false
  try { fn() } catch (error) { thrown = error; isThrown = true }
  if (!isThrown) throw Test262Error((message ?? '') + ' expected a ' + expected.name + ', nothing was thrown')
  if (typeof thrown !== 'object' || thrown === null || (thrown.name !== expected.name && !$262_isMadeBy(thrown, expected))) {
    throw Test262Error((message ?? '') + ' expected a ' + expected.name + ', got ' + $262_show(thrown?.name ?? thrown))
  }
}
const $262_throwsAsync = async (expected, fn, message) => {
  let thrown
  let isThrown = false
  try { await fn() } catch (error) { thrown = error; isThrown = true }
  if (!isThrown) throw Test262Error((message ?? '') + ' expected a ' + expected.name + ', nothing was thrown')
  if (thrown?.name !== expected.name) throw Test262Error('expected a ' + expected.name + ', got ' + $262_show(thrown?.name ?? thrown))
}
const compareArray = (a, b) => a.length === b.length && Array.from(a).every((x, i) => Object.is(x, b[i]))
const $262_compareArray = (a, b, message) => {
  if (!compareArray(a, b)) throw Test262Error((message ?? '') + ' expected ' + $262_show(b) + ', got ' + $262_show(a))
}
let $262_settle
const $262_finished = new Promise((resolve, reject) => { $262_settle = (error) => { if (error === undefined) resolve(); else reject(error) } })
const $DONE = (error) => { $262_settle(error) }
const asyncTest = (fn) => { fn().then(() => $DONE(), $DONE) }
const $DONOTEVALUATE = () => { throw Test262Error('this is not evaluated') }
`

/** Calls of the harness by the names it has here. */
export function rewrite(source: string): string {
  return source
    .replaceAll(/\bassert\.(sameValue|notSameValue|throws|throwsAsync|compareArray)\b/g, '$$262_$1')
    .replaceAll(/\bnew Test262Error\b(?!\s*\()/g, 'Test262Error()')
    .replaceAll(/\bnew Test262Error\b/g, 'Test262Error')
}

/** Files of the harness that the one above stands for. */
export const knownIncludes: ReadonlySet<string> = new Set([
  'assert.js',
  'sta.js',
  'compareArray.js',
  'asyncHelpers.js',
  'doneprintHandle.js',
])
