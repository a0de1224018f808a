import type { Json, JsonObject } from '../../../core/index.ts'

/** Stored programs of one owner. A token of another owner counts as unknown. */
export interface Procedures {
  keep(
    program: JsonObject,
    options: {
      readonly token: string
      readonly now: number
      readonly ttlMs?: number | undefined
      readonly maxBytes?: number | undefined
    },
  ): string
  find(token: string, now: number): JsonObject
  release(token: string): boolean
  clearExpired(now: number): number
}

export const TOKEN_PREFIX = 'proc_'

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(TOKEN_PREFIX)
}

export function isProgram(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && (value as { op?: Json }).op === 'seq'
}
