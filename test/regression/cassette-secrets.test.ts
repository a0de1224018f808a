import { expect, test } from 'vitest'
import { Agent, defineTool } from 'mandate'
import { secretRedactor } from 'mandate/redact'
import { cassette, scripted } from 'mandate/model'

test('a tool result that holds a secret and personal data is recorded without them, and replays', async () => {
  let tape: string | undefined
  const storage = { read: () => tape, write: (_name: string, text: string) => void (tape = text) }
  const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
  let calls = 0
  const lookup = defineTool({
    name: 'lookup',
    risk: 'read',
    run: () => {
      calls += 1
      return { key, mail: 'ana@example.org' }
    },
  })
  const once = async (mode: 'record' | 'replay'): Promise<string | null> => {
    const deck = cassette({ mode, storage })
    const model = deck.model(scripted([{ toolCalls: [{ name: 'lookup', input: {} }] }, 'Done.']))
    const agent = new Agent(
      { id: 'a', model, tools: [deck.tool(lookup)] },
      { redactor: secretRedactor({ pii: ['email'] }) },
    )
    const result = await agent.run('Look it up.')
    await deck.close()
    expect(result.error).toBeUndefined()
    return result.text
  }
  expect(await once('record')).toBe('Done.')
  expect(tape).not.toContain(key)
  expect(await once('replay')).toBe('Done.')
  expect(calls).toBe(1)
})
