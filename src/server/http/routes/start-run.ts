import { kernelOf } from '../../../agent/index.ts'
import type { AgentRun, AgentService, Prompt, RunOptions } from '../../../agent/index.ts'
import { canonical, errorInfo, sha256 } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { Kernel } from '../../../run/index.ts'
import { idempotencyKey, keyOfAnother } from '../idempotency-key.ts'
import type { Call } from '../route.ts'
import { answerFor } from './run-wait.ts'

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
    const key = idempotencyKey(call.request)
    if (key === undefined) return answerFor(call, this.#begin(call), 201)
    const runId = `run_${sha256(canonical([call.identity.id, key])).slice(0, 32)}`
    // The store counts requests by run and content.
    const request = `idempotency/${runId}/${sha256(canonical(call.body))}`
    if (await this.#isRepeated(call, runId, request)) return answerFor(call, call.service.resume(runId))
    try {
      return await answerFor(call, this.#begin(call, runId), 201)
    } catch (error) {
      throw await this.#refused(runId, request, error)
    }
  }

  #begin(call: Call, runId?: string): AgentRun<Json> {
    const { agent, prompt, ...options } = call.body as { readonly agent: string } & JsonObject
    return call.service.run(agent, prompt as unknown as Prompt, {
      ...(options as Omit<RunOptions, 'identity'>),
      ...(runId === undefined ? {} : { runId }),
    })
  }

  /** Whether the run of a key is there. Another request under that key is refused, whenever and wherever the first one came. */
  async #isRepeated({ service }: Call, runId: string, request: string): Promise<boolean> {
    const { journal, clock } = this.#kernel
    if ((await journal.summary(runId)) === undefined) {
      // Before the run is there, so that a run that is there has its request counted.
      await journal.addCount(request, clock.now(), 1)
      return false
    }
    const [asked, refused] = [await journal.sumCount(request, 0), await journal.sumCount(refusedName(request), 0)]
    if (asked <= refused) throw keyOfAnother()
    await service.summary(runId)
    return true
  }

  /** A request whose run did not begin leaves its key free: for itself, and for another request. */
  async #refused(runId: string, request: string, error: unknown): Promise<unknown> {
    const { journal, clock } = this.#kernel
    const isTaken = errorInfo(error).code === 'DUPLICATE'
    if (isTaken || (await journal.summary(runId)) === undefined)
      await journal.addCount(refusedName(request), clock.now(), 1)
    // Another request began a run under this key at the same moment.
    return isTaken ? keyOfAnother() : error
  }
}

function refusedName(request: string): string {
  return `${request}/refused`
}
