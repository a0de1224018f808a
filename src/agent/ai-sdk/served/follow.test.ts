import { expect, test } from 'vitest'
import { isErased, readAll } from '../../../journal/index.ts'
import type { MandateEvent } from '../../../journal/index.ts'
import { scripted } from '../../../model/index.ts'
import { defineTool } from '../../../tool/index.ts'
import { AgentService } from '../../service/service.ts'
import type { AiSdkStreamPart } from '../part-shapes.ts'
import { serviceAgent } from './service-agent.ts'

test('what a call says before the entries of the call before it are stored comes behind them, and texts stay whole', async () => {
  const model = scripted([{ text: 'One two', toolCalls: [{ name: 'look' }] }, 'Three four'])
  const tools = [defineTool({ name: 'look', risk: 'read', run: () => 'a door' })]
  const service = new AgentService({ agents: [{ id: 'a', model, tools }] })
  const { id } = await service.run('a', 'Go.')
  const of = (type: string, key: string | undefined, data: object): MandateEvent =>
    ({ v: 1, type, key, data, at: 0, runId: id, sessionId: '', agentId: 'a' }) as unknown as MandateEvent
  const entries: MandateEvent[] = (await readAll(service.journal, id))
    .filter((entry) => !isErased(entry))
    .map(({ type, key, data, seq, at }) => ({ ...of(type, key, data), seq, at }))
  const firstEnd = entries.findIndex(({ type, key }) => type === 'effect-end' && key === 'turn:1/model')
  // Text is told at once, entries when they are stored; the rest of a text comes right before its entry.
  const events = [
    ...entries.slice(0, firstEnd),
    of('text-delta', 'turn:1/model', { text: 'One ', offset: 0 }),
    of('step-end', undefined, { turn: 1 }),
    of('step-start', undefined, { turn: 2 }),
    of('text-delta', 'turn:2/model', { text: 'Three ', offset: 0 }),
    of('text-delta', 'turn:1/model', { text: 'two', offset: 4 }),
    of('text-delta', 'turn:2/model', { text: 'four', offset: 6 }),
    ...entries.slice(firstEnd),
  ]
  const stream = async function* (): AsyncGenerator<MandateEvent> {
    yield* events
  }
  const parts: AiSdkStreamPart[] = []
  for await (const part of await serviceAgent(service, 'a').follow(id, stream())) parts.push(part)
  const told = parts.map((part) => (part.type === 'text-delta' ? part.text : part.type))
  const shown = told.filter((one) => !/^(start|text-start|finish|raw|response)/.test(one))
  expect(shown).toEqual(['One ', 'two', 'text-end', 'tool-call', 'tool-result', 'Three ', 'four', 'text-end'])
  await service.stop()
})
