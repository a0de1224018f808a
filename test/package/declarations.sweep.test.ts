import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../../scripts/build-package.ts'
import { installCost, ownCost } from '../../scripts/install-cost.ts'
import { declarationsOf } from '../../scripts/package-cost.ts'

/** A project that has the package as it is published, declarations included. */
const userFolder = join(import.meta.dirname, '../../.cache/package-declarations')

beforeAll(() => buildPackage(userFolder), 120_000)

test('installing it takes fewer packages and fewer bytes than ai with one provider', () => {
  const ours = ownCost(join(userFolder, 'node_modules/mandate/dist'))
  const theirs = installCost(['ai', '@ai-sdk/openai'])
  process.stdout.write(
    `${ours.packages.length} packages, ${megabytes(ours.bytes)} MB; ai and a provider: ${theirs.packages.length}, ${megabytes(theirs.bytes)} MB\n`,
  )
  expect(ours.packages.length).toBeLessThan(theirs.packages.length)
  expect(ours.bytes).toBeLessThan(theirs.bytes)
})

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

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
