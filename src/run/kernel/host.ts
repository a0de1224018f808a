import type { RunEventBus } from '../../journal/index.ts'
import type { Clock, Random, RunLimits } from '../../core/index.ts'
import type { Redactor, SecretSource } from '../../redact/index.ts'
import type { ApprovalResponse as IdentifiedResponse, Mandate } from '../../gate/index.ts'
import type {
  ApprovalRequestData,
  Entry,
  Head,
  HeadSigner,
  Identity,
  Journal,
  PublicKeys,
} from '../../journal/index.ts'
import type { PriceTable } from '../../model/index.ts'
import type { ChildRequest } from '../nested/child.ts'
import type { StandingJournal } from '../approvals/standing-journal.ts'
import type { Registry } from './registry.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import type { VaultSource } from '../vault/vault.ts'

/** An approval as it is put to a person: everything that is needed to decide, the exact input included. */
export interface ApprovalRequest extends ApprovalRequestData {
  readonly id: string
  readonly run: string
  readonly key: string
}

/** A person's answer; who gave it is known from elsewhere. */
export type ApprovalResponse = Omit<IdentifiedResponse, 'by'>

/** Answers approvals in this process; `undefined` leaves the question open and the run suspends. */
export type ApprovalHandler = (
  request: ApprovalRequest,
) => ApprovalResponse | undefined | Promise<ApprovalResponse | undefined>

/** What makes the journals of a kernel follow from a seed alone. */
export interface RunSources {
  /** The randomness of one run. */
  random(run: string): Random
  /** The time of one run, from a moment on; absent where the host has a clock of its own. */
  clock?(from: number): Clock
}

/** The host of one run: with the run's own chance and time where it has any. Everything else stays the kernel's, also when that changes. */
export function hostOfRun(host: KernelHost, run: string, from?: number): KernelHost {
  const { sources } = host
  if (sources === undefined) return host
  const clock = sources.clock?.(from ?? host.clock.now()) ?? host.clock
  return Object.create(host, { random: { value: sources.random(run) }, clock: { value: clock } }) as KernelHost
}

/** What the kernel gives to every run in this process. */
export interface KernelHost {
  readonly journal: Journal
  readonly clock: Clock
  readonly random: Random
  readonly events: RunEventBus
  readonly limits: RunLimits
  readonly registry: Registry
  /** Holds over every run here, whatever its mind's mandate says. */
  readonly mandate: Mandate | undefined
  readonly prices: PriceTable
  readonly redactor: Redactor
  readonly secrets: SecretSource | undefined
  /** Where the keys come from that seal what redaction takes out of runs; without them it is gone. */
  readonly vault: VaultSource | undefined
  /** Redacts this value from now on wherever it appears. */
  readonly learnSecret: (value: string, name: string) => void
  /** Where each run gets its own chance and its own time from, when journals shall follow from a seed alone. */
  readonly sources: RunSources | undefined
  readonly owner: string
  readonly identity: Identity
  readonly onApproval: ApprovalHandler | undefined
  /** Sees every entry that is written here, before it is stored. */
  readonly onEntry: ((entry: Entry) => void) | undefined
  /** Called with the head of a run after its end or suspension is stored. */
  readonly onRest: (run: string, head: Head) => void
  /** Signs heads, and the answers of people that this host takes. */
  readonly signer: HeadSigner | undefined
  /** The keys whose signatures give what others have written authority here. */
  readonly trustedKeys: PublicKeys | undefined
  /** The approvals that hold beyond their runs. */
  readonly standing: StandingJournal
  /** Starts or resumes a child run and drives it until it ends or suspends. */
  runChild(request: ChildRequest): Promise<RunOutcome>
}
