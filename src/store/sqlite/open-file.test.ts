import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { prepareFile } from './open-file.ts'
import type { FileOptions } from './protocol.ts'
import { newPath } from './sqlite.fixture.ts'

test.for([0, 1, 2, 3])(
  'a neighbour that creates the tables after read %i of the opening is no stranger',
  async (after) => {
    const options: FileOptions = { path: newPath(), busyTimeoutMs: 0, watchIntervalMs: 10 }
    using neighbour = new DatabaseSync(options.path)
    using database = new DatabaseSync(options.path)
    let reads = 0
    const prepare = database.prepare.bind(database)
    database.prepare = (sql: string) => {
      if (reads === after) prepareOrBusy(neighbour, options)
      reads += 1
      return prepare(sql)
    }
    const id = prepareFile(database, options, true)
    expect(reads).toBeGreaterThan(after)
    expect(prepareFile(neighbour, options, true)).toBe(id)
  },
)

function prepareOrBusy(database: DatabaseSync, options: FileOptions): void {
  try {
    prepareFile(database, options, true)
  } catch (error) {
    expect(String(error)).toContain('locked')
  }
}

test('a Node that does not say whether a transaction is open can open a file all the same', async () => {
  const options: FileOptions = { path: newPath(), busyTimeoutMs: 0, watchIntervalMs: 10 }
  using real = new DatabaseSync(options.path)
  // As Node 23 has it.
  const database = { exec: real.exec.bind(real), prepare: real.prepare.bind(real) } as unknown as DatabaseSync
  const id = prepareFile(database, options, true)
  expect(prepareFile(database, options, true)).toBe(id)
})
