import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import type { AgentConfig, AgentResult, ServiceOptions } from '../../src/agent/index.ts'
import { fileTools } from '../../src/connect/index.ts'
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
    const result = await run()
    expect(result.report().toolsUsed).toEqual(['broken', 'look'])
    expect(await service.oversight(result.id)).toMatchObject({ toolCalls: 2 })
  })
})

describe('a fallback that fails as well', () => {
  test('is no success, whatever its error says, and the model is told of the first failure', async () => {
    const { run, mind } = bench({}, [calls('broken'), 'Done.'], {
      config: {
        fallbackProvider: scripted(() => JSON.stringify({ toolName: 'broken', input: {} }), { name: 'proposer' }),
      },
    })
    const { actions } = await run()
    expect(actions.every(({ ok }) => !ok)).toBe(true)
    expect(JSON.stringify(mind.requests[1]!.messages.at(-1))).toContain('"status":"error"')
  })
})

describe('what had happened before a call was stopped', () => {
  test('stays when the run is cancelled in the middle of a batch, and the session can go on from there', async () => {
    const stop = new AbortController()
    const halt = defineTool({
      name: 'halt',
      risk: 'read',
      inputSchema: { type: 'object' },
      run: (_: Json, { signal }) => {
        stop.abort()
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut'))))
      },
    })
    const look = defineTool({ name: 'look', risk: 'read', inputSchema: { type: 'object' }, run: () => 'seen' })
    const mind = scripted([calls('look', 'halt'), 'Again.'])
    const service = new AgentService({ agents: [{ id: 'main', model: mind, tools: [look, halt] }] })
    const session = service.createSession('main')
    const cut = await session.run('Go.', { signal: stop.signal })
    expect(cut).toMatchObject({ status: 'cancelled', actions: [{ toolId: 'look', ok: true }, { toolId: 'halt' }] })
    expect(await session.run('And now?')).toMatchObject({ status: 'completed', lastText: 'Again.' })
    expect(checkTranscript(mind.requests[1]!.messages)).toEqual([])
    expect(JSON.stringify(mind.requests[1]!.messages)).toContain('seen')
  })

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
    expect(killed).toMatchObject({
      status: 'failed',
      error: { code: 'KILLED' },
      actions: [{ toolId: 'look' }, { toolId: 'wipe', performed: false }],
    })
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
    expect(await service.oversight(id)).toEqual({ toolCalls: 3, tokens: 110, drift: 0 })
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

describe('the overseer of several agents', () => {
  test('counts each run by itself: two that do the same are no loop', async () => {
    const worker = (id: string): AgentConfig => ({
      id,
      model: scripted([calls('look'), calls('look'), 'Done.'], { name: id }),
      tools: [{ name: 'look', risk: 'read', inputSchema: { type: 'object' }, run: () => 'seen' }],
      mandate: { overseer: { maxRepeats: 3 } },
    })
    const main: AgentConfig = {
      id: 'main',
      model: scripted([calls(['one', { prompt: 'Go.' }], ['two', { prompt: 'Go.' }]), 'Done.']),
      agents: ['one', 'two'],
    }
    const service = new AgentService({ agents: [main, worker('one'), worker('two')], mandate: { overseer: {} } })
    expect(await service.run('main', 'Go.')).toMatchObject({ status: 'completed' })
  })
})

describe('a provider that fails', () => {
  test.each<[string, ScriptedStep]>([
    ['at once', { error: 'the key is wrong' }],
    ['by throwing', () => Promise.reject(new Error('the wire is cut'))],
  ])('%s is a status, an error and a recorded end, and no exception', async (_, step) => {
    const { run, service } = bench({}, [step])
    const result = await run()
    expect(result).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } })
    expect(await service.verify(result.id)).toMatchObject({ ok: true })
    expect((await service.runs())[0]).toMatchObject({ run: result.id, state: 'failed' })
  })
})

describe('a judge that is never content', () => {
  test('ends with the turns, not with the machine', async () => {
    let asked = 0
    const { run } = bench(
      {},
      Array.from({ length: 50 }, (): ScriptedStep => 'Done.'),
      {
        config: { maxTurns: 4, reflector: { reflect: () => ({ done: false, message: `No. (${++asked})` }) } },
      },
    )
    expect(await run()).toMatchObject({ status: 'max_turns', steps: 4 })
    expect(asked).toBe(4)
  })
})

describe('a file tool', () => {
  test('writes nothing through a link whose target does not exist, and takes new text as it is', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'mandate-regression-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const root = join(dir, 'workspace')
    mkdirSync(root)
    symlinkSync(join(dir, 'outside.txt'), join(root, 'dangling.txt'))
    writeFileSync(join(root, 'a.txt'), 'one two')
    const files: AgentConfig = { tools: [...fileTools({ root, write: true })] }
    const { run } = bench(
      { grant: ['write_file', 'edit_file'] },
      [
        calls(
          ['write_file', { path: 'dangling.txt', content: 'x' }],
          ['edit_file', { path: 'dangling.txt', old_string: '', new_string: 'x' }],
          ['edit_file', { path: 'a.txt', old_string: 'two', new_string: "$& $1 $'" }],
        ),
        'Done.',
      ],
      { config: files },
    )
    expect((await run()).actions.map(({ ok }) => ok)).toEqual([false, false, true])
    expect(existsSync(join(dir, 'outside.txt'))).toBe(false)
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe("one $& $1 $'")
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
    expect(result).toMatchObject({ status: 'await_user', suspendReason: 'approval' })
  })
})
