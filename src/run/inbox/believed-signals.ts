import { checkResponse } from '../../gate/index.ts'
import { isSignedAnswer } from '../../journal/index.ts'
import type { Signal } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { saidIn } from '../approvals/answer-signature.ts'
import { signalProblem } from './signals.ts'

/**
 * The signals of an inbox, as far as they are believed. Where this host signs the answers that it takes, an answer without its signature was put there
 * by another writer of the store: its claimed roles are ignored, and the check of every answer refuses it.
 */
export async function believedSignals(run: ActiveRun, signals: readonly Signal[]): Promise<readonly Signal[]> {
  const { trustedKeys, signer } = run.host
  if (trustedKeys === undefined || signer?.signText === undefined) return signals
  return Promise.all(
    signals.map(async (signal) => {
      // One that is none at all is refused as such.
      const problem = signalProblem(signal, run.mandates, run.start.identity.id)
      if (signal.type !== 'respond' || problem !== undefined) return signal
      if (await isSigned(run, signal)) return signal
      return { ...signal, by: { ...signal.by, roles: [] } }
    }),
  )
}

async function isSigned(run: ActiveRun, signal: Signal): Promise<boolean> {
  const { request, response } = saidIn(signal)
  const record = run.fold.approvals.get(request)
  if (record === undefined) return true
  const given = { ...response, by: signal.by }
  const checked = checkResponse(record, given, run.mandates, signal.at)
  return !checked.ok || isSignedAnswer({ run: run.id, hash: record.data.hash }, checked.data, run.host.trustedKeys!)
}
