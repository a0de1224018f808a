import { MandateError, redactJson } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { OVERSEER_RESET } from '../gate/index.ts'
import type { Signal } from '../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import type { ApprovalResponse, KernelHost } from './host.ts'
import { respond } from './respond.ts'
import { takeDown } from './takedown.ts'
import { VAULT_MEMBER } from './vault.ts'

/** What a `respond` signal carries. */
export interface RespondSignal {
  readonly request: number
  readonly response: ApprovalResponse
}

/** A signal as it may lie in an inbox, on the same disk as the journal. */
export async function withoutSecrets(host: KernelHost, run: string, signal: Signal): Promise<Signal> {
  if (redactJson(signal.data, host.redactor) === signal.data) return signal
  const { sealSignal } = await import('./vault/signals.ts')
  return sealSignal(host, run, signal)
}

/** Folds what was found in an inbox into the journal; each signal once, however often it was delivered. */
export function takeSignals(run: ActiveRun, signals: readonly Signal[], seen: Set<string>): void {
  for (const signal of signals) {
    if (seen.has(signal.id) || run.ended) continue
    seen.add(signal.id)
    fold(run, unsealed(run, signal))
  }
}

function fold(run: ActiveRun, signal: Signal): void {
  switch (signal.type) {
    case 'respond': {
      // Anyone can put anything into an inbox; what is no answer is refused like one that does not fit.
      const { request, response } = (signal.data ?? {}) as unknown as RespondSignal
      run.sayings.hold(() => respond(run, run.fold.approvals.get(request), { ...response, by: signal.by }, signal))
      return
    }
    case 'cancel': {
      const reason = (signal.data as { reason?: string } | null)?.reason ?? `cancelled by ${signal.by.id}`
      takeDown(run, new MandateError('CANCELLED', reason), signal.by.id, signal.id)
      return
    }
    case 'steer':
      run.steers.push({ id: signal.id, message: signal.data })
      return
    case 'wake':
      run.sayings.hold(() => void run.writer.add('note', undefined, { name: 'wake', value: null }, [signal.id]))
      return
    case 'reset-overseer': {
      const value = { by: signal.by.id }
      run.sayings.hold(() => void run.writer.add('note', undefined, { name: OVERSEER_RESET, value }, [signal.id]))
    }
  }
}

/** What was sealed with a signal goes into the journal before what it says, which may need it. */
function unsealed(run: ActiveRun, signal: Signal): Signal {
  const { [VAULT_MEMBER]: sealed, data } = (signal.data ?? {}) as {
    readonly [VAULT_MEMBER]?: Json
    readonly data?: Json
  }
  if (sealed === undefined) return signal
  run.sayings.hold(() => run.vault?.adopt(sealed, run.writer))
  return { ...signal, data: data ?? null }
}
