import packageFacts from '../package.json' with { type: 'json' }

/** True in `npm run test:full`: sweeps then run whole instead of a rotating tenth. */
export const isFull: boolean = process.env['MANDATE_FULL'] === '1'

/** Whether this is the Node that the repository pins: what an engine does by itself can be compared with that one alone. */
export const isPinnedNode: boolean = process.versions.node === packageFacts.devDependencies.node

const parts = 10

/** Which tenth runs today; `MANDATE_ROTATION` repeats the tenth of another day. */
export function readRotation(env: Record<string, string | undefined> = process.env): number {
  const text = env['MANDATE_ROTATION']
  if (text === undefined || text === '') return Math.floor(Date.now() / 86_400_000) % parts
  const number = Number(text)
  if (Number.isInteger(number) && number >= 0) return number % parts
  throw new Error(`MANDATE_ROTATION is "${text}"; give a whole number from 0 to ${parts - 1}`)
}

/** Every tenth case, starting at `rotation`, and at least one: a sweep that ran nothing would pass for ever. */
export function pickTenth<T>(cases: readonly T[], rotation: number): T[] {
  const picked = cases.filter((_, index) => index % parts === rotation % parts)
  return picked.length > 0 ? picked : cases.slice(rotation % (cases.length || 1)).slice(0, 1)
}

/** The cases to run now: all of them in the full run, else today's tenth, which is printed so that it can be repeated.
 *
 * @example
 * ```ts
 * for (const seed of rotate(seeds, 'kernel simulation')) test(`seed ${seed}`, () => simulate(seed))
 * ``` */
export function rotate<T>(cases: readonly T[], name: string): T[] {
  if (isFull) return [...cases]
  const rotation = readRotation()
  const picked = pickTenth(cases, rotation)
  process.stdout.write(
    `rotation: ${name}: ${picked.length} of ${cases.length} cases; ` +
      `these again: MANDATE_ROTATION=${rotation}, all: npm run test:full\n`,
  )
  return picked
}

/** Whether a case is in today's share of so many: always in the full run. What other cases show as well takes turns in the short one. */
export function isDue(index: number, shares: number): boolean {
  return isFull || index % shares === readRotation() % shares
}

/** True in `*.sweep.test.ts` and the like. */
export const isSweep: boolean = process.env['MANDATE_SWEEP'] === '1'

/** Of a large corpus the short suite runs one case in so many, always the same, and the sweep the others: `x.sweep.test.ts` is the one line
 *  `await import('./x.test.ts')`. What both would do in the same way stands in a test that `isSweep` switches off.
 *
 * @example
 * ```ts
 * for (const one of shareOf(readCorpus('escapes'), 5)) test(one.id, () => runCase(one))
 * ``` */
export function shareOf<T>(cases: readonly T[], shares: number, inSweep: boolean = isSweep): T[] {
  return cases.filter((_, index) => (index % shares === 0) !== inSweep)
}

/** `it` for a conformance suite that runs for another subject as well: all of its tests in the full run, else a fifth, every day another. */
export function everyFifth(it: TestFunction): (name: string, body: Body) => void {
  let count = 0
  return (name, body) => (isDue(count++, 5) ? it(name, body) : it.skip(name, body))
}

type Body = () => Promise<void>

interface TestFunction {
  (name: string, body: Body): void
  readonly skip: (name: string, body: Body) => void
}

/** One loud line for a part of the tests that did not run, with the way to get it. */
export function announceSkip(what: string, how: string): void {
  process.stdout.write(`\n>>> SKIPPED: ${what}. To run it: ${how}\n`)
}
