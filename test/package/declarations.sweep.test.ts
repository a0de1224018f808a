import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../../scripts/build-package.ts'
import { declarationsOf } from '../../scripts/package-cost.ts'

/** A project that has the package with its declarations. */
const userFolder = join(import.meta.dirname, '../../.cache/package-declarations')

beforeAll(() => buildPackage(userFolder), 120_000)

test('type-checking a minimal agent loads under 20,000 lines of declarations', () => {
  const agent = join(userFolder, 'agent.ts')
  cpSync(join(import.meta.dirname, 'minimal-agent.fixture.ts'), agent)
  const { complaint, files } = declarationsOf(agent)
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  process.stdout.write(`${lines} lines of declarations in ${files.length} files\n`)
  expect(complaint).toBe('')
  expect(files.map(({ path }) => path).filter((path) => !path.includes('/mandate/dist/'))).toEqual([])
  expect(lines).toBeLessThan(20_000)
})
