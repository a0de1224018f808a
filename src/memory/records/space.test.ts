import { expect, test } from 'vitest'
import { databaseOver } from './database.ts'
import { mapPort } from './map-port.ts'
import { memoryOver } from './memory.ts'
import type { RecordPort, StoredRow } from './port.ts'

/** A port that hands over one row at a time, and lets something happen in between. */
function slowly(between: (port: RecordPort) => Promise<void>): RecordPort {
  const port = mapPort()
  return {
    ...port,
    async *scan(space, filter) {
      const shown = new Set<string>()
      for (;;) {
        let next: StoredRow | undefined
        for await (const page of port.scan(space, filter))
          next ??= page.find((row) => !shown.has(`${row.key} ${row.text}`))
        if (next === undefined) return
        shown.add(`${next.key} ${next.text}`)
        yield [next]
        await between(port)
      }
    },
  }
}

test('what is written again while a query reads page by page is found once', async () => {
  let isChanged = false
  const port = slowly(async (inner) => {
    if (isChanged) return
    isChanged = true
    await databaseOver(inner).write('c', 'a', 'walrus, changed')
  })
  const database = databaseOver(port)
  for (const key of ['a', 'b', 'c']) await database.write('c', key, 'walrus')
  expect((await database.query('c', {})).map(({ key }) => key)).toEqual(['a', 'b', 'c'])
  isChanged = false
  expect(await database.search('walrus')).toHaveLength(3)
})

test('what is sealed is stored sealed, bound to its place, and found all the same', async () => {
  const port = mapPort()
  const places: string[] = []
  const sealer = {
    seal: async (plain: string, place: readonly string[]) =>
      Buffer.from(`${place.join('/')}|${plain}`).toString('base64'),
    async open(sealed: string, place: readonly string[]) {
      const [at, ...rest] = Buffer.from(sealed, 'base64').toString().split('|')
      places.push(at!)
      if (at !== place.join('/')) throw new Error('it was sealed elsewhere')
      return rest.join('|')
    },
  }
  const database = databaseOver(port, { sealer, namespace: 'n' })
  await database.write('c', 'k', { text: 'walrus', n: 1 }, { vector: [1, 2] })
  const stored = await port.get('database:n', 'c', 'k')
  expect(stored).not.toHaveProperty('vector')
  expect(JSON.stringify(stored)).not.toContain('walrus')
  expect(await database.read('c', 'k')).toEqual({ text: 'walrus', n: 1 })
  expect(await database.query('c', { n: 1 })).toHaveLength(1)
  expect(await database.search('walrus', { vector: [1, 2] })).toMatchObject([{ similarity: expect.closeTo(1, 5) }])
  expect(await database.writeIf('c', 'k', 'new', { expected: { n: 1, text: 'walrus' } })).toBe(true)
  expect(new Set(places)).toEqual(new Set(['database:n/c/k']))
  await port.put('database:n', [{ ...stored!, key: 'moved' }])
  await expect(database.read('c', 'moved')).rejects.toThrow('sealed elsewhere')
})

test('closing waits for what is being sealed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const port = mapPort()
  const sealer = { seal: async (plain: string) => promise.then(() => plain), open: (sealed: string) => sealed }
  const memory = memoryOver(port, { sealer })
  const writing = memory.append('s', 1)
  const closing = memory.close()
  resolve()
  await Promise.all([writing, closing])
  expect(await memoryOver(port).read('s')).toEqual([1])
})
