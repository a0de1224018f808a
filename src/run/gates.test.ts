import { describe, expect, test } from 'vitest'
import { definePolicy } from '../gate/index.ts'
import type { Mandate } from '../gate/index.ts'
import { memoryJournal } from '../journal/index.ts'
import { Kernel } from './kernel.ts'

/** What each field that is read before the first run must not say. */
const WRONG: Readonly<Record<string, unknown>> = {
  rules: [{ id: 'a', when: 'risk == ', then: 'ask' }],
  rates: [{ tool: 'a', max: -1, perMs: 1 }],
  content: [{ id: 'a', on: ['nowhere'], words: ['x'], then: 'block' }],
  flow: [{ id: 'a', sink: 'mail' }],
  reveal: [{ id: 'a' }],
  overseer: { maxRepeats: 0 },
  intentRequired: 'yes',
  riskMax: 'mild',
}

describe('what a mandate says to guards that are loaded on demand', () => {
  test.each(Object.keys(WRONG))('`%s` is checked before anything of the first run is written', async (field) => {
    const mandate = { [field]: WRONG[field] } as Mandate
    for (const place of ['host', 'mind'] as const) {
      const journal = memoryJournal()
      const kernel = new Kernel({ journal, mandate: place === 'host' ? mandate : undefined })
      kernel.registry.registerMind({
        kind: 'program',
        name: 'main',
        mandate: place === 'mind' ? mandate : undefined,
        start: async () => 1,
      })
      const run = kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r' })
      await expect(run).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(field) })
      expect(await journal.list()).toEqual([])
      await kernel.stop()
    }
    expect(() => definePolicy(mandate)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error)
  })

  test('one that says nothing to them has nothing to wait for', async () => {
    const kernel = new Kernel({ mandate: { profile: 'strict', deny: ['shell'], budget: { steps: 3 } } })
    kernel.registry.registerMind({ kind: 'program', name: 'main', start: async () => 1 })
    expect(await kernel.run({ kind: 'program', name: 'main', input: null })).toMatchObject({ state: 'completed' })
  })
})
