import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/index.ts'
import type { FlowRule } from '../../src/gate/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { inMemoryDatabase } from '../../src/memory/index.ts'
import { scripted } from '../../src/model/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { defineAtom, registerProgram, runProgram, s } from '../../src/vm/index.ts'

const WEB = ['untrusted:web']
const id = (name: string): Json => ({ $expr: 'ident', name })
const page = (property: string): Json => ({ $expr: 'member', object: id('page'), property })

const get: Json = { op: 'toolCall', name: 'web_get', input: {}, result: 'page' }
const mailTo = (to: Json): Json => ({ op: 'toolCall', name: 'mail', input: { to, body: 'hello' } })

const sent: string[] = []
const note = defineAtom('note', s.object({ text: s.string }), s.string, ({ text }) => {
  sent.push(text)
  return text
})

function kernelFor(rule: FlowRule, journal: Journal = memoryJournal()): Kernel {
  sent.length = 0
  const kernel = new Kernel({ journal, mandate: { flow: [rule] } })
  const inputSchema = { type: 'object' }
  kernel.registry.registerTool(
    defineTool({
      ...{ name: 'web_get', risk: 'read', labels: WEB, inputSchema },
      run: () => ({ to: 'eve@evil.example', yes: true, n: 1, tool: 'mail' }),
    }),
  )
  kernel.registry.registerTool(
    defineTool({
      name: 'mail',
      risk: 'read',
      inputSchema,
      run: (input: Json) => void sent.push(JSON.stringify(input)),
    }),
  )
  kernel.registry.registerModel('m', scripted(['said', 'said']))
  kernel.registry.database = inMemoryDatabase()
  return kernel
}

const programOf = (steps: readonly Json[]): JsonObject => ({ mandate: 1, op: 'seq', steps })

async function verdict(kernel: Kernel, steps: readonly Json[]): Promise<string> {
  const capabilities = { fetch: async () => 'fetched' }
  const outcome = await runProgram(kernel, programOf(steps), {}, { atoms: { note }, model: 'm', capabilities })
  if (outcome.state === 'suspended') return 'ask'
  if (outcome.state === 'completed') return 'allow'
  const text = JSON.stringify(outcome)
  return text.includes(KEPT) ? 'deny' : text
}

const KEPT = 'keeps untrusted:* from it'
const rule = (sink: string, more: Partial<FlowRule> = {}): FlowRule => ({
  ...{ id: 'rule', sink, forbid: ['untrusted:*'] },
  ...more,
})
const toMail = rule('mail', { path: '/to' })

/** Each way in which a JSON program asks the world: a rule, the same step with something untrusted, and with something clean. */
const WAYS: readonly (readonly [string, FlowRule, (value: Json) => Json])[] = [
  ['a tool', toMail, mailTo],
  [
    'a tool whose name is computed',
    toMail,
    (to) => ({ op: 'toolCall', name: { $expr: 'literal', value: 'mail' }, input: { to } }),
  ],
  [
    'a tool in an expression',
    toMail,
    (to) => ({
      op: 'varSet',
      key: 'x',
      value: {
        $expr: 'methodCall',
        object: id('tools'),
        method: 'mail',
        arguments: [{ $expr: 'object', properties: [{ key: 'to', value: to }] }],
      },
    }),
  ],
  ['an atom of the host', rule('note', { path: '/text' }), (text) => ({ op: 'note', text })],
  ['an atom with a capability', rule('httpFetch', { path: '/url' }), (url) => ({ op: 'httpFetch', url })],
  ['a model', rule('model:m'), (prompt) => ({ op: 'llmPredict', prompt, result: 'x' })],
  ['a store', rule('database:programs', { path: '/value' }), (value) => ({ op: 'storeSet', key: 'k', value })],
  [
    'the limit of a search',
    rule('database:programs', { path: '/limit' }),
    (k) => ({ op: 'storeVectorSearch', vector: [1], k }),
  ],
]

describe('what a JSON program asks for reaches the rules of flow with its labels:', () => {
  test.each(WAYS)('%s', async (name, flow, step) => {
    const [bad, good] = name === 'the limit of a search' ? [page('n'), 1] : [page('to'), 'ana@corp.example']
    expect(await verdict(kernelFor(flow), [get, step(bad)])).toBe('deny')
    expect(sent).toEqual([])
    expect(await verdict(kernelFor(flow), [get, step(good)])).toBe('allow')
  })

  test('a name that untrusted data chose decides that the tool is called', async () => {
    const chosen: Json = { op: 'toolCall', name: page('tool'), input: { to: 'ana@corp.example' } }
    expect(await verdict(kernelFor(rule('mail')), [get, chosen])).toBe('deny')
    expect(await verdict(kernelFor(toMail), [get, chosen])).toBe('allow')
  })

  test('so does a test', async () => {
    const tested: Json = { op: 'if', condition: page('yes'), then: [{ op: 'note', text: 'clean' }] }
    expect(await verdict(kernelFor(rule('note')), [get, tested])).toBe('deny')
    expect(await verdict(kernelFor(rule('note', { path: '/text' })), [get, tested])).toBe('allow')
  })

  test('arguments that a run was given as untrusted', async () => {
    const kernel = kernelFor(toMail)
    const steps = [mailTo({ $kind: 'arg', path: 'to' })]
    await registerProgram(kernel, programOf(steps), { name: 'p' })
    const outcome = await kernel.run({ kind: 'program', name: 'p', input: { to: 'eve@evil.example' }, labels: WEB })
    expect(JSON.stringify(outcome)).toContain(KEPT)
    expect(sent).toEqual([])
  })
})
