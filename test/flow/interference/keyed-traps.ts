const LISTS = 'const a = [], b = [];'
const SHOWN = 'await tools.sink({ a, b, n: a.length, m: b.length })'

/** Things in an object are written through a key that untrusted data chose: any of them could have been, and what they hold. */
export const KEYED_TRAPS: readonly (readonly [string, string])[] = [
  ['a thing that a key chose, 1', `${LISTS} const g = {a, b}; (g[u.k] ??= []).push(1); ${SHOWN}`],
  ['a thing that a key chose, 2', `${LISTS} const g = {a}; (g[u.k] ??= []).push(1); ${SHOWN}`],
  ['a thing that a key chose, 3', `${LISTS} const g = {}; (g[u.k] ??= a).push(1); ${SHOWN}`],
  ['a thing that a key chose, 4', `${LISTS} const g = {}; (g[u.k] ??= [a])[0]; (g.a?.[0])?.push(1); ${SHOWN}`],
  [
    'a thing that a key chose, 5',
    `${LISTS} const g = {}; for (const k of u.l) (g[k] ??= []).push(a); g[1]?.[0]?.push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 6',
    `${LISTS} const g = {}; for (const k of u.l) (g[k] ??= []).push(a); for (const k of [1,2,3]) (g[k] ??= []).forEach((q) => q.push(1)); ${SHOWN}`,
  ],
  ['a thing that a key chose, 7', `${LISTS} const g = {}; if (u.b) g.x = a; g.x?.push(1); ${SHOWN}`],
  ['a thing that a key chose, 8', `${LISTS} const g = {}; if (u.b) { g.x = a; g.x.push(1) } ${SHOWN}`],
  ['a thing that a key chose, 9', `${LISTS} const g = {}; if (u.b) { g['x'] = a; g['x'].push(1) } ${SHOWN}`],
  ['a thing that a key chose, 10', `${LISTS} const g = {}; const h = g; if (u.b) { h.x = a; g['x'].push(1) } ${SHOWN}`],
  ['a thing that a key chose, 11', `${LISTS} const g = {a}; if (u.b) (g.a ??= []).push(1); ${SHOWN}`],
  ['a thing that a key chose, 12', `${LISTS} const g = {a}; if (u.b) (g['a'] ??= []).push(1); ${SHOWN}`],
  ['a thing that a key chose, 13', `${LISTS} const g = {a, b}; for (const k of [u.k]) g[k]?.push(1); ${SHOWN}`],
  [
    'a thing that a key chose, 14',
    `${LISTS} let g = {a}; const h = {a: b}; if (u.b) g = h; (g['a'] ??= []).push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 15',
    `${LISTS} const g = {a}; const put = () => { g.z = b }; if (u.b) { put(); (g['z'] ??= []).push(1) } ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 16',
    `${LISTS} const g = {}; for (const k of u.l) g[k] ??= []; for (const k of [1,2]) g[k]?.push(a); g[1]?.[0]?.push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 17',
    `${LISTS} const g = {x: {}}; (g.x[u.k] ??= []).push(a); g.x.a?.[0]?.push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 18',
    `${LISTS} const f = (acc, k) => { (acc[k] ??= []).push(1); return acc }; const g = {a}; u.l.reduce(f, g); [u.k].reduce(f, g); ${SHOWN}`,
  ],
  ['a thing that a key chose, 19', `${LISTS} const g = {a}; u.l.forEach((q) => { (g[u.k] ??= []).push(1) }); ${SHOWN}`],
  ['a thing that a key chose, 20', `${LISTS} const g = {a: {l: a}, b: {l: b}}; g[u.k]?.l.push(1); ${SHOWN}`],
  ['a thing that a key chose, 21', `${LISTS} const g = [a, b]; g[u.i & 1].push(1); ${SHOWN}`],
  ['a thing that a key chose, 22', `${LISTS} const g = [a, b]; const h = [g, [a]]; h[u.i & 1][0].push(1); ${SHOWN}`],
  ['a thing that a key chose, 23', `${LISTS} const g = [a, b]; g[u.i & 1][0] = 1; ${SHOWN}`],
  [
    'a thing that a key chose, 24',
    `${LISTS} const g = {a}; g[u.k] ||= []; g.b?.push(2); g.a.push(1); await tools.sink({x: g.b, a})`,
  ],
  ['a thing that a key chose, 25', `${LISTS} const g = {}; g[u.k] ??= []; const t = g.a ?? a; t.push(1); ${SHOWN}`],
  [
    'a thing that a key chose, 26',
    `${LISTS} const g = {}; if (u.b) g['a'] ??= []; const t = g.a ?? a; t.push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 27',
    `${LISTS} const g = {}; for (const k of u.l) { (g[k] ??= new Set()).add(a) } for (const s of Object.values(g)) for (const q of s) q.push(1); ${SHOWN}`,
  ],
  ['a thing that a key chose, 28', `${LISTS} const g = {}; (g[u.k] ??= { l: a }).l.push(1); ${SHOWN}`],
  ['a thing that a key chose, 29', `${LISTS} const g = {}; (g[u.k] ??= {}).l = a; g.a?.l?.push(1); ${SHOWN}`],
  [
    'a thing that a key chose, 30',
    `${LISTS} const g = {}; const x = (g[u.k] ??= []); x.push(a); g.a?.[0].push(1); ${SHOWN}`,
  ],
  ['a thing that a key chose, 31', `${LISTS} const g = {a, b}; const x = (g[u.k] ??= []); x.push(1); ${SHOWN}`],
  [
    'a thing that a key chose, 32',
    `${LISTS} const g = {a, b}; const f = (k) => (g[k] ??= []); f(u.k).push(1); ${SHOWN}`,
  ],
  ['a thing that a key chose, 33', `${LISTS} const g = {a, b}; (g[u.k] ??= []).push((g.a = [], 1)); ${SHOWN}`],
  [
    'a thing that a key chose, 34',
    `${LISTS} const g = {a, b}; (g[u.k] ??= []).push((delete g.a, delete g.b, 1)); ${SHOWN}`,
  ],
  ['a thing that a key chose, 35', `${LISTS} const g = {a, b}; g[(u.k)].push((g.a = null, g.b = null, 1)); ${SHOWN}`],
  ['a thing that a key chose, 36', `${LISTS} const g = {a, b}; if (u.b) { g['a'].push(1); delete g.a } ${SHOWN}`],
  [
    'a thing that a key chose, 37',
    `${LISTS} const g = {a, b}; if (u.b) { (g['a'] ??= []).push(1); g.a = null } ${SHOWN}`,
  ],
  ['a thing that a key chose, 38', `${LISTS} const g = {a, b}; if (!g[u.k]) g[u.k] = []; g[u.k].push(1); ${SHOWN}`],
  ['a thing that a key chose, 39', `${LISTS} const g = {a}; if (!g[u.k]) g[u.k] = []; g[u.k].push(1); ${SHOWN}`],
  ['a thing that a key chose, 40', `${LISTS} const g = {a}; if (!g[u.k]) g[u.k] = b; g[u.k].push(1); ${SHOWN}`],
  [
    'a thing that a key chose, 41',
    `${LISTS} const g = {a, b}; if (!(u.k in g)) { g[u.k] = []; g.a = [] } g[u.k].push(1); ${SHOWN}`,
  ],
  ['a thing that a key chose, 42', `${LISTS} const g = {a, b}; g[u.k] = g[u.k] || []; g[u.k].push(1); ${SHOWN}`],
  ['a thing that a key chose, 43', `${LISTS} const g = {a}; g[u.k] = g[u.k] ?? b; g[u.k].push(1); ${SHOWN}`],
  ['a thing that a key chose, 44', `${LISTS} const g = {a, b}; g[u.k] = g.a ?? []; g[u.k].push(1); ${SHOWN}`],
  ['a thing that a key chose, 45', `${LISTS} const g = {a: u.b ? a : null}; g.a ??= []; g.a.push(1); ${SHOWN}`],
  [
    'a thing that a key chose, 46',
    `${LISTS} const g = {a: u.b ? a : null}; const k = 'a'; g[k] ??= []; g[k].push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 47',
    `${LISTS} const g = {a: u.b ? a : null}; const k = 'a'; if (!g[k]) g[k] = []; g[k].push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 48',
    `${LISTS} const g = {a: u.b ? a : b}; const k = 'a'; g[k] = g[k] ?? []; g[k].push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 49',
    `${LISTS} const g = {a: u.b ? a : b}; const k = 'a'; if (!g[k]) g[k] = []; g[k].push(1); ${SHOWN}`,
  ],
  ['a thing that a key chose, 50', `${LISTS} const g = {a: u.b ? a : b}; g.a = g.a || []; g.a.push(1); ${SHOWN}`],
  [
    'a thing that a key chose, 51',
    `${LISTS} const g = {a, b}; let k = u.k; if (!g[k]) { k = 'a'; g[k] = [] } g[k].push(1); ${SHOWN}`,
  ],
  [
    'a thing that a key chose, 52',
    `${LISTS} const g = {a, b}; for (const k of ['a', 'b']) { if (k === u.k) g[k] = null; if (!g[k]) g[k] = []; g[k].push(1) } ${SHOWN}`,
  ],
]
