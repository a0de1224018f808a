import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { AgentService, kernelOf, mandateMiddleware } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { manualClock } from '../../src/core/index.ts'
import { EFFECT_KINDS } from '../../src/gate/rules/targets.ts'
import type { Mandate } from '../../src/gate/index.ts'
import { inMemory, inMemoryDatabase, inMemoryPrompts } from '../../src/memory/index.ts'
import { performerFor, setPerformer } from '../../src/run/kernel/performer-table.ts'
import { chainTeam } from '../../src/team/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { ToolContext } from '../../src/tool/index.ts'
import { broken, memoryJournal, model, saidIn, target } from './gate-bench.ts'
import { CONNECTORS, NO_TOOLS, exportedFunctions } from './connectors.ts'
import type { Connected } from './connectors.ts'
import { webhooks } from '../../src/server/index.ts'
import { TOOL_PATHS } from './paths.ts'

/** What each guard says of wiping a disk. */
const VERDICTS: readonly (readonly [string, Mandate, string])[] = [
  ['allowlist', { deny: ['wipe'] }, 'deny allowlist/deny'],
  ['intent', { intentRequired: true }, 'deny intent/missing'],
  ['risk', { riskMax: 'exec' }, 'deny risk/destructive'],
  ['profile that refuses', { profile: 'managed' }, 'deny profile/managed-destructive'],
  ['profile that asks', { profile: 'strict' }, 'ask profile/strict-destructive'],
  ['rules', { rules: [{ id: 'no', when: { tool: 'wipe' }, then: 'deny' }] }, 'deny rules/no'],
  ['rules that kill', { rules: [{ id: 'end', when: { tool: 'wipe' }, then: 'kill' }] }, 'kill rules/end'],
  ['rate', { rates: [{ tool: 'wipe', max: 0, perMs: 1 }] }, 'deny rate/wipe'],
  ['content', { content: [{ id: 'no', on: ['tool-input'], words: ['a'], then: 'block' }] }, 'deny content/no'],
  ['budget', { budget: { toolCalls: 0 } }, 'deny budget/toolCalls'],
]

/** Paths that declare an intent of their own for every call: that guard is content, and the others are asked as ever. */
const DECLARING: ReadonlySet<string> = new Set(['mcp'])

describe.each(VERDICTS)('the guard %s says the same', (guard, mandate, expected) => {
  test.each(Object.entries(TOOL_PATHS))('from %s, and nothing is done', async (path, attempt) => {
    const journal = memoryJournal()
    const { tool, reached } = target()
    await attempt({ journal, mandate, tool }).catch(() => {})
    const said = await saidIn(journal)
    expect(reached).toEqual([])
    // A budget of no tool calls lets no tool fail first.
    const about = guard === 'budget' && path === 'fallback' ? said.slice(1) : said.filter(({ name }) => name === 'wipe')
    const due = guard === 'intent' && DECLARING.has(path) ? 'ask profile/local-permissive-destructive' : expected
    expect(about.map(({ verdict, rule }) => `${verdict} ${rule}`)).toContain(due)
    expect(about.every(({ verdict, rule }) => `${verdict} ${rule}` === due)).toBe(true)
  })
})

test.each(Object.entries(TOOL_PATHS))('who may not run agents gets nowhere from %s', async (_, attempt) => {
  const journal = memoryJournal()
  const { tool, reached } = target()
  const mandate: Mandate = { roles: { owner: ['register-tool', 'create-agent'] } }
  // The service refuses before a run begins; a run that was begun all the same is refused at its first effect.
  const refusal = await attempt({ journal, mandate, tool }).then(
    async () => (await saidIn(journal)).map(({ verdict, rule }) => `${verdict} ${rule}`),
    ({ code }: { code: string }) => [code],
  )
  expect(['DENIED', 'deny role/run-agent']).toContain(refusal[0])
  expect(reached).toEqual([])
})

test.each(Object.entries(TOOL_PATHS))('what is allowed is done from %s: no path is closed', async (_, attempt) => {
  const journal = memoryJournal()
  const { tool, reached } = target()
  await attempt({ journal, tool, mandate: { risks: { wipe: 'read' } } })
  expect(reached).toEqual([{ disk: 'a' }])
})

/** Ways out that are not tool calls, by origin. Each is refused by denying its kind. */
const OTHER_PATHS: { readonly [origin: string]: readonly [string, (host: Host) => Promise<unknown>] } = {
  planner: ['model', (host) => run(host, { model: model('m', 'Done.') })],
  fallback: [
    'model',
    (host) =>
      run(host, {
        planner: {
          plan: ({ turn }) => (turn === 1 ? { type: 'tool', toolId: 'broken', input: {} } : { type: 'finish' }),
        },
        fallbackProvider: model('f', '{}'),
        tools: [broken],
      }),
  ],
  schedule: [
    'agent',
    async ({ journal, mandate }) => {
      const clock = manualClock(0)
      const service = new AgentService({
        journal,
        clock,
        mandate,
        agents: [{ id: 'main', model: model('m', 'Done.') }],
      })
      await service.schedules.put({ id: 's', everyMs: 60_000, agent: 'main', prompt: 'Go.' })
      for (let seconds = 0; seconds <= 60; seconds += 20) {
        clock.advance(20_000)
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      }
      await service.stop()
    },
  ],
  kickoff: ['memory', (host) => run(host, { model: model('m', 'Done.'), memoryClient: inMemory() })],
  'kickoff of a prompt': [
    'prompt',
    (host) =>
      run(host, { model: model('m', 'Done.'), instructions: { template: 't' }, promptStore: inMemoryPrompts() }),
  ],
  'kickoff from the database': [
    'database',
    (host) =>
      run(host, {
        model: model('m', 'Done.'),
        memoryClient: inMemory(),
        databaseClient: inMemoryDatabase(),
        hydrate: { collection: 'c' },
      }),
  ],
  reflect: ['memory', (host) => run(host, { model: model('m', 'Done.'), memoryClient: inMemory() })],
  compaction: [
    'model',
    (host) => {
      const long = 'word '.repeat(400)
      const capabilities = { tools: true, streaming: true, contextTokens: 600 }
      const mind = { ...model('m', 'Done.'), capabilities }
      return run(host, { model: mind, history: { compact: true } }, [long, long, long])
    },
  ],
  overseer: [
    'model',
    (host) =>
      run(
        { ...host, mandate: { ...host.mandate, overseer: { drift: { model: 'scripted/m', every: 1 } } } },
        {
          model: model('m', 'Never asked.'),
          planner: {
            plan: ({ turn }) =>
              turn === 1 ? { type: 'tool', toolId: 'wipe', input: { disk: 'a' } } : { type: 'finish' },
          },
          tools: [host.tool],
        },
      ),
  ],
  tool: ['memory', (host) => callTool(host, (context) => context.memory!.append('s', 'kept'))],
  'tool with a store of its own': [
    'database',
    (host) =>
      callTool(host, (context) =>
        context.write!({
          kind: 'database',
          input: { op: 'write' },
          perform: () => Promise.reject(new Error('reached')),
        }),
      ),
  ],
  team: [
    'agent',
    ({ journal, mandate }) => {
      const members = [{ id: 'member', model: model('m', 'Done.') }]
      const service = new AgentService({ journal, mandate, agents: chainTeam({ id: 'main', members }) })
      return service.run('main', 'Go.').then(() => {})
    },
  ],
  webhook: [
    'tool',
    async ({ journal, mandate }) => {
      const service = new AgentService({ journal, mandate, agents: [{ id: 'main', model: model('m', 'Done.') }] })
      const outgoing = [{ name: 'news', url: 'http://127.0.0.1:1/', secret: 'a-secret-of-the-webhooks-01' }]
      const hooks = webhooks(service, { outgoing })
      await service.run('main', 'Go.')
      await vi.waitFor(async () => expect((await saidIn(journal)).some(({ kind }) => kind === 'tool')).toBe(true))
      await hooks.close?.()
      await service.stop()
    },
  ],
  loop: [
    'model',
    async ({ journal, mandate }) => {
      const middleware = mandateMiddleware({ journal, mandate })
      const given = { specificationVersion: 'v4', provider: 'p', modelId: 'm' }
      const doGenerate = () => Promise.reject(new Error('reached'))
      await middleware
        .wrapGenerate({ doGenerate, params: { prompt: [] }, model: given } as never)
        .catch((error: { code: string }) => expect(error.code).toBe('DENIED'))
      await middleware.close()
    },
  ],
}

/** An agent whose one tool does this in the course of its call. */
function callTool(host: Host, act: (context: ToolContext) => Promise<unknown>): Promise<void> {
  const keep = defineTool({ name: 'keep', risk: 'read', run: async (_: unknown, context: ToolContext) => act(context) })
  return run(host, {
    model: model('m', { toolCalls: [{ name: 'keep', input: {} }] }, 'Done.'),
    memoryClient: inMemory(),
    tools: [keep],
  })
}

interface Host {
  readonly journal: ReturnType<typeof memoryJournal>
  readonly mandate: Mandate
  readonly tool: ReturnType<typeof target>['tool']
}

async function run(
  { journal, mandate }: Host,
  config: AgentConfig,
  prompts: readonly string[] = ['Go.'],
): Promise<void> {
  const service = new AgentService({ journal, mandate, agents: [{ id: 'main', ...config, mandate }] })
  const session = service.createSession('main')
  for (const prompt of prompts) await session.run(prompt)
}

test.each(Object.entries(OTHER_PATHS))('what comes from %s passes the gate', async (_, [kind, attempt]) => {
  const journal = memoryJournal()
  const { tool } = target()
  await attempt({ journal, tool, mandate: { deny: [`${kind}:*`], risks: { wipe: 'read' } } }).catch(() => {})
  const said = (await saidIn(journal)).filter((one) => one.kind === kind)
  expect(said.length).toBeGreaterThan(0)
  expect(said.every(({ verdict, rule }) => verdict === 'deny' && rule === 'allowlist/deny')).toBe(true)
})

/** Mandates under which no connector's tool may be called. */
const CLOSED: readonly (readonly [string, (tool: string) => Mandate, RegExp])[] = [
  ['that denies it', (tool) => ({ grant: [tool], deny: [tool] }), /^deny allowlist\/deny$/u],
  ['that allows others only', (tool) => ({ grant: [tool], allow: ['other'] }), /^deny allowlist\/allow$/u],
  ['that asks for intents', (tool) => ({ grant: [tool], intentRequired: true }), /^deny intent\/missing$/u],
  ['without a call left', (tool) => ({ grant: [tool], budget: { toolCalls: 0 } }), /^deny budget\/toolCalls$/u],
  [
    'that has a human asked',
    (tool) => ({ grant: [tool], rules: [{ id: 'ask', when: { tool }, then: 'ask' }] }),
    /^ask rules\/ask$/u,
  ],
]

describe.each(Object.entries(CONNECTORS))('what %s gives', (_, connected) => {
  const attempt = async ({ tools, call }: Connected, mandate: Mandate): Promise<readonly string[]> => {
    const journal = memoryJournal()
    const agent = { id: 'main', model: model('m', { toolCalls: [call] }, 'Done.'), tools: [...tools], mandate }
    const service = new AgentService({ journal, agents: [agent] })
    await service.run('main', 'Go.')
    await service.stop()
    const said = (await saidIn(journal)).filter(({ name }) => name === call.name)
    return said.map(({ verdict, rule }) => `${verdict} ${rule}`)
  }

  test.each(CLOSED)('is not reached under a mandate %s', async (_how, mandate, expected) => {
    const one = await connected()
    const said = await attempt(one, mandate(one.call.name))
    expect(said).toEqual([expect.stringMatching(expected)])
    expect(one.reached()).toBe(false)
  })

  test('is reached once it is granted, and without a grant only where it is safe by default', async () => {
    const one = await connected()
    const { safeByDefault } = one.tools.find(({ name }) => name === one.call.name)!
    const said = await attempt(one, {})
    expect(one.reached()).toBe(safeByDefault === true)
    if (safeByDefault !== true) expect(said).toEqual(['deny allowlist/grant'])
    await attempt(one, { grant: [one.call.name] })
    expect(one.reached()).toBe(true)
  })
})

/** Connectors; skills, whose tool reads what the host gave; reads of a context that the host gave a session of cells; reviews of graphs, which are calls that a person approves; the handoff of a team, which ends a run; deliveries of webhooks; tools of the studio's demo, which reach nothing; and what tests are made with. */
const ROOMS_WITH_TOOLS = [
  'src/agent',
  'src/cli',
  'src/connect',
  'src/graph',
  'src/repl',
  'src/server',
  'src/team',
  'src/testing',
  'src/tool',
]

const SOURCES = globSync('src/**/*.ts', { cwd: new URL('../..', import.meta.url).pathname })
  .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8') }))

describe('no way around it is left out here', () => {
  test('every kind of effect that something carries out is refused when it is denied', async () => {
    const refused: string[] = []
    const { registry } = kernelOf(new AgentService({}))
    const kinds = EFFECT_KINDS.filter((kind) => {
      try {
        return performerFor(registry, kind) !== undefined
      } catch {
        return false
      }
    })
    for (const kind of kinds) {
      const journal = memoryJournal()
      const kernel = kernelOf(new AgentService({ journal, mandate: { deny: [`${kind}:*`] } }))
      const performer = performerFor(kernel.registry, kind)
      setPerformer(kernel.registry, {
        ...performer,
        perform: () => Promise.reject(new Error(`${kind} was performed`)),
      })
      kernel.registry.registerMind({
        kind: 'program',
        name: 'own',
        start: async (_, context) =>
          (await context.perform({ kind, name: 'x', input: { op: 'read', until: 0 } })).status,
      })
      const outcome = await kernel.run({ kind: 'program', name: 'own', input: null })
      if (outcome.state === 'completed' && outcome.output === 'denied') refused.push(kind)
    }
    expect(refused).toEqual(kinds)
    expect(kinds).toEqual(EFFECT_KINDS)
  })

  test('every origin that the sources name has a path here', () => {
    const origins = new Set<string>()
    for (const { file, text } of SOURCES) {
      for (const line of text.split('\n')) {
        // Of a blueprint it says where the graph came from.
        if (/^src\/(?:graph|repl\/graphs|server\/http)\//.test(file) && !line.includes('kind')) continue
        // The header of HTTP has the same name.
        if (!/\borigin\b\s*[:=]/.test(line) || /^\s*(\*|\/)/.test(line) || line.includes('headers')) continue
        for (const [, word] of line.slice(line.search(/\borigin\b\s*[:=]/)).matchAll(/'([a-z-]+)'/g)) origins.add(word!)
      }
    }
    const covered = new Set([...Object.keys(TOOL_PATHS), ...Object.keys(OTHER_PATHS)])
    expect([...origins].filter((origin) => !covered.has(origin))).toEqual([])
    expect(origins.size).toBeGreaterThan(5)
  })

  test('every function that gives tools has a case here, or a reason why it needs none', () => {
    expect(exportedFunctions().toSorted()).toEqual([...Object.keys(CONNECTORS), ...Object.keys(NO_TOOLS)].toSorted())
  })

  test('tools are made in the room of connectors, and nowhere else but where agents use them themselves', () => {
    const makers = SOURCES.filter(({ text }) => /^(?!\s*(?:\*|\/\/)).*\bdefineTool\(/mu.test(text))
    const rooms = new Set(makers.map(({ file }) => file.split('/').slice(0, 2).join('/')))
    expect([...rooms].toSorted()).toEqual(ROOMS_WITH_TOOLS)
  })

  test('only the kernel calls performers, and only after the gate', () => {
    const callers = SOURCES.filter(({ text }) => /performer\.perform\(|\.performer\(.*\)\.perform/.test(text))
    // The table wraps performers of the host as performers of the kernel; `attempt` calls both.
    const wrapper = 'src/run/kernel/performer-table.ts'
    expect(callers.map(({ file }) => file).toSorted()).toEqual(['src/run/effect/attempt.ts', wrapper])
  })
})
