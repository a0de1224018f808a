import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readAll } from '../../src/journal/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { findProgram } from '../requirements.ts'
import { announceSkip, rotate } from '../rotation.ts'
import { checkAftermath, inFolder, inPairs } from './aftermath.ts'
import { plannedRun } from './planned-run.ts'
import { countCalls, findStrace, withFault } from './strace.ts'
import { startWriter } from './writer.ts'

const COUNT = 7
const planned = plannedRun('run', COUNT)
const strace = findStrace('errors of the disk at every system call of the store')

interface Fault {
  readonly name: string
  /** The calls that fail. */
  readonly calls: string
  readonly error: 'EIO' | 'ENOSPC'
  /** From the first failing call on, or only that one. */
  readonly forGood?: boolean | undefined
  /** At most so many points, spread over the run. */
  readonly pointsMax: number
}

const faults: readonly Fault[] = [
  { name: 'a sync that fails', calls: 'fsync,fdatasync', error: 'EIO', pointsMax: 30 },
  { name: 'a write that fails', calls: 'pwrite64', error: 'EIO', pointsMax: 30 },
  { name: 'a disk that is full for a moment', calls: 'pwrite64', error: 'ENOSPC', pointsMax: 30 },
  { name: 'a disk that is full for good', calls: 'pwrite64', error: 'ENOSPC', forGood: true, pointsMax: 15 },
  { name: 'a read that fails', calls: 'pread64', error: 'EIO', pointsMax: 15 },
]

async function pointsOf({ calls, pointsMax }: Fault): Promise<number[]> {
  const count = await inFolder(async (path) => {
    const log = join(path, '..', 'calls.log')
    await startWriter({ path, run: 'run', count: COUNT }, withFault(strace!, { path, trace: calls, log })).ended
    return countCalls(log, calls)
  })
  const step = Math.max(1, count / pointsMax)
  return Array.from({ length: Math.min(count, pointsMax) }, (_, index) => Math.floor(index * step) + 1)
}

for (const fault of faults) {
  test.skipIf(strace === undefined)(
    `${fault.name}, wherever it strikes, is said with a code and costs nothing that was acknowledged`,
    async () => {
      const points = rotate(await pointsOf(fault), fault.name)
      expect(points.length).toBeGreaterThan(0)
      await inPairs(points, (point) =>
        inFolder(async (path) => {
          const where = `${fault.name} at call ${point}`
          const inject = `${fault.calls}:error=${fault.error}:when=${point}${fault.forGood === true ? '+' : ''}`
          const order = { path, run: 'run', count: COUNT, attempts: 4 }
          const report = await startWriter(order, withFault(strace!, { path, trace: fault.calls, inject })).ended
          expect(report.lines.at(-1), `${where}: ${report.errors}`).toBe('closed')
          for (const code of report.refusals)
            expect(['STORE_FAILED', 'DISK_FULL', 'JOURNAL_DAMAGED'], where).toContain(code)
          // What failed once succeeds when it is done again from the head that is really there; what fails for good stays refused.
          if (fault.forGood !== true) expect(report.lines, `${where}: ${report.lines.join(', ')}`).toContain('done')
          else if (!report.lines.includes('done')) expect(report.refusals, where).toContain('DISK_FULL')
          await checkAftermath(path, planned, report, where)
        }),
      )
    },
  )
}

test.skipIf(strace === undefined)('a slow disk holds up the appends, not the event loop', async () => {
  await inFolder(async (path) => {
    const fault = withFault(strace!, { path, trace: 'fsync,fdatasync', inject: 'fsync,fdatasync:delay_enter=100000' })
    const report = await startWriter({ path, run: 'run', count: 4, measure: true }, fault).ended
    const line = report.lines.find((one) => one.startsWith('rounds '))
    const rounds = JSON.parse(line!.slice('rounds '.length)) as number[]
    expect(rounds).toHaveLength(4)
    // Each append waits for a sync of 100 ms; a loop that waited with it would come round once at most.
    for (const count of rounds) expect(count).toBeGreaterThan(1)
  })
})

/** A disk of one megabyte, where that can be had. */
function mountSmallDisk(): { folder: string; unmount: () => void } | undefined {
  const mount = findProgram({ program: 'mount', neededFor: 'a disk that is really full' })
  if (mount === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mandate-small-disk-'))
  const { status } = spawnSync(mount, ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
  if (status === 0) {
    const unmount = (): void => {
      spawnSync(join(dirname(mount), 'umount'), ['-l', folder])
      rmSync(folder, { recursive: true })
    }
    return { folder, unmount }
  }
  rmSync(folder, { recursive: true })
  announceSkip('a disk that is really full', 'run the tests as root on Linux, with the right to mount')
  return undefined
}

test('a disk that is really full refuses with its code; with room again the same journal goes on', async ({ skip }) => {
  const disk = mountSmallDisk()
  if (disk === undefined) return skip()
  const filler = join(disk.folder, 'filler')
  writeFileSync(filler, Buffer.alloc(300_000))
  const journal = sqliteJournal({ path: join(disk.folder, 'journal.db') })
  try {
    const entries = plannedRun('run', 400)
    const lease = await journal.acquire({ run: 'run', owner: journal.owner, ttlMs: 60_000, now: 0 })
    let stored = 0
    const full = await (async () => {
      for (; stored < entries.length; stored += 1) await journal.append(lease, stored, [entries[stored]!])
    })().catch((error: unknown) => error)
    expect(full).toMatchObject({ code: 'DISK_FULL', message: expect.stringContaining('Free some space') })
    expect(stored).toBeGreaterThan(10)
    await expect(journal.append(lease, stored, entries.slice(stored))).rejects.toMatchObject({ code: 'DISK_FULL' })
    rmSync(filler)
    await journal.append(lease, stored, entries.slice(stored, stored + 20))
    expect(await readAll(journal, 'run')).toEqual(entries.slice(0, stored + 20))
  } finally {
    await journal.close()
    disk.unmount()
  }
})
