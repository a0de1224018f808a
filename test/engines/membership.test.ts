import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { Membership } from '../../src/engine/members/membership.ts'
import { ENGINE_PART } from '../../src/engine/members/tables.ts'
import type { EngineHost } from '../../src/run/index.ts'
import { linkTo, migrate } from '../../src/store/postgres/index.ts'
import type { PostgresLink } from '../../src/store/postgres/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

async function open(): Promise<PostgresLink> {
  const link = linkTo(`${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`, 4)
  onTestFinished(() => link.close())
  await migrate(link, ENGINE_PART)
  return link
}

function memberOf(
  link: PostgresLink,
  id: string,
  more: { version: string; minds: Record<string, string> },
  freed: string[] = [],
): Membership {
  const journal = { releaseOwner: async (owner: string) => void freed.push(owner) }
  const host = { owner: `owner of ${id}`, minds: () => more.minds, onFault: () => {}, journal } as unknown as EngineHost
  const { version } = more
  return new Membership({
    ...{ host, link, id, version, engine: 'dbos', queues: [], configured: [] },
    ...{ concurrency: 1, frozenMs: 30_000, running: () => 0 },
  })
}

test.skipIf(!has('postgres'))(
  'two deployments with other agents, or other parts of them, under one version name are refused by name; nothing else is',
  async () => {
    const link = await open()
    const join = async (id: string, version: string, minds: Record<string, string>): Promise<void> => {
      const member = memberOf(link, id, { version, minds })
      await member.join()
      onTestFinished(() => member.leave())
    }
    await join('one', 'blue', { 'agent/a': '1', 'agent/b': '1' })
    await join('two', 'blue', { 'agent/b': '1', 'agent/a': '1' })
    await join('three', 'green', { 'agent/a': '1' })
    for (const minds of [{ 'agent/a': '1' }, { 'agent/a': '1', 'agent/b': '2' }] as Record<string, string>[])
      await expect(join('four', 'blue', minds)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/called version "blue" and has other agents.*\(agent\/b\).*another `version`/su),
      })
    // The version that is made, where none is given, tells them apart as well.
    await join('five', '', { 'agent/a': '1' })
    await join('six', '', { 'agent/a': '2' })
    const { rows } = await link.query(`SELECT version FROM ${link.table('workers')} WHERE id IN ('five', 'six')`)
    expect(new Set(rows.map((row) => row['version'])).size).toBe(2)
  },
)

test.skipIf(!has('postgres'))(
  'leases of a member that is gone are freed by another, and its row goes; of one that lives they stay',
  async () => {
    const link = await open()
    const freed: string[] = []
    const [here, there] = ['here', 'there'].map((id) => memberOf(link, id, { version: 'v', minds: {} }, freed))
    for (const member of [here!, there!]) {
      await member.join()
      onTestFinished(() => member.leave())
    }
    // One whose process ended: it has a row and holds no lock.
    const sql = `INSERT INTO ${link.table('workers')} (id, owner, place, version, protocol, minds, queues, concurrency, seen_at)
    VALUES ('gone', 'owner of gone', 'x', 'v', 1, '{}', '[]', 1, now() - interval '1 s')`
    await link.query(sql)
    const rows = async (): Promise<unknown[]> =>
      (await link.query(`SELECT id FROM ${link.table('workers')} ORDER BY 1`)).rows.map((row) => row['id'])
    await expect.poll(rows).toEqual(['here', 'there'])
    expect(new Set(freed)).toEqual(new Set(['owner of gone']))
  },
)

test.skipIf(!has('postgres'))(
  'of two deployments that come at once under one name the second is refused; one that was killed stands in nobody’s way',
  async () => {
    const link = await open()
    const members = ['one', 'two', 'three'].map((id, index) =>
      memberOf(link, id, { version: 'blue', minds: { 'agent/a': String(index) } }),
    )
    const joined = await Promise.allSettled(members.map((member) => member.join()))
    expect(joined.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    for (const member of members) await member.leave()
    // Killed a moment ago: its row is there, and nobody holds its lock.
    const sql = `INSERT INTO ${link.table('workers')} (id, owner, place, version, protocol, minds, queues, concurrency)
      VALUES ('killed', 'owner of killed', 'x', 'blue', 1, '{"agent/a": "0"}', '[]', 1)`
    await link.query(sql)
    const next = memberOf(link, 'next', { version: 'blue', minds: { 'agent/a': '1' } })
    onTestFinished(() => next.leave())
    await next.join()
    const { rows } = await link.query(`SELECT state FROM ${link.table('workers')} WHERE id = 'next'`)
    expect(rows).toEqual([{ state: 'up' }])
  },
)
