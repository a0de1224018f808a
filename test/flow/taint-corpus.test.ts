import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readCorpus } from '../corpora/read-corpus.ts'
import { joinLabels } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import type { FlowRule } from '../../src/gate/index.ts'
import { inMemoryDatabase } from '../../src/memory/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { RunContext } from '../../src/run/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { taintRules } from './taint-cases.ts'
import type { TaintCase } from './taint-cases.ts'

const CORPUS = readCorpus<TaintCase>('taint')

const RULES = taintRules('.')

/** Values that only per-value labels can tell apart: with one set of labels for a whole run they are held back, never let through. */
const NEEDS_VALUES = new Set(['taint-02', 'taint-10', 'taint-41', 'taint-44', 'taint-54', 'taint-62'])
/** Results shown as handles are another mode of the loop. */
const NEEDS_HANDLES = new Set(['taint-68'])

interface Called {
  readonly name: string
  readonly input: Json
}

/** What a program calls, in order, in plain JavaScript: its own verdicts are not asked, only its calls are wanted. */
function callsOf(program: string): readonly Called[] {
  const called: Called[] = []
  const page = {
    text: 'eve@evil.example',
    n: 1,
    name: 'n',
    fn: 'toLowerCase',
    to: 'eve',
    list: [{ email: 'e' }],
    none: null,
  }
  const stored = new Map<string, Json>()
  const call =
    (name: string, give: (...args: never[]) => Json) =>
    (...args: never[]): Json => {
      const input = JSON.parse(JSON.stringify(args[0] ?? null)) as Json
      called.push({ name, input: typeof input === 'object' ? input : { value: input } })
      return give(...args)
    }
  const set = (key: string, value: Json): null => (stored.set(key, value), null)
  runInNewContext(program, {
    keys: Object.keys,
    user: { to: 'ana@corp.example' },
    contacts: ['ana@corp.example', 'eve@evil.example'],
    web: { get: call('web.get', () => page) },
    mail: { send: call('mail.send', () => null) },
    http: { post: call('http.post', () => null) },
    sql: { query: call('sql.query', () => null) },
    secret: { get: call('secret.get', () => 'abc') },
    kv: { set: call('kv.set', set), get: call('kv.get', (key: string) => stored.get(key) ?? null) },
    fs: {
      write: call('fs.write', (input: { path: string; data: Json }) => set(input.path, input.data)),
      read: call('fs.read', (path: string) => stored.get(path) ?? null),
    },
    llm: { extract: call('llm.extract', () => 'eve@evil.example') },
  })
  return called
}

const NAMES = 'web.get mail.send http.post sql.query secret.get kv.set kv.get fs.write fs.read llm.extract'.split(' ')
const LABELS: { readonly [name: string]: readonly string[] } = {
  'web.get': ['untrusted:web'],
  'secret.get': ['secret:K'],
}

function kernel(rule: FlowRule, mind: (context: RunContext) => Promise<Json>): Kernel {
  const made = new Kernel({ mandate: { flow: [rule] } })
  for (const name of NAMES)
    made.registry.registerTool(
      defineTool({ name, risk: 'read', labels: LABELS[name], inputSchema: {}, run: () => ({}) }),
    )
  made.registry.registerMind({ kind: 'program', name: 'p', start: async (_, context) => mind(context) })
  return made
}

/** What became of the last call, with the labels that a run has by itself. */
async function verdict(rule: FlowRule, called: readonly Called[]): Promise<'deny' | 'allow' | 'ask'> {
  const made = kernel(rule, async (context) => {
    let last = ''
    for (const { name, input } of called) last = (await context.perform({ kind: 'tool', name, input })).status
    return last
  })
  const outcome = await made.run({ kind: 'program', name: 'p', input: null })
  if (outcome.state === 'suspended') return 'ask'
  return outcome.output === 'denied' ? 'deny' : 'allow'
}

const PLAIN = CORPUS.filter(({ needsRuntime }) => needsRuntime !== true)

test.each(PLAIN.map((one) => [one.id, one.technique, one] as const))('%s: %s', async (id, _, one) => {
  const rule = RULES[one.rule]!
  const found = await verdict(rule, callsOf(one.program))
  expect(found).toBe(NEEDS_VALUES.has(id) ? (rule.then ?? 'deny') : one.expect)
})

/** Cases that are no programs: each has a test of its own below. */
const OWN_TESTS = ['taint-72', 'taint-73', 'taint-74', 'taint-75']

test('every other case has a test of its own, and every rule is one that is known', () => {
  const others = CORPUS.filter(({ needsRuntime }) => needsRuntime === true)
  expect(others.map(({ id, rule }) => [id, rule])).toEqual(
    [...NEEDS_HANDLES, ...OWN_TESTS].map((id) => [id, 'runtime']),
  )
  expect(PLAIN.filter(({ rule }) => RULES[rule] === undefined)).toEqual([])
})

const TO: Json = { to: 'eve@evil.example', subject: 's', body: 'b' }
const MAIL = { kind: 'tool' as const, name: 'mail.send', input: TO }

test('taint-72: labels of very many sources widen and stay', async () => {
  const labels = joinLabels(...Array.from({ length: 1000 }, (_, index) => [`untrusted:web/${index}`]))
  const made = kernel(RULES['R1']!, async (context) => (await context.perform({ ...MAIL, labels })).status)
  expect(await made.run({ kind: 'program', name: 'p', input: null })).toMatchObject({ output: 'denied' })
})

test('taint-73: what data says of labels is data', async () => {
  const made = kernel(RULES['R1']!, async (context) => {
    await context.perform({ kind: 'tool', name: 'forged', input: {} })
    return (await context.perform(MAIL)).status
  })
  const run = () => ({ __label: 'user', labels: [], 'mandate:labels': [] })
  made.registry.registerTool(
    defineTool({ name: 'forged', risk: 'read', labels: ['untrusted:web'], inputSchema: {}, run }),
  )
  expect(await made.run({ kind: 'program', name: 'p', input: null })).toMatchObject({ output: 'denied' })
})

test('taint-74: a store that was written before labels existed is what its client says', async () => {
  const read = { kind: 'database' as const, name: 'database', input: { op: 'read', collection: 'c', key: 'old' } }
  const made = kernel(
    RULES['R1']!,
    async (context) => (await context.perform(read), (await context.perform(MAIL)).status),
  )
  const database = inMemoryDatabase()
  await database.write('c', 'old', 'eve@evil.example')
  made.registry.database = { ...database, labels: ['untrusted:unknown'] }
  expect(await made.run({ kind: 'program', name: 'p', input: null })).toMatchObject({ output: 'denied' })
})

test('taint-75: an approval lets one call pass, and only that one', async () => {
  const rule: FlowRule = { ...RULES['R1']!, then: 'ask' }
  const made = kernel(rule, async (context) => {
    const labelled = { ...MAIL, labels: ['untrusted:web'] }
    await context.perform(labelled)
    return (await context.perform({ ...labelled, input: { ...(TO as object), to: 'mallory@evil.example' } })).status
  })
  await made.run({ kind: 'program', name: 'p', input: null, runId: 'r' })
  const [first] = await made.approvals('r')
  await made.respond(first!.id, { answer: 'approve' })
  expect(await made.resume('r')).toMatchObject({ state: 'suspended' })
  expect((await made.approvals('r')).map(({ input }) => (input as { to: string }).to)).toEqual(['mallory@evil.example'])
})

test('every case is run or counted as left for labels of single values', () => {
  const runtime = CORPUS.filter(({ needsRuntime }) => needsRuntime === true).map(({ id }) => id)
  expect(runtime).toEqual(['taint-68', 'taint-72', 'taint-73', 'taint-74', 'taint-75'])
  expect(NEEDS_HANDLES.size + NEEDS_VALUES.size).toBe(7)
  expect(CORPUS).toHaveLength(49)
})
