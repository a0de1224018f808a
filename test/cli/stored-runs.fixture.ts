import { sampleRun } from '../../src/testing/index.ts'
import { openStore } from 'mandate/sqlite'
import { store } from './mandate.fixture.ts'

type Sample = NonNullable<Parameters<typeof sampleRun>[1]>

/** Puts runs into the store of the test; nothing drives them. */
export async function storeRuns(runs: readonly (string | readonly [run: string, sample: Sample])[]): Promise<void> {
  const { journal, data } = await openStore({ dir: store() })
  for (const one of runs) {
    const [run, sample] = typeof one === 'string' ? [one, {}] : one
    const lease = await journal.acquire({ run, owner: 'test', ttlMs: 1_000, now: Date.now() })
    await journal.append(lease, 0, sampleRun(run, sample))
    await journal.release(lease)
  }
  await Promise.all([journal.close(), data.close()])
}
