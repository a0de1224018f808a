/**
 * A process that stores a planned run, entry by entry, and says on stdout what was acknowledged. It is meant to be killed, stopped and lied to.
 * After a refusal it does what a kernel does: takes the run again, at the head that is really there, a few times.
 */
import { writeSync } from 'node:fs'
import { MandateError } from '../../src/core/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { plannedRun } from './planned-run.ts'

export interface WriterOrder {
  readonly path: string
  readonly run: string
  readonly count: number
  /** How often to take the run, the first time included. */
  readonly attempts?: number | undefined
  readonly ttlMs?: number | undefined
  /** Waits for a line on stdin before the entry with this number. */
  readonly pauseAt?: number | undefined
  /** Watches everything, and ends without closing the journal. */
  readonly leaveOpen?: boolean | undefined
  /** Says how often the event loop came round while each append was under way. */
  readonly measure?: boolean | undefined
}

const order = JSON.parse(process.argv[2]!) as WriterOrder
const say = (line: string): void => void writeSync(1, `${line}\n`)
const entries = plannedRun(order.run, order.count)
const journal = sqliteJournal({ path: order.path, busyTimeoutMs: 20_000 })
const rounds: number[] = []
let round = 0
if (order.measure === true) setInterval(() => (round += 1), 5).unref()
if (order.leaveOpen === true) journal.watch('*', () => {})

async function attempt(): Promise<void> {
  const now = Date.now()
  const lease = await journal.acquire({ run: order.run, owner: journal.owner, ttlMs: order.ttlMs ?? 60_000, now })
  say(`head ${lease.head.seq}`)
  for (const entry of entries.slice(lease.head.seq)) {
    if (entry.seq === order.pauseAt) {
      say('paused')
      await new Promise((resolve) => process.stdin.once('data', resolve))
    }
    const before = round
    await journal.append(lease, entry.seq - 1, [entry])
    rounds.push(round - before)
    say(`ack ${entry.seq}`)
  }
  await journal.release(lease)
  say('done')
}

for (let left = order.attempts ?? 1; left > 0; left--) {
  try {
    await attempt()
    break
  } catch (error) {
    say(`fail ${MandateError.isInstance(error) ? error.code : String(error)}`)
  }
}
if (order.measure === true) say(`rounds ${JSON.stringify(rounds)}`)
if (order.leaveOpen === true) {
  say('left open')
} else {
  await journal.close()
  say('closed')
}
process.stdin.destroy()
