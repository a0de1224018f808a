import { may } from '../../gate/index.ts'
import { readStart } from '../../journal/index.ts'
import type { Identity, RunSummary } from '../../journal/index.ts'
import { mandatesOver } from './authority.ts'
import type { KernelHost } from '../kernel/host.ts'

/**
 * Whether an identity may see what a run did: it may read journals, or it started the run itself and may still run agents. A child run counts as
 * started by the identity that started the root of its tree.
 */
export async function mayRead(host: KernelHost, by: Identity, run: RunSummary): Promise<boolean> {
  return may(by, 'read-journal', mandatesOver(host, run)) || isOwn(host, by, run)
}

/** Whether an identity started the run and may still run agents. */
export async function isOwn(host: KernelHost, by: Identity, run: RunSummary): Promise<boolean> {
  if (!may(by, 'run-agent', mandatesOver(host, run))) return false
  return (await startedBy(host, run.run))?.id === by.id
}

/** The identity that started a run; `undefined` once the run was erased. */
export async function startedBy({ journal }: KernelHost, run: string): Promise<Identity | undefined> {
  return (await readStart(journal, run))?.identity
}

/** Filters runs to those that an identity may see. */
export async function readable(
  host: KernelHost,
  by: Identity,
  runs: readonly RunSummary[],
): Promise<readonly RunSummary[]> {
  // The starter of an unreadable run is unknown, so the run is left out.
  const are = await Promise.all(runs.map((run) => mayRead(host, by, run).catch(() => false)))
  return runs.filter((_, index) => are[index])
}
