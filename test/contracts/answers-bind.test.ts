import { describe, expect, test } from 'vitest'
import { isDue } from '../rotation.ts'
import { PATHS, SIBLING, SUBJECT, TTL, openWorld } from './answer-paths.ts'
import type { Changed, Path, World } from './answer-paths.ts'

/** What the person says about the subject: one of two calls of `pay` that one path makes at the same time. */
const ANSWERS = {
  approve: { answer: 'approve' },
  'approve for the run': { answer: 'approve', scope: 'run' },
  'approve as a rule': { answer: 'approve', scope: 'rule' },
  edit: { answer: 'approve', edit: { ...SUBJECT, amount: 10 } },
  'edit for the run': { answer: 'approve', scope: 'run', edit: { ...SUBJECT, amount: 10 } },
  reject: { answer: 'reject' },
  expire: undefined,
  'approve just in time': { answer: 'approve' },
  'approve against reject': 'race',
} as const
type Answer = keyof typeof ANSWERS

/** What is different by the time the run goes on. */
const CHANGES = [
  'nothing',
  'sibling approved for the run before',
  'sibling approved for the run after',
  'rule that covers it approved later',
  'overseer window over',
  'upgrade that needs no approval',
  'upgrade that needs approval',
  'clock far ahead',
  'fork',
  'stricter policy',
  'second resume',
] as const
type Change = (typeof CHANGES)[number]

/** What the world shall have seen, worked out without the code under test. `taken` is the answer that won, where two were given. */
function oracle(answer: Answer, change: Change, taken: string): { subject: object[]; sibling: number } {
  const isExpired = answer === 'expire' || answer === 'approve just in time' || change === 'clock far ahead'
  const isApproved =
    answer === 'approve against reject' ? taken === 'approve' : answer !== 'reject' && answer !== 'expire'
  const input = answer.startsWith('edit') ? { ...SUBJECT, amount: 10 } : SUBJECT
  const isDenied = change === 'stricter policy' && input.amount > 500
  const isSiblingAnswered = change.startsWith('sibling') || change.startsWith('rule')
  // An approval of a rule is void once the mandate or the tool is another.
  const isSameRule = change !== 'stricter policy' && change !== 'upgrade that needs approval'
  const isCovered = isApproved && (answer.endsWith('for the run') || (answer.endsWith('as a rule') && isSameRule))
  const isFree = change === 'upgrade that needs no approval'
  const runs = change === 'overseer window over' || isSiblingAnswered || (!isExpired && (isCovered || isFree))
  return { subject: isApproved && !isDenied ? [input] : [], sibling: runs ? 1 : 0 }
}

const before: { readonly [C in Change]?: Changed } = {
  'overseer window over': { needsApproval: false, mandate: { overseer: { maxCallsPerMinute: 1 } } },
  'upgrade that needs approval': {
    needsApproval: false,
    mandate: { rules: [{ id: 'look', when: { tool: 'pay' }, then: 'ask', reason: 'look first' }] },
  },
}
const after: { readonly [C in Change]?: Changed } = {
  'overseer window over': before['overseer window over']!,
  'upgrade that needs no approval': { needsApproval: false },
  'stricter policy': {
    mandate: {
      rules: [{ id: 'max', when: { tool: 'pay', 'input.amount': { gt: 500 } }, then: 'deny', reason: 'too much' }],
    },
  },
}

/** Answers the subject; the answer that was taken. */
async function give(world: World, answer: Answer, change: Change): Promise<string> {
  const response = ANSWERS[answer]
  if (response === undefined) return 'expire'
  if (answer === 'approve as a rule' && change === 'overseer window over') {
    // What the overseer asks is about this run alone.
    await expect(world.respond('subject', ANSWERS[answer])).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    return give(world, 'approve', change)
  }
  if (response !== 'race') return (await world.respond('subject', response), response.answer)
  const given = await Promise.allSettled([
    world.respond('subject', { answer: 'approve' }),
    world.respond('subject', { answer: 'reject' }),
  ])
  expect(given.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  return given[0].status === 'fulfilled' ? 'approve' : 'reject'
}

interface Seen {
  readonly subject: readonly object[]
  readonly sibling: number
  /** What the fork did by itself, and what `verify` has against any run. */
  readonly inFork: readonly object[]
  readonly problems: readonly string[]
}

/** What the world saw, and what it should have seen. */
async function carryOut(path: Path, answer: Answer, change: Change): Promise<{ seen: Seen; expected: Seen }> {
  const world = await openWorld(path, before[change] ?? {})
  if (answer === 'approve just in time') world.clock.advance(TTL - 1)
  const approve = (more: object): Promise<unknown> => world.respond('sibling', { answer: 'approve', ...more })
  if (change === 'sibling approved for the run before') await approve({ scope: 'run' })
  const taken = await give(world, answer, change)
  if (change === 'sibling approved for the run after') await approve({ scope: 'run' })
  if (change === 'rule that covers it approved later') await approve({ scope: 'rule', standing: { input: {} } })
  if (change === 'overseer window over') world.clock.advance(61_000)
  if (change === 'clock far ahead') world.clock.advance(TTL * 10)
  if (answer === 'expire' || answer === 'approve just in time') world.clock.advance(TTL + 1)
  const known = world.deeds.length
  // What was answered was answered to the other run.
  if (change === 'fork') await world.fork()
  const inFork = world.deeds.slice(known)
  await world.resume(after[change] ?? {})
  if (change === 'second resume') await world.resume({})
  const seen = {
    subject: world.deeds.filter(({ to }) => to === SUBJECT.to),
    sibling: world.deeds.filter(({ to }) => to === SIBLING.to).length,
    inFork,
    problems: await world.problems(),
  }
  return { seen, expected: { ...oracle(answer, change, taken), inFork: [], problems: [] } }
}

describe('an answer binds, whatever changes before the run goes on', () => {
  for (const [at, [name, path]] of Object.entries(PATHS).entries()) {
    for (const [row, change] of CHANGES.entries()) {
      test(`${name}: ${change}`, async () => {
        const seen: Record<string, Seen> = {}
        const expected: Record<string, Seen> = {}
        for (const [column, answer] of (Object.keys(ANSWERS) as Answer[]).entries()) {
          // A third of them in the short run, on the next day others: each path, each change and each answer every day.
          if (!isDue(at + row + column, 3)) continue
          const outcome = await carryOut(path, answer, change)
          seen[answer] = outcome.seen
          expected[answer] = outcome.expected
        }
        expect(seen).toEqual(expected)
      })
    }
  }
})
