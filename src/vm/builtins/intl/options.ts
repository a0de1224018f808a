import { refused } from '../../meter/stop.ts'
import { thrown } from '../../value/thrown.ts'

/** Options of a format as plain data, stored with the format. */
export type FormatOptions = Readonly<Record<string, string | number | boolean>>

/** Options, and the function that they were passed to. */
interface OptionSource {
  readonly options: FormatOptions
  readonly method: string
}

/** Reads an option that is one of some texts. A value that only other engines support ends the program, because a wrong text would look like a correct one. */
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

/** Reads an integer option within bounds. Throws a RangeError as in other engines. */
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

/** Reads a boolean option. */
export function flag(options: FormatOptions, name: string): boolean | undefined {
  const given = options[name]
  return given === undefined ? undefined : Boolean(given)
}
