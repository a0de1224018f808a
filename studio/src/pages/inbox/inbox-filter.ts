import type { WaitingItem } from '../../api/types.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Whether a request matches a filter: conditions such as `rule:refunds older:1h`, and words that it must contain. */
export function matches(request: WaitingItem, filter: string, now: number = Date.now()): boolean {
  const { name, run, rule = '', text, kind, risk = '', at } = request
  const all = `${name} ${run} ${rule} ${text} ${kind}`.toLowerCase()
  const members: Readonly<Record<string, string>> = { tool: name, run, rule, risk }
  return filter.split(/\s+/).every((word) => {
    const [, amount, unit] = /^older:(\d+)([smhd])$/.exec(word) ?? []
    if (amount !== undefined) return at !== undefined && now - at >= Number(amount) * UNITS[unit!]!
    const [, member, value] = /^(tool|run|rule|risk):(.+)$/.exec(word) ?? []
    return (member === undefined ? all : members[member]!.toLowerCase()).includes((value ?? word).toLowerCase())
  })
}
