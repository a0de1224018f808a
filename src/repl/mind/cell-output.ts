import { utf8Bytes } from '../../core/index.ts'
import type { CellEnd } from '../../vm/index.ts'
import type { CellCalls } from '../calls/cell-calls.ts'
import type { ReplPolicy } from '../session/policy.ts'

/** Expression nodes per unit of fuel. */
export const OPERATIONS_PER_FUEL = 100

/** Maximum characters of an error message and of an error name. */
const ERROR_CHARS = 10_000

/** Enforces `maxOutputBytes` on the total of what was printed, answered and emitted, plus the value or error. */
export function withinOutput(end: CellEnd, calls: CellCalls, { maxOutputBytes, maxOperations }: ReplPolicy): CellEnd {
  const { value, shown = '', error } = end
  const { limit, allowed } = (error?.info ?? {}) as { readonly limit?: string; readonly allowed?: number }
  // If the fuel limit comes from the budget, the error already names the budget.
  if (error !== undefined && limit === 'fuel' && allowed === maxOperations / OPERATIONS_PER_FUEL)
    return {
      ...end,
      error: {
        ...error,
        message: `The cell computes too much: more than ${maxOperations} operations (\`maxOperations\`). Narrow the data down first (a query, a filter, fewer rows), or divide the work over several cells.`,
        info: { limit: 'maxOperations', allowed: maxOperations },
      },
    }
  if (error !== undefined) return { ...end, error: cutError(error) }
  if (value === undefined) return end
  const bytes = calls.givenBytes + utf8Bytes(JSON.stringify(value)) + utf8Bytes(shown)
  if (bytes <= maxOutputBytes) return end
  const message = `The cell gives ${bytes} bytes of output: \`maxOutputBytes\` is ${maxOutputBytes}. Keep it in a variable and show a part.`
  return {
    ...end,
    ...{ value: undefined, shown: undefined },
    error: { code: 'LIMIT_EXCEEDED', message, info: { limit: 'maxOutputBytes', allowed: maxOutputBytes } },
  }
}

function cutError(error: NonNullable<CellEnd['error']>): NonNullable<CellEnd['error']> {
  const { name, message } = error
  const cut = (text: string): string => (text.length <= ERROR_CHARS ? text : `${text.slice(0, ERROR_CHARS)} …`)
  return { ...error, message: cut(message), ...(name === undefined ? {} : { name: cut(name) }) }
}

/**
 * Leaves out how long each call took. The calls of a cell that was interrupted begin anew in another segment, beside others that were already answered:
 * the time between two of its entries is then not the time that a replay finds.
 */
export function withoutTimes<O>(output: O): O {
  const { calls } = (output ?? {}) as { readonly calls?: unknown }
  if (!Array.isArray(calls)) return output
  const told = (calls as readonly object[]).map((call) => ({ ...call, elapsedMs: 0 }))
  return { ...output, calls: told }
}
