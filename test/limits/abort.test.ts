import { expect, test } from 'vitest'
import { scriptLanguage } from '../../src/vm/compile/script/index.ts'
import { withLabels } from '../../src/vm/labels/index.ts'
import { createMachine } from '../../src/vm/machine/machine.ts'
import { echoPort } from '../../src/vm/machine/script.fixture.ts'
import { compileIn } from '../flow/interference/running.ts'
import { NATIVE, YIELDING, YIELDING_UNLABELLED } from './endless.ts'

/** How a program ends that is aborted by the host when its event loop has come round. */
async function endOf(source: string, isLabelled: boolean, wallMs: number): Promise<string | undefined> {
  const language = isLabelled ? withLabels(scriptLanguage) : scriptLanguage
  const machine = createMachine(compileIn(language, source), { port: echoPort, limits: { fuel: 1e9, wallMs } })
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 1)
  const { error } = await machine.run(controller.signal)
  return error?.code
}

const GENEROUS_MS = 20_000

const yielding = [
  ...YIELDING.flatMap((source) => [
    { source, isLabelled: false },
    { source, isLabelled: true },
  ]),
  ...YIELDING_UNLABELLED.map((source) => ({ source, isLabelled: false })),
]

test.each(yielding)('an abort from a timer ends: $source (labels: $isLabelled)', async ({ source, isLabelled }) => {
  expect(await endOf(source, isLabelled, GENEROUS_MS)).toBe('CANCELLED')
})

const native = [
  ...NATIVE.flatMap((source) => [
    { source, isLabelled: false },
    { source, isLabelled: true },
  ]),
  ...YIELDING_UNLABELLED.map((source) => ({ source, isLabelled: true })),
]

test.each(native)('the time of the run ends: $source (labels: $isLabelled)', async ({ source, isLabelled }) => {
  expect(await endOf(source, isLabelled, 15)).toBe('TIMEOUT')
})

test.each([false, true])('calls more than 64 deep end with the time of the run (labels: %s)', async (isLabelled) => {
  const nested = (depth: number): string =>
    `const f = (n) => [n].map(() => { if (n === 0) for (;;) {} return f(n - 1) }); f(${depth})`
  expect(await endOf(nested(15), isLabelled, GENEROUS_MS)).toBe('CANCELLED')
  expect(await endOf(nested(30), isLabelled, 15)).toBe('TIMEOUT')
})
