import { MandateError, isRecord, sha256 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { entriesOfType, readAll } from '../../journal/index.ts'
import type { Journal, RunEndData } from '../../journal/index.ts'
import type { RunOutcome } from '../../run/index.ts'
import type { CellError, CellResult } from './cell-result.ts'
import type { ReplPolicy } from './policy.ts'
import type { CellOutput } from './session-state.ts'

/** The fields of the result of a cell that did nothing. */
export const NO_RESULT: Pick<
  CellResult,
  'stdout' | 'variablesChanged' | 'calls' | 'pending' | 'fuelUsed' | 'warnings'
> = { stdout: '', variablesChanged: [], calls: [], pending: [], fuelUsed: 0, warnings: [] }

/** The run id of a cell. It depends on the session and the place alone, so that of two processes that continue one session only one can add the cell. */
export function cellRunId(name: string, session: string, place: number): string {
  // Stores order runs of one millisecond by their ids: the cells of a session stay in their order.
  return `cell-${sha256(`${name}\n${session}`).slice(0, 16)}-${String(place).padStart(6, '0')}`
}

/** How a run ended. */
export async function endOf(journal: Journal, run: string): Promise<RunEndData | undefined> {
  return entriesOfType(await readAll(journal, run), 'run-end').at(-1)?.data
}

/** What the run of a cell gave, where it came to an end of its own. */
export function outputOf(output: Json): CellOutput | undefined {
  return isRecord(output) && isRecord(output['session']) ? (output as unknown as CellOutput) : undefined
}

/** The cell's own error where it has one; else why its run ended. Its time is the policy's, so running out of it is a timeout. */
export function errorOf(
  outcome: RunOutcome,
  own: CellError | undefined,
  { timeoutMs }: ReplPolicy,
): CellError | undefined {
  if (outcome.state === 'failed') {
    const { unit, limit } = (outcome.error.info ?? {}) as { readonly unit?: string; readonly limit?: number }
    if (unit === 'timeMs' && limit === timeoutMs)
      return {
        code: 'TIMEOUT',
        message: `The cell took longer than ${timeoutMs} ms: \`timeoutMs\`.`,
        info: { limit: 'timeoutMs' },
      }
    return own ?? outcome.error
  }
  return outcome.state === 'cancelled' ? { code: 'CANCELLED', message: outcome.reason } : undefined
}

export function usedElsewhere(session: string, run: string): MandateError {
  return new MandateError(
    'RUN_STATE',
    `Session "${session}" was continued in another process: its next cell is run "${run}", which this process has not read. Open the session again.`,
  )
}
