import { MandateError, canonical, describeOutcome } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { maxRisk } from '../../gate/index.ts'
import type { Mind } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import type { GraphReach } from './inspect-graph.ts'
import type { Registrations } from './registrations.ts'

/** The name of the mind behind reviews. */
export const REVIEW_MIND = 'mandate-graph-review'

/** The call that is approved, and that rules of a mandate can name. */
const REVIEW_TOOL = 'register_graph'

/** What a person gets to see, and what an approval is bound to. */
export type ReviewRequest = {
  readonly graph: string
  readonly hash: string
  readonly origin: string
  /** The graph as `.rag` text. */
  readonly source: string
  /** How it differs from the registered graph of that name; `null` where there is none. */
  readonly changes: string | null
  readonly reach: GraphReach
  /** Why it is wanted. */
  readonly reason: string | null
  /** How long the token holds once it is issued. */
  readonly tokenMs: number
}

/** What a run of the mind is given. */
export interface ReviewInput {
  readonly blueprint: Blueprint
  readonly reason: string | null
  readonly tokenMs: number
}

/** The note in which a run keeps what it shows. */
export const REQUEST_NOTE = 'request'

/** What the mind has done by the service. */
export interface ReviewHost {
  /** What a person is shown of a graph. */
  describe(input: ReviewInput): ReviewRequest
  /** Issues a token. */
  issue: Registrations['issue']
}

/** What a run of the mind gives. The token is called `permit` there: redaction takes out what is named like a credential. */
export type ReviewOutput = { readonly permit: string; readonly expiresAt: number } | { readonly rejected: string }

/**
 * A review, as a run: one call of a tool that always asks for approval. So it waits in the inbox, the answer is signed and bound to exactly what was
 * shown, and everything that holds for approvals holds for it. Carrying the call out issues the token.
 */
export function reviewMind(host: ReviewHost): Mind {
  return {
    kind: 'program',
    name: REVIEW_MIND,
    async start(input, context) {
      // Worked out here, from the graph itself: whoever starts the run cannot have something else shown.
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
    // Whoever may not let a call of that risk happen may not let a graph in that makes it.
    risk: maxRisk('write', reach.risk),
    needsApproval: true,
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
