import type { RunEventBus } from '../../journal/index.ts'
import { MandateError, isRecord, newId, runLimits } from '../../core/index.ts'
import { composeRedactors, knownValues, secretRedactor } from '../../redact/index.ts'
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
  /** Where runs are recorded; in memory when absent. */
  readonly journal?: Journal | undefined
  /** The models, tools and minds that runs may name. */
  readonly registry?: Registry | undefined
  /** Decides where and when runs are driven; this process when absent. */
  readonly engine?: Engine | undefined
  /** The time, and timers. */
  readonly clock?: Clock | undefined
  /** Where ids and random numbers come from. */
  readonly random?: Random | undefined
  /** Technical ceilings of every run. */
  readonly limits?: Partial<RunLimits> | undefined
  /** Holds over every run, whatever its mind's own mandate says. */
  readonly mandate?: Mandate | undefined
  /** Content filters that mandates may name. */
  readonly filters?: readonly ContentFilter[] | undefined
  /** The bus on which events are emitted. */
  readonly events?: RunEventBus | undefined
  /** Replaces secrets and personal data; known formats of keys and tokens when absent. */
  readonly redactor?: Redactor | undefined
  /** Where the values of `secret` handles come from. */
  readonly secrets?: SecretSource | undefined
  /**
   * Keeps what redaction takes out of runs, sealed with these keys of yours (AES-256-GCM, in the run's own journal), so that a call which the mandate
   * lets pass is carried out with the value and not with its token. The key ring of a store fits here as well.
   */
  readonly vault?: VaultSource | undefined
  /** What models cost; the built-in table when absent. */
  readonly prices?: PriceTable | undefined
  /** The default identity that starts and answers runs. */
  readonly identity?: Identity | undefined
  /** Answers approvals in this process instead of suspending. */
  readonly onApproval?: ApprovalHandler | undefined
  /** Makes journals follow from a seed alone: parallel calls end in the order in which they began, and each run has its own chance and time. */
  readonly sources?: RunSources | undefined
  /** Sees every entry that is written here, before it is stored. */
  readonly onEntry?: ((entry: Entry) => void) | undefined
  /** Signs where runs stand whenever one ends or suspends. */
  readonly signer?: HeadSigner | undefined
  /**
   * The public keys whose signatures this host believes. Answers in imported runs count only with one of them, over the answer or over the whole
   * export. With a `signer` besides, answers in this host's own runs count only if they are signed: put its public key among these.
   */
  readonly trustedKeys?: PublicKeys | undefined
  /** Gets every signed head, to be stored where the owner of the journal cannot change it. */
  readonly onSignedHead?: ((head: SignedHead) => unknown) | undefined
}

export const KERNEL_OPTIONS: FieldNames<KernelOptions> = {
  journal: true,
  registry: true,
  engine: true,
  clock: true,
  random: true,
  limits: true,
  mandate: true,
  filters: true,
  events: true,
  redactor: true,
  secrets: true,
  vault: true,
  prices: true,
  identity: true,
  onApproval: true,
  sources: true,
  onEntry: true,
  signer: true,
  onSignedHead: true,
  trustedKeys: true,
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

/** How runs reach what drives them. */
type Links = Pick<KernelHost, 'runChild' | 'onRest'>

/** The host's own mandate can be changed; each run holds to what there was when it was started or resumed. */
export type MutableHost = Omit<KernelHost, Changing> & { -readonly [P in Changing]: KernelHost[P] }
type Changing = 'mandate' | 'redactor' | 'learnSecret'

/** A store that can tell whether a process still lives names the process; two kernels in one process must not take each other's runs for their own. */
function ownerName({ journal, clock, random }: KernelParts): string {
  const own = newId('kernel', clock, random)
  return journal.owner === undefined ? own : `${journal.owner}/${own}`
}

/** What the kernel gives to every run, made of what it was given. */
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
    vault: options.vault,
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

/** Values of secrets are looked for as soon as they are known; without a source of them there are none, and looking costs something at every entry. */
function redactionOf({
  redactor = secretRedactor(),
  secrets,
}: KernelOptions): Pick<MutableHost, 'redactor' | 'learnSecret'> {
  checkRedactor(redactor)
  if (secrets === undefined) return { redactor, learnSecret: () => {} }
  const known = knownValues()
  return { redactor: composeRedactors(known, redactor), learnSecret: (value, name) => known.add(name, value) }
}

/** Refuses what is no redactor: found out later, it would have let secrets into the journal, or failed every entry. */
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
