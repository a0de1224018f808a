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

/** How long a token holds that a cell waits for. */
const TOKEN_MS = 86_400_000

/** Plans calls of `graph_define` and its kin over the drafts of the session. */
export class GraphCalls {
  readonly #drafts: Drafts
  readonly #policy: ReplPolicy
  readonly #grants: Grants

  constructor(drafts: Drafts, policy: ReplPolicy, grants: Grants) {
    this.#drafts = drafts
    this.#policy = policy
    this.#grants = grants
  }

  /** The call of a function, or undefined where it is none of these. */
  plan(name: string, input: Json): PlannedCall | undefined {
    if (name === 'graph_define') return this.#define(input)
    if (name === 'graph_validate') return this.#validate(input)
    if (name === 'graph_compile') return this.#compile(input)
    if (name === 'graph_diff') return this.#diff(input)
    return name === 'graph_register' ? this.#register(input) : undefined
  }

  /** `graph_define({ name, source })`: reads a graph and keeps it as a draft. Only one that can be read counts. */
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

  /** `graph_validate(draft)`: what is wrong with it, a text each. */
  #validate(input: Json): PlannedCall {
    const { draft } = this.#drafts.find(input)
    return {
      ...this.#call('graph_validate'),
      perform: (ask, labels) => this.#check(ask, draft.blueprint, withLabels(labels, draft.labels)),
    }
  }

  /** `graph_compile(draft)`: throws where a name in it is not known; else it can be registered. */
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

  /** `graph_register({ graph, token? })`: a review is waited for where the policy asks for one and there is no token yet. */
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
    // It may have been compiled by a cell that had more.
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

  /** What is wrong with a draft: names that are not known, or that the cell itself could not use. */
  async #check(ask: Ask, blueprint: JsonObject, labels: EffectLabels | undefined): Promise<Outcome<Json>> {
    const outcome = await ask({ kind: 'tool', name: 'graph_validate', input: { blueprint }, labels })
    return map(outcome, (problems) => [...new Set([...(problems as string[]), ...this.#notGranted(blueprint)])])
  }

  /** A graph reaches no tool and no agent that the cell which writes it does not have: behind programs and other graphs only where a person has seen it. */
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

/** The labels of a call, with those of the draft that it is about. */
function withLabels(labels: EffectLabels | undefined, own: readonly Label[]): EffectLabels | undefined {
  return labels === undefined ? undefined : joinLabels(allLabels(labels), own)
}

/** Registered, a graph keeps what its text was made from: for all who run it, in whichever session. */
function withProvenance(blueprint: JsonObject, labels: readonly Label[]): JsonObject {
  if (labels.length === 0) return blueprint
  return { ...blueprint, provenance: { ...(blueprint['provenance'] as JsonObject), labels } }
}

function map(outcome: Outcome<Json>, change: (value: Json) => Json): Outcome<Json> {
  return outcome.status === 'ok' ? { ...outcome, value: change(outcome.value) } : outcome
}
