import { checkResponse } from '../../gate/index.ts'
import { isSignedAnswer } from '../../journal/index.ts'
import type { Signal } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { respondSignalOf } from '../approvals/answer-signature.ts'
import { signalProblem } from './signals.ts'

/**
 * The signals of an inbox, each with the roles that are trusted. On a host that signs the answers it receives, an unsigned answer was written by
 * another writer of the store: its roles are dropped, so that the check of the answer refuses it.
 */
export async function trustedSignals(run: ActiveRun, signals: readonly Signal[]): Promise<readonly Signal[]> {
  const { trustedKeys, signer } = run.host
  if (trustedKeys === undefined || signer?.signText === undefined) return signals
  return Promise.all(
    signals.map(async (signal) => {
      // A signal that is not a valid answer is refused later for that reason.
      const problem = signalProblem(signal, run.mandates, run.start.identity.id)
      if (signal.type !== 'respond' || problem !== undefined) return signal
      if (await isSigned(run, signal)) return signal
      return { ...signal, by: { ...signal.by, roles: [] } }
    }),
  )
}

async function isSigned(run: ActiveRun, signal: Signal): Promise<boolean> {
  const { request, response } = respondSignalOf(signal)
  const record = run.fold.approvals.get(request)
  if (record === undefined) return true
  const given = { ...response, by: signal.by }
  const checked = checkResponse(record, given, run.mandates, signal.at)
  return !checked.ok || isSignedAnswer({ run: run.id, hash: record.data.hash }, checked.data, run.host.trustedKeys!)
}
