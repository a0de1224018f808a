import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { ContextSource } from '../../memory/index.ts'

interface FileContextOptions {
  /** The name for people and models; the name of the file by default. */
  readonly label?: string | undefined
}

const FILE_CONTEXT_OPTIONS: FieldNames<FileContextOptions> = { label: 'text' }

/**
 * A file as the context of a session, read in parts: of a file of 100 MB only a few pages are in memory at a time. The file is opened for each page
 * and closed again. The path is given by the host: scripts and models never choose one.
 *
 * @example
 * ```ts
 * import { fileContext } from 'mandate/connect'
 * const source = fileContext('reports/2025.csv', { label: 'sales.csv' })
 * ```
 */
export function fileContext(path: string, options: FileContextOptions = {}): ContextSource {
  checkFields(options, 'an option of `fileContext`', FILE_CONTEXT_OPTIONS)
  if (typeof path !== 'string' || path === '')
    throw new MandateError('CONFIG_INVALID', '`fileContext` needs the path of a file.')
  const label = options.label ?? basename(path)
  return {
    label,
    async size() {
      const facts = await stat(path).catch((error: unknown) => fail(label, error))
      if (facts.isFile()) return facts.size
      throw new MandateError('INPUT_INVALID', `The context "${label}" is not a regular file.`)
    },
    async read(start, end) {
      // Without O_NONBLOCK, opening a FIFO that has taken the place of the file would block.
      const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) =>
        fail(label, error),
      )
      try {
        const bytes = new Uint8Array(end - start)
        let filled = 0
        while (filled < bytes.length) {
          const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled)
          if (bytesRead === 0) break
          filled += bytesRead
        }
        return bytes.subarray(0, filled)
      } finally {
        await file.close()
      }
    },
  }
}

function fail(label: string, cause: unknown): never {
  const { code } = cause as NodeJS.ErrnoException
  const why = code === 'ENOENT' ? 'There is no such file' : `It cannot be read (${code ?? 'unknown error'})`
  throw new MandateError(code === 'ENOENT' ? 'NOT_FOUND' : 'CONNECTOR_FAILED', `The context "${label}": ${why}.`, {
    cause,
  })
}
