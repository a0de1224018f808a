import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { ENGINE_PART } from '../../src/engine/members/tables.ts'
import { linkTo, migrate } from '../../src/store/postgres/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'
import { REFUND, mandate, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

test.skipIf(!has('postgres'))(
  'over a store whose workers use Restate, answers wake their runs by the outbox, and what needs Restate itself is refused',
  async () => {
    const url = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
    const dir = ['--dir', url]
    expect(await mandate('run', REFUND, 'Pay it back.', '--no-input', ...dir)).toMatchObject({ code: 4 })
    const link = linkTo(url, 1)
    onTestFinished(() => link.close())
    await migrate(link, ENGINE_PART)
    await link.query(`INSERT INTO ${link.table('workers')} (id, owner, place, version, protocol, minds, queues, concurrency, engine)
      VALUES ('w', 'o', 'far:1', 'v', 1, '{}', '[]', 1, 'restate')`)
    const [{ id }] = JSON.parse((await mandate('inbox', '--json', ...dir)).out) as [{ id: string }]
    expect(await mandate('approve', id, ...dir)).toMatchObject({
      code: 0,
      notes: expect.stringContaining('continue it'),
    })
    const { rows } = await link.query(`SELECT run, from_seq > 0 AS placed FROM ${link.table('restate_outbox')}`)
    expect(rows).toEqual([{ run: id.split('-ap')[0], placed: true }])
    for (const words of [
      ['worker', REFUND],
      ['serve', REFUND, '--port', '0'],
      ['run', REFUND, 'Go.', '--detach'],
    ])
      expect(await mandate(...words, ...dir)).toMatchObject({
        code: 6,
        notes: expect.stringContaining('restateEngine'),
      })
  },
)
