import { expect, test } from 'vitest'
import { runScript } from '../../src/vm/machine/script.fixture.ts'

/** Far above what any of these take, and far below what they took when the platform's own work was not paid for. */
const HANG_MS = 20_000

const marks = '("a" + "\\u0300\\u0323".repeat(8e4))'
const periodic = '"a".repeat(2e6)'
const nearly = '("a".repeat(5e4) + "b" + "a".repeat(5e4))'

/** Programs whose work on the platform grows faster than their size: each ends, with a value or at a limit. */
const programs: readonly (readonly [name: string, source: string, ends: unknown])[] = [
  ['sort joins ropes', 'const s = "x".repeat(1e7); new Array(300).fill(0).map((_, i) => s + i).sort().length', 'limit'],
  [
    'the count of live bytes meets long texts of one length',
    'const a = []; for (let i = 0; i < 1700; i++) a.push("x".repeat(1e5) + (i % 10)); a.length',
    'limit',
  ],
  [
    'keys of a map that are long and equally long',
    'const s = "x".repeat(20000); const m = new Map(); for (let i = 0; i < 1000; i++) m.set(s + (1000 + i), i); m.size',
    1000,
  ],
  [
    'items of a set that are long and equally long',
    'const s = "x".repeat(20000); const m = new Set(); for (let i = 0; i < 1000; i++) m.add(s + (1000 + i)); m.size',
    1000,
  ],
  ['indexOf', `${periodic}.indexOf(${nearly})`, -1],
  ['includes', `${periodic}.includes(${nearly})`, false],
  ['lastIndexOf', `${periodic}.lastIndexOf(${nearly})`, -1],
  ['split', `${periodic}.split(${nearly}).length`, 1],
  ['replace', `${periodic}.replace(${nearly}, "").length`, 2e6],
  ['replaceAll', `${periodic}.replaceAll(${nearly}, "").length`, 2e6],
  ['normalize', `${marks}.normalize("NFC").length`, 'limit'],
  ['localeCompare', `${marks}.localeCompare("b")`, 'limit'],
]

for (const [name, source, ends] of programs)
  test(`work of the platform is linear in what was paid: ${name}`, { timeout: HANG_MS }, async () => {
    const limits = { fuel: 20_000, memoryBytes: 128 * 1024 * 1024 }
    const { result, error } = await runScript(source, { limits })
    if (ends === 'limit') expect(error?.code).toBe('LIMIT_EXCEEDED')
    else expect({ result, error }).toEqual({ result: ends, error: undefined })
  })

test('a property name that the platform would hash by its length alone is refused', async () => {
  const { error } = await runScript('const o = {}; try { o["x".repeat(20000)] = 1 } catch { return 1 }')
  expect(error?.code).toBe('LIMIT_EXCEEDED')
  expect(error?.message).toContain('Use a Map')
  const { result } = await runScript('const o = { a: 1 }; [o["x".repeat(20000)], "x".repeat(20000) in o]')
  expect(result).toEqual([null, false])
})

const keys =
  'const a = "x".repeat(20000) + "a"; const b = "x".repeat(20000) + "b"; const again = () => "x".repeat(20000) + "a"; '
const collections: readonly (readonly [string, unknown])[] = [
  [
    'const m = new Map([[a, 1], [b, 2]]); [m.get(again()), m.get(b), m.size, m.has("x".repeat(20001))]',
    [1, 2, 2, false],
  ],
  ['const m = new Map([[a, 1]]); m.set(again(), 3); [m.size, m.get(a), [...m.keys()][0] === a]', [1, 3, true]],
  ['const m = new Map([[a, 1], [b, 2]]); [m.delete(again()), m.delete(a), m.size, [...m][0][1]]', [true, false, 1, 2]],
  ['const s = new Set([a, b, again(), 1]); [s.size, [...s].map((x) => x.length ?? x)]', [3, [20001, 20001, 1]]],
  [
    'const s = new Set([a, 1]); const t = new Set([again(), 2]); [s.union(t).size, s.intersection(t).size, [...s.difference(t)], [...s.symmetricDifference(t)]]',
    [3, 1, [1], [1, 2]],
  ],
  [
    'const s = new Set([a]); const t = new Set([a, b]); [s.isSubsetOf(t), t.isSupersetOf(s), s.isDisjointFrom(t)]',
    [true, true, false],
  ],
  [
    'const m = new Map(); m.set(1, 1); const seen = []; m.forEach((v, k) => { if (m.size < 2) m.set(a, 2); seen.push(k === a || k) }); seen',
    [1, true],
  ],
  ['const seen = []; for (const [k, v] of new Map([[a, 1], [b, 2]])) seen.push(k === a, v); seen', [true, 1, false, 2]],
  ['const m = structuredClone(new Map([[a, 1]])); m.get(again())', 1],
  ['const m = new Map([[a, 1]]); m.clear(); m.set(again(), 2); [m.size, m.get(a)]', [1, 2]],
]

for (const [source, expected] of collections)
  test(`long texts are keys like any other: ${source}`, async () => {
    const { result, error } = await runScript(keys + source)
    expect({ result, error }).toEqual({ result: expected, error: undefined })
  })
