import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { openKernel } from '../chaos/engines.ts'
import type { EngineName } from '../chaos/engines.ts'
import { Processes } from '../chaos/processes.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

const engines: readonly EngineName[] = has('postgres')
  ? ['dbos', ...(has('restate') ? (['restate'] as const) : [])]
  : []

/** Nobody can wait for it here: what goes on sooner was taken over, not waited for. */
const LEASE_MS = 100_000

/** Restate hands all segments to the address that was made known last: that worker drives the run, and is killed. */
const cases = engines.flatMap((engine) => [
  { engine, isLast: false },
  ...(engine === 'restate' ? [{ engine, isLast: true }] : []),
])

test.each(cases)(
  'with $engine, the run of a worker that was killed goes on long before its lease ends (started last: $isLast)',
  async ({ engine, isLast }) => {
    const folder = mkdtempSync(join(tmpdir(), 'mandate-failover-'))
    const log = join(folder, 'world')
    writeFileSync(log, '')
    const server = engine === 'restate' ? await sharedServer('restate') : undefined
    const place = { url: await sharedServer('postgres'), schema: `t_${systemRandom.hex(8)}`, server, port: 0, log }
    const order = { engine, ...place, leaseMs: LEASE_MS }
    const processes = new Processes(() => order, systemRandom)
    const { kernel } = openKernel(order, false)
    onTestFinished(async () => {
      processes.end()
      await kernel.stop()
      await kernel.journal.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const looks = (): number => readFileSync(log, 'utf8').split('\n').length
    await kernel.journal.list({ limit: 1 })
    if (isLast) await processes.start()
    const driving = await processes.start()
    await kernel.plan({ kind: 'program', name: 'looks', input: null, runId: 'long' })
    await expect.poll(looks, { timeout: 60_000 }).toBeGreaterThan(3)
    if (!isLast) await processes.start()
    const isOver = new Promise<void>((resolve) => driving!.once('exit', () => resolve()))
    expect(processes.signal(driving, 'SIGKILL')).toBe(true)
    await isOver
    const died = performance.now()
    const before = looks()
    await expect.poll(looks, { timeout: LEASE_MS / 2, interval: 20 }).toBeGreaterThan(before)
    process.stdout.write(`${engine}: the run went on ${Math.round(performance.now() - died)} ms after the kill\n`)
  },
)
