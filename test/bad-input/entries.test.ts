import { describe, expect, test } from 'vitest'
import { Agent, AgentService, definePack, defineTool } from 'mandate'
import { inMemory, inMemoryDatabase, inMemoryPrompts } from 'mandate/memory'
import { Kernel } from 'mandate/kit'
import type { Mind } from 'mandate/kit'
import type { ToolContext } from 'mandate/tool'
import type { ToolMemory } from '../../src/tool/index.ts'
import { scripted } from 'mandate/model'

/** The codes of what a caller gave and cannot have meant. */
const CLEAR = ['CONFIG_INVALID', 'INPUT_INVALID', 'ID_INVALID']

const TEXTS: Readonly<Record<string, unknown>> = {
  'the empty text': '',
  blanks: '  ',
  'a control character': 'a\u0000b',
  'a turned direction of writing': 'a\u202Eb',
  __proto__: '__proto__',
  'ten thousand characters': 'x'.repeat(10_000),
  'half a character': 'a\uD800',
  'a number': 5,
  'an object': {},
  null: null,
}

const NUMBERS: Readonly<Record<string, unknown>> = {
  NaN: Number.NaN,
  'a negative number': -1,
  'a text': '5',
  'an object': {},
}

type Call = (value: never) => unknown

const model = (): ReturnType<typeof scripted> => scripted(['Done.'])
const service = (more: object = {}): AgentService =>
  new AgentService({ agents: [{ id: 'a', model: model() }], ...more })

const embedder = {
  ...{ provider: 'x', modelId: 'e' },
  embed: async () => ({ embeddings: [], usage: { inputTokens: 0 }, warnings: [] }),
}

/** What an effect of a mind over fresh stores comes to. */
async function inMind(effect: object): Promise<void> {
  const kernel = new Kernel()
  const resources = { memory: inMemory(), database: inMemoryDatabase() }
  const start: Mind['start'] = async (_, context) => (await context.perform(effect as never)) as never
  kernel.registry.registerMind({ kind: 'program', name: 'main', start, resources })
  const outcome = await kernel.run({ kind: 'program', name: 'main', input: null })
  const { error } = (outcome as unknown as { output: { error?: { code: string; message: string } } }).output
  if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
}

/** What becomes of a tool that does this with the memory of its run. */
async function inTool(use: (memory: ToolMemory) => Promise<unknown>): Promise<void> {
  const run = (_: unknown, { memory }: ToolContext): unknown => use(memory!).then(() => null)
  const tools = [defineTool({ name: 't', risk: 'write', run })]
  const script = scripted([{ toolCalls: [{ name: 't', input: {} }] }, 'Done.'])
  const { actions } = await new Agent({ model: script, tools, memoryClient: inMemory() }).run('Go.')
  const { error } = actions[0]!
  if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
}

/** Every way in for an identity or a name. */
const NAMED: Readonly<Record<string, Call>> = {
  'id of an agent': (id) => new Agent({ id, model: model() }),
  'name of an agent': (name) => new Agent({ name, model: model() }),
  'agents of an agent': (name) => new Agent({ id: 'a', agents: [name], model: model() }),
  'agentTypes of an agent': (name) => new Agent({ id: 'a', agentTypes: [name], model: model() }),
  'sessionId of an agent': (sessionId) => new Agent({ id: 'a', sessionId, model: model() }),
  'name of a tool': (name) => defineTool({ name, run: () => 1 }),
  'id of a pack': (id) => definePack({ id, name: id, tools: [] } as never),
  'sessionId of a run': (sessionId) => service().run('a', 'Go.', { sessionId }),
  'identity of a run': (id) => service().run('a', 'Go.', { identity: { id, roles: ['owner'] } }),
  'role of a run': (role) => service().run('a', 'Go.', { identity: { id: 'ana', roles: [role] } }),
  'identity of a view': (id) => service().as({ id, roles: ['owner'] }),
  'identity of a service': (id) => service({ identity: { id, roles: ['owner'] } }),
  'name of a sink': (name) => service({ sinks: [{ name, write: () => {} }] }),
  'stream key of a tool that writes': (key) => inTool((memory) => memory.append(key, 1)),
  'stream key of a tool that reads': (key) => inTool((memory) => memory.read(key)),
  'stream of an effect': (stream) =>
    inMind({ kind: 'memory', name: 'memory', input: { op: 'append', stream, entry: 1 } }),
  'stream of an effect that reads': (stream) =>
    inMind({ kind: 'memory', name: 'memory', input: { op: 'read', stream } }),
  'collection of an effect': (collection) =>
    inMind({ kind: 'database', name: 'database', input: { op: 'write', collection, key: 'k', value: 1 } }),
  'key of an effect': (key) =>
    inMind({ kind: 'database', name: 'database', input: { op: 'read', collection: 'c', key } }),
  'id of a model': (id) => new Agent({ model: { ...model(), id } }),
  'id of a model by name': (id) => new Agent({ model: id }),
  'id of a further model': (id) => new Agent({ model: model(), models: [{ ...model(), id }] }),
  'name of a scripted model': (name) => scripted(['x'], { name }),
  'id of an embedding model': (id) => new Agent({ model: model(), embeddingModel: { ...embedder, id } }),
  'runId of a run': (runId) => service().run('a', 'Go.', { runId }),
  'runId of a fork': (runId) => service().fork('run_1', { runId }),
  'id of a schedule': (id) => service().schedules.put({ id, every: 1_000, agent: 'a', prompt: 'Go.' } as never),
  'id of a prompt': (id) => inMemoryPrompts().put({ id, text: 'x' }),
}

/** Every way in for a number. */
const COUNTED: Readonly<Record<string, Call>> = {
  maxTurns: (maxTurns) => new Agent({ id: 'a', model: model(), maxTurns }),
  maxTokens: (maxTokens) => new Agent({ id: 'a', model: model(), maxTokens }),
  temperature: (temperature) => new Agent({ id: 'a', model: model(), temperature }),
  outputRetries: (outputRetries) => new Agent({ id: 'a', model: model(), outputRetries }),
  'budget of an agent': (money) => new Agent({ id: 'a', model: model(), budget: { money } }),
  'budget of a run': (money) => service().run('a', 'Go.', { budget: { money } }),
  'limits of a service': (attempts) => service({ limits: { attempts } }),
  'timeoutMs of a tool': (timeoutMs) => defineTool({ name: 't', run: () => 1, timeoutMs }),
  'retry of a tool': (attempts) => defineTool({ name: 't', run: () => 1, retry: { attempts, backoffMs: attempts } }),
  'limit of runs': (limit) => service().runs({ limit }),
  'limit of the inbox': (limit) => service().inbox({ limit }),
  'limit of memory': (limit) => inMemory().read('s', { limit }),
  'limit of a query': (limit) => inMemoryDatabase().query('c', {}, { limit }),
  'offset of a query': (offset) => inMemoryDatabase().query('c', {}, { offset }),
}

async function codeOf(call: Call, value: unknown): Promise<unknown> {
  try {
    await call(value as never)
    return 'taken'
  } catch (error) {
    return (error as { code?: unknown }).code ?? (error as Error).name
  }
}

describe.each([
  ['name', NAMED, TEXTS],
  ['number', COUNTED, NUMBERS],
])('a %s that cannot be meant is refused where it enters', (_kind, entries, values) => {
  test.each(Object.keys(entries))('%s', async (entry) => {
    for (const [what, value] of Object.entries(values)) {
      expect(CLEAR, `${entry}: ${what}`).toContain(await codeOf(entries[entry]!, value))
    }
  })
})

test('a redactor that is none is refused where it enters', async () => {
  const bad: Readonly<Record<string, unknown>> = {
    'a text': 'secrets',
    null: null,
    'a function': (text: string) => text,
    'an object without `text`': {},
    'a `text` that is no function': { text: 'x' },
    'a `member` that is no function': { text: (text: string) => text, member: 1 },
    'a `stream` that is no function': { text: (text: string) => text, stream: {} },
    'a `scoped` that is no function': { text: (text: string) => text, scoped: 'run' },
  }
  for (const [what, redactor] of Object.entries(bad)) {
    for (const make of [() => service({ redactor }), () => new Kernel({ redactor: redactor as never })]) {
      const error = await (async () => make())().then(
        () => 'taken',
        (thrown: unknown) => thrown,
      )
      expect(error, what).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('`redactor`') })
    }
  }
})

test('an approval id that is none, a seed that is none and a sink that cannot write are refused', async () => {
  for (const id of [5, null, {}, '', 'a\u0000'])
    expect(CLEAR, String(id)).toContain(await codeOf((given) => service().approve(given), id))
  for (const seed of [Number.NaN, Number.POSITIVE_INFINITY, null])
    expect(CLEAR).toContain(await codeOf((given) => service({ deterministic: { seed: given } }), seed))
  expect(CLEAR).toContain(await codeOf((sink) => service({ sinks: [sink] }), { name: 's' }))
})

const boom = (): never => {
  throw new TypeError('boom of the user')
}
const failing = { '~standard': { version: 1, vendor: 'x', validate: boom, jsonSchema: { input: () => ({}) } } }
const tool = (more: object): unknown => defineTool({ name: 't', risk: 'read', run: () => 'ok', ...more } as never)

/** Every callback, with the code that its failure has in the journal; `undefined` where the run goes on as if it had said nothing. */
const CALLBACKS: Readonly<Record<string, readonly [code: string | undefined, config: object, options?: object]>> = {
  'run of a tool': ['TOOL_FAILED', { tools: [tool({ run: boom })] }],
  'schema of a tool': ['TOOL_FAILED', { tools: [tool({ inputSchema: failing })] }],
  'needsApproval of a tool': [undefined, { tools: [tool({ needsApproval: boom })] }],
  'retriable of a tool': [
    'TOOL_FAILED',
    { tools: [tool({ run: boom, retry: { attempts: 2, backoffMs: 1, retriable: boom } })] },
  ],
  hook: ['MIND_FAILED', { hooks: [boom] }],
  planner: ['MIND_FAILED', { planner: { plan: boom } }],
  executor: ['TOOL_FAILED', { executor: { execute: boom }, tools: [tool({})] }],
  reflector: ['MIND_FAILED', { reflector: { reflect: boom }, tools: [tool({})] }],
  runner: ['MIND_FAILED', { runner: { run: boom } }],
  selectModel: ['MIND_FAILED', { selectModel: boom }],
  model: ['MODEL_FAILED', { model: { id: 'x/y', provider: 'x', modelId: 'y', stream: boom } }],
  'read of a memory': ['STORE_FAILED', { memoryClient: Object.assign(inMemory(), { read: boom }) }],
  'append of a memory': ['STORE_FAILED', { memoryClient: Object.assign(inMemory(), { append: boom }) }],
  'query of a database': [
    'STORE_FAILED',
    {
      memoryClient: inMemory(),
      databaseClient: Object.assign(inMemoryDatabase(), { query: boom }),
      hydrate: { collection: 'c' },
    },
  ],
  'render of a prompt store': [
    'STORE_FAILED',
    { promptStore: Object.assign(inMemoryPrompts(), { render: boom }), instructions: { template: 'x' } },
  ],
  'embedding model': [
    'MODEL_FAILED',
    {
      memoryClient: inMemory(),
      databaseClient: inMemoryDatabase(),
      hydrate: { collection: 'c', byPrompt: true },
      embeddingModel: { id: 'x/e', provider: 'x', modelId: 'e', embed: boom },
    },
  ],
  onApproval: [undefined, { tools: [tool({ needsApproval: true })] }, { onApproval: boom }],
  'write of a sink': [undefined, { tools: [tool({})] }, { sinks: [{ name: 's', write: boom }] }],
}

test.each(Object.entries(CALLBACKS))(
  '%s that throws is reported as what it is',
  async (_name, [code, config, more]) => {
    const script = scripted([{ toolCalls: [{ name: 't', input: {} }] }, 'Done.'])
    const host = new AgentService({ ...more, agents: [{ id: 'a', model: script, ...config }] })
    const { id, error } = await host.run('a', 'Go.')
    let written = JSON.stringify(error ?? null)
    for await (const entry of host.journal.read(id)) written += JSON.stringify(entry.data)
    expect(written).not.toContain('"INTERNAL"')
    if (code !== undefined) {
      expect(written).toContain(`"${code}"`)
      expect(written).toContain('boom of the user')
    }
  },
)

test('a collection or key without a name is refused where something is written', async () => {
  const database = inMemoryDatabase()
  for (const write of [
    () => database.write('', 'k', 1),
    () => database.write('c', '', 1),
    () => database.writeMany('', [{ key: 'k', value: 1 }]),
    () => database.writeIf('', 'k', 1, { expected: null }),
  ])
    expect(await codeOf(write, undefined)).toBe('INPUT_INVALID')
})

test('an event that an agent does not have, a store that was not awaited and a text for `stream` are refused, with the fix', async () => {
  const agent = new Agent({ id: 'a', model: model() })
  expect(() => agent.on('eror' as never, () => {})).toThrow('Did you mean `error`?')
  const opened = Promise.resolve({ journal: agent.service.journal })
  expect(() => service({ store: opened })).toThrow('`store: await openStore(…)`')
  expect(() => service({ journal: Promise.resolve(agent.service.journal) })).toThrow('Await it')
  expect(() => agent.stream('Go.' as never)).toThrow('call `run(text)`')
  await expect(agent.generate('Go.' as never)).rejects.toThrow('call `run(text)`')
  const streamed = agent.stream({ prompt: 'Go.' })
  expect(() => (streamed as never as { textStream: unknown }).textStream).toThrow('once `stream` is awaited')
  for await (const text of (await streamed).textStream) expect(text).toBeTypeOf('string')
  await agent.stop()
})
