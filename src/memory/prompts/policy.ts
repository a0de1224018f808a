import { MandateError } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { PromptTemplate } from '../prompt-store.ts'

/** A change to be made: a new version, or a moved label. */
export interface PromptChange {
  readonly op: 'put' | 'label'
  /** The label to be moved. */
  readonly label?: string | undefined
  /** The newest version so far, or the label's current one. */
  readonly before: PromptTemplate | null
  readonly after: PromptTemplate
  readonly author?: string | undefined
}

/** Who may change templates, and the allowed changes. */
export interface PromptPolicy {
  /** The only allowed authors; a change without an author is then refused. */
  readonly authors?: readonly string[] | undefined
  /** Returns the reason why a change is refused, or `undefined`. If it throws, the change is refused. */
  readonly check?: ((change: PromptChange) => string | undefined | Promise<string | undefined>) | undefined
}

export const PROMPT_POLICY: FieldNames<PromptPolicy> = { authors: 'texts', check: 'function' }

/** Throws if the policy does not allow a change. */
export async function allowChange(policy: PromptPolicy | undefined, change: PromptChange): Promise<void> {
  const { authors, check } = policy ?? {}
  const { author, after } = change
  if (authors !== undefined && (author === undefined || !authors.includes(author)))
    throw refused(change, `${author === undefined ? 'an anonymous author' : `"${author}"`} may not change prompts`)
  const why = await check?.({ ...change, after: { ...after } })
  if (why !== undefined) throw refused(change, why)
}

function refused({ op, after }: PromptChange, why: string): MandateError {
  const what = op === 'put' ? `A new version of "${after.id}"` : `A label of "${after.id}"`
  return new MandateError(
    'DENIED',
    `${what} was refused: ${why}. Ask someone whom the policy of the store names, or change the template.`,
  )
}
