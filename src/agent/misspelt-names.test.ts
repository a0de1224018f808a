import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { scripted } from '../model/index.ts'
import type { Mandate } from '../gate/index.ts'
import { defineTool } from '../tool/index.ts'
import { Agent } from './agent.ts'
import { AgentService } from './service/service.ts'

const refund = defineTool({
  name: 'refund',
  risk: 'write',
  inputSchema: z.strictObject({ amount: z.number(), to: z.object({ name: z.string() }), tags: z.array(z.string()) }),
  run: () => 'paid',
})
const note = defineTool({
  name: 'note',
  risk: 'read',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  run: () => 'noted',
})
const model = () => scripted([{ toolCalls: [{ name: 'note', input: { text: 'x' } }] }, 'Done.'])
const config = (mandate: Mandate) => ({ id: 'clerk', model: model(), tools: [refund, note], mandate })
const rule = (when: Mandate['rules'] extends readonly (infer R)[] | undefined ? R : never) => ({ rules: [when] })

/** Mandates with a misspelt name, and the name that was meant. */
const SLIPS: readonly (readonly [mandate: Mandate, meant: string])[] = [
  [{ allow: ['refunds'] }, '"refund"'],
  [{ deny: ['refnd'] }, '"refund"'],
  [{ grant: ['Refund'] }, '"refund"'],
  [{ risks: { refnd: 'destructive' } }, '"refund"'],
  [{ rates: [{ tool: 'refnd', max: 1, perMs: 1000 }] }, '"refund"'],
  [{ content: [{ id: 'c', on: ['tool-input'], tools: ['nte'], words: ['x'], then: 'block' }] }, '"note"'],
  [{ flow: [{ id: 'f', sink: 'refnd', forbid: ['untrusted:*'] }] }, '"refund"'],
  [{ reveal: [{ id: 'r', sink: ['note', 'refnd'], labels: ['secret:*'] }] }, '"refund"'],
  [rule({ id: 'r', when: 'tool == "refnd" && input.amount > 50', then: 'ask' }), '"refund"'],
  [rule({ id: 'r', when: 'tool != "refnd"', then: 'ask' }), '"refund"'],
  [rule({ id: 'r', when: '["note", "refnd"].includes(tool)', then: 'ask' }), '"refund"'],
  [rule({ id: 'r', when: { tool: 'refnd' }, then: 'deny' }), '"refund"'],
  [rule({ id: 'r', when: { tool: { in: ['note', 'refnd'] } }, then: 'deny' }), '"refund"'],
  [{ deny: ['agent:clrk'] }, '"clerk"'],
  [rule({ id: 'r', when: 'tool == "refund" && input.amout > 50', then: 'ask' }), '"amount"'],
  [rule({ id: 'r', when: 'tool == "refund" && input.to.nam == "x"', then: 'ask' }), '"name"'],
  [rule({ id: 'r', when: '(tool == "refund" || tool == "note") && input.amout > 50', then: 'ask' }), '"amount"'],
  [rule({ id: 'r', when: { tool: 'refund', 'input.amout': { gt: 50 } }, then: 'ask' }), '"amount"'],
  [rule({ id: 'r', when: { tool: 'ref*', 'input.amout': { gt: 50 } }, then: 'ask' }), '"amount"'],
  [rule({ id: 'r', when: 'tool == "note" && input.txet == "x"', then: 'ask' }), '"text"'],
  [{ flow: [{ id: 'f', sink: 'refund', path: '/too', forbid: ['untrusted:*'] }] }, '"to"'],
  [
    { flow: [{ id: 'f', sink: 'refund', path: '/to/name', forbid: ['x:*'], unless: { at: '/tgs', values: ['a'] } }] },
    '"tags"',
  ],
]

describe('a misspelt name in a mandate is refused, with the name that was meant', () => {
  it.each(SLIPS)('%j', (mandate, meant) => {
    const refusal = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`Did you mean ${meant}?`) as string,
    }) as unknown
    expect(() => new Agent(config(mandate))).toThrow(refusal)
    expect(() => new AgentService({ agents: [config(mandate)] })).toThrow(refusal)
    expect(() => new AgentService().register(config(mandate))).toThrow(refusal)
    expect(() => new AgentService({ mandate, agents: [config({})] })).toThrow(refusal)
    expect(() => new Agent(config({}), { mandate })).toThrow(refusal)
  })

  it('a member that a closed schema cannot have is refused, whatever it resembles', () => {
    const mandate = rule({ id: 'r', when: 'tool == "refund" && input.currency == "EUR"', then: 'deny' })
    expect(() => new Agent(config(mandate))).toThrow('Known: amount, to, tags.')
    const open = rule({ id: 'r', when: 'tool == "note" && input.currency == "EUR"', then: 'deny' })
    expect(() => new Agent(config(open))).not.toThrow()
  })
})

it('names that may be meant are taken: patterns, other kinds, tools of the package, and what resembles nothing here', () => {
  for (const mandate of [
    { allow: ['*'] },
    { deny: ['shell*', 'refnd*', 'ask_user', 'delete_everything'] },
    { allow: ['note', 'model:*', 'database:*', 'memory:noote'] },
    rule({ id: 'r', when: 'tool == "note" && input.text.length > 5', then: 'ask' }),
    rule({ id: 'r', when: 'input.amount > 5', then: 'ask' }),
    rule({ id: 'r', when: 'tool == "refund" && input.tags[0] == "x"', then: 'ask' }),
    { flow: [{ id: 'f', sink: ['refund', 'model:*'], path: '/tags/*', forbid: ['untrusted:*'] }] },
  ] as readonly Mandate[])
    expect(() => new Agent(config(mandate)), JSON.stringify(mandate)).not.toThrow()
})

it('a mandate that agents of one service share may name the tools of each of them', () => {
  const mandate: Mandate = { deny: ['refnd', 'note'] }
  const other = { id: 'other', model: model(), tools: [{ ...refund, name: 'refnd' }], mandate }
  expect(() => new AgentService({ agents: [config(mandate), other] })).not.toThrow()
  expect(() => new AgentService({ tools: [{ ...refund, name: 'refnd' }], agents: [config(mandate)] })).not.toThrow()
})

it('an agent that may call others is checked when they are here, and before it runs', async () => {
  const helper = { id: 'helper', model: scripted(['Hello.']), tools: [{ ...refund, name: 'refnd' }] }
  const service = new AgentService()
  service.register({ ...config({ deny: ['refnd'] }), agents: ['helper'] })
  service.register(helper)
  expect((await service.run('clerk', 'Go.')).status).toBe('completed')
  const wrong = new AgentService()
  wrong.register({ ...config({ deny: ['refnd'] }), agents: ['helper'] })
  wrong.register({ ...helper, tools: [] })
  await expect((async () => wrong.run('clerk', 'Go.'))()).rejects.toThrow('Did you mean "refund"?')
})
