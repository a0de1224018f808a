import { AgentService } from 'mandate'
import type { AgentConfig } from 'mandate'
import { kv, memoryTools } from 'mandate/connect'
import { inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'
import { describe, expect, it } from 'vitest'

type Mandate = NonNullable<AgentConfig['mandate']>

const text = 'The codename is Bluebird.'
const rule = { id: 'codename', on: ['memory-write'], words: ['Bluebird'] } as const

/** An agent that saves a text in both stores, and what came of it. */
async function save(mandate: Mandate) {
  const database = inMemoryDatabase()
  const values = new Map<string, never>()
  const model = scripted([
    {
      toolCalls: [
        { name: 'memory_save', input: { text } },
        { name: 'kv_set', input: { key: 'k', value: { text } } },
      ],
    },
    'Done.',
  ])
  const tools = [...memoryTools({ database }), ...kv({ store: values })]
  const service = new AgentService({ agents: [{ id: 'a', model, tools, mandate }] })
  const result = await service.run('a', 'Remember it.')
  const memories = await database.query('memory', {})
  await service.stop()
  return { result, stored: JSON.stringify([memories, [...values]]) }
}

describe('what the memory and key-value tools store passes the gate as a write', () => {
  it('and is reported as a change of memory', async () => {
    const { result, stored } = await save({})
    expect(result.status).toBe('completed')
    expect(stored.split('Bluebird')).toHaveLength(3)
    expect(result.report().memoryDeltas.map(({ op, after }) => [op, JSON.stringify(after)])).toEqual([
      ['set', expect.stringContaining('Bluebird')],
      ['set', expect.stringContaining('Bluebird')],
    ])
  })

  it('so that content rules for writes block or change it', async () => {
    const blocked = await save({ content: [{ ...rule, then: 'block' }] })
    expect(blocked.stored).not.toContain('Bluebird')
    expect(blocked.result.report().memoryDeltas).toEqual([])
    const redacted = await save({ content: [{ ...rule, then: 'redact' }] })
    expect(redacted.stored).toContain('The codename is')
    expect(redacted.stored).not.toContain('Bluebird')
  })

  it('so that deny lists stop it, each kind by its own name', async () => {
    const noMemory = await save({ deny: ['memory:*'] })
    expect(noMemory.result.report().memoryDeltas.map(({ key }) => key)).toEqual(['kv/k'])
    expect((await save({ deny: ['memory:*', 'database:*'] })).stored).not.toContain('Bluebird')
  })

  it('so that it counts in the budget', async () => {
    const { result, stored } = await save({ budget: { storeWrites: 1 } })
    expect(stored.split('Bluebird')).toHaveLength(2)
    expect(result.report().memoryDeltas).toHaveLength(1)
  })
})
