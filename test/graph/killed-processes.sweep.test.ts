import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { builtPackage } from '../built-package.ts'
import { rotate } from '../rotation.ts'
import type { MortalTask } from './mortal-process.ts'

/** More entries than the run has: the first test says so when it grows. */
const ENTRIES_MAX = 80

const { flags } = await builtPackage()
const program = fileURLToPath(new URL('./mortal-process.ts', import.meta.url))
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mandate-graph-'))
})

afterAll(() => rm(folder, { recursive: true }))

interface Report {
  readonly state: string
  readonly output: unknown
  readonly identical: boolean
  readonly entries: number
}

/** Runs one process; nothing when it was killed. */
function runProcess(task: MortalTask): Promise<Report | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...flags, program, JSON.stringify(task)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (complaint += String(chunk)))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(undefined)
      else if (code === 0 && complaint === '') resolve(JSON.parse(out) as Report)
      else reject(new Error(`the process ended with ${code ?? signal}: ${complaint || out}`))
    })
  })
}

/** What the world was told, without the keys. */
async function told(name: string): Promise<readonly string[]> {
  const lines = (await readFile(join(folder, `${name}.txt`), 'utf8')).trim().split('\n')
  return lines.map((line) => line.slice(line.indexOf(' ') + 1)).toSorted()
}

const taskOf = (name: string): MortalTask => ({ path: join(folder, `${name}.db`), world: join(folder, `${name}.txt`) })

it('a process that is killed with any entry is followed by one that comes to the same end, and nothing is done twice', async () => {
  const whole = await runProcess(taskOf('whole'))
  expect(whole).toMatchObject({ state: 'completed', identical: true })
  expect(whole!.entries).toBeLessThanOrEqual(ENTRIES_MAX)
  const places = Array.from({ length: whole!.entries }, (_, index) => index + 1)
  const left = rotate(places, 'graphs in killed processes')
  const worker = async (): Promise<void> => {
    for (let dieAt = left.pop(); dieAt !== undefined; dieAt = left.pop()) {
      const name = `at-${dieAt}`
      const first = await runProcess({ ...taskOf(name), dieAt })
      const last = first ?? (await runProcess(taskOf(name)))
      expect(last, name).toMatchObject({ state: 'completed', identical: true, output: whole!.output })
      expect(await told(name), name).toEqual(await told('whole'))
    }
  }
  await Promise.all([worker(), worker()])
}, 280_000)
