import { describe, expect, it } from 'vitest'
import { codeOf, describeOutcome } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import { textOf } from '../../model/index.ts'
import { MindStop } from '../../run/index.ts'
import { host, model, tool } from '../agent.fixture.ts'
import { newCodeMode } from '../config/code-mode.ts'

/** A language of one word per line: `call <tool>`, `answer <text>`, `fail`, `keep <text>`; everything else is printed. */
const lines = newCodeMode({
  instructions: ({ tools, agents }) => `Tools: ${tools.map(({ name }) => name).join()}. Agents: ${agents.length}.`,
  cellsOf: (reply) => ({ cells: [...reply.matchAll(/```\n([^]*?)```/g)].map(([, source]) => source!) }),
  nudge: 'Write a cell.',
  prompt: { template: 'lines', version: 1 },
  timeoutMs: 0,
  inputOf: (cell) => ({ ...cell }) as unknown as Json,
  report(outcome) {
    if (outcome.status !== 'ok') return { observation: `${codeOf(outcome)}: ${describeOutcome(outcome)}` }
    const { printed, answer, kept } = outcome.value as { printed: string[]; answer?: Json; kept: Json }
    return { observation: printed.join('\n'), answer, state: kept }
  },
  async evaluate(input, context) {
    const { source, state } = input as { source: string; state: Json }
    const printed: string[] = []
    let answer: Json | undefined
    let kept = state
    for (const line of source.trim().split('\n')) {
      const [, word, rest = ''] = /^(\w+) ?(.*)$/.exec(line) ?? []
      if (word === 'call') {
        const outcome = await context.perform({ kind: 'tool', name: rest, input: {} })
        printed.push(outcome.status === 'ok' ? JSON.stringify(outcome.value) : describeOutcome(outcome))
      } else if (word === 'answer') answer = rest
      else if (word === 'keep') kept = rest
      else if (word === 'recall') printed.push(JSON.stringify(kept))
      else if (word === 'fail') throw new MindStop('MIND_FAILED', 'It broke.')
      else printed.push(line)
    }
    return { printed, kept, ...(answer === undefined ? {} : { answer }) }
  },
  release: () => {},
  withoutCells: ({ context }) => (context === 'short' ? 'It is short.' : undefined),
})
const cell = (...words: string[]): string => ['```', ...words, '```'].join('\n')

describe('an agent in code mode', () => {
  it('evaluates one cell per reply, sees what it printed, and ends with its answer', async () => {
    const asked = model([`Let me look.\n${cell('call look')}`, cell('answer done')])
    const service = host({ model: asked, tools: [tool('look', () => 42)], mode: lines, instructions: 'Be brief.' })
    const result = await service.run('main', 'Look.')
    expect(result).toMatchObject({ status: 'completed', result: 'done' })
    expect(asked.requests[0]).not.toHaveProperty('tools')
    expect(textOf(asked.requests[0]!.messages[0]!)).toBe('Be brief.\n\nTools: look. Agents: 0.')
    expect(textOf(asked.requests[1]!.messages.at(-1)!)).toBe('42')
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('is told once that a reply has no cell; a second one in a row is the answer', async () => {
    const asked = model(['Hm.', 'It is 7.'])
    const service = host({ model: asked, mode: lines })
    expect(await service.run('main', 'What?')).toMatchObject({ status: 'completed', result: 'It is 7.' })
    expect(textOf(asked.requests[1]!.messages.at(-1)!)).toBe('Write a cell.')
    const again = model(['Hm.', cell('x'), 'Hm.', 'So be it.'])
    const other = host({ model: again, mode: lines })
    expect(await other.run('main', 'What?')).toMatchObject({ result: 'So be it.' })
  })

  it('is told that only the last of several cells in a reply was run', async () => {
    const asked = model([`${cell('answer 1')}\nNo, that is wrong:\n${cell('one')}`, cell('answer 2')])
    const result = await host({ model: asked, mode: lines }).run('main', 'Go.')
    expect(result).toMatchObject({ result: '2' })
    const told = textOf(asked.requests[1]!.messages.at(-1)!)
    expect(told).toBe('one\n\nOnly the last block of your reply was run, not the 1 before it. Write one per reply.')
  })

  it('hands what a cell keeps to the next one', async () => {
    const asked = model([cell('keep apple'), cell('recall'), cell('answer ok')])
    await host({ model: asked, mode: lines }).run('main', 'Go.')
    expect(textOf(asked.requests[2]!.messages.at(-1)!)).toBe('"apple"')
  })

  it('is told why a cell failed, and goes on', async () => {
    const asked = model([cell('fail'), cell('answer mended')])
    expect(await host({ model: asked, mode: lines }).run('main', 'Go.')).toMatchObject({ result: 'mended' })
    expect(textOf(asked.requests[1]!.messages.at(-1)!)).toContain('It broke.')
  })

  it('is a plain agent where the task needs no cells', async () => {
    const asked = model(['It is 7.'])
    const service = host({ model: asked, mode: lines, tools: [tool('look')] })
    expect(await service.run('main', 'What?', { context: 'short' })).toMatchObject({ result: 'It is 7.' })
    expect(textOf(asked.requests[0]!.messages[0]!)).toBe('It is short.')
    expect(asked.requests[0]!.tools).toHaveLength(1)
  })

  it('has its answer checked by its output schema, and may correct it', async () => {
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const asked = model([cell('answer {"n":"x"}'), cell('answer {"n":1}')])
    expect(await host({ model: asked, mode: lines, output }).run('main', 'Go.')).toMatchObject({ result: { n: 1 } })
  })

  it('calls from a cell draw on its budget and pass its mandate', async () => {
    const asked = model([cell('call look', 'call look', 'call wipe'), cell('answer ok')])
    const tools = [tool('look', () => 1), tool('wipe', () => 2)]
    const service = host({ model: asked, mode: lines, tools, mandate: { deny: ['wipe'] }, budget: { toolCalls: 1 } })
    await service.run('main', 'Go.')
    const told = textOf(asked.requests[1]!.messages.at(-1)!).split('\n')
    expect(told[0]).toBe('1')
    expect(told[1]).toContain('limit')
    expect(told[2]).toContain('wipe')
  })

  it('waits for an approval inside a cell and goes on in another process without asking its model again', async () => {
    const journal = memoryJournal()
    let calls = 0
    const tools = [tool('look', () => ++calls), tool('wipe', () => 'wiped', { needsApproval: true })]
    const config = { tools, mode: lines }
    const first = host({ ...config, model: model([cell('call look', 'call wipe')]) }, { journal })
    const waiting = await first.run('main', 'Go.')
    expect(waiting).toMatchObject({ status: 'await_user', pending: [{ name: 'wipe' }] })
    const second = host({ ...config, model: model([cell('call look', 'call wipe'), cell('answer ok')]) }, { journal })
    await second.approve((await second.approvals())[0]!.id)
    expect(await second.resume(waiting.id)).toMatchObject({ status: 'completed', result: 'ok' })
    expect(calls).toBe(1)
  })

  it.each(['planner', 'executor', 'runner', 'fallbackProvider'] as const)('and %s exclude each other', (field) => {
    const given = { plan: () => [], execute: () => 1, run: () => 1, ...model(['x'], { name: 'other' }) }
    expect(() => host({ model: model(['x']), mode: lines, [field]: given })).toThrow(/`mode` is code/)
  })

  it('a mode that is none is refused with those that there are', () => {
    expect(() => host({ model: model(['x']), mode: 'cod' as never })).toThrow(/Use "tools", "code"/)
  })
})
