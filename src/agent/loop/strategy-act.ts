import { DEFAULT_RUN_LIMITS, failed, messageOf } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { RunContext } from '../../run/index.ts'
import { capResult, isConnectorResult } from '../../tool/index.ts'
import type { Done, Numbered } from './act.ts'
import type { Loop } from './loop.ts'

/** A step carried out by an executor of the host's own. */
export async function carryOutByStrategy(
  loop: Loop,
  context: RunContext,
  { step, key, turn }: Numbered,
): Promise<Done> {
  const messages = [...loop.transcript.messages]
  const outcome = await context.record(key, async (strand): Promise<Json> => {
    try {
      const perform = strand.perform.bind(strand)
      return asJson(
        outcomeOf(await loop.spec.executor!.execute(Object.freeze({ ...step }), { turn, messages, perform })),
      )
    } catch (error) {
      return asJson(failed('TOOL_FAILED', messageOf(error)))
    }
  })
  return { step, outcome: outcome as unknown as Outcome<Json> }
}

/** An executor gives a value, or says `{ ok, output, error }`. */
function outcomeOf(given: unknown): Outcome<Json> {
  const { value } = capResult(given, DEFAULT_RUN_LIMITS.resultBytes)
  if (!isConnectorResult(value)) return { status: 'ok', value }
  const { ok, output = null, error } = value as { ok: boolean; output?: Json; error?: { message?: Json } }
  if (ok) return { status: 'ok', value: output }
  const message = error?.message ?? output
  return failed('TOOL_FAILED', typeof message === 'string' ? message : JSON.stringify(message))
}

function asJson(outcome: Outcome<Json>): Json {
  return outcome as unknown as Json
}
