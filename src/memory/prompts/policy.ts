import { MandateError } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { PromptTemplate } from '../prompt-store.ts'

/** What is about to change: a new version, or where a label points. */
export interface PromptChange {
  readonly op: 'put' | 'label'
  /** The label that moves. */
  readonly label?: string | undefined
  /** The newest version until now, or the one the label was at. */
  readonly before: PromptTemplate | null
  readonly after: PromptTemplate
  readonly author?: string | undefined
}

/** Who may change templates, and what a change may be. */
export interface PromptPolicy {
  /** Only they; a change without an author is then refused. */
  readonly authors?: readonly string[] | undefined
  /** Gives the reason why a change is refused, or nothing. If it throws, the change is refused. */
  readonly check?: ((change: PromptChange) => string | undefined | Promise<string | undefined>) | undefined
}

export const PROMPT_POLICY: FieldNames<PromptPolicy> = { authors: true, check: true }

/** Refuses a change that the policy does not allow. */
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
