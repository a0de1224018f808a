import type { RunEventBus } from '../../journal/index.ts'
import { MandateError, isRecord, newId, runLimits } from '../../core/index.ts'
import { checkVaultKeys, composeRedactors, knownValues, secretRedactor } from '../../redact/index.ts'
import type { Clock, Random, RunLimits, FieldNames } from '../../core/index.ts'
import type { Redactor, SecretSource } from '../../redact/index.ts'
import { checkMandate } from '../../gate/index.ts'
import type { ContentFilter, Mandate } from '../../gate/index.ts'
import type { Entry, HeadSigner, Identity, Journal, PublicKeys, SignedHead } from '../../journal/index.ts'
import { DEFAULT_PRICES, checkPrices } from '../../model/index.ts'
import type { PriceTable } from '../../model/index.ts'
import { StandingJournal } from '../approvals/standing-journal.ts'
import { keepHost } from './kernel-hosts.ts'
import type { Engine } from '../engine/engine.ts'
import type { ApprovalHandler, KernelHost, RunSources } from './host.ts'
import type { Registry } from './registry.ts'
import type { VaultSource } from '../vault/vault.ts'

export interface KernelOptions {
  /** Where runs are recorded; in memory by default. */
  readonly journal?: Journal | undefined
  /** The models, tools and minds that runs may name. */
  readonly registry?: Registry | undefined
  /** Decides where and when runs are driven; this process by default. */
  readonly engine?: Engine | undefined
  /** The time, and timers. */
  readonly clock?: Clock | undefined
  /** The source of ids and random numbers. */
  readonly random?: Random | undefined
  /** Technical ceilings of every run. */
  readonly limits?: Partial<RunLimits> | undefined
  /** Applies to every run, besides the mandate of its mind. */
  readonly mandate?: Mandate | undefined
  /** Content filters that mandates may name. */
  readonly filters?: readonly ContentFilter[] | undefined
  /** The bus on which events are emitted. */
  readonly events?: RunEventBus | undefined
  /** Replaces secrets and personal data; by default the known formats of keys and tokens. */
  readonly redactor?: Redactor | undefined
  /** Where the values of `secret` handles come from. */
  readonly secrets?: SecretSource | undefined
  /**
   * Keeps redacted values encrypted with your keys (AES-256-GCM, in the run's own journal), so that a call which the mandate allows is performed with
   * the value instead of its token. The key ring of a store can be used here as well.
   */
  readonly vault?: VaultSource | undefined
  /** The prices of models; the built-in table by default. */
  readonly prices?: PriceTable | undefined
  /** The identity that starts and answers runs where none is given. */
  readonly identity?: Identity | undefined
  /** Answers approvals in this process instead of suspending. */
  readonly onApproval?: ApprovalHandler | undefined
  /** Makes journals deterministic under a seed: parallel calls end in the order in which they started, and each run has its own randomness and clock. */
  readonly sources?: RunSources | undefined
  /** Called with every entry written here, before it is stored. */
  readonly onEntry?: ((entry: Entry) => void) | undefined
  /** Signs the head of each run that ends or suspends. */
  readonly signer?: HeadSigner | undefined
  /**
   * The public keys whose signatures this host trusts. Answers in imported runs count only if one of them has signed the answer or the whole export.
   * With a `signer`, answers in this host's own runs count only if they are signed: include its public key here.
   */
  readonly trustedKeys?: PublicKeys | undefined
  /** Called with every signed head, to store it where the owner of the journal cannot change it. */
  readonly onSignedHead?: ((head: SignedHead) => unknown) | undefined
}

export const KERNEL_OPTIONS: FieldNames<KernelOptions> = {
  journal: 'object',
  registry: 'object',
  engine: 'object',
  clock: 'object',
  random: 'object',
  limits: 'object',
  mandate: 'object',
  filters: 'list',
  events: 'object',
  redactor: 'object',
  secrets: 'function',
  vault: 'function|object',
  prices: 'object',
  identity: 'object',
  onApproval: 'function',
  sources: 'object',
  onEntry: 'function',
  signer: 'object',
  onSignedHead: 'function',
  trustedKeys: 'text|object',
}

const LOCAL_OWNER: Identity = Object.freeze({ id: 'local', roles: ['owner'] })

/** The parts of a kernel that its runs share. */
interface KernelParts {
  readonly journal: Journal
  readonly clock: Clock
  readonly random: Random
  readonly events: RunEventBus
  readonly registry: Registry
}

/** The callbacks through which runs reach their driver. */
type Links = Pick<KernelHost, 'runChild' | 'onRest'>

/** The host's own mandate can be changed; each run keeps the one that was set when it was started or resumed. */
export type MutableHost = Omit<KernelHost, Changing> & { -readonly [P in Changing]: KernelHost[P] }
type Changing = 'mandate' | 'redactor' | 'learnSecret'

/** The owner of leases. A store that can detect dead processes identifies the process in it; the suffix separates two kernels of one process. */
function ownerName({ journal, clock, random }: KernelParts): string {
  const own = newId('kernel', clock, random)
  return journal.owner === undefined ? own : `${journal.owner}/${own}`
}

/** Keys are checked when they are given; those of a function, when it has fetched them. */
function checkedVault(vault: KernelOptions['vault']): KernelOptions['vault'] {
  return vault === undefined || typeof vault === 'function' ? vault : checkVaultKeys(vault)
}

/** Creates the kernel's host from its options. */
export function hostOf(kernel: KernelParts, options: KernelOptions, links: Links): MutableHost {
  const { random } = kernel
  const host: Omit<MutableHost, 'standing'> = {
    journal: kernel.journal,
    clock: kernel.clock,
    random,
    events: kernel.events,
    limits: runLimits(options.limits),
    registry: kernel.registry,
    mandate: options.mandate === undefined ? undefined : checkMandate(options.mandate),
    prices: options.prices === undefined ? DEFAULT_PRICES : checkPrices(options.prices),
    ...redactionOf(options),
    secrets: options.secrets,
    vault: checkedVault(options.vault),
    sources: options.sources,
    owner: ownerName(kernel),
    identity: options.identity ?? LOCAL_OWNER,
    signer: options.signer,
    trustedKeys: options.trustedKeys,
    onApproval: options.onApproval,
    onEntry: options.onEntry,
    ...links,
  }
  return keepHost(kernel, Object.assign(host, { standing: new StandingJournal(host) }))
}

/** Redacts the values of known secrets. Without a source of secrets this is skipped, because it costs time for every entry. */
function redactionOf({
  redactor = secretRedactor(),
  secrets,
}: KernelOptions): Pick<MutableHost, 'redactor' | 'learnSecret'> {
  checkRedactor(redactor)
  if (secrets === undefined) return { redactor, learnSecret: () => {} }
  const known = knownValues()
  return { redactor: composeRedactors(known, redactor), learnSecret: (value, name) => known.add(name, value) }
}

/** Throws on an invalid redactor at construction: found later, it would let secrets into the journal or fail every entry. */
function checkRedactor(given: unknown): void {
  const redactor = isRecord(given) ? given : {}
  const wrong = (['text', 'member', 'stream', 'scoped'] as const).find((name) => {
    const method = redactor[name]
    return typeof method !== 'function' && (name === 'text' || method !== undefined)
  })
  if (wrong === undefined) return
  throw new MandateError(
    'CONFIG_INVALID',
    `\`redactor\` has no function \`${wrong}\`. Give { text: (text) => … }, or one of mandate/redact, such as secretRedactor().`,
  )
}
