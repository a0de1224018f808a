import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announceSkip } from '../rotation.ts'
// @ts-expect-error A script without types, which runs before anything is installed.
import { nodeFile, oldestNode, smoke } from '../../scripts/oldest-node.mjs'

const root = join(import.meta.dirname, '../..')
const version = (oldestNode as () => string)()
const file = (nodeFile as (version: string) => string)(version)

if (!existsSync(file))
  announceSkip(`the SQLite store on Node ${version}, the oldest that is promised`, 'npm run test:oldest')

test.runIf(existsSync(file))(
  'the SQLite store works on the oldest Node that is promised',
  () => {
    const { status, stdout, stderr } = (
      smoke as (version: string) => { status: number; stdout: string; stderr: string }
    )(version)
    expect({ status, stderr, stdout: stdout.trim() }).toEqual({ status: 0, stderr: '', stdout: `ok: v${version}` })
  },
  60_000,
)

test('no statement numbers its parameters: Nodes before 22.20 and 24.7 bind those in the order of the call', () => {
  const folder = join(root, 'src/store/sqlite')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(20)
  const numbered = files.filter((name) => /[(\s,=]\?\d/u.test(readFileSync(join(folder, name), 'utf8')))
  expect(numbered).toEqual([])
})
