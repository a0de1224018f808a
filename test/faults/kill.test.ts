import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rotate } from '../rotation.ts'
import { checkAftermath, inFolder, inPairs } from './aftermath.ts'
import { plannedRun } from './planned-run.ts'
import { WRITES, countCalls, findStrace, withFault } from './strace.ts'
import { startWriter } from './writer.ts'

const COUNT = 7
const planned = plannedRun('run', COUNT)
const strace = findStrace('killing the store at every system call that writes')

/** How many calls a writer makes that nobody disturbs. */
async function callsOfOneRun(): Promise<number> {
  return inFolder(async (path) => {
    const log = join(path, '..', 'calls.log')
    const report = await startWriter(
      { path, run: 'run', count: COUNT },
      withFault(strace!, { path, trace: WRITES, log }),
    ).ended
    expect(report.lines.at(-1), report.errors).toBe('closed')
    return countCalls(log, WRITES)
  })
}

test.skipIf(strace === undefined)(
  'killed at any write, sync or truncation, the store has every acknowledged entry and can go on',
  async () => {
    const calls = await callsOfOneRun()
    expect(calls).toBeGreaterThan(100)
    const points = rotate(
      Array.from({ length: calls }, (_, index) => index + 1),
      'kill at a system call',
    )
    let killed = 0
    await inPairs(points, (point) =>
      inFolder(async (path) => {
        const fault = withFault(strace!, { path, trace: WRITES, inject: `${WRITES}:signal=SIGKILL:when=${point}` })
        const report = await startWriter({ path, run: 'run', count: COUNT }, fault).ended
        killed += report.lines.at(-1) === 'closed' ? 0 : 1
        await checkAftermath(path, planned, report, `killed at call ${point} of ${calls}`)
      }),
    )
    // The last calls depend on timing, so a few may come too late; most must have hit.
    expect(killed).toBeGreaterThan(points.length * 0.8)
  },
)

test('killed in the middle of its work, a writer loses nothing that was acknowledged, and its lease is free at once', async () => {
  const moments = rotate(
    [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 300, 377, 400, 420, 450, 470, 480, 490],
    'kill at an acknowledgement',
  )
  const long = plannedRun('run', 500)
  await inPairs(moments, (moment) =>
    inFolder(async (path) => {
      const writer = startWriter({ path, run: 'run', count: 500 })
      await writer.said(`ack ${moment}`)
      writer.child.kill('SIGKILL')
      const report = await writer.ended
      expect(report.signal).toBe('SIGKILL')
      expect(report.acked).toBeGreaterThanOrEqual(moment)
      await checkAftermath(path, long, report, `killed after entry ${moment}`)
    }),
  )
})
