import type { AgentRun, Prompt, RunOptions } from '../../../agent/index.ts'
import { MandateError, canonical, sha256 } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { Call } from '../route.ts'
import { answerFor } from './run-wait.ts'

const KEY = /^[\x21-\x7e]{1,255}$/
/** Requests that are remembered by their keys; the oldest goes first. */
const REMEMBERED = 10_000

/**
 * Starts runs, each `Idempotency-Key` of a caller once. The id of such a run follows from caller and key, so a repeated request finds its run in the
 * store, whichever process it comes to.
 */
export class RunStarts {
  /** What was asked for under a key, to refuse another request under the same one. Kept by this process alone. */
  readonly #asked = new Map<string, string>()

  async start(call: Call): Promise<Response> {
    const { sessionId } = call.body as { readonly sessionId?: string }
    if (sessionId !== undefined) await call.service.checkSession(sessionId)
    const key = call.request.headers.get('idempotency-key')
    if (key === null) return answerFor(call, this.#begin(call), 201)
    if (!KEY.test(key))
      throw new MandateError(
        'INPUT_INVALID',
        'An Idempotency-Key has 1 to 255 visible ASCII characters without spaces.',
      )
    const runId = `run_${sha256(canonical([call.identity.id, key])).slice(0, 32)}`
    const isRepeated = await this.#isRepeated(call, runId)
    return answerFor(call, isRepeated ? call.service.resume(runId) : this.#begin(call, runId), isRepeated ? 200 : 201)
  }

  #begin(call: Call, runId?: string): AgentRun<Json> {
    const { agent, prompt, ...options } = call.body as { readonly agent: string } & JsonObject
    return call.service.run(agent, prompt as unknown as Prompt, {
      ...(options as Omit<RunOptions, 'identity'>),
      ...(runId === undefined ? {} : { runId }),
    })
  }

  async #isRepeated({ service, body }: Call, runId: string): Promise<boolean> {
    const request = sha256(canonical(body))
    const { agent } = body as { readonly agent: string }
    const before = this.#asked.get(runId)
    const known = await service.summary(runId).catch(() => undefined)
    const isOther = (before !== undefined && before !== request) || (known !== undefined && known.name !== agent)
    if (isOther)
      throw new MandateError(
        'DUPLICATE',
        'This Idempotency-Key was used for another request. Use a new key for a new run.',
      )
    this.#asked.set(runId, request)
    if (this.#asked.size > REMEMBERED) this.#asked.delete(this.#asked.keys().next().value!)
    return known !== undefined
  }
}
