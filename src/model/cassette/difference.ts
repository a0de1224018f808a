import { isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'

/** One difference between two values; `undefined` on the side that has no value. */
export interface Difference {
  readonly path: string
  /** The recorded value. */
  readonly recorded: Json | undefined
  readonly asked: Json | undefined
}

/** Enough differences to rank recordings by similarity. */
const COUNT_MAX = 500
const SHOWN_MAX = 90
/** How much of the text before the first difference is shown. */
const BEFORE = 24

/** All differences between two values, by path, as deep as possible. */
export function differences(recorded: Json | undefined, asked: Json | undefined): readonly Difference[] {
  const found: Difference[] = []
  compare(recorded, asked, '', found)
  return found
}

function compare(recorded: Json | undefined, asked: Json | undefined, path: string, found: Difference[]): void {
  if (recorded === asked || found.length >= COUNT_MAX) return
  if (isList(recorded) && isList(asked)) {
    for (let i = 0; i < Math.max(recorded.length, asked.length); i++)
      compare(recorded[i], asked[i], `${path}[${i}]`, found)
  } else if (isRecord(recorded) && isRecord(asked)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(asked)]))
      compare(memberOf(recorded, key), memberOf(asked, key), pathTo(path, key), found)
  } else found.push({ path, recorded, asked })
}

/** Two lines that describe one difference. Of long texts only the part where they begin to differ is shown. */
export function describeDifference({ path, recorded, asked }: Difference): string {
  const from = typeof recorded === 'string' && typeof asked === 'string' ? commonStart(recorded, asked) : 0
  const head = path === '' ? 'the whole' : path
  return `  ${head}\n    recorded: ${shown(recorded, from)}\n    asked:    ${shown(asked, from)}`
}

function commonStart(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

function shown(value: Json | undefined, from: number): string {
  if (value === undefined) return 'nothing'
  if (typeof value !== 'string') return clip(JSON.stringify(value))
  const start = Math.max(0, from - BEFORE)
  return `${start > 0 ? '…' : ''}${clip(JSON.stringify(value.slice(start, start + 2 * SHOWN_MAX)))}`
}

function clip(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}

function pathTo(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${path}[${clip(JSON.stringify(key))}]`
  return path === '' ? key : `${path}.${key}`
}

function memberOf(value: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
