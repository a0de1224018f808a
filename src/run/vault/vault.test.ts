import type { RunEventBus } from '../../journal/index.ts'
import { expect, test } from 'vitest'
import { EventBus, manualClock } from '../../core/index.ts'
import { secretRedactor } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { defineTool } from '../../tool/index.ts'
import { Kernel } from '../index.ts'
import type { KernelOptions, RunContext } from '../index.ts'

const KEY = { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } }
/** Put together here, so that no scanner takes this file for a leak. */
const SECRET = ['ghp', '_', 'a8Kq2LmZ0pXv93TdRwYb71NcEsHfGuJo4iQe'].join('')
const MAIL = 'ada.lovelace@example.org'

interface World {
  readonly kernel: Kernel
  readonly journal: Journal
  readonly sent: Json[]
  readonly told: string[]
}

type Start = (context: RunContext, input: Json) => Promise<unknown>

function world(start: Start, options: KernelOptions = {}, reveals: readonly string[] = []): World {
  const journal = options.journal ?? memoryJournal()
  const events: RunEventBus = new EventBus()
  const told: string[] = []
  events.addSink({ name: 'ear', write: (event) => void told.push(JSON.stringify(event)) })
  const kernel = new Kernel({
    clock: manualClock(1_000),
    vault: KEY,
    redactor: secretRedactor({ pii: ['email'] }),
    events,
    ...options,
    journal,
  })
  const sent: Json[] = []
  const facts = { inputSchema: { type: 'object' }, risk: 'read' as const, reveals }
  kernel.registry.registerTool(
    defineTool({
      name: 'send',
      ...facts,
      run: (input: Json) => {
        sent.push(input)
        return { echo: input, encoded: btoa(JSON.stringify(input)) }
      },
    }),
  )
  kernel.registry.registerTool(defineTool({ name: 'read', ...facts, run: () => `the key is ${SECRET}, ask ${MAIL}` }))
  kernel.registry.registerMind({
    kind: 'program',
    name: 'p',
    start: async (input, context) => ((await start(context, input)) ?? null) as Json,
  })
  return { kernel, journal, sent, told }
}

const tokenIn = (value: unknown, kind = 'secret'): string =>
  new RegExp(`\\[${kind}:[^\\]]+\\]`, 'u').exec(JSON.stringify(value))![0]
const run = (kernel: Kernel, input: Json = null, more: object = {}): ReturnType<Kernel['run']> =>
  kernel.run({ kind: 'program', name: 'p', input, runId: 'r', ...more })
const tool = (
  context: RunContext,
  name: string,
  input: Json,
): Promise<{ status: string; value?: Json; error?: Json }> => context.perform({ kind: 'tool', name, input }) as never

/** Reads, finds the token in what it was shown, and sends it on: as a model does that repeats what it has read. */
const repeat =
  (make: (token: string) => Json, kind = 'secret'): Start =>
  async (context) => {
    const read = await tool(context, 'read', {})
    const token = tokenIn(read.value, kind)
    return tool(context, 'send', make(token))
  }
const bytesOf = async ({ journal, told }: World): Promise<string> =>
  JSON.stringify(await readAll(journal, 'r')) + told.join('\n')
const allowing = { reveal: [{ id: 'yes', sink: 'send', labels: ['secret:*', 'pii:*'] }] }

test('a call that the mandate allows is performed with the value, and only the token is ever written or emitted', async () => {
  const here = world(
    repeat((token) => ({ headers: { authorization: `Bearer ${token}` }, list: [token] })),
    { mandate: allowing },
  )
  await run(here.kernel)
  expect(here.sent).toEqual([{ headers: { authorization: `Bearer ${SECRET}` }, list: [SECRET] }])
  const bytes = await bytesOf(here)
  expect(bytes).toMatch(/\[secret:github-token#[0-9a-f]{12}\]/u)
  expect(bytes).not.toContain(SECRET)
  // The tool gave it back in base64; what was a secret once is one in every form.
  expect(bytes).not.toContain(btoa(SECRET).slice(2, 40))
  expect(bytes).not.toContain(btoa(`["${SECRET}`).slice(4, 40))
})

test('without a rule a human is asked about a secret, each time, and the approved call runs with the value', async () => {
  const here = world(repeat((token) => ({ token })))
  expect(await run(here.kernel)).toMatchObject({ state: 'suspended', reason: 'approval' })
  expect(here.sent).toEqual([])
  const [open] = await here.kernel.approvals('r')
  expect(open).toMatchObject({ rule: 'reveal/secret', name: 'send' })
  expect(JSON.stringify(open)).not.toContain(SECRET)
  await here.kernel.respond(open!.id, { answer: 'approve', scope: 'run' })
  expect(await here.kernel.resume('r')).toMatchObject({ state: 'completed' })
  expect(here.sent).toEqual([{ token: SECRET }])
})

test('a declined call sends nothing; a rule that denies is a denial', async () => {
  const asked = world(repeat((token) => ({ token })))
  await run(asked.kernel)
  await asked.kernel.respond((await asked.kernel.approvals('r'))[0]!.id, { answer: 'reject' })
  expect(await asked.kernel.resume('r')).toMatchObject({ output: { status: 'denied' } })
  const denied = world(
    repeat((token) => ({ token })),
    {
      mandate: { reveal: [{ id: 'never', sink: '*', labels: ['secret:*'], then: 'deny' }] },
    },
  )
  expect(await run(denied.kernel)).toMatchObject({ output: { status: 'denied', rule: 'reveal/never' } })
  expect([...asked.sent, ...denied.sent]).toEqual([])
})

test('personal data goes to tools that say they need it; a tool that does not is not called with a token in its place', async () => {
  const refused = world(repeat((to) => ({ to }), 'pii'))
  expect(await run(refused.kernel)).toMatchObject({ output: { status: 'denied', rule: 'reveal/token' } })
  expect(refused.sent).toEqual([])
  const keep = { reveal: [{ id: 'keep', sink: 'send', labels: ['pii:*'], then: 'keep' as const }] }
  const kept = world(
    repeat((to) => ({ to }), 'pii'),
    { mandate: keep },
  )
  await run(kept.kernel)
  expect(kept.sent).toEqual([{ to: expect.stringMatching(/^\[pii:email#[0-9a-f]{12}\]$/u) }])
  const declared = world(
    repeat((to) => ({ to }), 'pii'),
    {},
    ['pii:email'],
  )
  await run(declared.kernel)
  expect(declared.sent).toEqual([{ to: MAIL }])
})

test('a flow rule that names the only place where secrets may go lets them go there, and nowhere else', async () => {
  const mandate = {
    flow: [{ id: 'host', sink: 'send', forbid: ['secret:*'], unless: { at: '/url', hosts: ['api.example'] } }],
  }
  const there = world(
    repeat((token) => ({ url: 'https://api.example/x', token })),
    { mandate },
  )
  await run(there.kernel)
  expect(there.sent).toEqual([{ url: 'https://api.example/x', token: SECRET }])
  const elsewhere = world(
    repeat((token) => ({ url: 'https://evil.example/x', token })),
    { mandate },
  )
  expect(await run(elsewhere.kernel)).toMatchObject({ output: { status: 'denied', rule: 'flow/host' } })
  expect(elsewhere.sent).toEqual([])
})

test('a token before the host of an address keeps it from being a known one: its value might lead elsewhere', async () => {
  const mandate = {
    reveal: [{ id: 'host', sink: 'send', labels: ['secret:*'], where: { at: '/url', hosts: ['api.example'] } }],
  }
  const trick = 'pa55word.Zq81@evil.example/'
  const here = world(
    async (context, input) => {
      const token = tokenIn(input)
      return tool(context, 'send', { url: `https://u:${token}@api.example/`, token })
    },
    { mandate },
  )
  expect(await run(here.kernel, `password: "${trick}"`)).toMatchObject({ state: 'suspended', reason: 'approval' })
  expect(here.sent).toEqual([])
})

test('a rule that would deny the value denies the call, though its token did not tell', async () => {
  const rules = [{ id: 'ada', when: { tool: 'send', 'input.to': MAIL }, then: 'deny' as const }]
  const here = world(
    repeat((to) => ({ to }), 'pii'),
    { mandate: { ...allowing, rules } },
  )
  expect(await run(here.kernel)).toMatchObject({ output: { status: 'failed', error: { code: 'DENIED' } } })
  expect(here.sent).toEqual([])
})

test('days later, in another process with the key, an approved call runs with the value', async () => {
  const journal = memoryJournal()
  const first = world(
    repeat((token) => ({ token })),
    { journal },
  )
  await run(first.kernel)
  await first.kernel.stop()
  const second = world(
    repeat((token) => ({ token })),
    { journal, vault: () => Promise.resolve(KEY) },
  )
  await second.kernel.respond((await second.kernel.approvals('r'))[0]!.id, { answer: 'approve' })
  expect(await second.kernel.resume('r')).toMatchObject({ state: 'completed' })
  expect(second.sent).toEqual([{ token: SECRET }])
  expect(await second.kernel.replay('r')).toMatchObject({ identical: true })
})

test('without the key the run goes on, and the call that needs the value says which key is missing', async () => {
  const journal = memoryJournal()
  await run(
    world(
      repeat((token) => ({ token })),
      { journal },
    ).kernel,
  )
  const second = world(
    repeat((token) => ({ token })),
    { journal, vault: undefined },
  )
  await second.kernel.respond((await second.kernel.approvals('r'))[0]!.id, { answer: 'approve' })
  expect(await second.kernel.resume('r')).toMatchObject({
    state: 'completed',
    output: { status: 'failed', error: { code: 'KEY_MISSING', message: expect.stringContaining('"k1"') } },
  })
  expect(second.sent).toEqual([])
  expect(await second.kernel.replay('r')).toMatchObject({ identical: true })
})

test('another key under the same id opens nothing', async () => {
  const journal = memoryJournal()
  await run(
    world(
      repeat((token) => ({ token })),
      { journal },
    ).kernel,
  )
  const wrong = { current: 'k1', keys: { k1: new Uint8Array(32).fill(8) } }
  const second = world(
    repeat((token) => ({ token })),
    { journal, vault: wrong },
  )
  await second.kernel.respond((await second.kernel.approvals('r'))[0]!.id, { answer: 'approve' })
  expect(await second.kernel.resume('r')).toMatchObject({ output: { status: 'failed', error: { code: 'NOT_FOUND' } } })
  expect(second.sent).toEqual([])
})

test("an approver's edit with a secret in it is performed as intended, and is stored nowhere in plain text", async () => {
  const mandate = { ...allowing, profile: 'strict' as const, risks: { send: 'write' as const } }
  const here = world(async (context) => tool(context, 'send', { to: 'nobody' }), { mandate })
  await run(here.kernel)
  const inbox: string[] = []
  const { signal } = here.journal
  here.journal.signal = (id, given) => {
    inbox.push(JSON.stringify(given))
    return signal.call(here.journal, id, given)
  }
  const edit = { to: 'api', password: 'Tr0ub4dor&3-horse', key: SECRET }
  await here.kernel.respond((await here.kernel.approvals('r'))[0]!.id, { answer: 'approve', edit })
  expect(await here.kernel.resume('r')).toMatchObject({ state: 'completed' })
  expect(here.sent).toEqual([edit])
  for (const bytes of [await bytesOf(here), ...inbox]) {
    expect(bytes).not.toContain('Tr0ub4dor')
    expect(bytes).not.toContain(SECRET)
  }
})

test('a process without the key refuses to take an edit with a secret in it, and says why', async () => {
  const journal = memoryJournal()
  const mandate = { ...allowing, profile: 'strict' as const, risks: { send: 'write' as const } }
  const start: Start = async (context) => tool(context, 'send', { to: 'nobody' })
  await run(world(start, { journal, mandate }).kernel)
  const { kernel } = world(start, { journal, mandate, vault: undefined })
  const [open] = await kernel.approvals('r')
  await expect(kernel.respond(open!.id, { answer: 'approve', edit: { key: SECRET } })).rejects.toMatchObject({
    code: 'KEY_MISSING',
  })
  await kernel.respond(open!.id, { answer: 'approve', edit: { to: 'somebody' } })
  expect(await kernel.resume('r')).toMatchObject({ state: 'completed' })
})

test('a handler in the process that edits a secret in is served the same way', async () => {
  const mandate = { ...allowing, profile: 'strict' as const, risks: { send: 'write' as const } }
  const here = world(async (context) => tool(context, 'send', { to: 'nobody' }), {
    mandate,
    onApproval: () => ({ answer: 'approve', edit: { key: SECRET } }),
  })
  await run(here.kernel)
  expect(here.sent).toEqual([{ key: SECRET }])
  expect(await bytesOf(here)).not.toContain(SECRET)
})

test('erasing a run erases its vault: a later run of the session finds nothing behind its tokens', async () => {
  const journal = memoryJournal()
  const here = world(
    async (context, input) =>
      input === null ? (await tool(context, 'read', {})).value : tool(context, 'send', { token: input }),
    { journal, mandate: allowing },
  )
  const session = { sessionId: 's' }
  const first = await run(here.kernel, null, { ...session, runId: 'one' })
  const token = tokenIn(first)
  await run(here.kernel, token, { ...session, runId: 'two' })
  expect(here.sent).toEqual([{ token: SECRET }])
  await journal.erase('one')
  expect(await run(here.kernel, token, { ...session, runId: 'three' })).toMatchObject({
    output: { status: 'failed', error: { code: 'NOT_FOUND' } },
  })
  expect(here.sent).toHaveLength(1)
})

test('a child turns back what its parent was shown, and the parent what its child was', async () => {
  const here = world(
    async (context, input) => {
      if (input === 'read') return (await tool(context, 'read', {})).value
      if (input !== null) return tool(context, 'send', { token: input })
      const child = (given: Json): Promise<{ value?: Json }> =>
        context.perform({ kind: 'program', name: 'p', input: given }) as never
      const token = tokenIn(await child('read'))
      await tool(context, 'send', { token })
      return child(token)
    },
    { mandate: allowing },
  )
  await run(here.kernel)
  expect(here.sent).toEqual([{ token: SECRET }, { token: SECRET }])
})

test('a made-up token has no value, and one of another session has none here', async () => {
  const made = '[secret:github-token#0123456789ab]'
  const here = world(async (context) => tool(context, 'send', { token: made }), { mandate: allowing })
  expect(await run(here.kernel)).toMatchObject({ output: { status: 'failed', error: { code: 'NOT_FOUND' } } })
  expect(here.sent).toEqual([])
})

test('where no value can be put, in the name of a member or in a URL, the call is refused', async () => {
  for (const make of [
    (token: string): Json => ({ [token]: 1 }),
    (token: string): Json => ({ url: `https://api.example/?key=${encodeURIComponent(token)}` }),
  ]) {
    const here = world(repeat(make), { mandate: allowing })
    expect(await run(here.kernel)).toMatchObject({ output: { status: 'denied', rule: 'reveal/token' } })
    expect(here.sent).toEqual([])
  }
})

test('a schema sees the value, and what it changes is written with tokens', async () => {
  const got: Json[] = []
  const here = world(
    repeat((to) => ({ to }), 'pii'),
    { mandate: allowing },
  )
  const inputSchema = {
    type: 'object',
    properties: { to: { type: 'string', pattern: '^[^@\\s]+@[^@\\s]+$' }, n: { type: 'number', default: 1 } },
    required: ['to'],
  }
  const strict = defineTool({ name: 'mail', risk: 'read', inputSchema, run: (input: Json) => void got.push(input) })
  here.kernel.registry.registerTool(strict)
  here.kernel.registry.registerMind({
    kind: 'program',
    name: 'q',
    start: async (input, context) => tool(context, 'mail', { to: input }),
  })
  const mandate = { reveal: [{ id: 'mail', sink: 'mail', labels: ['pii:*'] }] }
  here.kernel.setMandate(mandate)
  await here.kernel.run({ kind: 'program', name: 'q', input: MAIL, runId: 'r' })
  expect(got).toEqual([expect.objectContaining({ to: MAIL })])
  expect(await bytesOf(here)).not.toContain(MAIL)
})

test('a fork has the values of the run it was made from', async () => {
  const here = world(
    repeat((token) => ({ token })),
    { mandate: allowing },
  )
  await run(here.kernel)
  const entries = await readAll(here.journal, 'r')
  const at = entries.find(({ type, key }) => type === 'effect-end' && key === 'tool')!.seq
  const fork = await here.kernel.fork('r', { at })
  await here.kernel.resume(fork)
  expect(here.sent).toEqual([{ token: SECRET }, { token: SECRET }])
})

test('runs without a vault pin nothing, and call nothing with a token', async () => {
  const here = world(
    repeat((token) => ({ token })),
    { vault: undefined, mandate: allowing },
  )
  expect(await run(here.kernel)).toMatchObject({ output: { status: 'denied', rule: 'reveal/token' } })
  expect(here.sent).toEqual([])
  expect(JSON.stringify((await readAll(here.journal, 'r'))[0]!.data)).not.toContain('vault')
})

test('without a vault an answer whose edit holds a secret is refused at once, and the request stays open', async () => {
  const mandate = { rules: [{ id: 'look', when: 'true', then: 'ask' as const }] }
  const here = world((context) => tool(context, 'send', { to: 'a' }), { vault: undefined, mandate })
  await run(here.kernel)
  const [open] = await here.kernel.approvals('r')
  const answer = here.kernel.respond(open!.id, { answer: 'approve', edit: { to: SECRET } })
  await expect(answer).rejects.toMatchObject({ code: 'INPUT_INVALID', message: expect.stringContaining('at /to') })
  await here.kernel.respond(open!.id, { answer: 'approve', edit: { to: 'b' } })
  expect(await here.kernel.resume('r')).toMatchObject({ state: 'completed' })
  expect(here.sent).toEqual([{ to: 'b' }])
})

test('keys that cannot seal are refused when they are given, or once a function has fetched them', async () => {
  const short = { current: 'k', keys: { k: new Uint8Array(16) } }
  expect(() => world(async () => null, { vault: short })).toThrow('`vault` must be')
  expect(() => world(async () => null, { vault: { ...short, kyes: {} } as never })).toThrow('Did you mean `keys`?')
  const late = world(async () => null, { vault: () => short })
  await expect(run(late.kernel)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('a handle that whoever makes the call wrote into it is asked about like a token', async () => {
  const secrets = (name: string): string | undefined => (name === 'KEY' ? SECRET : undefined)
  const start: Start = (context) => tool(context, 'send', { key: { $secret: 'KEY' } })
  const asked = world(start, { secrets })
  expect(await run(asked.kernel)).toMatchObject({ state: 'suspended', reason: 'approval' })
  await asked.kernel.respond((await asked.kernel.approvals('r'))[0]!.id, { answer: 'approve' })
  await asked.kernel.resume('r')
  expect(asked.sent).toEqual([{ key: SECRET }])
  const allowed = world(start, { secrets, mandate: { reveal: [{ id: 'yes', sink: 'send', labels: ['secret:KEY'] }] } })
  await run(allowed.kernel)
  expect(allowed.sent).toEqual([{ key: SECRET }])
  const kept = world(start, {
    secrets,
    mandate: { reveal: [{ id: 'no', sink: 'send', labels: ['secret:*'], then: 'keep' }] },
  })
  expect(await run(kept.kernel)).toMatchObject({ output: { status: 'denied', rule: 'reveal/no' } })
  expect(kept.sent).toEqual([])
})

test('what the source of secrets gave, a model that repeats its token sends on as well', async () => {
  const secrets = (): string => 'plain-but-secret-value'
  const here = world(
    async (context) => {
      const said = await tool(context, 'send', { key: { $secret: 'KEY' } })
      return tool(context, 'send', { again: tokenIn(said) })
    },
    { secrets, mandate: allowing },
  )
  await run(here.kernel)
  expect(here.sent).toEqual([{ key: 'plain-but-secret-value' }, { again: 'plain-but-secret-value' }])
  expect(await bytesOf(here)).not.toContain('plain-but-secret-value')
})

test('a process without the key refuses to fork with a secret in the edit', async () => {
  const journal = memoryJournal()
  const start: Start = (context, input) => tool(context, 'send', { said: input })
  await run(world(start, { journal, mandate: allowing }).kernel, 'nothing')
  const { kernel } = world(start, { journal, vault: undefined, mandate: allowing })
  await expect(kernel.fork('r', { edit: { input: SECRET } })).rejects.toMatchObject({ code: 'KEY_MISSING' })
  expect(await kernel.fork('r', { edit: { input: 'plain' } })).toEqual(expect.any(String))
})

test('an edit of a fork is written without secrets, and carried out with them where there is a vault', async () => {
  for (const vault of [KEY, undefined]) {
    const here = world((context, input) => tool(context, 'send', { said: input }), { vault, mandate: allowing })
    await run(here.kernel, 'nothing')
    const fork = await here.kernel.fork('r', { edit: { input: `use ${SECRET}` } })
    await here.kernel.resume(fork)
    const bytes = JSON.stringify(await readAll(here.journal, fork))
    expect(bytes).not.toContain(SECRET)
    // Without a vault the tool is not called with what is left of the edit.
    expect(here.sent).toEqual([{ said: 'nothing' }, ...(vault === undefined ? [] : [{ said: `use ${SECRET}` }])])
    expect(await here.kernel.verify(fork)).toMatchObject({ ok: true })
    const ends = await here.kernel.fork('r', { edit: { key: 'tool', value: { got: SECRET } } })
    expect(JSON.stringify(await readAll(here.journal, ends))).not.toContain(SECRET)
  }
})

test('what a strategy says after its run has ended is written nowhere', async () => {
  const late = Promise.withResolvers<string>()
  const here = world(async (context) => {
    void context.record('late', () => late.promise)
    return 'done'
  })
  expect(await run(here.kernel)).toMatchObject({ state: 'completed' })
  late.resolve(SECRET)
  // Sealing takes its time elsewhere; a seal of ours that is asked for later is done later.
  await world(async () => null).kernel.run({ kind: 'program', name: 'p', input: SECRET })
  expect((await readAll(here.journal, 'r')).at(-1)).toMatchObject({ type: 'run-end' })
  expect(here.told.at(-1)).toContain('"type":"run-end"')
})

test('every token is sealed before an entry has it, however many calls end at once', async () => {
  const here = world((context) =>
    Promise.all(
      Array.from({ length: 12 }, (_, index) => context.perform({ kind: 'tool', name: 'read', input: { index } })),
    ),
  )
  await run(here.kernel)
  const sealed = new Set<string>()
  for (const { type, data } of await readAll(here.journal, 'r')) {
    const { name, value } = data as { name?: Json; value?: { sealed?: readonly (readonly string[])[] } }
    if (type === 'note' && name === 'vault') for (const [token] of value!.sealed!) sealed.add(token!)
    else
      for (const [token] of JSON.stringify(data).matchAll(/\[(?:secret|pii):[^\]]+\]/gu))
        expect(sealed).toContain(token)
  }
  expect(sealed.size).toBe(2)
})
