/** Freezes plain data all the way down, and gives it back. What is frozen already is taken to be frozen below as well. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) freezeDeep(member)
  return value
}
