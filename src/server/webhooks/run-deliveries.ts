import type { AgentService } from '../../agent/index.ts'
import { kernelOf } from '../../agent/index.ts'
import { MandateError, describeOutcome, isRecord, messageOf, sha256, tellOfHost } from '../../core/index.ts'
import type { HmacKey, Json, JsonObject } from '../../core/index.ts'
import { httpFetch } from '../../connect/index.ts'
import { isServiceJournal } from '../../journal/index.ts'
import type { ListPlace, RunSummary } from '../../journal/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Kernel, Mind } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Tool, ToolContext } from '../../tool/index.ts'
import { WAKE_MIND } from './delivery-intake.ts'
import type { OutgoingHook, RunNews } from './options.ts'
import { newsOf } from './run-news.ts'
import type { LinkMaker } from './run-news.ts'
import { signingKey, signedHeaders } from './signature.ts'

/** The name of the mind that sends deliveries. */
const DELIVERY_MIND = 'mandate-webhook'
/** The tool that only runs of deliveries have. */
const TOOL = 'webhook_post'
const OWN_MINDS: ReadonlySet<string> = new Set([DELIVERY_MIND, WAKE_MIND])

const ATTEMPTS = 10
const FIRST_MS = 2_000
const WAIT_MAX_MS = 3_600_000
const TIMEOUT_MS = 15_000
/** How often the store is searched for deliveries whose process has ended. */
const LOOK_EVERY_MS = 30_000
/** The maximum number of runs that are checked at the start because they were suspended or ended before, newest first. */
const CATCH_UP = 500
const RESTED: readonly string[] = ['suspended', 'completed', 'failed', 'cancelled']

interface Target {
  readonly hook: OutgoingHook
  readonly key: HmacKey
  readonly fetch: Tool
}

/** The input of a delivery run. */
interface Job {
  readonly hook: string
  readonly id: string
  readonly news: JsonObject
}

/**
 * Sends notifications about runs. Each delivery is a run of its own, whose id is derived from the hook and the entry that it reports. It is stored before the
 * first attempt, is retried with backoff, resumes after a restart, and exists only once even if several processes see the same entry.
 */
export class OutgoingHooks {
  readonly #kernel: Kernel
  readonly #targets: ReadonlyMap<string, Target>
  readonly #links: LinkMaker | undefined
  readonly #unlisten: (() => void)[] = []
  readonly #planning = new Set<Promise<void>>()
  #stopLooking: () => void = () => {}
  #isClosed = false

  constructor(service: AgentService, hooks: readonly OutgoingHook[], links: LinkMaker | undefined) {
    this.#kernel = kernelOf(service)
    this.#links = links
    this.#targets = new Map(hooks.map((hook) => [hook.name, targetOf(hook)]))
    if (hooks.length === 0) return
    this.#kernel.registry.registerMind(this.#mind())
    const { events } = this.#kernel
    this.#unlisten.push(
      events.on('run-suspend', ({ runId, seq, at }) => this.#saw(runId, seq, at, 'suspended')),
      events.on('run-end', ({ runId, seq, at, data }) => this.#saw(runId, seq, at, data.state)),
    )
    this.#track(this.#look(true))
  }

  /** Stops planning deliveries. Those in progress continue; those that are planned are in the store. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopLooking()
    for (const unlisten of this.#unlisten) unlisten()
    await Promise.allSettled(this.#planning)
  }

  #saw(run: string, seq: number | undefined, at: number, news: RunNews): void {
    if (seq !== undefined) this.#track(this.#planFor(run, seq, at, news))
  }

  #track(work: Promise<void>): void {
    const told = work.catch((error: unknown) =>
      tellOfHost(this.#kernel, 'handler-error', '*', { where: 'webhooks', message: messageOf(error) }),
    )
    this.#planning.add(told)
    void told.finally(() => this.#planning.delete(told))
  }

  async #planFor(run: string, seq: number, at: number, news: RunNews): Promise<void> {
    const summary = await this.#kernel.journal.summary(run)
    if (summary === undefined || summary.parent !== undefined || OWN_MINDS.has(summary.name)) return
    for (const { hook } of this.#targets.values()) {
      if (hook.on?.includes(news) === false || hook.agents?.includes(summary.name) === false) continue
      const told = await newsOf(this.#kernel, summary, { news, at, content: hook.content === true })
      if (told !== undefined) await this.#plan(hook, summary, seq, told)
    }
  }

  async #plan(hook: OutgoingHook, { run, sessionId }: RunSummary, seq: number, news: JsonObject): Promise<void> {
    const id = `msg_${sha256(`${hook.name}\n${run}\n${seq}`).slice(0, 32)}`
    const input = { hook: hook.name, id, news }
    await this.#kernel.plan({ kind: 'program', name: DELIVERY_MIND, runId: `webhook-${id}`, sessionId, input })
  }

  /** Resumes deliveries whose process has ended. The first call also plans deliveries for runs that changed while no process was running. */
  async #look(isFirst: boolean): Promise<void> {
    const { journal, clock } = this.#kernel
    await this.#kernel.attach()
    const open = await journal.list({ name: DELIVERY_MIND, state: ['running', 'suspended'], limit: CATCH_UP })
    for (const { run, state, wakeAt } of open)
      if (state === 'running' || wakeAt === undefined) void this.#kernel.resume(run).catch(() => {})
    if (isFirst)
      for (const { run, state, head } of await this.#rested())
        await this.#planFor(run, head.seq, head.at, state as RunNews)
    if (!this.#isClosed) this.#stopLooking = clock.timer(LOOK_EVERY_MS, () => this.#track(this.#look(false)), true)
  }

  /** Returns runs that are suspended or over, newest first. Deliveries are excluded, because they may outnumber all other runs. */
  async #rested(): Promise<readonly RunSummary[]> {
    const found: RunSummary[] = []
    let after: ListPlace | undefined
    for (;;) {
      const page = await this.#kernel.journal.list({ state: RESTED, parent: null, limit: CATCH_UP, after })
      found.push(...page.filter(({ run, name }) => !OWN_MINDS.has(name) && !isServiceJournal(run)))
      const last = page.at(-1)
      if (last === undefined || found.length >= CATCH_UP) return found.slice(0, CATCH_UP)
      after = { at: last.createdAt, run: last.run }
    }
  }

  #mind(): Mind {
    return {
      kind: 'program',
      name: DELIVERY_MIND,
      resources: { tools: new Map([[TOOL, this.#tool()]]) },
      start: async (input, context) => {
        const { hook: name } = input as unknown as Job
        const { attempts = ATTEMPTS, firstMs = FIRST_MS } = this.#target(name).hook.retry ?? {}
        for (let attempt = 1; ; attempt++) {
          const outcome = await context.perform({ kind: 'tool', name: TOOL, input, origin: 'webhook' })
          if (outcome.status === 'ok') return { attempts: attempt }
          const isOver = attempt >= attempts || outcome.status !== 'failed' || isRefused(outcome.error.info)
          if (isOver) throw new MindStop('CONNECTOR_FAILED', `It was not delivered: ${describeOutcome(outcome)}`)
          const until = context.now() + Math.min(firstMs * 2 ** (attempt - 1), WAIT_MAX_MS)
          await context.perform({ kind: 'sleep', name: 'webhook', input: { until } })
        }
      },
    }
  }

  #tool(): Tool {
    return defineTool({
      name: TOOL,
      description: 'Delivers a signed webhook.',
      risk: 'write',
      // The receiver recognizes a repeated delivery by its id.
      idempotent: true,
      // Receivers get what is recorded.
      takesTokens: true,
      timeoutMs: TIMEOUT_MS + 5_000,
      run: (input: unknown, context) => this.#post(input as Job, context),
    })
  }

  async #post({ hook: name, id, news }: Job, context: ToolContext): Promise<Json> {
    const { hook, key, fetch } = this.#target(name)
    // Links are created for each attempt and not recorded, because possession of a link permits the decision.
    const body = JSON.stringify(await withLinks(news, this.#links))
    const headers = {
      ...(await signedHeaders(key, id, this.#kernel.clock.now(), body)),
      'content-type': 'application/json',
    }
    const answer = await fetch.run({ url: hook.url, method: 'POST', headers, body }, context)
    const status = isRecord(answer) ? Number(answer['status']) : 0
    if (status >= 200 && status < 300) return { status }
    const message = `The webhook "${name}" answered with status ${status}.`
    throw new MandateError('CONNECTOR_FAILED', message, { info: { status, retriable: status !== GONE } })
  }

  #target(name: string): Target {
    const target = this.#targets.get(name)
    if (target !== undefined) return target
    throw new MindStop(
      'CONFIG_INVALID',
      `There is no outgoing webhook "${name}" here. Configure it, or cancel this run.`,
    )
  }
}

/** The status by which a receiver refuses further attempts. */
const GONE = 410

function isRefused(info: unknown): boolean {
  return isRecord(info) && info['retriable'] === false
}

function targetOf(hook: OutgoingHook): Target {
  const { host, origin, hostname } = new URL(hook.url)
  // An address of this machine or its network is allowed only if the URL contains it as an IP address.
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  const fetch = httpFetch({
    allow: [isAddress ? host : origin],
    methods: ['POST'],
    timeoutMs: TIMEOUT_MS,
    maxBytes: 10_000,
  })
  return { hook, fetch, key: signingKey(hook.secret, `\`secret\` of "${hook.name}"`) }
}

async function withLinks(news: JsonObject, links: LinkMaker | undefined): Promise<JsonObject> {
  const data = news['data'] as JsonObject
  const pending = data['pending'] as readonly JsonObject[] | undefined
  if (links === undefined || pending === undefined) return news
  const linked = await Promise.all(
    pending.map(async (one) => {
      if (one['reason'] !== 'approval') return one
      const { id, hash, expiresAt } = one as { readonly id: string; readonly hash: string; readonly expiresAt: number }
      return { ...one, link: await links({ id, hash, expiresAt }) }
    }),
  )
  return { ...news, data: { ...data, pending: linked } }
}
