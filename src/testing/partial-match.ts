/** Whether a value has everything that a pattern names: members, items, text by regular expression, or anything that a function accepts. */
export function fits(value: unknown, pattern: unknown): boolean {
  if (typeof pattern === 'function') return (pattern as (value: unknown) => unknown)(value) === true
  if (pattern instanceof RegExp) return typeof value === 'string' && value.search(pattern) >= 0
  if (typeof pattern !== 'object' || pattern === null) return Object.is(value, pattern)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && value.length === pattern.length && pattern.every((item, i) => fits(value[i], item))
  }
  return Object.entries(pattern).every(
    ([key, wanted]) => wanted === undefined || fits((value as Record<string, unknown>)[key], wanted),
  )
}
