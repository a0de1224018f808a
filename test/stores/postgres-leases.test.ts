import { describe, expect, test } from 'vitest'
import { has } from '../servers/servers.ts'
import { newSchema, openJournal, refused } from './postgres.fixture.ts'

const DAY = 86_400_000

describe.skipIf(!has('postgres'))('leases go by the clock of the server', () => {
  test('a taker whose clock is ahead does not get a run that is held', async () => {
    const place = await newSchema()
    const [here, there] = [openJournal(place), openJournal(place)]
    const now = 1_000_000
    const lease = await here.acquire({ run: 'run', owner: 'a', ttlMs: 60_000, now })
    const taken = there.acquire({ run: 'run', owner: 'b', ttlMs: 60_000, now: now + DAY })
    expect((await refused(taken)).code).toBe('LEASE_HELD')
    await here.renew(lease, now + 90_000, now + 30_000)
    const again = there.acquire({ run: 'run', owner: 'b', ttlMs: 60_000, now: now + DAY })
    expect((await refused(again)).code).toBe('LEASE_HELD')
  })

  test('a taker whose clock is behind gets a run whose lease has expired, and an owner ahead holds it no longer than it said', async () => {
    const place = await newSchema()
    const [here, there] = [openJournal(place), openJournal(place)]
    const lease = await here.acquire({ run: 'run', owner: 'a', ttlMs: 1, now: Date.now() + DAY })
    await here.renew(lease, Date.now() + DAY + 1, Date.now() + DAY)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const taken = await there.acquire({ run: 'run', owner: 'b', ttlMs: 60_000, now: 0 })
    expect(taken.epoch).toBeGreaterThan(lease.epoch)
    expect((await refused(here.renew(lease, 60_000, 0))).code).toBe('LEASE_LOST')
  })
})
