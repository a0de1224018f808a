import { parseJson } from '../../core/index.ts'

/** Type OIDs of PostgreSQL; values of all other types are kept as text. */
const BOOL = 16
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701])
const JSON_TYPES: ReadonlySet<number> = new Set([114, 3802])

/** Parses values independently of the host's own settings: no dates in local time, no rounded numbers. */
export const typeParsers: { getTypeParser(type: number): (text: string) => unknown } = {
  getTypeParser: (type) => {
    if (type === BOOL) return (text) => text === 't'
    if (NUMBERS.has(type)) return numberOf
    return JSON_TYPES.has(type) ? (text) => parseJson(text, 'A value') : (text) => text
  },
}

function numberOf(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : text
}
