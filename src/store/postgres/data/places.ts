import { sha256 } from '../../../core/index.ts'

/** Names a place so that no two have the same name, in a length that an index takes. */
export function hashOf(...parts: readonly string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 40)
}
