import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { builtPackage } from '../built-package.ts'
import type { MortalTask } from './mortal-team.ts'

const { flags } = await builtPackage()
const program = fileURLToPath(new URL('./mortal-team.ts', import.meta.url))

interface Report {
  readonly status: string
  readonly text: string
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

/** Lets a team work to its end, in a process that is killed with an entry and, then, in another one. */
export async function workThrough(folder: string, dieAt?: number): Promise<Report> {
  const name = `at-${dieAt ?? 'the-end'}`
  const task = { path: join(folder, `${name}.db`), world: join(folder, `${name}.txt`) }
  const report = (await runProcess({ ...task, dieAt })) ?? (await runProcess(task))
  expect(report, name).toMatchObject({ status: 'completed', text: 'All are paid.', identical: true })
  const paid = (await readFile(task.world, 'utf8')).trim().split('\n')
  expect(paid.toSorted(), name).toEqual(['ana', 'bob', 'cem'])
  return report!
}
