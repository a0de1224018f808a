import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { AgentService, mandateMiddleware } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { EFFECT_KINDS } from '../../src/gate/index.ts'
import type { Mandate } from '../../src/gate/index.ts'
import { inMemory, inMemoryDatabase, inMemoryPrompts } from '../../src/memory/index.ts'
import { broken, memoryJournal, model, saidIn, target } from './gate-bench.ts'
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

describe.each(VERDICTS)('the guard %s says the same', (guard, mandate, expected) => {
  test.each(Object.entries(TOOL_PATHS))('from %s, and nothing is done', async (path, attempt) => {
    const journal = memoryJournal()
    const { tool, reached } = target()
    await attempt({ journal, mandate, tool }).catch(() => {})
    const said = await saidIn(journal)
    expect(reached).toEqual([])
    // A budget of no tool calls lets no tool fail first.
    const about = guard === 'budget' && path === 'fallback' ? said.slice(1) : said.filter(({ name }) => name === 'wipe')
    expect(about.map(({ verdict, rule }) => `${verdict} ${rule}`)).toContain(expected)
    expect(about.every(({ verdict, rule }) => `${verdict} ${rule}` === expected)).toBe(true)
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
  kickoff: ['memory', (host) => run(host, { model: model('m', 'Done.'), memoryClient: inMemory() })],
  'kickoff of a prompt': [
    'prompt',
    (host) =>
      run(host, { model: model('m', 'Done.'), systemPrompt: { template: 't' }, promptStore: inMemoryPrompts() }),
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
        { ...host, mandate: { ...host.mandate, overseer: { drift: { model: 'nobody', every: 1 } } } },
        {
          planner: {
            plan: ({ turn }) =>
              turn === 1 ? { type: 'tool', toolId: 'wipe', input: { disk: 'a' } } : { type: 'finish' },
          },
          tools: [host.tool],
        },
      ),
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

const SOURCES = globSync('src/**/*.ts', { cwd: new URL('../..', import.meta.url).pathname })
  .filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8') }))

describe('no way around it is left out here', () => {
  test('every kind of effect that something carries out is refused when it is denied', async () => {
    const refused: string[] = []
    const { registry } = new AgentService({}).kernel
    await Promise.all(EFFECT_KINDS.map((kind) => registry.prepare(kind)))
    const kinds = EFFECT_KINDS.filter((kind) => {
      try {
        return registry.performer(kind) !== undefined
      } catch {
        return false
      }
    })
    for (const kind of kinds) {
      const journal = memoryJournal()
      const { kernel } = new AgentService({ journal, mandate: { deny: [`${kind}:*`] } })
      await kernel.registry.prepare(kind)
      const performer = kernel.registry.performer(kind)
      kernel.registry.registerPerformer({
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
    expect(kinds).toEqual(EFFECT_KINDS.filter((kind) => kind !== 'embed'))
  })

  test('every origin that the sources name has a path here', () => {
    const origins = new Set<string>()
    for (const { text } of SOURCES) {
      for (const line of text.split('\n')) {
        if (!/\borigin\b\s*[:=]/.test(line) || /^\s*(\*|\/)/.test(line)) continue
        for (const [, word] of line.slice(line.search(/\borigin\b\s*[:=]/)).matchAll(/'([a-z-]+)'/g)) origins.add(word!)
      }
    }
    const covered = new Set([...Object.keys(TOOL_PATHS), ...Object.keys(OTHER_PATHS)])
    expect([...origins].filter((origin) => !covered.has(origin))).toEqual([])
    expect(origins.size).toBeGreaterThan(5)
  })

  test('only the kernel calls performers, and only after the gate', () => {
    const callers = SOURCES.filter(({ text }) => /performer\.perform\(|\.performer\(.*\)\.perform/.test(text))
    expect(callers.map(({ file }) => file)).toEqual(['src/run/attempt.ts'])
  })
})
