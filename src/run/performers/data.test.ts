import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { inMemory, inMemoryDatabase } from '../../memory/index.ts'
import type { Effect } from '../../gate/index.ts'
import { entriesOf, kernelWith, linesOf, outputOf, program, runMain } from '../kernel/kernel.fixture.ts'
import type { KernelParts } from '../kernel/kernel.fixture.ts'

function asking(...effects: readonly Effect[]): (parts?: KernelParts) => ReturnType<typeof kernelWith> {
  const main = program('main', async (_, context) => {
    const outcomes: Json[] = []
    for (const effect of effects) outcomes.push((await context.perform(effect)) as unknown as Json)
    return outcomes
  })
  return (parts = {}) => {
    const kernel = kernelWith({ minds: [main], ...parts })
    kernel.registry.memory = inMemory()
    kernel.registry.database = inMemoryDatabase()
    return kernel
  }
}

describe('memory and database', () => {
  test('are effects like any other: written, read and recorded', async () => {
    const kernel = asking(
      { kind: 'memory', name: 'memory', input: { op: 'append', stream: 's', entry: { text: 'hi' } } },
      { kind: 'memory', name: 'memory', input: { op: 'read', stream: 's' } },
      { kind: 'database', name: 'database', input: { op: 'write', collection: 'c', key: 'k', value: 1 } },
      { kind: 'database', name: 'database', input: { op: 'read', collection: 'c', key: 'k' } },
    )()
    const output = outputOf(await runMain(kernel)) as { status: string; value: Json }[]
    expect(output.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(JSON.stringify(output[1]!.value)).toContain('hi')
    expect(JSON.stringify(output[3]!.value)).toContain('1')
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('what may be repeated after a crash follows from what is really done, not from what was asked', async () => {
    const kernel = asking({ kind: 'memory', name: 'memory', input: { op: 'read', stream: 's' } })({
      mandate: { rules: [{ id: 'ask', when: { kind: 'memory' }, then: 'ask' }] },
      onApproval: () => ({ answer: 'approve', edit: { op: 'append', stream: 's', entry: 1 } }),
    })
    expect(outputOf(await runMain(kernel))).toMatchObject([{ status: 'ok' }])
    expect((await entriesOf(kernel.journal, 'effect-start'))[0]!.data).toMatchObject({
      input: { op: 'append' },
      repeatable: false,
    })
  })

  test('an operation that is not known is denied, and the reason names those that are', async () => {
    for (const input of [{ op: 'explode' }, { op: 'toString' }, null, 'read']) {
      const kernel = asking({ kind: 'memory', name: 'memory', input })()
      expect(outputOf(await runMain(kernel)), JSON.stringify(input)).toMatchObject([
        { status: 'denied', reason: expect.stringContaining('op: append') },
      ])
      expect(await linesOf(kernel.journal)).not.toContain('effect-start memory')
    }
  })

  test('a missing argument, or a missing client, fails with what is missing', async () => {
    expect(outputOf(await runMain(asking({ kind: 'memory', name: 'memory', input: { op: 'read' } })()))).toMatchObject([
      { status: 'failed', error: { code: 'INPUT_INVALID', message: expect.stringContaining('stream') } },
    ])
    expect(outputOf(await runMain(asking({ kind: 'prompt', name: 'prompt', input: { op: 'list' } })()))).toMatchObject([
      { status: 'failed', error: { code: 'CONFIG_INVALID', message: expect.stringContaining('prompt') } },
    ])
  })
})
