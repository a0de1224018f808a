import { refused } from '../../meter/stop.ts'
import { thrown } from '../../value/thrown.ts'

/** Options of a format as plain data: kept with the format, also when it is stored. */
export type FormatOptions = Readonly<Record<string, string | number | boolean>>

/** Options, and what was called with them. */
interface OptionSource {
  readonly options: FormatOptions
  readonly method: string
}

/** One of some texts. What other engines know and this one does not ends the program: a wrong text would look like a right one. */
export function choice(
  { options, method }: OptionSource,
  name: string,
  known: readonly string[],
  missing: string,
): string {
  const given = options[name]
  if (given === undefined) return missing
  const text = String(given)
  if (known.includes(text)) return text
  throw refused(
    `${method} does not know ${name}: "${text.slice(0, 40)}", only ${known.map((one) => `"${one}"`).join(', ')}. Write the rest with \`toFixed\`, \`padStart\` and templates.`,
  )
}

/** A whole number within bounds, or a RangeError as in other engines. */
export function whole(
  options: FormatOptions,
  name: string,
  [least, most]: readonly [number, number],
  missing: number,
): number {
  const given = options[name]
  if (given === undefined) return missing
  const number = Math.floor(Number(given))
  if (!(number >= least && number <= most)) throw thrown('RangeError', `${name} value is out of range.`)
  return number
}

/** A yes or no. */
export function flag(options: FormatOptions, name: string): boolean | undefined {
  const given = options[name]
  return given === undefined ? undefined : Boolean(given)
}
