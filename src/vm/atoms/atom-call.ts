import { MandateError, errorInfo } from '../../core/index.ts'
import type { Clock, EffectLabels, Json, Outcome } from '../../core/index.ts'
import type { AnyAtom, AtomContext } from './atom.ts'
import { readAnswer } from './host/answer.ts'
import { withDeadline } from './host/deadline.ts'

/** One call of an atom: input, timeout and context. */
export interface AtomCall {
  readonly atom: AnyAtom
  readonly input: Json
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Everything an atom gets besides its input, except its signal. */
  readonly context: Omit<AtomContext, 'signal' | 'op'>
  /** Labels of the input, if labels are tracked. */
  readonly labels?: EffectLabels | undefined
  /** Charges fuel that was spent elsewhere on behalf of this call. */
  readonly spend: (fuel: number) => void
}

/** Calls an atom; the outcome has been checked against its schema, and errors are data. */
export async function callAtom(call: AtomCall): Promise<Outcome> {
  try {
    return { status: 'ok', value: (await runAtom(call)) as Json }
  } catch (error) {
    return { status: 'failed', error: errorInfo(error, 'TOOL_FAILED') }
  }
}

/** The same, throwing errors instead of returning them. */
export async function runAtom({
  atom,
  input,
  timeoutMs,
  clock,
  signal,
  context,
}: Omit<AtomCall, 'spend' | 'labels'>): Promise<unknown> {
  const { op } = atom
  const wrong = await atom.checkInput(input)
  if (wrong !== undefined) throw new MandateError('INPUT_INVALID', `${op}: ${wrong}.`)
  const given: unknown = await withDeadline({ clock, timeoutMs, signal, what: `Atom '${op}'` }, (own) =>
    (atom as { exec(input: Json, ctx: AtomContext): unknown }).exec(input, { ...context, op, signal: own }),
  )
  const value = await readAnswer(given)
  const issue = await atom.checkOutput(value ?? null)
  if (issue !== undefined && value !== undefined)
    throw new MandateError('OUTPUT_INVALID', `What ${op} gave does not fit its schema: ${issue}.`)
  return value === undefined ? null : value
}
