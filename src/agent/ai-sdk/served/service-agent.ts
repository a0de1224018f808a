import type { MandateEvent } from '../../../journal/index.ts'
import type { AgentService } from '../../service/service.ts'
import type { AgentCall, AiSdkStreamed, AiSdkToolSet } from '../agent-shapes.ts'
import type { AiSdkStreamPart } from '../part-shapes.ts'
import { toolSetOf } from '../tool-set.ts'

/** An agent of a service with the AI SDK's agent interface, for servers of other protocols. */
export interface ServiceAgent {
  readonly version: 'agent-v1'
  readonly id: string
  readonly tools: AiSdkToolSet
  stream(call: AgentCall): Promise<AiSdkStreamed>
  /** The parts of a run whose client receives complete answers. */
  recorded(runId: string): Promise<AsyncGenerator<AiSdkStreamPart>>
  /** The parts of a live run, for a client that has lost its stream. */
  follow(runId: string, events: AsyncIterable<MandateEvent>): Promise<AsyncGenerator<AiSdkStreamPart>>
}

/** The agent with this id. Throws if there is none. */
export function serviceAgent(service: AgentService, id: string): ServiceAgent {
  const spec = service.agent(id)
  const called = { spec, service }
  return {
    version: 'agent-v1',
    id,
    tools: toolSetOf(spec),
    async stream(call) {
      const { streamWith } = await import('../agent-interface.ts')
      return streamWith(called, call)
    },
    async recorded(runId) {
      const { recordedParts } = await import('./follow.ts')
      return recordedParts(called, runId)
    },
    async follow(runId, events) {
      const { followParts } = await import('./follow.ts')
      return followParts(called, runId, events)
    },
  }
}
