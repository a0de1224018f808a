import { describe, expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { manualClock } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { kernelOf } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import { registerCells } from '../mind/register-cells.ts'
import { ReplSession } from './repl-session.ts'
import type { ReplOptions } from './repl-session.ts'

const look = defineTool({ name: 'look', risk: 'read', inputSchema: { type: 'object' }, run: () => 'seen' })

function open(options: ReplOptions, journal: Journal = memoryJournal()): Promise<ReplSession> {
  return ReplSession.open(new AgentService({ journal, tools: [look] }), options)
}

const LOOK = 'await tools.look({})'

describe('the budget of a session', () => {
  it('is one for all of its cells', async () => {
    const session = await open({ budget: { toolCalls: 3 } })
    expect((await session.evalCell(`${LOOK}; ${LOOK}`)).status).toBe('completed')
    expect((await session.evalCell(LOOK)).status).toBe('completed')
    const { status, error } = await session.evalCell(LOOK)
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'LIMIT_EXCEEDED' })
    expect(error?.message).toContain('`budget.toolCalls` is 3 for all of its cells')
    expect((await session.evalCell('1 + 1')).value).toBe(2)
  })

  it('cannot be got around by catching', async () => {
    const session = await open({ budget: { toolCalls: 1 } })
    const single = await session.evalCell(`${LOOK}; try { ${LOOK} } catch {}; let after = 1`)
    expect([single.status, single.variablesChanged]).toEqual(['failed', []])
    const batch = await session.evalCell("await tool_call_batched([{ tool: 'look' }]); let after = 1")
    expect([batch.error?.code, batch.variablesChanged]).toEqual(['LIMIT_EXCEEDED', []])
  })

  it('counts what a cell spent that failed, and what an undone one did', async () => {
    const session = await open({ budget: { toolCalls: 2 } })
    await session.evalCell(`${LOOK}; null.x`)
    await session.evalCell(LOOK)
    await session.undo()
    expect((await session.evalCell(LOOK)).error?.code).toBe('LIMIT_EXCEEDED')
  })

  it('goes on in another process, also where it was not set before', async () => {
    const journal = memoryJournal()
    const first = await open({ sessionId: 's' }, journal)
    await first.evalCell(`${LOOK}; ${LOOK}`)
    const second = await open({ sessionId: 's', budget: { toolCalls: 3 } }, journal)
    expect((await second.evalCell(LOOK)).status).toBe('completed')
    const third = await open({ sessionId: 's', budget: { toolCalls: 3 } }, journal)
    expect((await third.evalCell(LOOK)).error?.code).toBe('LIMIT_EXCEEDED')
  })

  it('is not renewed by a fork, in this process or in another', async () => {
    const journal = memoryJournal()
    const session = await open({ sessionId: 's', budget: { toolCalls: 2 } }, journal)
    await session.evalCell(LOOK)
    const fork = await session.fork({ sessionId: 'f' })
    expect((await fork.evalCell(LOOK)).status).toBe('completed')
    expect((await fork.evalCell(LOOK)).error?.code).toBe('LIMIT_EXCEEDED')
    const again = await open({ sessionId: 'f', budget: { toolCalls: 2 } }, journal)
    expect((await again.evalCell(LOOK)).error?.code).toBe('LIMIT_EXCEEDED')
  })

  it('counts computing to the fraction, and memory for each cell by itself', async () => {
    const session = await open({ budget: { fuel: 50 } })
    const work = 'for (let i = 0; i < 500; i++) { i % 7 }'
    const results = [await session.evalCell(work), await session.evalCell(work), await session.evalCell(work)]
    expect(results.map(({ status }) => status)).toEqual(['completed', 'failed', 'failed'])
    expect(results[2]!.error?.message).toContain('`budget.fuel` is 50 for all of its cells')
    const fresh = await open({ budget: { memory: 3_000_000 } })
    expect((await fresh.evalCell("let big = 'x'.repeat(4_000_000)")).error?.code).toBe('LIMIT_EXCEEDED')
    for (let cell = 0; cell < 4; cell++)
      expect((await fresh.evalCell("let t = 'x'.repeat(1_000_000); t = ''")).status).toBe('completed')
  })

  it('refuses a limit that there is not', async () => {
    await expect(open({ budget: { toolCals: 1 } as never })).rejects.toThrow('Did you mean')
  })
})

describe('the time of a cell that others start', () => {
  it('is that of its policy', async () => {
    const clock = manualClock()
    const service = new AgentService({ clock })
    const slow = defineTool({
      name: 'slow',
      risk: 'read',
      inputSchema: { type: 'object' },
      run: () => (clock.advance(60), 'done'),
    })
    registerCells(service, 'one', { script: 'await tools.slow({})', tools: [slow], policy: { timeoutMs: 70 } })
    registerCells(service, 'two', {
      script: '[await tools.slow({}), await tools.slow({})]',
      tools: [slow],
      policy: { timeoutMs: 70 },
    })
    const session = await ReplSession.open(service, { tools: [slow], policy: { timeoutMs: 0 } })
    const run = (name: string) => kernelOf(service).run({ kind: 'cell', name, input: null })
    expect(await run('one')).toMatchObject({ state: 'completed' })
    expect(await run('two')).toMatchObject({ state: 'failed', error: { info: { unit: 'timeMs', limit: 70 } } })
    expect((await session.evalCell('await tools.slow({}); await tools.slow({})')).value).toBe('done')
  })
})

it('a session that has spent its budget can be closed, and holds what it has', async () => {
  const journal = memoryJournal()
  const session = await open({ sessionId: 's', budget: { toolCalls: 1 } }, journal)
  await session.evalCell('let seen = await tools.look({})')
  await session.close()
  await session.close()
  expect((await open({ sessionId: 's' }, journal)).isClosed).toBe(true)
  await expect(session.evalCell('1')).rejects.toMatchObject({ code: 'RUN_STATE' })
  expect([session.isClosed, await session.variables.names()]).toEqual([true, ['seen']])
  expect((await (await session.fork()).evalCell('seen')).error).toBeUndefined()
})
