import { MandateError, isRecord, sha256 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { entriesOfType, readAll } from '../../journal/index.ts'
import type { Journal, RunEndData } from '../../journal/index.ts'
import type { RunOutcome } from '../../run/index.ts'
import type { CellError, CellResult } from './cell-result.ts'
import type { ReplPolicy } from './policy.ts'
import type { CellOutput } from './session-state.ts'

/** Result fields of a cell that did nothing. */
export const NO_RESULT: Pick<
  CellResult,
  'stdout' | 'variablesChanged' | 'calls' | 'pending' | 'fuelUsed' | 'warnings'
> = { stdout: '', variablesChanged: [], calls: [], pending: [], fuelUsed: 0, warnings: [] }

/** Returns the run id of a cell. It depends only on the session and the place, so if two processes continue the same session, only one can add the cell. */
export function cellRunId(name: string, session: string, place: number): string {
  // Stores order runs of the same millisecond by id, so ids must preserve the order of cells.
  return `cell-${sha256(`${name}\n${session}`).slice(0, 16)}-${String(place).padStart(6, '0')}`
}

/** Returns the data of the end of a run. */
export async function endOf(journal: Journal, run: string): Promise<RunEndData | undefined> {
  return entriesOfType(await readAll(journal, run), 'run-end').at(-1)?.data
}

/** Returns the output of a cell that ended on its own; otherwise undefined. */
export function outputOf(output: Json): CellOutput | undefined {
  return isRecord(output) && isRecord(output['session']) ? (output as unknown as CellOutput) : undefined
}

/** Returns the cell's own error, or else the error of its run. The time budget of the run is `timeoutMs` of the policy, so exceeding it is a timeout. */
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

/** The error for a session whose last cell was erased, and with it all before. */
export function erasedSession(session: string): MandateError {
  return new MandateError(
    'JOURNAL_ERASED',
    `The cells of session "${session}" were erased by retention, with their variables. Begin another session, under another id.`,
  )
}

export function usedElsewhere(session: string, run: string): MandateError {
  return new MandateError(
    'RUN_STATE',
    `Session "${session}" was continued in another process: its next cell is run "${run}", which this process has not read. Open the session again.`,
  )
}
