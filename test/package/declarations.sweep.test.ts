import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildPackage } from '../../scripts/build-package.ts'
import { declarationsOf } from '../../scripts/package-cost.ts'
import { root } from '../tidy/sources.ts'

/** A project that has the package with its declarations. */
const userFolder = join(root, '.cache/package-declarations')

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

test('every subpath compiles with `skipLibCheck: false` where no optional package is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-declarations-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const packages = join(root, 'node_modules')
  cpSync(join(userFolder, 'node_modules/mandate'), join(folder, 'node_modules/mandate'), { recursive: true })
  const { dependencies, exports } = JSON.parse(
    readFileSync(join(folder, 'node_modules/mandate/package.json'), 'utf8'),
  ) as Record<'dependencies' | 'exports', Record<string, unknown>>
  for (const name of Object.keys(dependencies))
    cpSync(join(packages, name), join(folder, 'node_modules', name), { recursive: true, dereference: true })
  const doors = Object.keys(exports).filter((door) => !door.endsWith('.json'))
  const lines = doors.map((door, index) => `export type * as door${index} from '${door.replace('.', 'mandate')}'`)
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }')
  writeFileSync(join(folder, 'doors.ts'), lines.join('\n'))
  const lib = ['es2024', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable']
  const options = { strict: true, noEmit: true, target: 'es2024', lib, types: [], module: 'nodenext' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['doors.ts'] }))
  const { stdout, status } = spawnSync(process.execPath, [join(packages, 'typescript/bin/tsc'), '-p', folder], {
    encoding: 'utf8',
  })
  expect(doors.length).toBeGreaterThan(20)
  expect(stdout).toBe('')
  expect(status).toBe(0)
})
