import { MandateError, canonical, describeOutcome } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { maxRisk } from '../../gate/index.ts'
import type { Mind } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import type { GraphReach } from './inspect-graph.ts'
import type { Registrations } from './registrations.ts'

/** The name of the mind of reviews. */
export const REVIEW_MIND = 'mandate-graph-review'

/** The call that is approved, which rules of a mandate can name. */
const REVIEW_TOOL = 'register_graph'

/** What is shown to the approver, and what the approval is bound to. */
export type ReviewRequest = {
  readonly graph: string
  readonly hash: string
  readonly origin: string
  /** The graph as `.rag` text. */
  readonly source: string
  /** The differences from the registered graph of that name; `null` if there is none. */
  readonly changes: string | null
  readonly reach: GraphReach
  /** The purpose. */
  readonly reason: string | null
  /** The lifetime of the token once it is issued. */
  readonly tokenMs: number
}

/** The input of a run of the mind. */
export interface ReviewInput {
  readonly blueprint: Blueprint
  readonly reason: string | null
  readonly tokenMs: number
}

/** The note in which a run records what it shows. */
export const REQUEST_NOTE = 'request'

/** The operations of the service that the mind uses. */
export interface ReviewHost {
  /** The description of a graph for a person. */
  describe(input: ReviewInput): ReviewRequest
  /** Issues a token. */
  issue: Registrations['issue']
}

/** The output of a run of the mind. The token is called `permit` there, because redaction removes members with names of credentials. */
export type ReviewOutput = { readonly permit: string; readonly expiresAt: number } | { readonly rejected: string }

/**
 * A review, as a run: one call of a tool that always requires approval. So it waits in the inbox, the answer is signed and bound to exactly what was
 * shown, and all rules of approvals apply. Performing the call issues the token.
 */
export function reviewMind(host: ReviewHost): Mind {
  return {
    kind: 'program',
    name: REVIEW_MIND,
    async start(input, context) {
      // Computed here from the graph itself: the starter of the run cannot have something else shown.
      const request = await context.record(REQUEST_NOTE, () => host.describe(input as unknown as ReviewInput))
      context.resources.tools = new Map([[REVIEW_TOOL, reviewTool(host, request)]])
      const outcome = await context.perform({ kind: 'tool', name: REVIEW_TOOL, input: request })
      if (outcome.status === 'ok') return outcome.value
      return { rejected: describeOutcome(outcome) } satisfies ReviewOutput
    },
  }
}

function reviewTool({ issue }: ReviewHost, request: ReviewRequest): Tool {
  const { graph, hash, reach, tokenMs } = request
  return defineTool({
    name: REVIEW_TOOL,
    description: `Issues a token with which the graph "${graph}" can be registered.`,
    // An identity that may not approve a call of that risk may not admit a graph that makes it.
    risk: maxRisk('write', reach.risk),
    needsApproval: true,
    takesTokens: true,
    idempotent: true,
    async run(given: Json, ctx): Promise<ReviewOutput> {
      if (canonical(given) !== canonical(request))
        throw new MandateError(
          'INPUT_INVALID',
          'A review is of one graph as it is. Reject it, and request a review of the changed graph.',
        )
      const expiresAt = ctx.now() + tokenMs
      return { permit: await issue({ review: ctx.runId, graph, hash, expiresAt }), expiresAt }
    },
  })
}
