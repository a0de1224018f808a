/** An error of a cell, as far as it is told to a model or a person. */
export interface ToldError {
  readonly code: string
  readonly message: string
  readonly name?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** The name of what the code threw itself; nothing where the host refused, which has a code of its own. */
export function thrownName({ code, name }: ToldError): string | undefined {
  return code === 'MIND_FAILED' ? name : undefined
}

/** The message with its place in the cell, unless it says the place itself. */
export function errorMessage({ message, line, column }: ToldError): string {
  if (line === undefined || column === undefined || /\(line \d/.test(message)) return message
  return `${message} (line ${line}, column ${column})`
}
