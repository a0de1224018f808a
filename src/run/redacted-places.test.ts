import { expect, test } from 'vitest'
import type { BusEvent, Json } from '../core/index.ts'
import type { ModelPart } from '../model/index.ts'
import type { Tool } from '../tool/index.ts'
import { kernelWith, program, runMain, tool } from './kernel/kernel.fixture.ts'
import type { RunContext } from './mind/mind.ts'

/** Told by its looks; made here, so that no scanner of repositories trips over it. */
const KEY = `${['sk', 'ant', 'api03'].join('-')}-${'aB3xK9mQ'.repeat(8)}`

interface Place {
  readonly input?: Json
  readonly main?: (context: RunContext) => Promise<Json>
  readonly tool?: Tool['run']
  readonly listens?: boolean
}

const perform = (context: RunContext, input: Json = null, name = 'act'): Promise<Json> =>
  context.perform({ kind: 'tool', name, input }) as unknown as Promise<Json>

const PLACES: Readonly<Record<string, Place>> = {
  'the input': { input: `Use ${KEY}.` },
  'what an effect asks for': { main: (context) => perform(context, { header: KEY }) },
  'a member that is named so': { main: (context) => perform(context, { password: 'hunter2x' }) },
  'what an effect gave': { tool: async () => ({ [KEY]: [KEY] }) },
  'what an effect failed with': {
    tool: () => {
      throw new Error(`401 for ${KEY}`)
    },
  },
  'what the gate refused': { main: (context) => perform(context, { header: KEY }, 'nobody') },
  'what was appended, and what came after it': {
    async main(context) {
      context.append({ text: `I have ${KEY}` })
      context.append({ text: 'and that is all' })
      return perform(context)
    },
  },
  'a message made of two harmless ones': {
    async main(context) {
      context.append({ text: `${['pass', 'word'].join('')}: hunter2x` })
      return null
    },
  },
  'what a strategy decided': { main: async (context) => context.record('plan', () => ({ say: KEY })) },
  'what a strategy failed with': {
    main: (context) =>
      context.record('plan', () => {
        throw new Error(`no ${KEY}`)
      }),
  },
  'what was emitted, and what came after it': {
    listens: true,
    async main(context) {
      context.emit('custom', { said: KEY })
      context.emit('custom', { said: 'later' })
      return null
    },
  },
  'what a tool emitted': {
    listens: true,
    async tool(_, context) {
      context.emit('custom', { said: KEY })
      return null
    },
  },
  'the output': { main: async () => ({ answer: KEY }) },
  'what the mind failed with': {
    async main() {
      throw new Error(`no ${KEY}`)
    },
  },
}

async function seenOf(place: Place): Promise<string> {
  const main = program('main', async (_input, context) => (place.main ?? perform)(context))
  const act = tool('act', place.tool ?? (async () => null))
  const kernel = kernelWith({ minds: [main], tools: [act] })
  const events: BusEvent[] = []
  if (place.listens === true) kernel.events.on('custom', (event) => void events.push(event))
  const outcome = await runMain(kernel, place.input)
  const entries: unknown[] = []
  for await (const { type, key, data } of kernel.journal.read('r')) entries.push([type, key, data])
  const said = [outcome, events.map(({ type, data }) => [type, data]), entries]
  return JSON.stringify(said, (name, value: unknown) =>
    name === 'seed' || name === 'durationMs' || name === 'activeMs' ? 0 : value,
  )
}

test.each(Object.entries(PLACES))('a secret in %s is hidden', async (_, place) => {
  const seen = await seenOf(place)
  expect(seen).not.toContain(KEY)
  expect(seen).not.toContain('hunter2x')
  expect(seen).toContain('[secret:')
})

test('why a run was cancelled is written before what that cut, and hidden', async () => {
  const { promise: isCalled, resolve: called } = Promise.withResolvers<void>()
  const main = program('main', (_input, context) => perform(context))
  const act = tool('act', async (_input, { signal }) => {
    called()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  })
  const kernel = kernelWith({ minds: [main], tools: [act] })
  const run = kernel.begin({ kind: 'program', name: 'main', input: null, runId: 'r' })
  await isCalled
  run.abort(`Stop: ${KEY}`)
  expect(await run.outcome).toMatchObject({ state: 'cancelled', reason: /^Stop: \[secret:/ })
  const types: string[] = []
  for await (const { type, data } of kernel.journal.read('r')) {
    types.push(type)
    expect(JSON.stringify(data)).not.toContain(KEY)
  }
  expect(types).toEqual(['run-start', 'effect-start', 'note', 'effect-end', 'run-end'])
})

test('listeners of a model get everything except the secret, from the beginning or from the middle', async () => {
  for (const from of [0, 3]) {
    const pieces = ['I ', 'have ', KEY.slice(0, 12), KEY.slice(12, 40), KEY.slice(40), ' here', '.']
    const heard: string[] = []
    async function* stream(): AsyncGenerator<ModelPart> {
      for (const [index, text] of pieces.entries()) {
        if (index === from) kernel.events.on('text-delta', ({ data }) => void heard.push(data.text))
        yield { type: 'text-delta', text }
      }
      yield { type: 'finish', reason: 'stop' }
    }
    const main = program('main', async (_input, context) => {
      const outcome = await context.perform({ kind: 'model', name: 'm', input: { messages: [] } })
      return outcome.status
    })
    const kernel = kernelWith({ minds: [main] })
    kernel.registry.registerModel('m', { id: 'test/m', modelId: 'm', provider: 'test', stream })
    await runMain(kernel)
    const shown = heard.join('')
    expect(shown).toMatch(from === 0 ? /^I have \[secret:anthropic-key#\w+\] here\.$/ : /^\S* here\.$/)
    expect(shown).not.toContain(KEY.slice(12, 24))
    expect(shown).not.toContain(KEY.slice(-12))
  }
})
