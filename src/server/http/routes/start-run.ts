import { kernelOf } from '../../../agent/index.ts'
import type { AgentRun, AgentService, Prompt, RunOptions } from '../../../agent/index.ts'
import { MandateError, canonical, sha256 } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { Kernel } from '../../../run/index.ts'
import type { Call } from '../route.ts'
import { answerFor } from './run-wait.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Starts runs, each `Idempotency-Key` of a caller once. The id of such a run follows from caller and key, so a repeated request finds its run in the
 * store, whichever process it comes to.
 */
export class RunStarts {
  readonly #kernel: Kernel

  constructor(service: AgentService) {
    this.#kernel = kernelOf(service)
  }

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

  /** Whether the run of a key is there. Another request under that key is refused, whenever and wherever the first one came. */
  async #isRepeated({ service, body }: Call, runId: string): Promise<boolean> {
    const { journal, clock } = this.#kernel
    // The store counts requests by run and content: before the run is there, so that a run that is there has its request counted.
    const request = `idempotency/${runId}/${sha256(canonical(body))}`
    const isSame = (await journal.sumCount(request, 0)) > 0
    const isKnown = (await journal.summary(runId)) !== undefined
    if (isKnown && !isSame)
      throw new MandateError(
        'DUPLICATE',
        'This Idempotency-Key was used for another request. Use a new key for a new run.',
      )
    if (isKnown) await service.summary(runId)
    else if (!isSame) await journal.addCount(request, clock.now(), 1)
    return isKnown
  }
}
