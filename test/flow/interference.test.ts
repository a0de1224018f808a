import { afterEach, describe, expect, test, vi } from 'vitest'
import { isDue, isFull, isSweep, readRotation } from '../rotation.ts'
import type { PairCounts } from './interference/running.ts'
import { APPLIED_TRAPS } from './interference/applied-traps.ts'
import { ASIDE_TRAPS } from './interference/aside-traps.ts'
import { CLASS_TRAPS } from './interference/class-traps.ts'
import { DRAW_TRAPS } from './interference/draw-traps.ts'
import { GENERATOR_TRAPS } from './interference/generator-traps.ts'
import { KEYED_TRAPS } from './interference/keyed-traps.ts'
import { KIND_TRAPS } from './interference/kind-traps.ts'
import { LATE_TRAPS } from './interference/late-traps.ts'
import { LOGICAL_TRAPS } from './interference/logical-traps.ts'
import { LIST_TRAPS } from './interference/list-traps.ts'
import { THROW_TRAPS } from './interference/throw-traps.ts'
import { PLATFORM_TRAPS } from './interference/platform-traps.ts'
import { TIMER_TRAPS } from './interference/timer-traps.ts'
import { TRAPS } from './interference/traps.ts'

// New programs in every full run; the short one is about what is known to hold.
const fresh = isFull ? Math.floor(Date.now() / 1000) : readRotation()
const SEED = Number(process.env['MANDATE_SEED'] ?? fresh)
/** The full run has the pairs in the sweep alone. */
const BLOCKS = isFull ? (isSweep ? 10 : 0) : 1
/** Programs of a block; each is a few pairs. */
const SIZES = isFull
  ? { scripts: 1_500, programs: 500 }
  : isSweep
    ? { scripts: 50, programs: 40 }
    : { scripts: 6, programs: 6 }

async function tryPairs(kind: 'scripts' | 'programs', from: number, count: number, most?: number): Promise<PairCounts> {
  const running = await import('./interference/running.ts')
  return running.tryPairs(kind, from, count, most)
}

describe('what untrusted data says changes nothing that is shown as clean', () => {
  for (const kind of ['scripts', 'programs'] as const)
    for (let block = 0; block < BLOCKS; block++)
      test(`pairs of ${SIZES[kind]} ${kind}, seed ${SEED}, block ${block}`, { timeout: 600_000 }, async () => {
        process.stdout.write(`pairs of ${kind}: seed ${SEED}, block ${block}; these again: MANDATE_SEED=${SEED}\n`)
        const { programs, cleanParts, violations } = await tryPairs(
          kind,
          SEED * 1_000_003 + block * 100_003,
          SIZES[kind],
        )
        expect(violations.join('\n\n')).toBe('')
        // Programs that are refused prove nothing, and neither do labels on everything. A handful is too few to tell.
        if (!isSweep) return
        expect(programs).toBeGreaterThan(SIZES[kind] * 0.9)
        expect(cleanParts).toBeGreaterThan(SIZES[kind])
      })
})

type Faulty = (real: Record<string, never>) => Record<string, unknown>

/** Rules that are broken on purpose: a test that cannot see them gone would prove nothing. */
const FAULTS: readonly (readonly [string, string, Faulty])[] = [
  ['what a branch that was not taken would have set', 'raise-effects', () => ({ raiseEffects: () => {} })],
  [
    'exits that lead on after the test that decided them',
    'rules/effect-analysis',
    ({ effectsIn }) => ({
      effectsIn: (...args: never[]) =>
        Object.assign((effectsIn as unknown as (...given: never[]) => object)(...args), { escapes: false }),
    }),
  ],
  ['what could have thrown inside a try', 'rules/variables', () => ({ noteMayThrow: () => {} })],
  ['what could have thrown before a call was made', 'rules/node-facts', () => ({ mayThrow: () => false })],
  ['what built-ins find inside of lists and objects', 'heap', () => ({ deepLabel: () => 0, totalLabel: () => 0 })],
  ['what is written under a labelled test or key', 'heap', () => ({ labelWrite: () => {} })],
  [
    'of what kind an argument could have been, and which function was called',
    'alternative-targets',
    () => ({ noteAlternatives: () => {}, noteAlternativeTarget: () => {}, noteAlternativeCallbacks: () => {} }),
  ],
  ['what built-ins change', 'rules/builtin-flows', () => ({ MUTATORS: new Set(), STATIC_MUTATORS: new Set() })],
]

const web = 'const u = await tools.web({})\n'

test
  .skipIf(isSweep)
  .each([
    ...TRAPS,
    ...GENERATOR_TRAPS,
    ...CLASS_TRAPS,
    ...TIMER_TRAPS,
    ...PLATFORM_TRAPS,
    ...KIND_TRAPS,
    ...LATE_TRAPS,
    ...LIST_TRAPS,
    ...THROW_TRAPS,
    ...LOGICAL_TRAPS,
    ...DRAW_TRAPS,
    ...APPLIED_TRAPS,
    ...KEYED_TRAPS,
    ...ASIDE_TRAPS,
  ])('%s is followed', async (_, source) => {
  const { trySource } = await import('./interference/running.ts')
  const [one, other] = [
    { b: true, n: 1, s: 'a', z: null },
    { b: false, n: 0, s: 'b', z: { y: [] } },
  ]
  expect(await trySource(web + source, one, other)).toBeUndefined()
  expect(await trySource(web + source, { ...one, z: [] }, other)).toBeUndefined()
})

const FILES = FAULTS.map(([, file]) => `../../src/vm/labels/${file}.ts`)

describe('the pairs see every rule that is broken on purpose:', () => {
  afterEach(() => {
    for (const file of FILES) vi.doUnmock(file)
    vi.resetModules()
  })

  // Each takes hundreds of programs: in the sweep, every fourth rule, on the next day others.
  test.runIf(isSweep).each(FAULTS.filter((_, index) => isDue(index, 4)))(
    '%s',
    { timeout: 600_000 },
    async (_, file, faulty) => {
      const path = `../../src/vm/labels/${file}.ts`
      vi.resetModules()
      vi.doMock(path, async (original) => {
        const real = (await original()) as Record<string, never>
        return { ...real, ...faulty(real) }
      })
      const found: string[] = []
      // The same programs always: they are known to meet each of these.
      for (let from = 1; from < 6_000 && found.length === 0; from += 500)
        found.push(...(await tryPairs('scripts', from, 500, 1)).violations)
      vi.doUnmock(path)
      expect(found.length).toBeGreaterThan(0)
    },
  )

  test.skipIf(isSweep).each([
    ['which of several things was chosen', 'bits', { CHOSEN: 0 }, TRAPS],
    ['what a callback writes later', 'rules/builtin-flows', { CALLS_LATER: new Set() }, TIMER_TRAPS],
    ['who waits for a promise that stays open', 'raise-effects', { raiseWaiter: () => {} }, TIMER_TRAPS],
  ] as const)('%s', async (_, file, faulty, traps) => {
    const path = `../../src/vm/labels/${file}.ts`
    vi.resetModules()
    vi.doMock(path, async (original) => ({ ...(await original<object>()), ...faulty }))
    const { trySource } = await import('./interference/running.ts')
    const found = await Promise.all(traps.map(([, source]) => trySource(web + source, { b: true }, { b: false })))
    vi.doUnmock(path)
    expect(found.filter((one) => one !== undefined).length).toBeGreaterThan(0)
  })
})
