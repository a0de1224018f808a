import { expect, it } from 'vitest'
import { memoryJournal, readAll } from '../../journal/index.ts'
import { textOf } from '../../model/index.ts'
import { calls, host, model, tool } from '../agent.fixture.ts'

const intent = (toolName: string): string =>
  `<intent>${JSON.stringify({ toolName, purpose: 'because', expectedOutcome: 'something', riskLevel: 'read' })}</intent>`
const reply = { text: `Let me look.\n\n${intent('look')}\n`, ...calls('look') }
const mandate = { intentRequired: true }

it("declarations are in the journal and in the model's context, and in nothing that the user sees", async () => {
  const journal = memoryJournal()
  const mind = model([reply, `${intent('look')}\nThere it is.`])
  const service = host({ model: mind, tools: [tool('look')], mandate }, { journal })
  const deltas: string[] = []
  service.events.on('text-delta', ({ data }) => void deltas.push(data.text))
  const run = service.run('main', 'Look.')
  let streamed = ''
  for await (const text of run.textStream) streamed += text
  const result = await run
  expect(result.text).toBe('Let me look.\nThere it is.')
  expect(result).toMatchObject({ lastText: 'There it is.', result: 'There it is.' })
  expect(streamed).toBe(result.text)
  expect(deltas.join('')).not.toContain('intent')
  expect(JSON.stringify(result.messages)).not.toContain('<intent>')
  expect(result.messages.map(textOf)).toContain('Let me look.')
  expect(mind.requests[1]!.messages.map(textOf).join('\n')).toContain('<intent>')
  expect(JSON.stringify(await readAll(journal, result.id))).toContain('<intent>')
  expect(await service.replay(result.id)).toMatchObject({ identical: true })
  expect(await service.result(result.id)).toEqual(result)
})

it('a waiting run has no declarations in its text either', async () => {
  const service = host({
    model: model([reply, 'Done.']),
    tools: [tool('look', () => 1, { needsApproval: true })],
    mandate,
  })
  const { text, status } = await service.run('main', 'Look.')
  expect({ text, status }).toEqual({ text: 'Let me look.', status: 'await_user' })
})

it('a structured answer is read without what is declared beside it', async () => {
  const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const service = host({ model: model([`${intent('look')} {"n": 1}`]), mandate, output })
  expect((await service.run('main', 'Go.')).result).toEqual({ n: 1 })
})

it('if no intents are required, a text that mentions them is left as it is', async () => {
  const text = `It is written ${intent('look')}, in tags.`
  expect((await host({ model: model([text]) }).run('main', 'How?')).text).toBe(text)
})
