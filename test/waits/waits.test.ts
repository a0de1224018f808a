import { describe, expect, test } from 'vitest'
import type { TestContext } from 'vitest'
import { calls, cutAfter, host, model, tool } from '../../src/agent/agent.fixture.ts'
import type { AgentService, AgentConfig, ServiceOptions } from '../../src/agent/index.ts'
import { readAll } from '../../src/journal/index.ts'
import { CONNECTOR_WAITS } from './connector-waits.ts'
import { HANG_MS, settled } from './settled.ts'
import { STOP_WAITS, WAITS } from './waits.ts'
import type { Wait } from './waits.ts'

/** The limit of the wait under test; every other limit is far longer than the test. */
const SHORT_MS = 60
const LONG_MS = 600_000
/** Long enough for a connection to be made. */
const TOOL_MS = 1_500
const LONG = {
  modelTimeoutMs: LONG_MS,
  toolTimeoutMs: LONG_MS,
  checkTimeoutMs: LONG_MS,
  cancelGraceMs: 30,
  attempts: 1,
}

interface Stalled {
  readonly service: AgentService
  readonly run: ReturnType<AgentService['run']>
}

async function stalled(
  { onTestFinished }: TestContext,
  wait: Wait,
  limitMs: number,
  more: object = {},
): Promise<Stalled> {
  const { agent, options, attempts = 1, reached, close } = await wait.stall(limitMs)
  const service = host(agent, { ...options, limits: { ...LONG, attempts, ...more } })
  onTestFinished(async () => {
    await service.stop()
    await close?.()
  })
  const run = service.run('main', 'Go.', { runId: 'r', sessionId: 's' })
  run.catch(() => {})
  expect(await settled(reached)).not.toBe('hangs')
  return { service, run }
}

const POSSIBLE = [...WAITS, ...CONNECTOR_WAITS].filter(({ isPossible = true }) => isPossible)

describe.concurrent.each(POSSIBLE)('$name', (wait) => {
  test('ends by its limit', { timeout: 2 * HANG_MS }, async (context) => {
    const more = wait.limit.endsWith('of the tool') ? {} : { [wait.limit]: SHORT_MS }
    const { run, service } = await stalled(context, wait, TOOL_MS, more)
    const result = await settled(run)
    expect(result).not.toBe('hangs')
    expect(result).toMatchObject({ status: wait.becomes ?? expect.stringMatching(/^(completed|failed)$/) })
    if (wait.says !== undefined) expect(JSON.stringify(await readAll(service.journal, 'r'))).toContain(wait.says)
  })

  test('ends when the run is cancelled', { timeout: 2 * HANG_MS }, async (context) => {
    const { run } = await stalled(context, wait, LONG_MS)
    void run.cancel('enough')
    expect(await settled(run)).toMatchObject({ status: 'cancelled' })
  })

  test(
    'does not keep the service from stopping, and the run can be resumed',
    { timeout: 2 * HANG_MS },
    async (context) => {
      const { service, run } = await stalled(context, wait, LONG_MS)
      const report = await settled(service.stop())
      expect(report).toMatchObject({ left: [], unfinished: [] })
      expect(report).toMatchObject({ suspended: expect.arrayContaining([{ run: 'r', reason: 'interrupt' }]) })
      expect(await settled(run)).toMatchObject({ status: 'await_user', suspendReason: 'interrupt' })
    },
  )
})

describe.concurrent.each(STOP_WAITS)('stop() with $name that does not answer', ({ stall, left }) => {
  test('ends all the same, and so does what waits for its runs', { timeout: 2 * HANG_MS }, async () => {
    const { agent, options, reached } = stall()
    const service = host(agent, { ...options, limits: { ...LONG, stopTimeoutMs: SHORT_MS } })
    const result = service.run('main', 'Go.', { runId: 'r' }).then(
      () => 'over',
      () => 'over',
    )
    await settled(reached ?? result)
    // It says what it left.
    const report = await settled(service.stop())
    if (left === 'run') expect(report).toMatchObject({ suspended: [], left: ['r'] })
    else expect(report).toEqual({ suspended: [], left: [], unfinished: [left] })
    expect(await settled(result)).toBe('over')
  })
})

describe.concurrent('a store that stops answering', () => {
  test('ends the run after the time of a lease, and it can be resumed', { timeout: 2 * HANG_MS }, async (context) => {
    const [store] = STOP_WAITS
    const { agent, options } = store!.stall()
    const service = host(agent, { ...options, limits: { leaseMs: SHORT_MS, stopTimeoutMs: SHORT_MS } })
    context.onTestFinished(async () => void (await service.stop()))
    const outcome = await settled(
      service.run('main', 'Go.').then(
        ({ suspendReason }) => suspendReason,
        (error: { code?: unknown }) => error.code,
      ),
    )
    expect(['disk', 'STORE_FAILED']).toContain(outcome)
  })
})

describe.concurrent('reconcile', () => {
  /** A service that finds a call of a process that died, and looks it up without an answer. */
  async function recovering(
    { onTestFinished }: TestContext,
    limits: object,
  ): Promise<{ service: AgentService; reached: Promise<void> }> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const reconcile = (): Promise<never> => (resolve(), new Promise(() => {}))
    const agent = (): AgentConfig => ({
      model: model([calls('act'), 'Done.']),
      tools: [tool('act', () => 1, { reconcile })],
    })
    const first = host(agent())
    await first.run('main', 'Go.', { runId: 'r' })
    const entries = await readAll(first.journal, 'r')
    const started = entries.findIndex(({ type, key }) => type === 'effect-start' && key?.includes('tool') === true)
    const journal = await cutAfter(first.journal, 'r', started + 1)
    const options: ServiceOptions = { journal, limits: { ...LONG, ...limits } }
    const service = host(agent(), options)
    onTestFinished(async () => void (await service.stop()))
    return { service, reached: promise }
  }

  test('ends by the timeout of its tool: then a person is asked', { timeout: 2 * HANG_MS }, async (context) => {
    const { service } = await recovering(context, { toolTimeoutMs: SHORT_MS })
    expect(await settled(service.resume('r'))).toMatchObject({ status: 'await_user', suspendReason: 'in-doubt' })
  })

  test('ends when the run is cancelled', { timeout: 2 * HANG_MS }, async (context) => {
    const { service, reached } = await recovering(context, {})
    const resumed = service.resume('r')
    await reached
    await service.cancel('r')
    expect(await settled(resumed)).toMatchObject({ status: 'cancelled' })
  })

  test('does not keep the service from stopping', { timeout: 2 * HANG_MS }, async (context) => {
    const { service, reached } = await recovering(context, {})
    const resumed = service.resume('r')
    await reached
    expect(await settled(service.stop())).toMatchObject({ suspended: [{ run: 'r' }], left: [] })
    expect(await settled(resumed)).toMatchObject({ status: 'await_user', suspendReason: 'interrupt' })
  })
})
