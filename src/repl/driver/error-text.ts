/** The fields of a cell error that are shown to a model or a person. */
export interface ToldError {
  readonly code: string
  readonly message: string
  readonly name?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** Returns the name of an error that the code threw; undefined for an error of the host, which has its own code. */
export function thrownName({ code, name }: ToldError): string | undefined {
  return code === 'MIND_FAILED' ? name : undefined
}

/** Returns the message with its position in the cell, unless the message already contains it. */
export function errorMessage({ message, line, column }: ToldError): string {
  if (line === undefined || column === undefined || /\(line \d/.test(message)) return message
  return `${message} (line ${line}, column ${column})`
}
