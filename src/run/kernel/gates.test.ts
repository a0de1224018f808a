import { expect, test } from 'vitest'
import { definePolicy } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { Kernel } from './kernel.ts'

/** A wrong value for each field that turns a guard on. */
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

test.each(Object.keys(WRONG))('a wrong `%s` in a mandate is refused where the mandate is given', (field) => {
  const mandate = { [field]: WRONG[field] } as Mandate
  const refusal = expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(field) }) as Error
  expect(() => new Kernel({ mandate })).toThrow(refusal)
  const { registry } = new Kernel()
  const mind = { kind: 'program', name: 'main', mandate, start: async () => 1 } as const
  expect(() => registry.registerMind(mind)).toThrow(refusal)
  expect(() => definePolicy(mandate)).toThrow(refusal)
})
