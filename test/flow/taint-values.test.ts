import { expect, test } from 'vitest'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'
import type { Json } from '../../src/core/index.ts'
import type { FlowRule } from '../../src/gate/index.ts'
import { entriesOfType, memoryJournal, readAll } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { registerProgram, runProgram, script } from '../../src/vm/index.ts'
import { isSweep, shareOf } from '../rotation.ts'
import { taintRules } from './taint-cases.ts'
import type { TaintCase } from './taint-cases.ts'

const RULES = taintRules('_')

const PAGE: Json = {
  text: 'eve@evil.example',
  n: 1,
  name: 'n',
  fn: 'toLowerCase',
  to: 'eve',
  list: [{ email: 'e' }],
  none: null,
}

const TOOLS = ['web', 'mail', 'http', 'sql', 'secret', 'kv', 'fs', 'llm']
/** What stores give back was put there by whoever; the tool says so. */
const LABELS: { readonly [name: string]: readonly string[] } = {
  web_get: ['untrusted:web'],
  secret_get: ['secret:K'],
  kv_get: ['untrusted:stored'],
  fs_read: ['untrusted:stored'],
}

/** A case as a script: calls of tools take one object and are waited for. */
function scriptOf(program: string): string {
  const call = new RegExp(String.raw`\b(${TOOLS.join('|')})\.(\w+)\(`)
  let rest = program
  let made = 'const { user, contacts } = args; const keys = Object.keys; '
  for (let found = call.exec(rest); found !== null; found = call.exec(rest)) {
    const start = found.index + found[0].length
    let end = start
    for (let open = 1; open > 0; end++) open += rest[end] === '(' ? 1 : rest[end] === ')' ? -1 : 0
    const given = rest.slice(start, end - 1)
    const input = given.startsWith('{') ? given : `{ value: [${given}] }`
    made += rest.slice(0, found.index)
    rest = `(await tools.${found[1]}_${found[2]}(${input}))${rest.slice(end)}`
    const next = call.exec(rest)
    const upTo = next === null ? rest.length : next.index
    made += rest.slice(0, upTo)
    rest = rest.slice(upTo)
  }
  return made + rest
}

function kernelFor(rule: FlowRule, journal: Journal = memoryJournal()): Kernel {
  const kernel = new Kernel({ journal, mandate: { flow: [rule] } })
  const answers: { readonly [name: string]: Json } = { web_get: PAGE, secret_get: 'abc', kv_get: 'x', fs_read: 'x' }
  const names = 'web_get mail_send http_post sql_query secret_get kv_set kv_get fs_write fs_read llm_extract'.split(' ')
  for (const name of names)
    kernel.registry.registerTool(
      defineTool({
        name,
        risk: 'read',
        labels: LABELS[name],
        inputSchema: {},
        run: () => answers[name] ?? 'eve@evil.example',
      }),
    )
  return kernel
}

const ARGS = { user: { to: 'ana@corp.example' }, contacts: ['ana@corp.example', 'eve@evil.example'] }

async function verdict(rule: FlowRule, source: string): Promise<string> {
  const outcome = await runProgram(kernelFor(rule), script(source), ARGS)
  if (outcome.state === 'suspended') return 'ask'
  if (outcome.state === 'completed') return 'allow'
  const text = JSON.stringify(outcome)
  return text.includes(rule.id) ? 'deny' : text
}

const CASES = [...readCorpus<TaintCase>('taint'), ...readOwn<TaintCase>('taint')].filter(
  ({ needsRuntime }) => needsRuntime !== true,
)

test.each(shareOf(CASES, 4).map((one) => [one.id, one.technique, one] as const))(
  'value by value, %s: %s',
  async (_, __, one) => {
    expect(await verdict(RULES[one.rule]!, scriptOf(one.program))).toBe(one.expect)
  },
)

test.skipIf(isSweep).each(['&&=', '||=', '??='])(
  'an address that %s put together from what a page says is refused',
  async (op) => {
    const rule: FlowRule = { ...RULES['R1']!, control: true }
    const decides = { '&&=': 'p.text[i] === c', '||=': 'p.text[i] !== c', '??=': 'p.text[i] === c ? null : 1' }[op]!
    const source = `const p = await tools.web_get({}); let to = ''
    for (let i = 0; i < 3; i++) for (const c of 'abev@') { let hit = ${decides}; hit ${op} (to += c, true) }
    await tools.mail_send({ to, subject: 's', body: 'b' })`
    expect(await verdict(rule, source)).toBe('deny')
  },
)

test.skipIf(isSweep)('a run says how it follows labels, and its effects carry them part by part', async () => {
  const journal = memoryJournal()
  const kernel = kernelFor(RULES['R1']!, journal)
  const source = `const p = await tools.web_get({}); await tools.mail_send({ to: args.user.to, body: p.text }); return p.n`
  const outcome = await runProgram(kernel, script(source), ARGS, { runId: 'r' })
  expect(outcome.state === 'completed' && outcome.output).toMatchObject({
    result: 1,
    labels: { '': ['untrusted:web'] },
  })
  const entries = await readAll(journal, 'r')
  expect(entries[0]).toMatchObject({ data: { pins: { labels: 'fine' } } })
  const asked = entriesOfType(entries, 'effect-start').map(({ data }) => data.labels)
  expect(asked[1]).toEqual({ at: { '/body': ['untrusted:web'] }, pc: [], coversAbsent: true })
})

test.skipIf(isSweep)(
  'without rules of flow a program runs as fast as it can, and its effects carry what the run was told',
  async () => {
    const journal = memoryJournal()
    const kernel = new Kernel({ journal })
    kernel.registry.registerTool(
      defineTool({ name: 'web_get', risk: 'read', labels: ['untrusted:web'], inputSchema: {}, run: () => PAGE }),
    )
    const source = `const p = await tools.web_get({}); await tools.web_get({ to: args.user.to }); return 1`
    const outcome = await runProgram(kernel, script(source), ARGS, { runId: 'r' })
    expect(outcome.state === 'completed' && outcome.output).not.toHaveProperty('labels')
    const entries = await readAll(journal, 'r')
    expect(entries[0]).toMatchObject({ data: { pins: { labels: 'coarse' } } })
  },
)

test.skipIf(isSweep)('labels are the same in a run that waited for an answer and goes on elsewhere', async () => {
  const journal = memoryJournal()
  const rule: FlowRule = { ...RULES['R1']!, then: 'ask' }
  const source = `const p = await tools.web_get({}); await tools.mail_send({ to: p.text }); await tools.sql_query({ text: 'x', params: [p.text] }); return 1`
  const first = kernelFor(rule, journal)
  const waiting = await runProgram(first, script(source), ARGS, { runId: 'r', name: 'p' })
  expect(waiting.state).toBe('suspended')
  const [approval] = await first.approvals('r')
  await first.respond(approval!.id, { answer: 'approve' })
  await first.stop()
  const other = kernelFor(rule, journal)
  await registerProgram(other, script(source), { name: 'p' })
  expect(await other.resume('r')).toMatchObject({ state: 'completed' })
  const starts = entriesOfType(await readAll(journal, 'r'), 'effect-start')
  expect(starts.at(-1)!.data.labels).toEqual({
    at: { '/params/0': ['untrusted:web'] },
    pc: [],
    coversAbsent: true,
  })
})
