import { expect, test } from 'vitest'
import { manualClock, seededRandom } from '../../src/core/index.ts'
import { JournalWriter, readAll } from '../../src/journal/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { sampleStart } from '../../src/testing/index.ts'
import { checkAftermath, inFolder } from './aftermath.ts'
import { plannedRun } from './planned-run.ts'
import { startWriter } from './writer.ts'

test('of several processes that reach for one run exactly one gets it', async () => {
  await inFolder(async (path) => {
    const order = { path, run: 'run', count: 30, pauseAt: 2 }
    const writers = [1, 2, 3].map(() => startWriter(order))
    // Whoever has the run waits in the middle of it until the others were turned away.
    const winner = await Promise.race(writers.map((writer) => writer.said('paused').then(() => writer)))
    const losers = writers.filter((writer) => writer !== winner)
    for (const report of await Promise.all(losers.map((writer) => writer.ended))) {
      expect([report.refusals, report.acked]).toEqual([['LEASE_HELD'], 0])
    }
    winner.child.stdin!.write('go\n')
    const report = await winner.ended
    expect([report.refusals, report.acked]).toEqual([[], 30])
    expect(await checkAftermath(path, plannedRun('run', 30), report, 'three processes')).toBe(30)
  })
})

test('processes with a run each share the file', async () => {
  await inFolder(async (path) => {
    const runs = ['run_a', 'run_b', 'run_c']
    const reports = await Promise.all(runs.map((run) => startWriter({ path, run, count: 60 }).ended))
    for (const [index, run] of runs.entries()) {
      expect(reports[index], reports[index]!.errors).toMatchObject({ refusals: [], acked: 60, errors: '' })
      await checkAftermath(path, plannedRun(run, 60), reports[index]!, run)
    }
  })
})

test.skipIf(process.platform === 'win32')(
  'an owner that was stopped finds its run taken when it wakes, and writes nothing into it',
  async () => {
    await inFolder(async (path) => {
      const planned = plannedRun('run', 20)
      const writer = startWriter({ path, run: 'run', count: 20, pauseAt: 6, ttlMs: 60_000 })
      await writer.said('paused')
      writer.child.kill('SIGSTOP')
      const journal = sqliteJournal({ path })
      const soon = { run: 'run', owner: 'second', ttlMs: 60_000, now: Date.now() }
      await expect(journal.acquire(soon)).rejects.toMatchObject({ code: 'LEASE_HELD' })
      const lease = await journal.acquire({ ...soon, now: soon.now + 120_000 })
      await journal.append(lease, 5, planned.slice(5, 9))
      writer.child.kill('SIGCONT')
      writer.child.stdin!.write('go\n')
      const report = await writer.ended
      expect([report.refusals, report.acked]).toEqual([['LEASE_LOST'], 5])
      await journal.append(lease, 9, planned.slice(9))
      expect(await readAll(journal, 'run')).toEqual(planned)
      await journal.close()
    })
  },
)

test('a process that leaves its journal open and watched ends by itself, silently', async () => {
  await inFolder(async (path) => {
    const report = await startWriter({ path, run: 'run', count: 3, leaveOpen: true }).ended
    expect(report).toMatchObject({ errors: '', signal: null, acked: 3 })
    expect(report.lines.at(-1)).toBe('left open')
    await checkAftermath(path, plannedRun('run', 3), report, 'left open')
  })
})

test('a clock that jumps to and fro loses nothing, and no time in the run goes back', async () => {
  await inFolder(async (path) => {
    const hour = 3_600_000
    const clock = manualClock(100 * hour)
    const journal = sqliteJournal({ path })
    for (const [segment, jump] of [0, -hour, 2 * hour, -50 * hour, hour].entries()) {
      clock.set(clock.now() + jump)
      const lease = await journal.acquire({ run: 'run', owner: journal.owner, ttlMs: 1_000, now: clock.now() })
      const writer = new JournalWriter({ journal, lease, clock, random: seededRandom(segment) })
      if (segment === 0) writer.add('run-start', undefined, sampleStart())
      for (let index = 0; index < 20; index++) {
        clock.set(clock.now() + (index % 2 === 0 ? 7 * hour : -6 * hour))
        writer.add('note', `${segment}/${index}`, { name: 'n', value: index })
      }
      await writer.durable()
    }
    const times = (await readAll(journal, 'run')).map((entry) => entry.at)
    expect(times).toHaveLength(101)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    await journal.close()
  })
})

test('a clock that was put back does not lock a run whose owner is gone', async () => {
  await inFolder(async (path) => {
    const writer = startWriter({ path, run: 'run', count: 20, pauseAt: 6 })
    await writer.said('paused')
    writer.child.kill('SIGKILL')
    await writer.ended
    const journal = sqliteJournal({ path })
    expect((await journal.acquire({ run: 'run', owner: journal.owner, ttlMs: 1, now: 0 })).head.seq).toBe(5)
    await journal.close()
  })
})
