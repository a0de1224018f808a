import { Agent, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { ModelRequest, ScriptedStep } from 'mandate/model'
import { expect, test } from 'vitest'
import { Chat, callIn, shown } from './chat.ts'

const look = { toolCalls: [{ name: 'look', input: { at: 'door' } }] }
const erase = { toolCalls: [{ name: 'erase', input: { path: '/tmp/x' } }] }

function chatWith(
  script: readonly ScriptedStep[],
  options: { deny?: string[] } = {},
): {
  chat: Chat
  erased: string[]
  requests: readonly ModelRequest[]
} {
  const erased: string[] = []
  const model = scripted(script)
  const tools = [
    defineTool({
      name: 'look',
      description: 'Looks at something.',
      risk: 'read',
      inputSchema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
      run: ({ at }: { at: string }) => ({ seen: `a ${at}` }),
    }),
    defineTool({
      name: 'fail',
      risk: 'read',
      run: () => {
        throw new Error('the lamp is broken')
      },
    }),
    defineTool({
      name: 'erase',
      risk: 'write',
      needsApproval: true,
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      run: ({ path }: { path: string }) => {
        erased.push(path)
        return 'erased'
      },
    }),
  ]
  const agent = new Agent({
    id: 'helper',
    model,
    tools,
    ...(options.deny === undefined ? {} : { mandate: { deny: options.deny } }),
  })
  return { chat: new Chat(agent), erased, requests: model.requests }
}

test('text arrives as it was said, with reasoning beside it', async () => {
  const { chat } = chatWith([{ reasoning: 'They greet.', text: 'Hello there.' }])
  const answer = await chat.say('Hello')
  expect(shown(answer)).toEqual(['(They greet.)', 'Hello there.'])
  expect(answer.parts.every((part) => !('state' in part) || part.state === 'done')).toBe(true)
  expect(chat.errors).toEqual([])
})

test('a call and its result belong together, and the next step follows', async () => {
  const { chat } = chatWith([look, 'I see a door.'])
  const answer = await chat.say('Look.')
  expect(shown(answer)).toEqual(['look: output-available', 'I see a door.'])
  expect(callIn(answer)).toMatchObject({ input: { at: 'door' }, output: { seen: 'a door' } })
  expect(answer.parts.filter(({ type }) => type === 'step-start')).toHaveLength(2)
})

test('a call that fails says why', async () => {
  const { chat } = chatWith([{ toolCalls: [{ name: 'fail' }] }, 'It failed.'])
  const answer = await chat.say('Go.')
  expect(shown(answer)).toEqual(['fail: output-error', 'It failed.'])
  expect(callIn(answer)['errorText']).toContain('the lamp is broken')
})

test('arguments that are not JSON, and tools that do not exist, are failed calls and not failed answers', async () => {
  const { chat } = chatWith([
    {
      toolCalls: [
        { name: 'look', rawInput: '{"at":' },
        { name: 'fly', input: {} },
      ],
    },
    'Sorry.',
    'Better.',
  ])
  const answer = await chat.say('Go.')
  const states = answer.parts.flatMap((part) => ('state' in part && 'toolCallId' in part ? [part.state] : []))
  expect(states).toEqual(['output-error', 'output-error'])
  expect(shown(answer).at(-1)).toBe('Sorry.')
  expect(shown(await chat.say('And now?'))).toEqual(['Better.'])
})

test('a call that the gate denies is shown as denied, with the reason, and the conversation can go on', async () => {
  const { chat, requests } = chatWith([look, 'I may not look.', 'Still not.'], { deny: ['look'] })
  const answer = await chat.say('Look.')
  expect(shown(answer)).toEqual(['look: output-denied', 'I may not look.'])
  expect(callIn(answer)['approval']).toMatchObject({
    approved: false,
    isAutomatic: true,
    reason: expect.stringContaining('denied by'),
  })
  expect(shown(await chat.say('And now?'))).toEqual(['Still not.'])
  expect(JSON.stringify(requests.at(-1)!.messages)).toContain('denied by')
})

test('an approval is asked for by its own id; once given, exactly that run goes on and nothing is repeated', async () => {
  const { chat, erased, requests } = chatWith([erase, 'It is gone.'])
  const asked = await chat.say('Erase it.')
  expect(shown(asked)).toEqual(['erase: approval-requested'])
  const [pending] = await chat.agent.service.approvals()
  expect(callIn(asked)['approval']).toMatchObject({ id: pending!.id })
  expect(pending!.id).toBe(`${pending!.run}-ap${pending!.id.split('-ap')[1]}`)
  expect(erased).toEqual([])

  const answer = await chat.answer(true)
  expect(shown(answer)).toEqual(['erase: output-available', 'It is gone.'])
  expect(answer.id).toBe(asked.id)
  expect(erased).toEqual(['/tmp/x'])
  expect(requests).toHaveLength(2)
  expect((await chat.agent.service.runs()).map(({ run, state }) => [run, state])).toEqual([[pending!.run, 'completed']])
})

test('a rejected call never runs, and the model is told why', async () => {
  const { chat, erased, requests } = chatWith([erase, 'Then not.', 'Fine.'])
  await chat.say('Erase it.')
  const answer = await chat.answer(false, 'keep it')
  expect(shown(answer)).toEqual(['erase: output-denied', 'Then not.'])
  expect(erased).toEqual([])
  expect(JSON.stringify(requests[1]!.messages.at(-1))).toContain('keep it')
  expect(shown(await chat.say('Good.'))).toEqual(['Fine.'])
})

test('a call that ended beside one that waits is told at once, and only once', async () => {
  const both = { toolCalls: [...look.toolCalls, ...erase.toolCalls] }
  const { chat, erased } = chatWith([both, 'Both done.'])
  expect(shown(await chat.say('Go.'))).toEqual(['look: output-available', 'erase: approval-requested'])
  expect(shown(await chat.answer(true))).toEqual(['look: output-available', 'erase: output-available', 'Both done.'])
  expect(erased).toHaveLength(1)
})

test('an answer to a question that was answered before, or never asked, is an error that says so', async () => {
  const { chat, erased } = chatWith([erase, 'Gone.'])
  await chat.say('Erase it.')
  const waiting = structuredClone(chat.messages)
  await chat.answer(true)
  chat.messages = waiting
  await chat.answer(true).catch(() => {})
  expect(chat.errors.join()).toMatch(/answered|over|stale/i)
  expect(erased).toHaveLength(1)

  chat.errors.length = 0
  chat.messages = JSON.parse(JSON.stringify(waiting).replaceAll(/[^"]*-ap\d+/g, 'run_gone-ap3')) as typeof waiting
  await chat.answer(true).catch(() => {})
  expect(chat.errors.join()).toContain('There is no approval "run_gone-ap3"')
})

test('two turns make one conversation: what was said and done before is history', async () => {
  const { chat, requests } = chatWith([look, 'A door.', 'It was red.'])
  await chat.say('Look.')
  expect(shown(await chat.say('Which colour?'))).toEqual(['It was red.'])
  expect(requests[2]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  expect(requests[2]!.messages[2]!.content[0]).toMatchObject({
    type: 'tool-result',
    name: 'look',
    status: 'ok',
    value: { seen: 'a door' },
  })
})

test('what is aborted in mid-sentence ends as aborted, and so does its run', async () => {
  const { chat } = chatWith([{ hang: true, text: 'Once upon' }])
  const controller = new AbortController()
  const stop = chat.agent.service.events.on('text-delta', () => controller.abort())
  await chat.say('Tell.', controller.signal).catch((error: unknown) => expect(String(error)).toContain('abort'))
  stop()
  await expect.poll(async () => (await chat.agent.service.runs()).map(({ state }) => state)).toEqual(['cancelled'])
})
