import type { ErrorInfo } from '../../core/index.ts'

/** Path spellings that a proxy may interpret as another path. */
const UNCLEAR = /\/\/|\/\.{1,2}(?:\/|$)|%2e|%2f|%5c|[\\;]/i
const CONTROL = /%(?:[01][0-9a-f]|7f)/i

/** Returns the status that refuses an ambiguous or malformed path. */
export function pathRefusal(path: string): 400 | 404 | undefined {
  if (CONTROL.test(path) || !isDecodable(path)) return 400
  return UNCLEAR.test(path) ? 404 : undefined
}

/** The error of each of these statuses. */
export const PATH_REFUSALS: Readonly<Record<400 | 404, ErrorInfo>> = {
  400: {
    code: 'INPUT_INVALID',
    message:
      'The path has control characters, or percent signs that are not followed by UTF-8. Encode it with `encodeURIComponent`.',
  },
  404: { code: 'NOT_FOUND', message: 'This path is not served.' },
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
