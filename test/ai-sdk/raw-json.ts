/** Reads a path such as `choices.0.delta` out of JSON of unknown shape. */
export function at(value: unknown, path: string): unknown {
  let found = value
  for (const key of path.split('.')) {
    found = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[key] : undefined
  }
  return found
}

export function textAt(value: unknown, path: string): string {
  const found = at(value, path)
  return typeof found === 'string' ? found : ''
}

export function numberAt(value: unknown, path: string): number {
  const found = at(value, path)
  return typeof found === 'number' ? found : 0
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path)
  return Array.isArray(found) ? found : []
}
