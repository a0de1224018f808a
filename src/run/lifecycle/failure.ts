import { errorInfo, toPlain } from '../../core/index.ts'
import type { ErrorCode, ErrorInfo } from '../../core/index.ts'

/** Enough for any message meant to be read. */
const MESSAGE_MAX = 16_384

/** An error as journal data. Thrown values may be anything, of any size. */
export function plainError(error: unknown, code: ErrorCode): ErrorInfo {
  const { info, ...rest } = errorInfo(error, code)
  const message = clip(rest.message, MESSAGE_MAX)
  return info === undefined ? { ...rest, message } : { ...rest, message, info: toPlain(info).value }
}

export function clip(text: string, length = 300): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text
}
