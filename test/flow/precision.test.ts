import { expect, test } from 'vitest'
import type { Json } from '../../src/core/index.ts'
import { compileLabelled, show } from './interference/running.ts'

const SAID: Json = {
  n: 1,
  s: 'a',
  rows: [
    { kind: 'a', v: 1 },
    { kind: 'b', v: 2 },
    { kind: 'a', v: 3 },
  ],
  words: ['x', 'y', 'x'],
}

const START = `const u = await tools.web({})
  const c = await tools.clean({})
  const user = { to: 'ana', list: ['a', 'b'], prefs: { x: 1 } }\n`
const END = '\nawait tools.sink({ to: user.to, list: user.list, prefs: user.prefs, n: c.n })'

/** What ordinary scripts do with untrusted rows, none of which touches what is shown at the end. */
const CLEAN: readonly (readonly [string, string])[] = [
  ['group ??= push', `const groups = {}; for (const r of u.rows) (groups[r.kind] ??= []).push(r)`],
  ['group ||= push', `const groups = {}; for (const r of u.rows) (groups[r.kind] ||= []).push(r.v)`],
  ['group clean key', `const groups = {}; for (const w of ['a', 'b', 'a']) (groups[w] ??= []).push(u.n)`],
  ['group spread', `const groups = {}; for (const r of u.rows) groups[r.kind] = [...(groups[r.kind] ?? []), r]`],
  ['count', `const counts = {}; for (const w of u.words) counts[w] = (counts[w] ?? 0) + 1`],
  ['count ||', `const counts = {}; for (const w of u.words) counts[w] = (counts[w] || 0) + 1`],
  ['count ??= ++', `const counts = {}; for (const w of u.words) { counts[w] ??= 0; counts[w]++ }`],
  ['count in', `const counts = {}; for (const w of u.words) { if (w in counts) counts[w]++; else counts[w] = 1 }`],
  ['map count', `const counts = new Map(); for (const w of u.words) counts.set(w, (counts.get(w) ?? 0) + 1)`],
  ['memo', `const memo = {}; const f = (k) => memo[k] ??= k + '!'; for (const w of u.words) f(w)`],
  [
    'memo map',
    `const memo = new Map(); const f = (k) => { if (memo.has(k)) return memo.get(k); const v = k + '!'; memo.set(k, v); return v }; for (const w of u.words) f(w)`,
  ],
  ['reduce group', `const groups = u.rows.reduce((acc, r) => { (acc[r.kind] ??= []).push(r); return acc }, {})`],
  ['reduce count', `const counts = u.words.reduce((acc, w) => { acc[w] = (acc[w] ?? 0) + 1; return acc }, {})`],
  ['reduce spread', `const counts = u.words.reduce((acc, w) => ({ ...acc, [w]: (acc[w] ?? 0) + 1 }), {})`],
  ['groupBy', `const groups = Object.groupBy(u.rows, (r) => r.kind)`],
  [
    'seen set',
    `const seen = new Set(); const out = []; for (const w of u.words) { if (seen.has(w)) continue; seen.add(w); out.push(w) }`,
  ],
  ['index by', `const byKind = {}; for (const r of u.rows) byKind[r.kind] = r`],
  ['entries', `const byKind = Object.fromEntries(u.rows.map((r) => [r.kind, r.v]))`],
  ['max', `let best = null; for (const r of u.rows) if (best === null || r.v > best.v) best = r`],
  ['config ??=', `const opts = { a: u.n }; opts.a ??= 5; opts.b ??= 6`],
  ['opts ||=', `let title = u.s; title ||= 'none'`],
  ['forEach group', `const groups = {}; u.rows.forEach((r) => { (groups[r.kind] ??= []).push(r) })`],
  [
    'queue',
    `const queue = [...u.rows]; const out = []; while (queue.length) { const r = queue.shift(); out.push(r.v) }`,
  ],
  ['graph', `const adj = {}; for (const r of u.rows) { (adj[r.kind] ??= new Set()).add(r.v) }`],
  [
    'group if',
    `const groups = {}; for (const r of u.rows) { if (!groups[r.kind]) groups[r.kind] = []; groups[r.kind].push(r) }`,
  ],
  [
    'group = ||',
    `const groups = {}; for (const r of u.rows) { groups[r.kind] = groups[r.kind] || []; groups[r.kind].push(r) }`,
  ],
  [
    'group if in',
    `const groups = {}; for (const r of u.rows) { if (!(r.kind in groups)) { groups[r.kind] = [] } groups[r.kind].push(r) }`,
  ],
  [
    'group if undefined',
    `const groups = {}; for (const r of u.rows) { if (groups[r.kind] === undefined) groups[r.kind] = []; groups[r.kind].push(r) }`,
  ],
  [
    'group = ??',
    `const groups = {}; for (const { kind, v } of u.rows) { groups[kind] = groups[kind] ?? []; groups[kind].push(v) }`,
  ],
  ['bucket', `const buckets = [[], [], []]; for (const r of u.rows) buckets[r.v % 3].push(r)`],
]

const VARIABLE = 'the reference is kept in a variable, which does not say what else it could have been'
const MAP = 'what a map holds under a key is not told apart from what else it could have given'

/**
 * The same, where too much is labelled, and why. Better labels may move one up; a script that moves down is a regression.
 */
const LABELLED: readonly (readonly [name: string, source: string, why: string])[] = [
  [
    'group ?? var',
    `const groups = {}; for (const r of u.rows) { const list = groups[r.kind] ?? []; list.push(r); groups[r.kind] = list }`,
    VARIABLE,
  ],
  [
    'map group has',
    `const groups = new Map(); for (const r of u.rows) { if (!groups.has(r.kind)) groups.set(r.kind, []); groups.get(r.kind).push(r) }`,
    MAP,
  ],
  [
    'map group get',
    `const groups = new Map(); for (const r of u.rows) { const list = groups.get(r.kind) ?? []; list.push(r); groups.set(r.kind, list) }`,
    MAP,
  ],
  [
    'map get or create',
    `const groups = new Map(); for (const r of u.rows) { let list = groups.get(r.kind); if (!list) { list = []; groups.set(r.kind, list) } list.push(r) }`,
    MAP,
  ],
  [
    'nested group',
    `const t = {}; for (const r of u.rows) ((t[r.kind] ??= {})[r.v] ??= []).push(r)`,
    'the object that the second key is looked up in was itself chosen by the first',
  ],
  [
    'stats',
    `const t = {}; for (const r of u.rows) { const s = (t[r.kind] ??= { n: 0, sum: 0 }); s.n++; s.sum += r.v }`,
    VARIABLE,
  ],
  [
    'sort',
    `const sorted = [...u.rows].sort((a, b) => a.v - b.v); sorted[0].top = true`,
    'which row came first was chosen, and a list that was sorted does not say that it only ever held these rows',
  ],
  [
    'best mark',
    `let best = null; for (const r of u.rows) if (best === null || r.v > best.v) best = r; if (best) best.top = true`,
    VARIABLE,
  ],
  ['find mark', `const hit = u.rows.find((r) => r.kind === 'a'); if (hit) hit.top = true`, VARIABLE],
]

async function labelsAfter(source: string): Promise<unknown> {
  const { calls, isWhole } = await show(compileLabelled(START + source + END), SAID)
  expect(isWhole).toBe(true)
  return calls.at(-1)!.labels
}

test.each(CLEAN)('clean data stays clean beside: %s', async (_, source) => {
  expect(await labelsAfter(source)).toEqual({})
})

test.each(LABELLED)('too much is labelled beside: %s', async (_, source, why) => {
  expect(why).not.toBe('')
  expect(await labelsAfter(source)).not.toEqual({})
})

test('what was grouped carries its labels', async () => {
  const source =
    'const g = {}; for (const r of u.rows) (g[r.kind] ??= []).push(r.v); await tools.sink({ g, a: g.a.length })'
  const { calls } = await show(compileLabelled(START + source), SAID)
  expect(calls[0]!.labels).toMatchObject({ '/g': ['untrusted:web'], '/a': ['untrusted:web'] })
})
