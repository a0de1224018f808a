import { allLabels, joinLabels, toPlain } from '../../core/index.ts'
import type { ErrorInfo, Json, JsonObject, Label } from '../../core/index.ts'
import type { Spend } from '../../journal/index.ts'
import { capResult, jsonBytes } from '../../tool/index.ts'
import type { CappedResult } from '../../tool/index.ts'
import type { Attempted } from './attempt.ts'
import { declaredLabels, okOutcome } from './effect-labels.ts'
import type { Ending, Request } from './perform.ts'

type Capped = Omit<CappedResult, 'bytes'> & Partial<Pick<CappedResult, 'bytes'>> & { readonly shown?: Json | undefined }

/**
 * Step 7: converts a result for journal, listeners and mind: plain data, bounded, labelled. What a model reads is cut at marked places; what a program
 * computes with is whole, or the call has failed. Redaction is done by the journal writer, for all entries.
 */
export function transform(request: Request, attempted: Attempted): Ending {
  const { run, effect, performer } = request
  if ('ending' in attempted) return withLabels(attempted.ending, declaredLabels(request))
  const { value, failure } = attempted.performed
  const maxBytes = performer.resultBytes?.(effect, run)
  const plain = maxBytes === undefined ? { ...toPlain(value, true), truncated: false } : capResult(value, maxBytes)
  if (plain.truncated && failure === undefined && COMPUTED.has(request.effect.origin)) {
    const performed = { ...attempted.performed, failure: tooLarge(request, plain, maxBytes!) }
    return endingOf(request, { ...attempted, performed }, plain)
  }
  return endingOf(request, attempted, withShown(plain, attempted.performed.shown, maxBytes))
}

/** The origins of calls whose results are variables of a program: a shorter list or text there would silently give wrong answers. A model sees where a value was cut. */
const COMPUTED: ReadonlySet<string | undefined> = new Set(['cell', 'graph', 'program'])

function tooLarge({ effect }: Request, { bytes = 0 }: Capped, maxBytes: number): ErrorInfo {
  return {
    code: 'TOOL_FAILED',
    message:
      `The result of ${effect.name} has ${bytes} bytes of JSON, more than the ${maxBytes} of \`maxResultBytes\`, and a program is given whole values only. ` +
      'The call was made. Read the result in parts (a range, a page, a filter), or let the host raise `maxResultBytes` of the tool or `limits.resultBytes`.',
    info: { bytes, maxBytes },
  }
}

/** The text that a model reads instead of the value is bounded in the same way. */
function withShown(plain: Capped, given: unknown, maxBytes: number | undefined): Capped {
  if (given === undefined) return plain
  const { value: shown } = maxBytes === undefined ? toPlain(given, true) : capResult(given, maxBytes)
  return { ...plain, shown }
}

function endingOf(
  request: Request,
  { performed, durationMs }: Exclude<Attempted, { readonly ending: Ending }>,
  plain: Capped,
): Ending {
  const { effect } = request
  const labels = joinLabels(allLabels(effect.labels), performed.labels)
  const meta: JsonObject = {
    ...(performed.meta === undefined ? {} : { performed: performed.meta }),
    ...(plain.issues.length === 0 ? {} : { issues: plain.issues }),
    ...(plain.truncated ? { truncated: true, whole: wholeOf(plain) } : {}),
  }
  if (performed.failure !== undefined) {
    const { code, message } = performed.failure
    const outcome: Ending['outcome'] =
      code === 'CANCELLED' ? { status: 'cancelled', reason: message } : { status: 'failed', error: performed.failure }
    return withLabels({ outcome, spent: performed.spent, counted: performed.counted, durationMs, meta }, labels)
  }
  return {
    outcome: { ...okOutcome(plain.value, labels), ...(plain.shown === undefined ? {} : { shown: plain.shown }) },
    spent: spentOf(request, performed.spent ?? {}, plain.value),
    counted: performed.counted,
    durationMs,
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  }
}

/** The size and digest of a truncated result, by which the whole can be identified later. */
function wholeOf({ bytes = 0, sha256 }: Capped): JsonObject {
  return { bytes, ...(sha256 === undefined ? {} : { sha256 }) }
}

/** Labels a failure too: its message may be untrusted text of the remote party, such as an error page or the output of a command. */
function withLabels(ending: Ending, labels: readonly Label[]): Ending {
  const { outcome } = ending
  return outcome.status === 'failed' && labels.length > 0 ? { ...ending, outcome: { ...outcome, labels } } : ending
}

function spentOf({ run }: Request, spent: Spend, value: Json): Spend {
  // Measured only under a limit, because measuring is expensive.
  return run.budget.isLimited('outputBytes') ? { ...spent, outputBytes: jsonBytes(value) } : spent
}
