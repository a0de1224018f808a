import { expect, test } from 'vitest'
import { canonical } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'
import { entriesOf, kernelWith, outputOf, program, runMain, tool, value } from '../kernel/kernel.fixture.ts'
import { prepareLarge } from './large-outcome.ts'

const main = program('main', async (_input, context) => ((await value(context, 'export')) as readonly Json[]).length)

/** Some 3 MB: rows with a secret in each, one long text, and names that are out of order. */
function largeTable(): Json {
  const rows = Array.from({ length: 10_000 }, (_, id) => ({
    name: `Customer ${id}`,
    id,
    code: `pin ${id % 7}${id % 5}00`,
    note: 'Paid on time. '.repeat(6),
  }))
  const lines = Array.from({ length: 10_000 }, (_, id) => `line ${id}: ${'x'.repeat(40)}`)
  return { rows, lines, long: 'pin 1234 and more '.repeat(30_000), 'pin 1111': 1, 'pin 2222': { z: 1, a: [] } }
}

const hidePins: Redactor = {
  text: (text) => text.replaceAll(/\d{4}/g, '****'),
  member: (name, text) => (name === 'code' ? '[code]' : hidePins.text(text)),
}

test('a large outcome becomes what redaction makes of it in one go', async () => {
  const outcome = (): Outcome<Json> =>
    ({ status: 'ok', value: largeTable(), labels: [{ integrity: 'untrusted' }] }) as never
  const ready = await prepareLarge(outcome(), hidePins)
  const expected = redactJson(outcome() as never, hidePins)
  expect(JSON.stringify(ready)).toBe(JSON.stringify(expected))
  expect(canonical({ data: ready })).toBe(canonical({ data: expected }))
  expect(Object.isFrozen((ready as unknown as { value: { rows: object[] } }).value.rows[0])).toBe(true)
})

test('a large result is redacted in slices, between which the event loop turns, and not again when it is sealed', async () => {
  let [inTurn, most, total] = [0, 0, 0]
  const turns = { isOver: false }
  const turn = (): void => {
    inTurn = 0
    if (!turns.isOver) setImmediate(turn)
  }
  turn()
  const redactor: Redactor = {
    text(text) {
      inTurn += text.length
      total += text.length
      most = Math.max(most, inTurn)
      return text
    },
  }
  const rows = (largeTable() as { rows: Json }).rows
  const characters = JSON.stringify(rows).length
  const kernel = kernelWith({ minds: [main], tools: [tool('export', () => rows, { maxResultBytes: 10e6 })], redactor })
  expect(outputOf(await runMain(kernel))).toBe(10_000)
  turns.isOver = true
  const [end] = await entriesOf(kernel.journal, 'effect-end')
  expect(end!.data.outcome).toMatchObject({ status: 'ok' })
  expect(total).toBeLessThan(1.1 * characters)
  expect(most).toBeLessThan(characters / 2)
})
