import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isFull, readRotation } from '../rotation.ts'
import { simulate } from './simulate.ts'
import type { SeedsReport } from './simulate.ts'

const SEEDS = 10_000
/** Of the full run's seeds, so that what fails here fails there too. */
const SHARE = 20

/** Simulates every `step`-th seed in a process of its own: a machine has more than one core, and a simulation uses one. */
function simulateApart(from: number, to: number, step: number): Promise<SeedsReport> {
  return new Promise((resolve, reject) => {
    const path = fileURLToPath(new URL('./simulate.ts', import.meta.url))
    const child = spawn(process.execPath, ['--conditions=mandate-source', path, ...[from, to, step].map(String)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (complaint += String(chunk)))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(out) as SeedsReport) : reject(new Error(`${code}: ${complaint}`)),
    )
  })
}

test('random minds under random crashes end as they would have without, and nothing is done twice', async () => {
  const cores = Math.max(1, Math.min(availableParallelism(), 4))
  const first = isFull ? 0 : readRotation()
  const step = isFull ? 1 : SHARE
  if (!isFull)
    process.stdout.write(
      `rotation: simulation: ${SEEDS / SHARE} of ${SEEDS} seeds; these again: MANDATE_ROTATION=${first}, all: npm run test:full\n`,
    )
  const reports = await Promise.all(
    Array.from({ length: cores }, (_, core) => simulateApart(first + core * step, SEEDS - 1, step * cores)),
  )
  const sum = (of: (report: SeedsReport) => number): number => reports.reduce((total, report) => total + of(report), 0)
  process.stdout.write(`simulation: ${sum(({ seeds }) => seeds)} seeds, ${sum(({ faults }) => faults)} faults\n`)
  expect(reports.flatMap(({ failures }) => failures)).toEqual([])
  expect(sum(({ seeds }) => seeds)).toBe(SEEDS / step)
  expect(sum(({ faults }) => faults)).toBeGreaterThan(SEEDS / step / 2)
})

test('a seed gives the same simulation every time', async () => {
  expect(await simulate(42)).toBe(await simulate(42))
})
