/** A value of which the outline of a run has only the beginning. */
export interface PreviewValue {
  readonly $preview: string
  readonly $bytes: number
}

export function isPreview(value: unknown): value is PreviewValue {
  return typeof value === 'object' && value !== null && '$preview' in value && '$bytes' in value
}

/** Whether something in a value was cut to its beginning. */
export function hasPreview(value: unknown): boolean {
  if (isPreview(value)) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasPreview)
}
