import { MandateError } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import { OVERSEER_RESET, may } from '../../gate/index.ts'
import type { Mandate, Permission } from '../../gate/index.ts'
import type { Identity, Signal } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { changeBudget } from './budget-change.ts'
import type { ApprovalResponse, KernelHost } from '../kernel/host.ts'
import { refuseSignal, respond } from '../approvals/respond.ts'
import type { SignalProblem } from '../approvals/respond.ts'
import { takeDown } from '../lifecycle/takedown.ts'
import { VAULT_MEMBER } from '../vault/vault.ts'
import { sealSignal } from '../vault/signals.ts'

/** The data of a `respond` signal. */
export interface RespondSignal {
  readonly request: number
  readonly response: ApprovalResponse
}

/** A signal without secrets: the inbox is on the same disk as the journal. */
export async function withoutSecrets(host: KernelHost, run: string, signal: Signal): Promise<Signal> {
  if (redactJson(signal.data, host.redactor) === signal.data) return signal
  return sealSignal(host, run, signal)
}

/** Folds the signals of an inbox into the journal, each one once, however often it was delivered. */
export function takeSignals(run: ActiveRun, signals: readonly Signal[], seen: Set<string>): void {
  for (const signal of signals) {
    if (seen.has(signal.id) || run.ended) continue
    seen.add(signal.id)
    const problem = signalProblem(signal, run.mandates, run.start.identity.id)
    if (problem === undefined) fold(run, unsealed(run, signal))
    else run.pendingEntries.hold(() => refuseSignal(run, signal.id, problem))
  }
}

/** The permissions that the sender of a signal needs. Answers are checked with their request. */
const NEEDED: { readonly [T in Signal['type']]: readonly Permission[] } = {
  respond: [],
  cancel: ['cancel'],
  steer: ['run-agent', 'read-journal'],
  wake: ['run-agent'],
  'reset-overseer': ['approve'],
  budget: ['approve'],
}

/** The permissions that the starter of a run has for its own run. */
const OWN: readonly Permission[] = ['cancel', 'read-journal']

/**
 * Why a signal is refused; `undefined` for a valid one. Every writer of the store can put anything into an inbox, so both the form of a signal and
 * the rights of its sender are checked when it is read.
 */
export function signalProblem(
  signal: Signal,
  mandates: readonly Mandate[],
  owner: string | undefined,
): SignalProblem | undefined {
  const { type, at } = signal
  const by: unknown = signal.by
  const who = isIdentity(by) ? by.id : 'unknown'
  const invalid = (message: string): SignalProblem => ({ code: 'INPUT_INVALID', message, by: who })
  if (!Object.hasOwn(NEEDED, type))
    return invalid(
      `There are no signals of the type ${JSON.stringify(type)}. Use one of: ${Object.keys(NEEDED).join(', ')}.`,
    )
  if (!isIdentity(by)) return invalid('A signal needs `by`: an identity with an `id` and `roles`.')
  if (!Number.isFinite(at)) return invalid('A signal needs `at`: the moment at which it was sent.')
  const isOwn = by.id === owner && may(by, 'run-agent', mandates)
  const needed = NEEDED[type].find(
    (permission) => !may(by, permission, mandates) && !(isOwn && OWN.includes(permission)),
  )
  if (needed === undefined) return undefined
  return { code: 'DENIED', message: `"${who}" may not ${needed}: none of its roles has that permission.`, by: who }
}

function isIdentity(value: unknown): value is Identity {
  if (typeof value !== 'object' || value === null) return false
  const { id, roles } = value as { readonly id?: unknown; readonly roles?: unknown }
  return typeof id === 'string' && Array.isArray(roles) && roles.every((role) => typeof role === 'string')
}

function fold(run: ActiveRun, signal: Signal): void {
  switch (signal.type) {
    case 'respond': {
      // Every writer of the store can put anything into an inbox; malformed answers are refused like invalid ones.
      const { request, response } = (signal.data ?? {}) as unknown as RespondSignal
      run.pendingEntries.hold(() =>
        respond(run, run.fold.approvals.get(request), { ...response, by: signal.by }, signal),
      )
      return
    }
    case 'cancel': {
      const { reason } = (signal.data ?? {}) as { readonly reason?: Json }
      const why = typeof reason === 'string' ? reason : `cancelled by ${signal.by.id}`
      takeDown(run, new MandateError('CANCELLED', why), signal.by.id, signal.id)
      return
    }
    case 'steer':
      run.steers.push({ id: signal.id, message: signal.data })
      return
    case 'wake':
      run.pendingEntries.hold(() => void run.writer.add('note', undefined, { name: 'wake', value: null }, [signal.id]))
      return
    case 'reset-overseer': {
      const value = { by: signal.by.id }
      run.pendingEntries.hold(
        () => void run.writer.add('note', undefined, { name: OVERSEER_RESET, value }, [signal.id]),
      )
      return
    }
    case 'budget':
      changeBudget(run, signal)
  }
}

/** A signal with its sealed values written to the journal first, because its data may need them. */
function unsealed(run: ActiveRun, signal: Signal): Signal {
  const { [VAULT_MEMBER]: sealed, data } = (signal.data ?? {}) as {
    readonly [VAULT_MEMBER]?: Json
    readonly data?: Json
  }
  if (sealed === undefined) return signal
  run.pendingEntries.hold(() => run.vault?.adopt(sealed, run.writer))
  return { ...signal, data: data ?? null }
}
