import { MandateError, canonical, checkCount, checkFields, joinLabels, newId } from '../../core/index.ts'
import type { FieldNames, Json, Label } from '../../core/index.ts'
import { approvalId } from '../../gate/index.ts'
import { checkIdentity, entriesOfType, foldRun, isEnded, readAll, readStart } from '../../journal/index.ts'
import type { Identity, RunSummary } from '../../journal/index.ts'
import { identityOf, kernelOf, redactedBy } from '../../run/index.ts'
import type { Kernel } from '../../run/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import { graphRegistry } from '../registry/graph-registry.ts'
import { inspectGraph } from './inspect-graph.ts'
import { Registrations, reviewOf } from './registrations.ts'
import type { Registration } from './registrations.ts'
import { REQUEST_NOTE, REVIEW_MIND, reviewMind } from './review-mind.ts'
import type { ReviewHost, ReviewInput, ReviewOutput, ReviewRequest } from './review-mind.ts'
import { blueprintHash } from '../blueprint/hash.ts'
import { diffBlueprints } from '../blueprint/diff.ts'
import { requireBlueprint } from '../blueprint/read.ts'
import { printRag } from '../language/output/print.ts'
import { putGraph } from '../runtime/register-graph.ts'

/** The state of a review. */
export interface GraphReview extends ReviewRequest {
  /** The id of the review, which is the id of its run. */
  readonly id: string
  /**
   * `waiting` for a person, `approved` with a usable token, `registered`, `rejected`, `revoked`, `expired`; `unproven` if the token lacks the
   * signature that this host requires.
   */
  readonly state: 'waiting' | 'approved' | 'registered' | 'rejected' | 'revoked' | 'expired' | 'unproven'
  /** The id to approve or reject by, as for every approval. */
  readonly approvalId?: string | undefined
  readonly token?: string | undefined
  readonly expiresAt?: number | undefined
  readonly requestedBy: Identity
  readonly reviewedBy?: Identity | undefined
  readonly problem?: string | undefined
}

interface ReviewOptions {
  /** The purpose of the graph, for the reviewer. */
  readonly reason?: string | undefined
  /** The lifetime of the token once it is issued, in milliseconds; a day by default. */
  readonly tokenMs?: number | undefined
}

const REVIEW_OPTIONS: FieldNames<ReviewOptions> = { reason: 'text', tokenMs: true }
const DAY_MS = 86_400_000

/** The polling interval and the number of polls for a review that another process drives. */
const TRY_EVERY_MS = 50
const CARRY_ON_TRIES = 60

/** The result of `restore`: restored graphs, and failures. */
interface RestoredGraphs {
  readonly registered: readonly string[]
  readonly problems: readonly string[]
}

/** Reviews of generated graphs, and the graphs registered after one, in the name of one identity. */
class GraphReviews {
  readonly #service: object
  readonly #kernel: Kernel
  readonly #identity: Identity
  readonly #registrations: Registrations

  constructor(service: object, identity: Identity) {
    this.#service = service
    this.#kernel = kernelOf(service)
    this.#identity = checkIdentity(identity)
    this.#registrations = registrationsOf(service, this.#kernel)
  }

  /** The same for another identity: every operation is checked against its roles and recorded in its name. */
  as(identity: Identity): GraphReviews {
    return new GraphReviews(this.#service, identity)
  }

  /**
   * Requests a review. It waits in the inbox like every approval, with the graph as text, its difference to the registered version, and what it can
   * reach. Requires the permission to run agents.
   */
  async request(given: Blueprint, options: ReviewOptions = {}): Promise<GraphReview> {
    checkFields(options, 'an option of a review', REVIEW_OPTIONS, 'INPUT_INVALID')
    const { reason, tokenMs = DAY_MS } = options
    const identity = this.#identity
    checkCount(tokenMs, '`tokenMs`', 1)
    this.#kernel.check(identity, 'run-agent')
    const blueprint = stored(requireBlueprint(given))
    const { missing } = inspectGraph(this.#service, blueprint)
    if (missing.length > 0)
      throw new MandateError(
        'CONFIG_INVALID',
        `The graph "${blueprint.name}" names what is not registered: ${missing.join(', ')}. Register it first, or change the graph.`,
      )
    this.#checkSecrets(blueprint)
    const runId = newId('graph-review', this.#kernel.clock, this.#kernel.random)
    const input = { blueprint, reason: reason ?? null, tokenMs } satisfies ReviewInput as unknown as Json
    await this.#kernel.run({ kind: 'program', name: REVIEW_MIND, runId, identity, input })
    return this.read(runId)
  }

  /** Refuses a blueprint with secrets: redaction would remove them from what is shown and stored. */
  #checkSecrets(blueprint: Blueprint): void {
    const plain = blueprint as unknown as Json
    if (canonical(redactedBy(this.#kernel, plain)) === canonical(plain)) return
    throw new MandateError(
      'INPUT_INVALID',
      `The graph "${blueprint.name}" holds a secret, or what looks like one. Take it out, and let the tool that needs it ask for it by name.`,
    )
  }

  /** The state of a review; one that was answered is continued first. Requires the permission to read its run. */
  async read(id: string): Promise<GraphReview> {
    await this.#kernel.authorize(this.#identity, 'read-journal', id)
    const summary = (await this.#kernel.journal.summary(id))!
    if (!isReview(summary)) throw notFound(id)
    if (!isEnded(summary.state)) await this.#carryOn(id)
    return this.#view((await this.#kernel.journal.summary(id))!, await this.#registrations.read())
  }

  /** Continues a review. One that another process drives is left to it and polled until that process has finished or the time is over. */
  async #carryOn(id: string): Promise<void> {
    for (let left = CARRY_ON_TRIES; left > 0; left--) {
      try {
        return void (await this.#kernel.resume(id))
      } catch (error) {
        if (!MandateError.isInstance(error) || error.code !== 'LEASE_HELD') throw error
      }
      await new Promise<void>((resolve) => void this.#kernel.clock.timer(TRY_EVERY_MS, resolve))
    }
  }

  /** The reviews that an identity may see, newest first: the waiting ones, or all. */
  async list(filter: { readonly all?: boolean | undefined } = {}): Promise<readonly GraphReview[]> {
    checkFields(filter, 'a filter of reviews', { all: true }, 'INPUT_INVALID')
    const runs = (await this.#kernel.list({ name: REVIEW_MIND }, this.#identity)).filter(isReview)
    const registrations = await this.#registrations.read()
    const reviews = await Promise.all(runs.map((run) => this.#view(run, registrations)))
    return filter.all === true ? reviews : reviews.filter(({ state }) => state === 'waiting' || state === 'approved')
  }

  /**
   * Registers a reviewed graph permanently. The token must be from a review of exactly this graph, not expired, not revoked and not used before, in
   * any process. Requires the permission to create agents.
   */
  async register(given: Blueprint, token: string): Promise<GraphReview> {
    this.#kernel.check(this.#identity, 'create-agent')
    const registrations = await this.#registrations.read()
    const id = reviewOf(token)
    const requested = (await readStart(this.#kernel.journal, id))?.input as unknown as ReviewInput | undefined
    const blueprint = stored(madeFrom(requireBlueprint(given), requested?.blueprint.provenance?.labels))
    const summary = await this.#kernel.journal.summary(id)
    const view = summary === undefined ? undefined : await this.#view(summary, registrations)
    await this.#registrations.use(token, blueprintHash(blueprint), {
      blueprint,
      by: this.#signature(),
      requestedBy: view?.requestedBy.id ?? '',
      reviewedBy: view?.reviewedBy?.id ?? '',
    })
    putGraph(this.#service, blueprint, { override: true })
    return this.#view((await this.#kernel.journal.summary(id))!, await this.#registrations.read())
  }

  /** Revokes an unused token, or unregisters a graph: here at once, and elsewhere with the next `restore`. Requires the permission to approve. */
  async revoke(id: string, reason?: string): Promise<void> {
    this.#kernel.check(this.#identity, 'approve')
    const note = { review: id, by: this.#signature(), ...(reason === undefined ? {} : { reason }) }
    const { registered, claim } = await this.#registrations.revoke(note)
    if (registered === undefined) return
    const last = latest(await this.#registrations.read()).get(claim.graph)
    const current = graphRegistry(this.#service).blueprint(claim.graph)
    if (current === undefined || blueprintHash(current) !== claim.hash) return
    if (last === undefined) this.#kernel.registry.unregisterMind('graph', claim.graph)
    else putGraph(this.#service, last.registered!.blueprint, { override: true })
  }

  /** Registers the reviewed graphs of the store, after a restart. The last registration of each name counts. */
  async restore(): Promise<RestoredGraphs> {
    const registered: string[] = []
    const problems: string[] = []
    for (const [graph, record] of latest(await this.#registrations.read())) {
      const { blueprint } = record.registered!
      const problem = restoreProblem(record)
      if (problem !== undefined) problems.push(`The graph "${graph}" ${problem}.`)
      else {
        putGraph(this.#service, blueprint, { override: true })
        registered.push(graph)
      }
    }
    return { registered, problems }
  }

  #signature(): Identity {
    const { id, roles } = this.#identity
    return { id, roles }
  }

  async #view(run: RunSummary, registrations: readonly Registration[]): Promise<GraphReview> {
    const entries = await readAll(this.#kernel.journal, run.run)
    const fold = foldRun(entries)
    const note = entriesOfType(entries, 'note').find(({ data }) => data.name === REQUEST_NOTE)
    const { value: request } = note!.data.value as unknown as { readonly value: ReviewRequest }
    const asked = [...fold.approvals.values()].at(-1)
    const output = (fold.end?.output ?? undefined) as ReviewOutput | undefined
    const record = registrations.find(({ claim }) => claim.review === run.run)
    const answer = asked?.response
    return {
      ...request,
      id: run.run,
      state: this.#stateOf(run, output, record),
      requestedBy: fold.start!.identity,
      ...(asked === undefined || answer !== undefined ? {} : { approvalId: approvalId(run.run, asked.seq) }),
      ...(answer === undefined ? {} : { reviewedBy: answer.by }),
      ...(output !== undefined && 'permit' in output ? { token: output.permit, expiresAt: output.expiresAt } : {}),
      ...(output !== undefined && 'rejected' in output ? { problem: output.rejected } : {}),
    }
  }

  #stateOf({ state }: RunSummary, output: ReviewOutput | undefined, record?: Registration): GraphReview['state'] {
    if (record?.revoked !== undefined) return 'revoked'
    if (record?.registered !== undefined) return 'registered'
    if (!isEnded(state)) return 'waiting'
    if (record === undefined || output === undefined || !('permit' in output)) return 'rejected'
    if (!record.isBelieved) return 'unproven'
    return this.#kernel.clock.now() < record.claim.expiresAt ? 'approved' : 'expired'
  }
}

/** The last registration of each graph that was not revoked. */
function latest(registrations: readonly Registration[]): ReadonlyMap<string, Registration> {
  const inForce = registrations.filter(({ registered, revoked }) => registered !== undefined && revoked === undefined)
  const ordered = inForce.toSorted((a, b) => a.registered!.at - b.registered!.at)
  return new Map(ordered.map((record) => [record.claim.graph, record]))
}

/** The signed claim has the hash of the graph, so it covers the stored blueprint as well. */
function restoreProblem({ claim, isBelieved, registered }: Registration): string | undefined {
  if (!isBelieved) return 'was registered with a token that lacks the signature this host asks for'
  if (blueprintHash(registered!.blueprint) !== claim.hash) return 'is stored otherwise than it was reviewed'
  return undefined
}

/** Adds the labels of the reviewed graph: a copy that was read from a file since has none. */
function madeFrom(blueprint: Blueprint, labels: readonly Label[] = []): Blueprint {
  const all = joinLabels(blueprint.provenance?.labels, labels)
  if (all.length === 0) return blueprint
  return { ...blueprint, provenance: { origin: 'generated', ...blueprint.provenance, labels: all } }
}

/** The stored form: without members that are `undefined`. */
function stored(blueprint: Blueprint): Blueprint {
  return JSON.parse(JSON.stringify(blueprint)) as Blueprint
}

function isReview({ mind, name }: RunSummary): boolean {
  return mind === 'program' && name === REVIEW_MIND
}

function notFound(id: string): MandateError {
  return new MandateError('NOT_FOUND', `There is no review "${id}". List them with: mandate graph review list --all`)
}

const registrations = new WeakMap<Kernel, Registrations>()

function registrationsOf(service: object, kernel: Kernel): Registrations {
  const known = registrations.get(kernel)
  if (known !== undefined) return known
  const made = new Registrations(kernel)
  registrations.set(kernel, made)
  const host: ReviewHost = { describe: (input) => describe(service, input), issue: (claim) => made.issue(claim) }
  kernel.registry.registerMind(reviewMind(host))
  return made
}

function describe(service: object, { blueprint, reason, tokenMs }: ReviewInput): ReviewRequest {
  const registered = graphRegistry(service).blueprint(blueprint.name)
  return {
    graph: blueprint.name,
    hash: blueprintHash(blueprint),
    origin: [blueprint.provenance?.origin ?? 'generated', blueprint.provenance?.label ?? ''].join(' ').trim(),
    source: printRag(blueprint),
    changes: registered === undefined ? null : diffBlueprints(registered, blueprint).text,
    reach: inspectGraph(service, blueprint),
    reason,
    tokenMs,
  }
}

/**
 * The reviews of a service. Graphs generated by a model or a program can be registered only after one.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { graphReviews } from 'mandate/graph'
 * import type { Blueprint } from 'mandate/graph'
 * const service = new AgentService()
 * const reviews = graphReviews(service)
 * await reviews.restore()
 * async function propose(blueprint: Blueprint) {
 *   const { id, approvalId } = await reviews.request(blueprint, { reason: 'The assistant wants to triage tickets.' })
 *   await service.as({ id: 'ana', roles: ['owner'] }).approve(approvalId!)
 *   const { token } = await reviews.read(id)
 *   await reviews.register(blueprint, token!)
 * }
 * ```
 */
export function graphReviews(service: object): GraphReviews {
  return new GraphReviews(service, identityOf(kernelOf(service)))
}
