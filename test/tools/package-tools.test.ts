import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { documents, fileTools, httpFetch, kv, memoryTools, shellTool, sqlOverSqlite, sqlTools } from 'mandate/connect'
import { inMemoryDatabase } from 'mandate/memory'
import { askUser, sleep, waitUntil } from 'mandate/tool'
import { PACKAGE_TOOLS } from '../../src/gate/mandate/name-check.ts'
import { contextToolName } from '../../src/repl/context/context-tools.ts'
import { batteryAtoms } from '../../src/vm/atoms/set/battery-atoms.ts'
import { IO_ATOMS } from '../../src/vm/atoms/set/io-atoms.ts'
import { CONTEXT_OPERATIONS } from '../../src/repl/context/operations.ts'

test('a mandate may name every tool that the package makes, whoever has it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'mandate-package-tools-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const database = inMemoryDatabase()
  new DatabaseSync(join(root, 'x.db')).close()
  const sql = sqlOverSqlite({ path: join(root, 'x.db'), write: true })
  const made = [
    ...[fileTools({ root }), kv(), memoryTools({ database }), sqlTools({ database: sql })],
    ...[httpFetch({ allow: ['api.example'] }), shellTool({ root, allow: ['ls'] }), documents({ database }).tool()],
    ...[askUser(), sleep(), waitUntil()],
  ].flat()
  const atoms = [...IO_ATOMS, ...Object.values(batteryAtoms)].map(({ op }) => op)
  const names = [
    ...atoms,
    ...made.map(({ name }) => name),
    ...CONTEXT_OPERATIONS.map(({ name }) => contextToolName(name)),
  ]
  expect(names.filter((name) => !PACKAGE_TOOLS.includes(name))).toEqual([])
})
