import fc from 'fast-check'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { byteArray, numberArray, textArray } from '../../src/store/postgres/array-text.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

describe.skipIf(!has('postgres'))('lists as Postgres reads them', () => {
  test('whatever is in a list comes back as it was', async () => {
    const client = new Client({ connectionString: await sharedServer('postgres') })
    await client.connect()
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', 'NULL', 'null', '{}', '","', '\\', '\\"', "'", ' ', 'a,b', '{"x":"\\"y\\""}', '\n'),
    )
    const safe = text.filter((one) => !one.includes('\0') && one.isWellFormed())
    const lists = fc.record({
      texts: fc.array(fc.option(safe)),
      numbers: fc.array(fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0))),
      bytes: fc.array(fc.option(fc.uint8Array())),
    })
    try {
      await fc.assert(
        fc.asyncProperty(lists, async ({ texts, numbers, bytes }) => {
          const sql = 'SELECT $1::text[] AS texts, $2::float8[] AS numbers, $3::bytea[] AS bytes'
          const { rows } = await client.query<{ texts: unknown; numbers: unknown; bytes: (Buffer | null)[] }>(sql, [
            textArray(texts),
            numberArray(numbers),
            byteArray(bytes),
          ])
          expect(rows[0]!.texts).toEqual(texts)
          expect(rows[0]!.numbers).toEqual(numbers)
          expect(rows[0]!.bytes.map((one) => one?.toString('hex') ?? null)).toEqual(
            bytes.map((one) => (one === null ? null : Buffer.from(one).toString('hex'))),
          )
        }),
        { numRuns: 200 },
      )
    } finally {
      await client.end()
    }
  })
})
