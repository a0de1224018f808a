import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../core/index.ts'
import { Budget } from './budget/budget.ts'
import type { GateDecision } from './evaluate-guards.ts'
import type { Validation } from './effect.ts'
import { createGate } from './gate.ts'
import { DEFAULT_GUARDS } from './gate.ts'
import type { GateView, Guard, GuardVerdict } from './guard.ts'
import type { Mandate } from './mandate/mandate.ts'
import { requestOf } from './view.fixture.ts'
import type { ViewParts } from './view.fixture.ts'

const says = (name: string, answer: GuardVerdict | Promise<GuardVerdict>): Guard => ({ name, check: () => answer })
const changes = (name: string, change: (input: Json) => Json): Guard => ({
  name,
  check: ({ input }) => ({ verdict: 'modify', input: change(input), reason: `${name} changed it` }),
})

async function decide(guards: readonly Guard[], parts: ViewParts = {}): Promise<GateDecision> {
  return createGate({ mandate: {}, guards }).decide(requestOf(parts))
}

describe('the order of the guards', () => {
  it('is the one that is documented', () => {
    expect(DEFAULT_GUARDS.map(({ name }) => name)).toEqual([
      'role',
      'allowlist',
      'schema',
      'intent',
      'risk',
      'profile',
      'rules',
      'rate',
      'content',
      'flow',
      'reveal',
      'budget',
      'overseer',
    ])
    expect(Object.isFrozen(DEFAULT_GUARDS)).toBe(true)
  })

  it('asks a guard only under the mandates that say something about it', async () => {
    const asked: string[] = []
    const guard: Guard = {
      name: 'choosy',
      appliesTo: ({ profile }) => profile === 'strict',
      check: ({ mandate }) => void asked.push(mandate.profile ?? 'none'),
    }
    const gate = createGate({ mandate: {}, above: [{ profile: 'strict' }, { profile: 'managed' }], guards: [guard] })
    await gate.decide(requestOf())
    expect(asked).toEqual(['strict'])
  })

  it('refuses guards that cannot be asked, or told apart', () => {
    const twice = [says('a', undefined), says('a', undefined)]
    expect(() => createGate({ mandate: {}, guards: twice })).toThrow('Two guards are named "a"')
    expect(() => createGate({ mandate: {}, guards: [{ name: 'x' } as Guard] })).toThrow('must be { name, check(view) }')
  })

  it('a mandate that cannot be applied is refused before anything runs', () => {
    expect(() => createGate({ mandate: { rules: [{ id: 'r', when: { nope: 1 }, then: 'deny' }] } })).toThrow(
      '`rules[0] ("r").when["nope"]` is not a path',
    )
  })
})

describe('the verdict', () => {
  it('without objections is allow', async () => {
    expect(await decide([])).toEqual({
      verdict: 'allow',
      rule: 'gate',
      reason: 'No guard objects.',
      risk: 'read',
      input: { q: 'x' },
      modified: [],
    })
    expect(await decide(DEFAULT_GUARDS)).toMatchObject({ verdict: 'allow' })
  })

  it('is the strictest one, and of equal ones the first names the rule, in whichever order and however slowly they answer', async () => {
    const order = ['allow', 'ask', 'deny', 'kill'] as const
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ verdict: fc.constantFrom(undefined, ...order), late: fc.boolean() }), {
          minLength: 1,
          maxLength: 8,
        }),
        async (answers) => {
          const asked: number[] = []
          const guards = answers.map(({ verdict, late }, i): Guard => {
            const answer: GuardVerdict = verdict === undefined ? undefined : { verdict, reason: 'because', rule: 'x' }
            return { name: `g${i}`, check: () => (asked.push(i), late ? Promise.resolve(answer) : answer) }
          })
          const decision = await decide(guards)
          const ranks = answers.map(({ verdict }) => (verdict === undefined ? -1 : order.indexOf(verdict)))
          const highest = Math.max(...ranks)
          expect(asked).toEqual(answers.map((_, i) => i))
          expect(decision.verdict).toBe(order[Math.max(highest, 0)])
          expect(decision.rule).toBe(highest < 0 ? 'gate' : `g${ranks.indexOf(highest)}/x`)
        },
      ),
    )
  })

  it('carries a code where something is refused, and none where it is not', async () => {
    expect(await decide([says('a', { verdict: 'deny', reason: 'r' })])).toMatchObject({ rule: 'a', code: 'DENIED' })
    expect(await decide([says('a', { verdict: 'kill', reason: 'r' })])).toMatchObject({ code: 'KILLED' })
    expect(await decide([says('a', { verdict: 'deny', reason: 'r', code: 'TIMEOUT' })])).toMatchObject({
      code: 'TIMEOUT',
    })
    expect(await decide([says('a', { verdict: 'ask', reason: 'r', code: 'DENIED' })])).not.toHaveProperty('code')
  })

  it.each<[string, Guard['check']]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    [
      'throws something odd',
      () => {
        throw Object.create(null)
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['answers with nonsense', () => ({ verdict: 'alow', reason: 'x' }) as never],
    ['answers with null', () => null as never],
    ['answers with true', () => true as never],
    ['gives no reason', () => ({ verdict: 'allow' }) as never],
    ['answers late with nonsense', async () => ({ verdict: 'yes', reason: '' }) as never],
    [
      'changes the input to something that is no JSON',
      () => ({ verdict: 'modify', input: (() => 1) as never, reason: 'x' }),
    ],
    ['leaves out the changed input', () => ({ verdict: 'modify', reason: 'x' }) as never],
    [
      'answers with a getter that throws',
      () => ({
        get verdict(): never {
          throw new Error('broken')
        },
        reason: 'x',
      }),
    ],
  ])('a guard that %s is a denial that names it', async (_, check) => {
    const decision = await decide([{ name: 'odd', check }, says('after', { verdict: 'ask', reason: 'x' })])
    expect(decision).toMatchObject({
      verdict: 'deny',
      rule: 'odd/fault',
      code: 'INTERNAL',
      input: { q: 'x' },
      modified: [],
    })
    expect(decision.reason).toContain('The guard "odd" failed')
  })

  it('a kill is stricter than a broken guard', async () => {
    const broken: Guard = { name: 'broken', check: () => Promise.reject(new Error('x')) }
    expect(await decide([broken, says('k', { verdict: 'kill', reason: 'stop' })])).toMatchObject({ verdict: 'kill' })
  })

  it('reports the highest risk', async () => {
    const decision = await decide(DEFAULT_GUARDS, { facts: { risk: 'destructive' } })
    expect(decision).toMatchObject({
      verdict: 'ask',
      rule: 'profile/local-permissive-destructive',
      risk: 'destructive',
    })
  })
})

describe('a modification', () => {
  const settle = (name: string, member: string): Guard =>
    changes(name, (input) => ({ ...(input as object), [member]: true }))

  it('gives the verdict modify, the new input, and what changed it', async () => {
    const decision = await decide([settle('a', 'x'), settle('b', 'y')])
    expect(decision).toEqual({
      verdict: 'modify',
      rule: 'a',
      reason: 'a changed it',
      risk: 'read',
      input: { q: 'x', x: true, y: true },
      modified: [
        { rule: 'a', reason: 'a changed it' },
        { rule: 'b', reason: 'b changed it' },
      ],
    })
  })

  it('to the same value does not count', async () => {
    expect(await decide([changes('a', (input) => structuredClone(input))])).toMatchObject({
      verdict: 'allow',
      modified: [],
    })
  })

  it('is shown to every guard from schema on, and to none before', async () => {
    const seen: [string, Json][] = []
    const spy = (name: string): Guard => ({ name, check: ({ input }) => void seen.push([name, input]) })
    await decide([spy('before'), spy('schema'), changes('content', () => 'clean'), spy('after')], { input: 'dirty' })
    expect(seen).toEqual([
      ['before', 'dirty'],
      ['schema', 'dirty'],
      ['after', 'clean'],
      ['schema', 'clean'],
      ['after', 'clean'],
    ])
  })

  it('is evaluated again: verdicts about an input that will not be performed do not count', async () => {
    const asksIfDirty: Guard = {
      name: 'rules',
      check: ({ input }) => (input === 'dirty' ? { verdict: 'ask', reason: 'dirty' } : undefined),
    }
    const asksIfClean: Guard = {
      name: 'rules',
      check: ({ input }) => (input === 'clean' ? { verdict: 'ask', reason: 'clean' } : undefined),
    }
    const cleans = changes('content', () => 'clean')
    expect(await decide([asksIfDirty, cleans], { input: 'dirty' })).toMatchObject({ verdict: 'modify', input: 'clean' })
    expect(await decide([asksIfClean, cleans], { input: 'dirty' })).toMatchObject({
      verdict: 'ask',
      input: 'clean',
      modified: [{ rule: 'content' }],
    })
  })

  it('does not wash off a denial, nor what a guard before schema said', async () => {
    const denies: Guard = {
      name: 'late',
      check: ({ input }) => (input === 'dirty' ? { verdict: 'deny', reason: 'dirty' } : undefined),
    }
    expect(await decide([denies, changes('content', () => 'clean')], { input: 'dirty' })).toMatchObject({
      verdict: 'deny',
      rule: 'late',
    })
    const asks = says('before', { verdict: 'ask', reason: 'x' })
    expect(await decide([asks, says('schema', undefined), changes('c', () => 'clean')])).toMatchObject({
      verdict: 'ask',
      rule: 'before',
    })
  })

  it('that never settles is a denial after three passes', async () => {
    let asked = 0
    const grows: Guard = {
      name: 'grows',
      check: ({ input }) => (asked++, { verdict: 'modify', input: [input], reason: 'more' }),
    }
    expect(await decide([says('schema', undefined), grows])).toMatchObject({
      verdict: 'deny',
      rule: 'gate/unsettled',
      code: 'DENIED',
      reason: expect.stringContaining('(grows)'),
    })
    expect(asked).toBe(3)
  })

  it('by the schema reaches profile and rules as the tool will get it', async () => {
    const validate = (input: Json) =>
      ({ ok: true, value: { amount: Number((input as { amount: string }).amount) } }) as const
    const mandate: Mandate = { rules: [{ id: 'much', when: { 'input.amount': { gt: 10 } }, then: 'ask' }] }
    const decision = await createGate({ mandate }).decide(requestOf({ input: { amount: '50' }, facts: { validate } }))
    expect(decision).toMatchObject({
      verdict: 'ask',
      rule: 'rules/much',
      input: { amount: 50 },
      modified: [{ rule: 'schema' }],
    })
  })

  it('can raise the risk', async () => {
    const view: { risk?: string } = {}
    const spy: Guard = { name: 'spy', check: ({ risk }: GateView) => void (view.risk = risk) }
    const guards = [changes('c', () => ({ op: 'write' })), spy]
    const decision = await decide(guards, { kind: 'database', input: { op: 'read' }, facts: { risk: undefined } })
    expect([view.risk, decision.risk]).toEqual(['write', 'write'])
  })
})

describe('mandates above each other', () => {
  async function under(own: Mandate, above: readonly Mandate[], parts: ViewParts = {}): Promise<GateDecision> {
    return createGate({ mandate: own, above }).decide(requestOf(parts))
  }

  it('the strictest mandate decides, at any level', async () => {
    const parts = { facts: { risk: 'exec' } } as const
    expect(await under({ profile: 'strict' }, [{}], parts)).toMatchObject({ verdict: 'ask' })
    expect(await under({}, [{}, { profile: 'managed' }], parts)).toMatchObject({ verdict: 'deny' })
    expect(await under({ allow: ['search'] }, [{ deny: ['search'] }])).toMatchObject({ verdict: 'deny' })
  })

  it('a rule that allows does not end the search in another mandate', async () => {
    const allows: Mandate = { rules: [{ id: 'ok', when: {}, then: 'allow' }] }
    const denies: Mandate = { rules: [{ id: 'no', when: {}, then: 'deny' }] }
    expect(await under(allows, [denies])).toMatchObject({ rule: 'rules/no' })
    expect(await under(denies, [allows])).toMatchObject({ rule: 'rules/no' })
  })

  it('no mandate grants itself what the one above it did not grant; an absent grant is inherited', async () => {
    const parts = { facts: { safeByDefault: false } }
    const grant = ['search']
    expect(await under({ grant }, [{}], parts)).toMatchObject({ rule: 'allowlist/grant' })
    expect(await under({}, [{ grant }], parts)).toMatchObject({ verdict: 'allow' })
    expect(await under({ grant: [] }, [{ grant }], parts)).toMatchObject({ rule: 'allowlist/grant' })
    expect(await under({ grant }, [{ grant }, { grant }], parts)).toMatchObject({ verdict: 'allow' })
  })

  it('roles that the host defines hold for agents that define none', async () => {
    const parts = { identity: { id: 'bo', roles: ['operator'] } }
    const roles = { operator: ['run-agent'] } as const
    expect(await under({ profile: 'strict' }, [{ roles }], parts)).toMatchObject({ verdict: 'allow' })
    expect(await under({ roles }, [{}], parts)).toMatchObject({ verdict: 'deny', rule: 'role/run-agent' })
  })

  it('an agent cannot talk down the risk that its host sees', async () => {
    const parts = { facts: { risk: 'destructive' } } as const
    expect(await under({ risks: { search: 'read' } }, [{ profile: 'managed' }], parts)).toMatchObject({
      verdict: 'deny',
      risk: 'destructive',
    })
    expect(await under({ profile: 'managed' }, [{ risks: { search: 'read' } }], parts)).toMatchObject({
      verdict: 'deny',
    })
  })

  it('an input is validated once, however many there are', async () => {
    let count = 0
    const validate = (value: Json): Validation => (count++, { ok: true, value })
    await under({}, [{}, {}], { facts: { validate } })
    expect(count).toBe(1)
  })
})

describe('deciding', () => {
  it('commits nothing', async () => {
    const budget = new Budget({ toolCalls: 1 })
    const gate = createGate({ mandate: {} })
    for (let i = 0; i < 5; i++) {
      expect(await gate.decide(requestOf({ budget, facts: { worst: { toolCalls: 1 } } }))).toMatchObject({
        verdict: 'allow',
      })
    }
    expect([budget.reserved, budget.spent]).toEqual([{}, { timeMs: 0 }])
  })

  it('an unaffordable call is refused, not asked about', async () => {
    const parts: ViewParts = {
      facts: { risk: 'destructive', worst: { toolCalls: 1 } },
      budget: new Budget({ toolCalls: 0 }),
    }
    expect(await decide(DEFAULT_GUARDS, parts)).toMatchObject({
      verdict: 'deny',
      code: 'LIMIT_EXCEEDED',
      rule: 'budget/toolCalls',
    })
  })

  it('many at once do not see each other', async () => {
    const slow: Guard = {
      name: 'slow',
      check: async ({ input }) => {
        await Promise.resolve()
        return { verdict: 'modify', input: (input as string).slice(0, 3), reason: 'short' }
      },
    }
    const gate = createGate({ mandate: {}, guards: [slow] })
    const decisions = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => gate.decide(requestOf({ input: `${100 + i}-long` }))),
    )
    expect(decisions.map(({ input }) => input)).toEqual(Array.from({ length: 100 }, (_, i) => `${100 + i}`))
  })
})
