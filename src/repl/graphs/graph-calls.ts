import { MandateError, allLabels, isRecord, joinLabels, utf8Bytes } from '../../core/index.ts'
import type { EffectLabels, Json, JsonObject, Label, Outcome } from '../../core/index.ts'
import { REVIEW_MIND, referencesOf } from '../../graph/index.ts'
import type { Blueprint } from '../../graph/index.ts'
import { fieldsOf, textField } from '../calls/call-input.ts'
import { notGranted } from '../calls/grants.ts'
import type { Grants } from '../calls/grants.ts'
import type { Ask, PlannedCall } from '../calls/planned-call.ts'
import type { ReplPolicy } from '../session/policy.ts'
import type { Drafts } from './drafts.ts'

/** Validity of a review token that a cell waits for. */
const TOKEN_MS = 86_400_000

/** Plans calls of the `graph_…` functions over the drafts of the session. */
export class GraphCalls {
  readonly #drafts: Drafts
  readonly #policy: ReplPolicy
  readonly #grants: Grants

  constructor(drafts: Drafts, policy: ReplPolicy, grants: Grants) {
    this.#drafts = drafts
    this.#policy = policy
    this.#grants = grants
  }

  /** Plans the call of a function; undefined if the function is not one of these. */
  plan(name: string, input: Json): PlannedCall | undefined {
    if (name === 'graph_define') return this.#define(input)
    if (name === 'graph_validate') return this.#validate(input)
    if (name === 'graph_compile') return this.#compile(input)
    if (name === 'graph_diff') return this.#diff(input)
    return name === 'graph_register' ? this.#register(input) : undefined
  }

  /** `graph_define({ name, source })`: parses a graph and stores it as a draft. Only graphs that parse count as definitions. */
  #define(input: Json): PlannedCall {
    const fields = fieldsOf('graph_define', input, ['name', 'source'])
    const name = textField('graph_define', fields, 'name')
    const source = textField('graph_define', fields, 'source')
    const bytes = utf8Bytes(source)
    const { maxScriptBytes } = this.#policy
    if (bytes > maxScriptBytes)
      throw new MandateError(
        'LIMIT_EXCEEDED',
        `The graph has ${bytes} bytes: \`maxScriptBytes\` allows ${maxScriptBytes}.`,
      )
    return {
      ...this.#call('graph_define'),
      defines: true,
      perform: async (ask, labels) => {
        const outcome = await ask({ kind: 'tool', name: 'graph_define', input: { name, source }, labels })
        return map(outcome, (value) => {
          const { blueprint, hash } = value as { readonly blueprint: JsonObject; readonly hash: string }
          const told = joinLabels(labels && allLabels(labels), outcome.status === 'ok' ? outcome.labels : undefined)
          const made = withProvenance(blueprint, told)
          return this.#drafts.put(name, { blueprint: made, hash, compiled: false, labels: told })
        })
      },
    }
  }

  /** `graph_validate(draft)`: returns its problems as a list of texts. */
  #validate(input: Json): PlannedCall {
    const { draft } = this.#drafts.find(input)
    return {
      ...this.#call('graph_validate'),
      perform: (ask, labels) => this.#check(ask, draft.blueprint, withLabels(labels, draft.labels)),
    }
  }

  /** `graph_compile(draft)`: throws if a name in it is unknown; otherwise the draft can be registered. */
  #compile(input: Json): PlannedCall {
    const { name, draft } = this.#drafts.find(input)
    return {
      ...this.#call('graph_compile'),
      perform: async (ask, labels) => {
        const outcome = await this.#check(ask, draft.blueprint, withLabels(labels, draft.labels))
        if (outcome.status !== 'ok') return outcome
        const problems = outcome.value as readonly string[]
        if (problems.length > 0)
          return { ...outcome, status: 'failed', error: { code: 'CONFIG_INVALID', message: problems.join('\n') } }
        return { ...outcome, value: this.#drafts.put(name, { ...draft, compiled: true }) }
      },
    }
  }

  /** `graph_diff(before, draft)`: `before` is a draft, or the name of a registered graph. */
  #diff(input: Json): PlannedCall {
    const [before, after] = Array.isArray(input) ? (input as readonly Json[]) : []
    const { draft } = this.#drafts.find(after)
    const other = typeof before === 'string' && !this.#drafts.has(before) ? undefined : this.#drafts.find(before).draft
    const given = other === undefined ? { registered: before as Json } : { before: other.blueprint }
    return {
      ...this.#call('graph_diff'),
      perform: (ask, labels) =>
        ask({
          kind: 'tool',
          name: 'graph_diff',
          input: { ...given, after: draft.blueprint },
          labels: withLabels(labels, joinLabels(draft.labels, other?.labels)),
        }),
    }
  }

  /** `graph_register({ graph, token? })`: waits for a review if the policy requires one and no token is given. */
  #register(input: Json): PlannedCall {
    const fields =
      isRecord(input) && input['graph'] !== undefined
        ? fieldsOf('graph_register', input, ['graph', 'token', 'reason'])
        : { graph: input }
    const { graph, token, reason }: JsonObject = fields
    const { name, draft } = this.#drafts.find(graph)
    const { blueprint } = draft
    if (!draft.compiled)
      throw new MandateError('INPUT_INVALID', `The graph "${name}" was not compiled. Call graph_compile first.`)
    // Another cell with more grants may have compiled it.
    const [refused] = this.#notGranted(blueprint)
    if (refused !== undefined) throw new MandateError('INPUT_INVALID', refused)
    return {
      ...this.#call('graph_register'),
      perform: async (ask, labels) => {
        const all = withLabels(labels, draft.labels)
        let permit = typeof token === 'string' ? token : undefined
        if (permit === undefined && this.#policy.generatedGraphsRequireReview) {
          const given = { blueprint, reason: typeof reason === 'string' ? reason : null, tokenMs: TOKEN_MS }
          const review = await ask({ kind: 'program', name: REVIEW_MIND, input: given, labels: all })
          if (review.status !== 'ok') return review
          const { permit: issued, rejected } = review.value as { readonly permit?: string; readonly rejected?: string }
          if (issued === undefined)
            return {
              status: 'failed',
              error: { code: 'APPROVAL_REFUSED', message: rejected ?? 'The review was refused.' },
            }
          permit = issued
        }
        const given = permit === undefined ? { blueprint } : { blueprint, permit }
        const outcome = await ask({ kind: 'tool', name: 'graph_register', input: given, labels: all })
        if (outcome.status === 'ok' && permit !== undefined) this.#drafts.put(name, { ...draft, reviewed: true })
        return outcome
      },
    }
  }

  /** Returns the problems of a draft: unknown names, and names that the cell itself may not use. */
  async #check(ask: Ask, blueprint: JsonObject, labels: EffectLabels | undefined): Promise<Outcome<Json>> {
    const outcome = await ask({ kind: 'tool', name: 'graph_validate', input: { blueprint }, labels })
    return map(outcome, (problems) => [...new Set([...(problems as string[]), ...this.#notGranted(blueprint)])])
  }

  /** Returns why a draft uses what the cell that wrote it may not. Names inside programs and other graphs are allowed only after a review. */
  #notGranted(blueprint: JsonObject): readonly string[] {
    const isSeen = this.#policy.generatedGraphsRequireReview
    const own = blueprint['name']
    const refused = referencesOf(blueprint as unknown as Blueprint).map(({ kind, name }) => {
      const isIndirect = kind === 'program' || kind === 'graph'
      if (isIndirect && (isSeen || name === own)) return undefined
      return notGranted(this.#grants, kind, name)
    })
    return refused.filter((problem) => problem !== undefined)
  }

  #call(name: string): Pick<PlannedCall, 'kind' | 'name' | 'isUncounted' | 'detail'> {
    return { kind: 'graph', name, isUncounted: true, detail: () => null }
  }
}

/** Joins the labels of a call with those of its draft. */
function withLabels(labels: EffectLabels | undefined, own: readonly Label[]): EffectLabels | undefined {
  return labels === undefined ? undefined : joinLabels(allLabels(labels), own)
}

/** Stores the labels of a graph's source in its provenance, so that they apply to every run of it in any session. */
function withProvenance(blueprint: JsonObject, labels: readonly Label[]): JsonObject {
  if (labels.length === 0) return blueprint
  return { ...blueprint, provenance: { ...(blueprint['provenance'] as JsonObject), labels } }
}

function map(outcome: Outcome<Json>, change: (value: Json) => Json): Outcome<Json> {
  return outcome.status === 'ok' ? { ...outcome, value: change(outcome.value) } : outcome
}
