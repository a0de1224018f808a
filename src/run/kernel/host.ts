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

/** An approval request with everything needed to decide it, including the exact input. */
export interface ApprovalRequest extends ApprovalRequestData {
  readonly id: string
  readonly run: string
  readonly key: string
  /** When it was asked, in milliseconds since 1970. */
  readonly at: number
}

/** A person's answer; the identity is passed separately. */
export type ApprovalResponse = Omit<IdentifiedResponse, 'by'>

/** Answers approvals in this process. `undefined` leaves the question open, and the run suspends. */
export type ApprovalHandler = (
  request: ApprovalRequest,
) => ApprovalResponse | undefined | Promise<ApprovalResponse | undefined>

/** Sources that make journals deterministic under a seed. */
export interface RunSources {
  /** The random source of one run. */
  random(run: string): Random
  /** The clock of one run, starting at a given time; absent if the host has its own clock. */
  clock?(from: number): Clock
}

/**
 * The host of one run, with the run's own randomness and clock where `sources` gives them. All other members are read through from the kernel, also
 * when they change.
 */
export function hostOfRun(host: KernelHost, run: string, from?: number): KernelHost {
  const { sources } = host
  if (sources === undefined) return host
  const clock = sources.clock?.(from ?? host.clock.now()) ?? host.clock
  return Object.create(host, { random: { value: sources.random(run) }, clock: { value: clock } }) as KernelHost
}

/** What the kernel shares with every run in this process. */
export interface KernelHost {
  readonly journal: Journal
  readonly clock: Clock
  readonly random: Random
  readonly events: RunEventBus
  readonly limits: RunLimits
  readonly registry: Registry
  /** Applies to every run here, besides the mandate of its mind. */
  readonly mandate: Mandate | undefined
  readonly prices: PriceTable
  readonly redactor: Redactor
  readonly secrets: SecretSource | undefined
  /** The keys that encrypt redacted values of runs; without them redacted values are lost. */
  readonly vault: VaultSource | undefined
  /** Redacts this value from now on wherever it appears. */
  readonly learnSecret: (value: string, name: string) => void
  /** Per-run randomness and clocks, for journals that must be deterministic under a seed. */
  readonly sources: RunSources | undefined
  readonly owner: string
  readonly identity: Identity
  readonly onApproval: ApprovalHandler | undefined
  /** Called with every entry written here, before it is stored. */
  readonly onEntry: ((entry: Entry) => void) | undefined
  /** Called with the head of a run after its end or suspension is stored. */
  readonly onRest: (run: string, head: Head) => void
  /** Signs heads, and the answers of people that this host receives. */
  readonly signer: HeadSigner | undefined
  /** The keys whose signatures give authority to entries that other hosts have written. */
  readonly trustedKeys: PublicKeys | undefined
  /** The approvals that reach beyond their runs. */
  readonly standing: StandingJournal
  /** Starts or resumes a child run and drives it until it ends or suspends. */
  runChild(request: ChildRequest): Promise<RunOutcome>
}
