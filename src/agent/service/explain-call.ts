import type { BudgetLimits, Json, Label } from '../../core/index.ts'
import { Budget, explainDecision, lowestLimits } from '../../gate/index.ts'
import type { EffectFacts, Explanation, GateRequest, Mandate } from '../../gate/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { Tool } from '../../tool/index.ts'

/** The mandates and tools by which a call is judged. */
export interface Governed {
  /** Nearest first, the host's last. */
  readonly mandates: readonly Mandate[]
  readonly tool?: Tool | undefined
  readonly known: boolean
  /** The names of the other tools. */
  readonly others?: readonly string[] | undefined
  readonly filters?: GateRequest['filters']
}

/** A hypothetical call. */
export interface SupposedCall {
  readonly name: string
  readonly input: Json
  readonly labels?: readonly Label[] | undefined
  readonly identity?: Identity | undefined
}

/** The gate's explanation, and the remaining budget. */
export type ExplainedCall = Explanation & { readonly left: BudgetLimits }

const OWNER: Identity = { id: 'local', roles: ['owner'] }

/** The decision of the gate about a call as the first one of a run, with its intent declared; by an owner if no identity is given. */
export async function explainCall(governed: Governed, call: SupposedCall): Promise<ExplainedCall> {
  const [mandate = {}, ...above] = governed.mandates
  const request = requestOf(governed, call)
  const explanation = await explainDecision({ mandate, above }, request)
  return { ...explanation, left: request.budget.remaining() }
}

function requestOf(governed: Governed, { name, input, labels = [], identity = OWNER }: SupposedCall): GateRequest {
  const intent = { toolName: name, purpose: 'a test', expectedOutcome: 'an answer', riskLevel: 'read' as const }
  return {
    effect: { kind: 'tool', name, input, intent, ...(labels.length === 0 ? {} : { labels }) },
    facts: factsOf(governed),
    identity,
    budget: new Budget(lowestLimits(...governed.mandates.map(({ budget }) => budget))),
    depth: 0,
    toolCalls: 0,
    now: 0,
    runId: 'test',
    counts: { sum: () => 0 },
    ...(governed.filters === undefined ? {} : { filters: governed.filters }),
  }
}

function factsOf({ tool, known, others }: Governed): EffectFacts {
  if (tool === undefined) return { known, alternatives: others, worst: { toolCalls: 1 } }
  const { risk, isForeign, description, safeByDefault, needsApproval } = tool
  return {
    known,
    risk,
    isForeign,
    description,
    safeByDefault,
    needsApproval,
    worst: { toolCalls: 1 },
    validate: async (input) => {
      const result = await tool.validate(input)
      return result.valid
        ? { ok: true, value: result.value }
        : { ok: false, issues: result.issues.map(({ path, message }) => `${path} ${message}`.trim()) }
    },
  }
}
