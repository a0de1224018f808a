// A worker in a process of its own. Says `up` when it takes runs, and leaves on SIGTERM after it has handed over what it had.
import { dbosEngine } from '../../src/engine/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { workKernel } from './minds.ts'

const { url, log, only, ...options } = JSON.parse(process.argv[2]!) as {
  readonly url: string
  readonly log?: string
  readonly only?: string
  readonly concurrency?: number
}
const store = await openPostgres({ url })
const kernel = workKernel(
  { journal: store.journal, engine: dbosEngine({ url, role: 'worker', ...options }), limits: { liveSleepMs: 0 } },
  { log, only },
)
kernel.events.on('engine-fault', ({ runId, data }) => process.stderr.write(`${runId}: ${data.message}\n`))
await kernel.attach()
process.stdout.write('up\n')
process.once('SIGTERM', () => {
  void kernel
    .stop()
    .then(() => store.close())
    .then(() => process.exit(0))
})
