import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BusEvent } from '../../src/core/index.ts'
import type { MandateEvent } from '../../src/journal/index.ts'
import { AgentService } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { noRedaction, secret } from '../../src/redact/index.ts'
import type { Json } from '../../src/core/index.ts'
import { inMemory, inMemoryDatabase } from '../../src/memory/index.ts'
import { type Model, scripted } from '../../src/model/index.ts'
import { openStore, sessionFiles } from '../../src/store/sqlite/index.ts'
import { builtPackage } from '../built-package.ts'
import { FORMATTED, PLANTED, RESOLVED } from './planted.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mandate-planted-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Every byte of every file below a folder, also of those that are neither text nor ours. */
function bytesOf(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? bytesOf(path) : `${path}\n${readFileSync(path, 'latin1')}`))
    .join('\n')
}

/** Plain, and in the encodings in which it could have been written. */
function traces(text: string): readonly string[] {
  return PLANTED.flatMap((value) => {
    const bytes = Buffer.from(value)
    return [value, bytes.toString('base64').slice(4, -4), bytes.toString('hex'), value.slice(0, 24), value.slice(-24)]
  }).filter((form) => text.includes(form))
}

/** Streams its words in pieces that cut every secret. */
function chopping(inner: Model, size: number): Model {
  return {
    ...inner,
    async *stream(request, call) {
      for await (const part of inner.stream(request, call)) {
        if (part.type !== 'text-delta') yield part
        else for (let at = 0; at < part.text.length; at += size) yield { ...part, text: part.text.slice(at, at + size) }
      }
    },
  }
}

const leak = defineTool({
  name: 'leak',
  risk: 'read',
  async run({ how }: { how: string; note?: string }, context) {
    const resolved = await context.secrets?.('RESOLVED')
    context.emit('custom', { said: FORMATTED, resolved: resolved! })
    if (how === 'throw') throw new Error(`401 for ${FORMATTED}`, { cause: new Error(`and for ${resolved}`) })
    if (how === 'throw-text') throw `no luck with ${resolved}`
    return {
      [FORMATTED]: resolved!,
      nested: [`Bearer ${resolved}`, FORMATTED, Buffer.from(resolved!).toString('base64')],
    }
  },
})
const sent: string[] = []
const send = defineTool({
  name: 'send',
  risk: 'destructive',
  run(input: Json) {
    sent.push(JSON.stringify(input))
    return { sent: input }
  },
})

const call = (name: string, input: Json): { toolCalls: { name: string; input: Json }[] } => ({
  toolCalls: [{ name, input }],
})

const VAULT = { current: 'k', keys: { k: new Uint8Array(32).fill(3) } }

test.each([
  ['and gone', undefined],
  ['also where a vault keeps it', VAULT],
])('a secret that is planted everywhere is in no byte that is written, %s', async (_, vault) => {
  sent.length = 0
  const store = await openStore({ dir: join(dir, 'store') })
  const [events, sunk, logged]: [MandateEvent[], BusEvent[], string[]] = [[], [], []]
  const memory = inMemory()
  const database = inMemoryDatabase()
  const seenByModel: string[] = []
  const model = scripted([
    { text: `I have ${FORMATTED} here.`, ...call('leak', { how: 'return', note: FORMATTED }) },
    { text: 'Again.', ...call('leak', { how: 'throw' }) },
    { text: 'Again.', ...call('leak', { how: 'throw-text' }) },
    { text: 'To the other.', ...call('writer', { prompt: `Write ${FORMATTED}` }) },
    { text: 'May I?', ...call('send', { to: FORMATTED, header: secret('RESOLVED') as unknown as Json }) },
    ({ messages }) => {
      seenByModel.push(JSON.stringify(messages))
      return `Done with ${FORMATTED}, as agreed.`
    },
  ])
  const service = new AgentService({
    store,
    vault,
    // Without a vault no call gets a token, unless the mandate says so.
    mandate: {
      reveal: [
        { id: 'kept', sink: vault === undefined ? ['leak', 'send'] : 'leak', labels: ['secret:*'], then: 'keep' },
      ],
    },
    secrets: (name) => (name === 'RESOLVED' ? RESOLVED : undefined),
    sinks: [
      { name: 'all', includePayloads: true, write: (event) => void sunk.push(event) },
      { name: 'log', write: (event) => void logged.push(JSON.stringify(event)) },
      sessionFiles({ dir: join(dir, 'sessions') }),
    ],
    agents: [
      {
        id: 'main',
        model: chopping(model, 7),
        tools: [leak, send],
        agents: ['writer'],
        memoryClient: memory,
        databaseClient: database,
        instructions: `Never say ${FORMATTED}.`,
      },
      { id: 'writer', model: scripted([`A poem about ${FORMATTED}`]) },
    ],
  })
  service.events.on('*', (event) => void events.push(event))
  const first = await service.run('main', `My key is ${FORMATTED}`, { sessionId: 's' })
  expect(first.status).toBe('await_user')
  await service.steer(first.id, { role: 'user', content: [{ type: 'text', text: `Use ${FORMATTED}` }] })
  const [request] = await service.approvals()
  await service.approve(request!.id, { edit: { to: `${FORMATTED}!`, header: secret('RESOLVED') as unknown as Json } })
  const result = await service.resume(first.id)
  expect(result.status).toBe('completed')
  const replayed = await service.replay(first.id)
  expect(replayed).toMatchObject({ identical: true })
  const inProcess = JSON.stringify([
    first,
    result,
    request,
    events,
    sunk,
    logged,
    replayed,
    seenByModel,
    await service.messages(first.id),
  ])
  const whileOpen = bytesOf(dir)
  await service.stop()

  expect(traces(whileOpen)).toEqual([])
  expect(traces(inProcess)).toEqual([])
  const deltas = events.filter((event) => event.type === 'text-delta').map(({ data }) => data.text)
  expect(traces(deltas.join(''))).toEqual([])
  expect(deltas.join('')).toContain('[secret:anthropic-key#')
  const onDisk = bytesOf(dir)
  expect(traces(onDisk)).toEqual([])
  // The places were reached at all: what stands there instead is there.
  expect(onDisk).toContain('[secret:anthropic-key#')
  expect(onDisk).toContain(vault === undefined ? '[secret:RESOLVED]' : '[secret:RESOLVED#')
  // What was approved with an edit was carried out with the handle's value, and with what the approver wrote only where it was kept.
  expect(sent).toEqual([expect.stringContaining(RESOLVED)])
  expect(sent[0]!.includes(FORMATTED)).toBe(vault !== undefined)
  // One value, one token, in all runs of the session.
  expect(new Set(onDisk.match(/\[secret:anthropic-key#[0-9a-f]+\]/g)).size).toBeLessThanOrEqual(2)
})

test('without redaction the same search finds them', async () => {
  const store = await openStore({ dir: join(dir, 'store') })
  const agents = [{ id: 'main', model: scripted(['Yes.']) }]
  const service = new AgentService({ store, redactor: noRedaction, agents })
  await service.run('main', `My key is ${FORMATTED}`)
  await service.stop()
  expect(traces(bytesOf(dir))).toContain(FORMATTED)
})

test('what is remembered is remembered without secrets', async () => {
  const [memory, database] = [inMemory(), inMemoryDatabase()]
  const { kernelWith, outputOf, program, runMain } = await import('../../src/run/kernel/kernel.fixture.ts')
  const main = program('main', async (_, context) => {
    const write = (kind: 'memory' | 'database', key: string, input: Json) =>
      context.perform({ kind, name: kind, key, input })
    await write('memory', 'm', { op: 'append', stream: 's', entry: { note: FORMATTED } })
    return (await write('database', 'd', { op: 'write', collection: 'c', key: 'k', value: [FORMATTED] })) as never
  })
  const kernel = kernelWith({ minds: [main] })
  kernel.registry.memory = memory
  kernel.registry.database = database
  expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'ok' })
  const kept = JSON.stringify([await memory.read('s'), await database.read('c', 'k')])
  expect(traces(kept)).toEqual([])
  expect(kept).toContain('[secret:anthropic-key#')
})

test('the command shows none, whether it runs, fails or crashes', async () => {
  const { flags, main } = await builtPackage()
  const root = fileURLToPath(new URL('../..', import.meta.url))
  for (const how of ['return', 'throw', 'crash']) {
    const said = spawnSync(
      process.execPath,
      [
        ...flags,
        main,
        'run',
        'test/redaction/fixtures/leaking-agent.ts',
        `${how} ${FORMATTED}`,
        '--dir',
        join(dir, how),
      ],
      { cwd: root, encoding: 'utf8', env: { ...process.env, HOW: how } },
    )
    expect(said.stdout.length + said.stderr.length).toBeGreaterThan(0)
    expect(traces(said.stdout + said.stderr), `${how}: ${said.stderr}`).toEqual([])
    expect(traces(bytesOf(join(dir, how)))).toEqual([])
  }
}, 60_000)
