import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresDatabase } from '../../src/store/postgres/data/postgres-data.ts'
import { has } from '../servers/servers.ts'
import { asked, newSchema } from './postgres.fixture.ts'

/** A database of its own, in which a type `vector` can be made without anyone else seeing it. */
async function newDatabase(): Promise<{ readonly url: string; readonly schema: string }> {
  const { url, schema } = await newSchema()
  await asked(url, `CREATE DATABASE ${schema}`)
  onTestFinished(() => asked(url, `DROP DATABASE ${schema} WITH (FORCE)`).then(() => {}))
  const own = new URL(url)
  own.pathname = `/${schema}`
  return { url: own.href, schema: 'mandate' }
}

/**
 * Stands in for the extension: a type of the same name, made from lists of numbers, and its operator for the distance of two directions.
 * What it cannot show is how fast the real one is.
 */
const STAND_IN = `
  CREATE DOMAIN vector AS real[];
  CREATE FUNCTION distance(a real[], b real[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT 1 - sum(x * y) / sqrt(sum(x * x)) / sqrt(sum(y * y)) FROM unnest(a, b) AS t (x, y) $$;
  CREATE FUNCTION distance(a vector, b vector) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT distance(a::real[], b::real[]) $$;
  CREATE OPERATOR <=> (LEFTARG = vector, RIGHTARG = vector, FUNCTION = distance);
  CREATE OPERATOR <=> (LEFTARG = real[], RIGHTARG = real[], FUNCTION = distance)`

const NOTES: readonly (readonly [string, readonly number[]])[] = [
  ['east', [1, 0, 0]],
  ['north-east', [0.8, 0.6, 0]],
  ['north', [0, 1, 0]],
  ['flat', [1, 0]],
]

describe.skipIf(!has('postgres'))('vectors in Postgres', () => {
  test('without the type, they are compared one by one; with it, by the server, and with the same result', async () => {
    const place = await newDatabase()
    const database = postgresDatabase(place)
    for (const [key, vector] of NOTES) await database.write('c', key, key, { vector })
    const find = async (from: typeof database): Promise<string> =>
      (await from.search('', { vector: [0.9, 0.1, 0] }))
        .map(({ key, score }) => `${key} ${score.toFixed(4)}`)
        .join(', ')
    const here = await find(database)
    expect(here).toBe('east 0.9939, north-east 0.8614, north 0.1104')
    await database.close()
    await asked(place.url, STAND_IN)
    const again = postgresDatabase(place)
    // Written before the type was there: the server does not have them all, so they are still compared here.
    expect(await find(again)).toBe(here)
    for (const [key, vector] of NOTES) await again.write('c', key, key, { vector })
    const columns = await asked(place.url, `SELECT count(embedding)::int AS all FROM mandate.records`)
    expect(columns).toEqual([{ all: NOTES.length }])
    expect(await find(again)).toBe(here)
    // Only the server could have found this one: the bytes beside it say something else.
    await asked(place.url, `UPDATE mandate.records SET embedding = '{0,0,1}' WHERE key = '"east"'`)
    expect(await find(again)).toBe('north-east 0.8614, north 0.1104, east 0.0000')
    await again.close()
  })
})
