import type { AgentService } from '../../agent/index.ts'
import { hasBegun, kernelOf } from '../../agent/index.ts'
import { MandateError, errorInfo, isRecord, sha256 } from '../../core/index.ts'
import type { HmacKey, Json, Label } from '../../core/index.ts'
import { parseApprovalId } from '../../gate/index.ts'
import { entriesOfType, readAll } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import { MindStop } from '../../run/index.ts'
import type { Kernel, Mind, RunContext } from '../../run/index.ts'
import { Refusal } from '../http/error-answers.ts'
import type { Call, Route } from '../http/route.ts'
import { object, oneOf, text } from '../http/routes/schemas.ts'
import type { Delivery, IncomingHook, Wake } from './options.ts'
import { signingKey, verifiedId } from './signature.ts'

/** The name of the mind that processes a delivery to an existing run. */
export const WAKE_MIND = 'mandate-webhook-wake'

const LABELS: readonly Label[] = ['untrusted:webhook']
const accepted = object({ status: oneOf('accepted', 'duplicate'), run: text })

/** An answer with the id of the question that it is for. */
type Aimed = Extract<Wake, { readonly answer: unknown }> & { readonly question: string }

interface Known {
  readonly hook: IncomingHook
  readonly key: HmacKey
}

/**
 * Receives deliveries. Each is a run whose id is derived from the hook and the sender's id, so a repeated delivery, in this or another process, before or
 * after a restart, finds its run in the store.
 */
export class IncomingHooks {
  readonly #service: AgentService
  readonly #kernel: Kernel
  readonly #hooks: ReadonlyMap<string, Known>

  constructor(service: AgentService, hooks: readonly IncomingHook[]) {
    this.#service = service
    this.#kernel = kernelOf(service)
    this.#hooks = new Map(
      hooks.map((hook) => [hook.name, { hook, key: signingKey(hook.secret, `\`secret\` of "${hook.name}"`) }]),
    )
    for (const { agent } of hooks) if (agent !== undefined) service.agent(agent)
    if (hooks.some(({ wake }) => wake !== undefined)) this.#kernel.registry.registerMind(this.#wakeMind())
  }

  routes(): readonly Route[] {
    if (this.#hooks.size === 0) return []
    return [
      {
        method: 'POST',
        path: '/hooks/{name}',
        summary: 'Takes a signed delivery (Standard Webhooks) that starts a run or wakes one.',
        tag: 'webhooks',
        access: 'public',
        raw: true,
        answer: { status: 202, schema: accepted, also: { 200: accepted } },
        handle: (call) => this.#take(call),
      },
    ]
  }

  async #take({ params, request, bytes }: Call): Promise<Response> {
    const known = this.#hooks.get(params['name']!)
    const id = known && (await verifiedId(known.key, request.headers, bytes, this.#kernel.clock.now()))
    // An unknown hook gets the same refusal as a wrong signature, so that unauthenticated clients cannot probe for hooks.
    if (known === undefined || id === undefined)
      throw new Refusal(401, 'DENIED', 'The signature of this delivery is missing, wrong or too old.')
    const { hook } = known
    const run = `hook-${hook.name}-${sha256(id).slice(0, 32)}`
    if ((await this.#kernel.journal.summary(run)) !== undefined) return answered(run, 'duplicate')
    const delivery = { id, body: readBody(bytes) }
    try {
      await (hook.agent === undefined ? this.#plan(hook, run, delivery) : this.#start(hook, run, delivery))
    } catch (error) {
      // Another process received the same delivery at the same time.
      if (errorInfo(error).code !== 'LEASE_HELD') throw error
      return answered(run, 'duplicate')
    }
    return answered(run, 'accepted')
  }

  /** Starts the run and resolves when the store has it: only then may the delivery be acknowledged. */
  async #start(hook: IncomingHook, runId: string, delivery: Delivery): Promise<void> {
    const { body } = delivery
    const prompt = hook.prompt?.(delivery) ?? (typeof body === 'string' ? body : JSON.stringify(body))
    const run = this.#service.as(hook.identity).run(hook.agent!, prompt, { runId, labels: LABELS })
    await hasBegun(run)
  }

  async #plan({ name: hook, identity }: IncomingHook, runId: string, delivery: Delivery): Promise<void> {
    const input = { hook, id: delivery.id, body: delivery.body }
    await this.#kernel.plan({ kind: 'program', name: WAKE_MIND, runId, input, identity, labels: LABELS })
  }

  #wakeMind(): Mind {
    return {
      kind: 'program',
      name: WAKE_MIND,
      start: async (input, context) => {
        const { hook: name, id, body } = input as { readonly hook: string; readonly id: string; readonly body: Json }
        const hook = this.#hooks.get(name)?.hook
        if (hook?.wake === undefined)
          throw new MindStop('CONFIG_INVALID', `There is no webhook "${name}" here that wakes runs.`)
        const wake = await context.record('wake', async () => {
          const wanted = (await hook.wake!({ id, body })) ?? null
          return (wanted === null ? null : await this.#aimed(wanted, context)) as Json
        })
        if (wake === null) return { woken: null }
        return context.record('done', () => this.#wake(wake as unknown as Wake | Aimed, context))
      },
    }
  }

  /** Binds an answer to the id of the only open question of a run, so that a retry after a crash cannot answer a later question. */
  async #aimed(wake: Wake, { identity }: RunContext): Promise<Wake | Aimed> {
    if (!('answer' in wake)) return wake
    const questions = (await this.#service.as(identity).approvals(wake.run)).filter(
      ({ reason }) => reason === 'question',
    )
    // If there is no question, or more than one, the error is reported when the answer is applied.
    return questions.length === 1 ? { ...wake, question: questions[0]!.id } : wake
  }

  async #wake(wake: Wake | Aimed, { identity, runId }: RunContext): Promise<Json> {
    const service = this.#service.as(identity)
    if ('approvalId' in wake) {
      const { approvalId, decision, reason } = wake
      const options = reason === undefined ? {} : { reason }
      await this.#answer(approvalId, identity, () =>
        decision === 'approve' ? service.approve(approvalId, options) : service.reject(approvalId, reason),
      )
      return { woken: approvalId }
    }
    if ('message' in wake) {
      // Sent again after a crash under the same id, that of the delivery's run, so the message is idempotent.
      await service.steer(wake.run, wake.message, { id: runId })
      void this.#kernel.resume(wake.run).catch(() => {})
      return { woken: wake.run }
    }
    if (!('question' in wake))
      throw new MandateError(
        'RUN_STATE',
        `Run "${wake.run}" has no open question, or more than one, so it is not clear what is answered. Give the \`approvalId\` of one.`,
      )
    await this.#answer(wake.question, identity, () => service.answer(wake.question, wake.answer))
    return { woken: wake.run }
  }

  /** Applies an answer. An error is ignored if this identity has answered already: a process ended before it could record that it had. */
  async #answer(id: string, identity: Identity, give: () => Promise<unknown>): Promise<void> {
    try {
      await give()
    } catch (error) {
      const target = parseApprovalId(id)
      const entries = target === undefined ? [] : await readAll(this.#kernel.journal, target.run)
      const isGiven = entriesOfType(entries, 'approval-response').some(
        ({ data }) => data.request === target?.seq && data.by.id === identity.id,
      )
      if (!isGiven) throw error
    }
  }
}

function answered(run: string, status: 'accepted' | 'duplicate'): Response {
  return Response.json({ status, run }, { status: status === 'accepted' ? 202 : 200 })
}

function readBody(bytes: Uint8Array): Json {
  const body = new TextDecoder().decode(bytes)
  try {
    const parsed = JSON.parse(body) as Json
    return isRecord(parsed) || Array.isArray(parsed) ? parsed : body
  } catch {
    return body
  }
}
