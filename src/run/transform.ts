import { joinLabels, toPlain } from '../core/index.ts'
import type { Json, JsonObject } from '../core/index.ts'
import type { Spend } from '../journal/index.ts'
import { capResult } from '../tool/index.ts'
import type { Attempted } from './attempt.ts'
import type { Ending, Request } from './perform.ts'

/** Step 7: makes what came back fit for journal, listeners and mind alike: plain data, bounded, labelled. Redaction is the journal writer's, for all entries. */
export function transform(request: Request, attempted: Attempted): Ending {
  if ('ending' in attempted) return attempted.ending
  const { run, effect, performer } = request
  const { performed, durationMs } = attempted
  const maxBytes = performer.resultBytes?.(effect, run)
  const plain =
    maxBytes === undefined ? { ...toPlain(performed.value), truncated: false } : capResult(performed.value, maxBytes)
  const labels = joinLabels(effect.labels, performed.labels)
  const meta: JsonObject = {
    ...(performed.meta === undefined ? {} : { performed: performed.meta }),
    ...(plain.issues.length === 0 ? {} : { issues: plain.issues }),
    ...(plain.truncated ? { truncated: true } : {}),
  }
  if (performed.failure !== undefined) {
    const { code, message } = performed.failure
    const outcome: Ending['outcome'] =
      code === 'CANCELLED' ? { status: 'cancelled', reason: message } : { status: 'failed', error: performed.failure }
    return { outcome, spent: performed.spent, counted: performed.counted, durationMs, meta }
  }
  return {
    outcome: labels.length === 0 ? { status: 'ok', value: plain.value } : { status: 'ok', value: plain.value, labels },
    spent: spentOf(request, performed.spent ?? {}, plain.value),
    counted: performed.counted,
    durationMs,
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  }
}

function spentOf({ run }: Request, spent: Spend, value: Json): Spend {
  // Measuring every result would cost more than it tells when nobody limits it.
  return run.budget.isLimited('outputBytes') ? { ...spent, outputBytes: JSON.stringify(value).length } : spent
}
