import { describe, expect, it } from 'vitest'
import { calls, host, model, reported, tool } from '../agent.fixture.ts'
import { deterministicClock } from './deterministic-clock.ts'

describe('the clock of a deterministic service', () => {
  it('follows from how often it is looked at, not from the time of day', () => {
    const [one, two] = [deterministicClock(), deterministicClock()]
    expect([one.now(), one.now(), one.now()]).toEqual([two.now(), two.now(), two.now()])
  })

  it('has passed, for whoever waited, by as much as they waited for', async () => {
    const clock = deterministicClock()
    const before = clock.now()
    await new Promise<void>((resolve) => void clock.timer(5, resolve))
    expect(clock.now()).toBe(before + 6)
  })

  it('takes a timer back', async () => {
    const clock = deterministicClock()
    let fired = 0
    clock.timer(1, () => fired++)()
    await new Promise<void>((resolve) => void clock.timer(3, resolve))
    expect(fired).toBe(0)
  })

  it('lets retries, timeouts and cancellation happen', async () => {
    const hang = tool('hang', () => new Promise(() => {}), { timeoutMs: 5 })
    const mind = model([{ error: 'busy', retriable: true, retryAfterMs: 1 }, calls('hang'), 'Done.'])
    const service = host({ model: mind, tools: [hang] }, { deterministic: { seed: 1 } })
    expect(reported(await service.run('main', 'Go.'))).toMatchObject({
      status: 'completed',
      retryInfo: { attempts: 1 },
    })
  })
})
