import { describe, expect, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import type { AgentConfig, AgentResult, ServiceOptions } from '../../src/agent/index.ts'
import type { Json } from '../../src/core/index.ts'
import type { Mandate } from '../../src/gate/index.ts'
import { checkTranscript, scripted } from '../../src/model/index.ts'
import type { ScriptedModel, ScriptedStep } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { Risk, Tool } from '../../src/tool/index.ts'

// Each of these went wrong in a loop of this kind before: what was governed could be got around, or what had happened was forgotten.

interface Bench {
  readonly service: AgentService
  readonly mind: ScriptedModel
  readonly done: string[]
  run(): Promise<AgentResult>
}

function bench(
  mandate: Mandate,
  steps: readonly ScriptedStep[],
  more: { config?: AgentConfig; options?: ServiceOptions } = {},
): Bench {
  const done: string[] = []
  const tool = (name: string, risk?: Risk): Tool =>
    defineTool({
      name,
      risk,
      inputSchema: { type: 'object' },
      run: (input: Json) => (done.push(`${name} ${JSON.stringify(input)}`), 'ok'),
    })
  const broken = defineTool({ name: 'broken', risk: 'read', run: () => Promise.reject(new Error('out of order')) })
  const tools = [tool('look', 'read'), tool('note', 'write'), tool('delete_all'), tool('wipe', 'destructive'), broken]
  const mind = scripted(steps)
  const service = new AgentService({
    agents: [{ id: 'main', model: mind, tools, mandate, ...more.config }],
    ...more.options,
  })
  return { service, mind, done, run: () => service.run('main', 'Go.') }
}

const calls = (
  ...names: readonly (string | readonly [string, Json])[]
): { toolCalls: { name: string; input: Json }[] } => ({
  toolCalls: names.map((one) => (typeof one === 'string' ? { name: one, input: {} } : { name: one[0], input: one[1] })),
})
const intent = (toolName: string): string =>
  `<intent>${JSON.stringify({ toolName, purpose: 'p', expectedOutcome: 'o', riskLevel: 'read' })}</intent>`
const approveAll: ServiceOptions = { onApproval: () => ({ answer: 'approve' }) }

describe('risk', () => {
  test('a declared "read" on delete_all does not run it where destruction is forbidden', async () => {
    const { run, done } = bench({ profile: 'managed' }, [
      { text: intent('delete_all'), ...calls('delete_all') },
      'Done.',
    ])
    await run()
    expect(done).toEqual([])
  })

  test.each(['deleteFile', 'delete-file', 'mcp.x.tool.delete_repo'])(
    '"%s" is destructive, however it is spelt',
    async (name) => {
      const tool = { name, inputSchema: { type: 'object' }, run: () => 'gone' }
      const { run } = bench({ profile: 'local-permissive' }, [calls(name), 'Done.'], { config: { tools: [tool] } })
      expect(await run()).toMatchObject({ status: 'await_user' })
    },
  )

  test('a command that prints the word format is not', async () => {
    const { run, done } = bench({ riskMax: 'exec' }, [calls(['note', { command: 'echo format' }]), 'Done.'])
    await run()
    expect(done).toHaveLength(1)
  })
})

describe('the deny list', () => {
  test('comes before the cap on calls: past the cap an approval does not turn a denied tool into an allowed one', async () => {
    const { run, done } = bench(
      { callCap: 1, deny: ['wipe'] },
      [calls('look'), calls('wipe'), calls('note'), 'Done.'],
      { options: approveAll },
    )
    expect(await run()).toMatchObject({ status: 'completed' })
    expect(done).toEqual(['look {}', 'note {}'])
  })
})

describe('a fallback', () => {
  const proposing = (name: string): AgentConfig => ({
    fallbackProvider: scripted(() => JSON.stringify({ toolName: name, input: {} }), { name: 'proposer' }),
  })

  test('does not get around the profile', async () => {
    const { run, done } = bench({ profile: 'managed' }, [calls('broken'), 'Done.'], { config: proposing('wipe') })
    await run()
    expect(done).toEqual([])
  })

  test('does not get around intents', async () => {
    const { run, done } = bench({ intentRequired: true }, [{ text: intent('broken'), ...calls('broken') }, 'Done.'], {
      config: proposing('look'),
    })
    await run()
    expect(done).toEqual([])
  })

  test('is counted by the overseer and listed among the tools used', async () => {
    const { run, service } = bench({ overseer: {} }, [calls('broken'), 'Done.'], { config: proposing('look') })
    const { id, toolsUsed } = await run()
    expect(toolsUsed).toEqual(['broken', 'look'])
    expect(await service.kernel.oversight(id)).toMatchObject({ toolCalls: 2 })
  })
})

describe('what had happened before a call was stopped', () => {
  test.each<[string, Mandate, ServiceOptions]>([
    ['denied', { deny: ['wipe'] }, {}],
    ['rejected', {}, { onApproval: () => ({ answer: 'reject' }) }],
  ])('stays in the conversation when it is %s, and every call has its result', async (_, mandate, options) => {
    const { run, mind, done } = bench(mandate, [calls('look', 'wipe', 'note'), 'Done.'], { options })
    expect(await run()).toMatchObject({ status: 'completed' })
    expect(done).toEqual(['look {}', 'note {}'])
    expect(checkTranscript(mind.requests[1]!.messages)).toEqual([])
  })

  test('stays in the journal when the run is ended, and a question leaves it to be continued', async () => {
    const killing = bench({ rules: [{ id: 'end', when: { tool: 'wipe' }, then: 'kill' }] }, [
      calls('look'),
      calls('wipe'),
      'Done.',
    ])
    const killed = await killing.run()
    expect(killed).toMatchObject({ status: 'failed', error: { code: 'KILLED' }, toolsUsed: ['look'] })
    const asking = bench({}, [calls('look', 'wipe'), 'Done.'])
    const waiting = await asking.run()
    const [open] = await asking.service.approvals(waiting.id)
    await asking.service.approve(open!.id)
    expect(await asking.service.resume(waiting.id)).toMatchObject({ status: 'completed' })
    expect(asking.done).toEqual(['look {}', 'wipe {}'])
  })
})

describe('the overseer', () => {
  test('counts the tokens of a reply once, however many tools it calls', async () => {
    const reply = {
      ...calls(['look', { i: 1 }], ['look', { i: 2 }], ['look', { i: 3 }]),
      usage: { inputTokens: 50, outputTokens: 50, totalTokens: 100 },
    }
    const { run, service } = bench({ overseer: {} }, [
      reply,
      { text: 'Done.', usage: { inputTokens: 5, outputTokens: 5, totalTokens: 10 } },
    ])
    const { id } = await run()
    expect(await service.kernel.oversight(id)).toEqual({ toolCalls: 3, tokens: 110, drift: 0 })
  })

  test('that pauses really pauses, and sees a loop while the pace is too high', async () => {
    const pausing = bench({ overseer: { maxCallsPerMinute: 1 } }, [
      calls(['look', { i: 1 }]),
      calls(['look', { i: 2 }]),
      'Done.',
    ])
    expect(await pausing.run()).toMatchObject({ status: 'await_user' })
    expect(pausing.done).toHaveLength(1)
    const looping = bench(
      { overseer: { maxCallsPerMinute: 1 } },
      [calls('look'), calls('look'), calls('look'), 'Done.'],
      { options: approveAll },
    )
    expect(await looping.run()).toMatchObject({ status: 'failed', error: { code: 'KILLED' } })
    expect(looping.done).toHaveLength(2)
  })
})

describe('a child that needs an approval', () => {
  test('is no success: its parent waits with it', async () => {
    const child: AgentConfig = {
      id: 'child',
      model: scripted([calls('wipe'), 'Wiped.'], { name: 'child' }),
      tools: [{ name: 'wipe', risk: 'destructive', inputSchema: { type: 'object' }, run: () => 'gone' }],
    }
    const main: AgentConfig = {
      id: 'main',
      model: scripted([calls(['child', { prompt: 'wipe' }]), 'Done.']),
      agents: ['child'],
    }
    const service = new AgentService({ agents: [main, child] })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'await_user', suspendReason: 'approval', success: false })
  })
})
