import { kernelOf } from '../../../agent/index.ts'
import type { AgentRun, AgentService, Prompt, RunOptions } from '../../../agent/index.ts'
import { canonical, errorInfo, sha256 } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { Kernel } from '../../../run/index.ts'
import { idempotencyKey, keyOfAnother } from '../idempotency-key.ts'
import type { Call } from '../route.ts'
import { answerFor } from './run-wait.ts'

/**
 * Starts runs, one for each `Idempotency-Key` of a caller. The run id is derived from caller and key, so a repeated request finds its run in the store,
 * whichever process receives it.
 */
export class RunStarts {
  readonly #kernel: Kernel

  constructor(service: AgentService) {
    this.#kernel = kernelOf(service)
  }

  async start(call: Call): Promise<Response> {
    const key = idempotencyKey(call.request)
    if (key === undefined) return answerFor(call, this.#begin(call), 201)
    const runId = `run_${sha256(canonical([call.identity.id, key])).slice(0, 32)}`
    // The name of the counter in the store that records this request, by run and content.
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

  /** Returns whether the run of a key exists. Refuses another request under that key, whenever and wherever the first one was received. */
  async #isRepeated({ service }: Call, runId: string, request: string): Promise<boolean> {
    const { journal, clock } = this.#kernel
    if ((await journal.summary(runId)) === undefined) {
      // Counted before the run is created, so that every existing run has its request counted.
      await journal.addCount(request, clock.now(), 1)
      return false
    }
    const [asked, refused] = [await journal.sumCount(request, 0), await journal.sumCount(refusedName(request), 0)]
    if (asked <= refused) throw keyOfAnother()
    await service.summary(runId)
    return true
  }

  /** Records that a request was refused before its run started, so that its key stays free for this request and for others. */
  async #refused(runId: string, request: string, error: unknown): Promise<unknown> {
    const { journal, clock } = this.#kernel
    const isTaken = errorInfo(error).code === 'DUPLICATE'
    if (isTaken || (await journal.summary(runId)) === undefined)
      await journal.addCount(refusedName(request), clock.now(), 1)
    // A concurrent request started a run under this key.
    return isTaken ? keyOfAnother() : error
  }
}

function refusedName(request: string): string {
  return `${request}/refused`
}
