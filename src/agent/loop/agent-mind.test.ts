import { describe, expect, it } from 'vitest'
import type { AgentConfig } from '../config/config-types.ts'
import { calls, cutAfter, host, linesOf, model, reported, tool } from '../agent.fixture.ts'

const script = [calls('look'), calls('look'), calls('look'), 'Done.']

/** Runs with one configuration until the second turn, and goes on with another. */
async function goOnWith(before: AgentConfig, after: AgentConfig) {
  const look = (description: string) => tool('look', () => 'seen', { idempotent: true, description })
  const first = host({ model: model(script), tools: [look('Looks.')], ...before })
  const whole = await first.run('main', 'Go.')
  const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:2/model')
  const mind = model(script)
  const journal = await cutAfter(first.journal, whole.id, half)
  const service = host({ model: mind, tools: [look('Looks elsewhere.'), tool('new')], ...after }, { journal })
  return { mind, resumed: await service.resume(whole.id), whole, service }
}

describe('what was fixed at the start of a run', () => {
  it('holds to its end, whatever the configuration says meanwhile', async () => {
    const before = { instructions: 'Be brief.', maxTokens: 100, temperature: 0.1, maxTurns: 4 }
    const after = {
      instructions: 'Be long.',
      maxTokens: 999,
      temperature: 0.9,
      maxTurns: 2,
      history: { maxMessages: 1 },
    }
    const { mind, resumed, service } = await goOnWith(before, after)
    expect(resumed).toMatchObject({ status: 'completed', steps: 4 })
    const [request] = mind.requests
    expect(request).toMatchObject({
      maxOutputTokens: 100,
      temperature: 0.1,
      tools: [{ name: 'look', description: 'Looks.' }],
    })
    expect(request!.messages).toHaveLength(4)
    expect(request!.messages[0]).toMatchObject({ role: 'system', content: [{ text: 'Be brief.' }] })
    expect(await service.replay(resumed.id)).toMatchObject({ identical: true })
  })

  it('does not hold for what a person may decide anew: the mandate of today decides, and the change is noted', async () => {
    const { resumed } = await goOnWith({}, { mandate: { deny: ['look'] } })
    expect(resumed).toMatchObject({ status: 'completed' })
    expect(resumed.actions.map(({ performed }) => performed)).toEqual([true, false, false])
    expect(resumed.report().diagnostics.warnings).toEqual([
      expect.stringContaining('mandate-changed'),
      expect.stringContaining('turn:2/tool:1: denied'),
      expect.stringContaining('turn:3/tool:1: denied'),
    ])
  })

  it('names a tool that is gone as unknown, and the run goes on', async () => {
    const first = host({ model: model(script), tools: [tool('look', () => 'seen', { idempotent: true })] })
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:3/model')
    const journal = await cutAfter(first.journal, whole.id, half)
    const resumed = await host({ model: model(script) }, { journal }).resume(whole.id)
    expect(reported(resumed)).toMatchObject({ status: 'completed', toolsUsed: ['look'] })
    expect(resumed.report().diagnostics.warnings.at(-1)).toContain('There is no tool "look"')
  })
})
