// A worker of the chaos suite: drives runs until it is told to end, or is killed. Says `ready` when it takes runs.
import { MandateError } from '../../src/core/index.ts'
import { isEnded } from '../../src/journal/index.ts'
import type { Kernel } from '../../src/run/index.ts'
import { openKernel } from './engines.ts'
import type { Order } from './engines.ts'
import { hookSender } from './hooks.ts'
import { answerTo, shapeOf } from './minds.ts'

const order = JSON.parse(process.argv[2]!) as Order
const { kernel, service } = openKernel(order, true)
const send = service && hookSender(service)
// Whoever started this process is gone: so is this.
process.stdin.resume().on('end', () => process.exit(1))
process.on('SIGTERM', () => {
  void kernel.stop().then(async () => {
    await kernel.journal.close()
    process.exit(0)
  })
})
await kernel.attach()
process.stdout.write('ready\n')
if (order.runs !== undefined) await driveAll(kernel, order.runs)

/** The engine of one process: it starts the runs, brings back those that an earlier process left, and asks its people itself. */
async function driveAll({ journal }: Kernel, runs: number): Promise<void> {
  /** The run of this number; a delivery comes four times, as its sender repeats it. */
  const begin = async (index: number): Promise<string> => {
    if (send === undefined) return `r${index}`
    for (;;) {
      const [run] = await Promise.all([1, 2, 3, 4].map(() => quietly(() => send(index))))
      if (run !== undefined) return run
    }
  }
  const drive = async (index: number): Promise<void> => {
    const runId = await begin(index)
    const name = order.shape ?? shapeOf(index)
    for (;;) {
      const state = (await journal.summary(runId))?.state
      if (state !== undefined && isEnded(state)) return
      await quietly(() =>
        send === undefined ? kernel.run({ kind: 'program', name, input: null, runId }) : kernel.resume(runId),
      )
      for (const request of (await quietly(() => kernel.approvals(runId))) ?? [])
        await quietly(() => kernel.respond(request.id, answerTo(request, order.log)))
      await new Promise((resolve) => void setTimeout(resolve, 100))
    }
  }
  const indexes = Array.from({ length: runs }, (_, index) => index)
  const next = async (): Promise<void> => {
    for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) await drive(index)
  }
  await Promise.all(Array.from({ length: order.concurrency ?? runs }, next))
}

async function quietly<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (MandateError.isInstance(error)) return undefined
    throw error
  }
}
