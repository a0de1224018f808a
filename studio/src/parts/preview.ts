/** A preview of a value that was cut in the outline of a run. */
export interface PreviewValue {
  readonly $preview: string
  readonly $bytes: number
}

export function isPreview(value: unknown): value is PreviewValue {
  return typeof value === 'object' && value !== null && '$preview' in value && '$bytes' in value
}

/** Whether a value contains a preview. */
export function hasPreview(value: unknown): boolean {
  if (isPreview(value)) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasPreview)
}
