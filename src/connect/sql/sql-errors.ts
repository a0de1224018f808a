import { MandateError } from '../../core/index.ts'

/** The error for a statement that does more than read. */
export function onlyReads(said: string): MandateError {
  return new MandateError(
    'DENIED',
    `Refused by the database: ${said}. Only a statement that reads may be given: one SELECT, also with WITH or VALUES.`,
  )
}

/** The error for what the role or the grant does not cover. */
export function notPermitted(said: string): MandateError {
  return new MandateError(
    'DENIED',
    `Refused by the database: ${said}. Use what sql_schema lists; anything else was not granted.`,
  )
}

/** The error for more than one statement. */
export function oneStatement(): MandateError {
  return new MandateError(
    'INPUT_INVALID',
    'There is more than one statement. Give one, without anything after it; call again for the next.',
  )
}

/** The error for an invalid statement, with the message of the database. */
export function badStatement(said: string, hint?: string): MandateError {
  const advice = hint ?? 'Correct it; sql_schema lists the tables and their columns.'
  return new MandateError('INPUT_INVALID', `The database says: ${said.replace(/[.\s]+$/u, '')}. ${advice}`)
}

/** The error for a statement that was stopped. */
export function tookTooLong(timeoutMs: number): MandateError {
  return new MandateError(
    'TIMEOUT',
    `The query was stopped after ${timeoutMs} ms. Ask for less: filter by an indexed column, join on keys, add a LIMIT.`,
  )
}
