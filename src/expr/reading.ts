/** Names that lead from data to the machinery behind it. They are refused everywhere, also where they would be harmless. */
export function isForbidden(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}

/** An own member of plain data, and nothing that data inherits. Texts have a length and characters, lists a length and members. */
export function readMember(value: unknown, key: string | number): unknown {
  switch (typeof value) {
    case 'string':
      return key === 'length' ? value.length : value[key as number]
    case 'object':
      return value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
    default:
      return undefined
  }
}

/** What a value is, in words that fit after "is". */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  const type = typeof value
  return type === 'string'
    ? 'a text'
    : type === 'object'
      ? 'an object'
      : type === 'boolean'
        ? `${value as boolean}`
        : `a ${type}`
}
