import { describe, expect, it } from 'vitest'
import { checkTranscript, textOf } from '../../model/index.ts'
import type { ModelReply } from '../../model/index.ts'
import { calls, cutAfter, entriesOf, host, lastResults, linesOf, model, reported, tool } from '../agent.fixture.ts'
import { planSteps } from './strategies.ts'
import type { PlanStep, Planner, PlannerState } from './strategies.ts'

describe('a planner of the host', () => {
  it('has steps of all four types carried out, and no model is needed', async () => {
    const seen: PlannerState[] = []
    const turns: readonly (readonly PlanStep[])[] = [
      [
        { type: 'internal', message: 'First I look.' },
        { type: 'message', message: 'I look.' },
        { type: 'tool', toolId: 'look', input: { at: 'sky' } },
      ],
      [{ type: 'finish', message: 'It is blue.', result: { colour: 'blue' } }],
    ]
    const planner: Planner = { plan: (state) => (seen.push(state), turns[state.turn - 1]!) }
    const service = host({ planner, tools: [tool('look', ({ at }: { at: string }) => `${at} is blue`)] })
    const result = await service.run('main', 'What colour is the sky?')
    expect(reported(result)).toMatchObject({
      status: 'completed',
      text: 'I look.\nIt is blue.',
      result: { colour: 'blue' },
      steps: 2,
      toolsUsed: ['look'],
    })
    expect(seen[1]!.lastActions).toMatchObject([
      { id: '1.1', type: 'internal', ok: true },
      { id: '1.2', type: 'message', ok: true, output: 'I look.' },
      { id: '1.3', type: 'tool', toolId: 'look', ok: true, output: 'sky is blue' },
    ])
    expect(seen[1]).toMatchObject({
      turn: 2,
      prompt: 'What colour is the sky?',
      turnsLeft: 18,
      tools: [{ name: 'look' }],
    })
    expect(seen[0]!.messages).toHaveLength(1)
    // An internal thought is journaled, and said to nobody.
    expect(JSON.stringify(await service.messages(result.id))).not.toContain('First I look.')
    expect(JSON.stringify(await entriesOf(service.journal, result.id, 'note'))).toContain('First I look.')
  })

  it('leaves a conversation that a model could go on with', async () => {
    const planner = planSteps(
      [
        { type: 'tool', toolId: 'look' },
        { type: 'tool', toolId: 'look' },
      ],
      [
        { type: 'message', message: 'Hm.' },
        { type: 'tool', toolId: 'no-such' },
      ],
    )
    const service = host({ planner, tools: [tool('look')] })
    const result = await service.run('main', 'Go.')
    const messages = await service.messages(result.id)
    expect(checkTranscript(messages)).toEqual([])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
  })

  it('that is a list of steps does the same thing every time, then is finished', async () => {
    const planner = planSteps({ type: 'tool', toolId: 'look' }, { type: 'message', message: 'I looked.' })
    const service = host({ planner, tools: [tool('look', () => 'seen')] })
    const [one, two] = [await service.run('main', 'Go.'), await service.run('main', 'Go.')]
    expect(one).toMatchObject({ status: 'completed', text: 'I looked.', result: 'I looked.', steps: 3 })
    expect(reported(two)).toMatchObject({ text: one.text, steps: one.steps, toolsUsed: one.report().toolsUsed })
    expect(await service.replay(one.id)).toMatchObject({ identical: true })
  })

  it('passes every step through the gate', async () => {
    let performed = 0
    const planner = planSteps({ type: 'tool', toolId: 'wipe' }, { type: 'finish' })
    const service = host({ planner, tools: [tool('wipe', () => ++performed)], mandate: { deny: ['wipe'] } })
    const result = await service.run('main', 'Go.')
    expect(performed).toBe(0)
    expect(result.report().diagnostics.warnings).toEqual([expect.stringContaining('deny list')])
  })

  it('need not be deterministic: it is not asked again about turns that are recorded', async () => {
    let asked = 0
    const planner: Planner = {
      plan: ({ turn }) => (
        asked++,
        turn < 4
          ? { type: 'tool', toolId: 'look', input: { dice: Math.random() } }
          : { type: 'finish', message: 'Done.' }
      ),
    }
    const looked: unknown[] = []
    const tools = [tool('look', (input) => looked.push(input), { idempotent: true })]
    const first = host({ planner, tools })
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-end turn:2/tool:1')
    const journal = await cutAfter(first.journal, whole.id, half)
    asked = 0
    looked.length = 0
    const resumed = await host({ planner, tools }, { journal }).resume(whole.id)
    expect(resumed.status).toBe('completed')
    expect(resumed.actions.slice(0, 2).map(({ input }) => input)).toEqual(
      whole.actions.slice(0, 2).map(({ input }) => input),
    )
    expect(asked).toBe(2)
    expect(looked).toHaveLength(2)
    expect(await first.replay(whole.id)).toMatchObject({ identical: true })
  })

  it('may have effects performed while it thinks: journaled, and not repeated', async () => {
    let asked = 0
    const planner: Planner = {
      async plan({ perform, turn, random, now }) {
        const outcome = await perform<ModelReply>({ kind: 'model', name: 'scripted/thinker', input: { messages: [] } })
        const text = outcome.status === 'ok' ? textOf(outcome.value.message) : ''
        asked += 1
        expect([typeof random(), typeof now()]).toEqual(['number', 'number'])
        return turn === 1 ? { type: 'tool', toolId: 'look' } : { type: 'finish', message: text }
      },
    }
    const thinker = model(['A thought.'], { name: 'thinker' })
    const config = { planner, model: thinker, tools: [tool('look')] }
    const first = host(config)
    const whole = await first.run('main', 'Go.')
    expect(whole).toMatchObject({ status: 'completed', text: 'A thought.' })
    expect(whole.report().modelCalls.map(({ id }) => id)).toEqual(['turn:1/plan/model', 'turn:2/plan/model'])
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:1/tool:1')
    asked = 0
    await host(config, { journal: await cutAfter(first.journal, whole.id, half) }).resume(whole.id)
    expect(asked).toBe(1)
    expect(await first.replay(whole.id)).toMatchObject({ identical: true })
  })

  it('that was waiting for an approval inside its own thinking is asked again, with the answer', async () => {
    const planner: Planner = {
      async plan({ perform }) {
        const outcome = await perform({ kind: 'tool', name: 'send', input: {} })
        return { type: 'finish', message: outcome.status }
      },
    }
    const service = host({ planner, tools: [tool('send', () => 'sent', { risk: 'destructive' })] })
    const waiting = await service.run('main', 'Go.')
    expect(waiting.status).toBe('await_user')
    await service.approve((await service.approvals(waiting.id))[0]!.id)
    expect(await service.resume(waiting.id)).toMatchObject({ status: 'completed', text: 'ok' })
  })

  it.each([
    [() => Promise.reject(new Error('no idea')), 'MIND_FAILED', 'no idea'],
    [
      () => {
        throw new TypeError('no plan')
      },
      'MIND_FAILED',
      'no plan',
    ],
    [() => ({ type: 'dance' }), 'CONFIG_INVALID', 'dance'],
    [() => ({ type: 'tool' }), 'CONFIG_INVALID', 'toolId'],
    [() => null, 'CONFIG_INVALID', 'null'],
    [() => undefined, 'CONFIG_INVALID', 'undefined'],
    [() => 'look', 'CONFIG_INVALID', 'look'],
  ])(
    'that does not plan (%s) fails the run with a word about it, also when it is replayed',
    async (plan, code, word) => {
      const service = host({ planner: { plan: plan as never } })
      const result = await service.run('main', 'Go.')
      expect(result).toMatchObject({ status: 'failed', error: { code, message: expect.stringContaining(word) } })
      expect(await service.replay(result.id)).toMatchObject({ identical: true })
    },
  )

  it('that never finishes runs out of turns', async () => {
    expect(await host({ planner: { plan: () => [] }, maxTurns: 3 }).run('main', 'Go.')).toMatchObject({
      status: 'max_turns',
      steps: 3,
    })
  })
})

describe('a reflector of the host', () => {
  it('decides when it is enough, with a result of its own', async () => {
    const reflector = {
      reflect: ({ turn }: PlannerState) => (turn === 2 ? { done: true, result: { enough: true } } : undefined),
    }
    const mind = model([calls('look'), calls('look'), 'Never said.'])
    const service = host({ model: mind, tools: [tool('look')], reflector })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', steps: 2, result: { enough: true } })
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('can send the agent back to work, with a word', async () => {
    let asked = 0
    const reflector = {
      reflect: ({ lastActions }: PlannerState) =>
        asked++ === 0 ? { done: false, message: `Look again (${lastActions.length}).` } : undefined,
    }
    const mind = model(['Done.', 'Now it is done.'])
    const result = await host({ model: mind, reflector }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: 'Done.\nNow it is done.', result: 'Now it is done.' })
    expect(textOf(mind.requests[1]!.messages.at(-1)!)).toBe('Look again (1).')
  })

  it('that throws fails the run', async () => {
    const reflector = { reflect: () => Promise.reject(new Error('dizzy')) }
    expect(await host({ model: model(['Done.']), reflector }).run('main', 'Go.')).toMatchObject({
      status: 'failed',
      error: { code: 'MIND_FAILED', message: 'dizzy' },
    })
  })
})

describe('a runner of the host', () => {
  it('does the whole task in its own way, with everything still going through the gate', async () => {
    const runner = {
      async run(
        context: { perform: (effect: never) => Promise<{ status: string; value?: unknown }> },
        _spec: unknown,
        prompt: string,
      ) {
        const looked = await context.perform({ kind: 'tool', name: 'look', input: { prompt } } as never)
        const wiped = await context.perform({ kind: 'tool', name: 'wipe', input: {} } as never)
        return { text: `${String(looked.value)}, ${wiped.status}`, result: { ok: true } }
      },
    }
    const service = host({
      runner,
      tools: [tool('look', () => 'seen'), tool('wipe')],
      mandate: { deny: ['wipe'] },
    })
    const result = await service.run('main', 'Go.')
    expect(reported(result)).toMatchObject({
      status: 'completed',
      phase: 'completed',
      text: 'seen, denied',
      result: { ok: true },
      toolsUsed: ['look'],
    })
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('that throws fails the run', async () => {
    const runner = { run: () => Promise.reject(new Error('tired')) }
    expect(await host({ runner }).run('main', 'Go.')).toMatchObject({
      status: 'failed',
      error: { code: 'MIND_FAILED', message: 'tired' },
    })
  })
})

describe('strategies and models together', () => {
  it('keep every request whole when an executor refuses and a reflector insists', async () => {
    const mind = model([calls('look', 'look'), 'Done.', 'Really done.'])
    let insisted = false
    const service = host({
      model: mind,
      tools: [tool('look')],
      executor: {
        execute: ({ toolCallId }) => (toolCallId === 'call_1_1' ? { ok: false, error: { message: 'no' } } : 'yes'),
      },
      reflector: {
        reflect({ turn }) {
          if (turn < 2 || insisted) return undefined
          insisted = true
          return { done: false, message: 'Sure?' }
        },
      },
    })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', result: 'Really done.' })
    expect(lastResults(mind.requests[1]!).map(({ status }) => status)).toEqual(['error', 'ok'])
  })
})
