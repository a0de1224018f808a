import type { WaitingItem } from '../../api/types.ts'
import { brief } from '../run/row-text.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The arguments in one line, made once for each request, because each letter of a filter searches all of them. */
const texts = new WeakMap<WaitingItem, string>()

/** Returns the arguments of a call in one line: `order: A-17, amount: 80`. */
export function argumentsText(request: WaitingItem): string {
  const known = texts.get(request)
  if (known !== undefined) return known
  const text = brief(request.input)
  texts.set(request, text)
  return text
}

/** Whether a request matches a filter: conditions such as `rule:refunds older:1h`, and words that it must contain, also in its arguments. */
export function matches(request: WaitingItem, filter: string, now: number = Date.now()): boolean {
  const { name, run, rule = '', text, kind, risk = '', at } = request
  const all = `${name} ${run} ${rule} ${text} ${kind} ${argumentsText(request)}`.toLowerCase()
  const members: Readonly<Record<string, string>> = { tool: name, run, rule, risk }
  return filter.split(/\s+/).every((word) => {
    const [, amount, unit] = /^older:(\d+)([smhd])$/.exec(word) ?? []
    if (amount !== undefined) return at !== undefined && now - at >= Number(amount) * UNITS[unit!]!
    const [, member, value] = /^(tool|run|rule|risk):(.+)$/.exec(word) ?? []
    return (member === undefined ? all : members[member]!.toLowerCase()).includes((value ?? word).toLowerCase())
  })
}
