import type { KernelHost } from '../kernel/host.ts'
import { loadRun } from '../lifecycle/create-run.ts'

/** Suspends a run as in doubt without starting its mind. A run that is over or already suspended is left as it is. */
export async function standDown(host: KernelHost, id: string, problem: string): Promise<void> {
  if ((await host.journal.summary(id))?.state !== 'running') return
  const opened = await loadRun(host, id)
  if ('outcome' in opened) return
  const { run } = opened
  try {
    run.writer.add('note', undefined, { name: 'stood-down', value: problem })
    run.writer.add('run-suspend', undefined, { reason: 'in-doubt', pending: [], activeMs: run.activeMs() })
    await run.writer.flush()
  } finally {
    run.close()
    await host.journal.release(run.lease)
  }
}
