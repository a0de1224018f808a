import { MandateError } from '../../core/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { ContextSource } from '../../memory/index.ts'

interface BlobPlace {
  readonly run: string
  /** Hash of the blob, as returned by `writeBlob`. */
  readonly hash: string
  readonly label?: string | undefined
}

/**
 * Creates a context source from a blob of a journal: a large file stored beside the entries of a run. Journals return whole blobs, so its bytes stay in
 * memory after the first read; its decoded text does not.
 */
export function blobContext(journal: Pick<Journal, 'readBlob'>, { run, hash, label }: BlobPlace): ContextSource {
  let blob: Promise<Uint8Array> | undefined
  const load = async (): Promise<Uint8Array> => {
    const bytes = await journal.readBlob?.(run, hash)
    if (bytes !== undefined) return bytes
    throw new MandateError(
      'NOT_FOUND',
      `Run "${run}" has no blob ${hash.slice(0, 16)}. Give its hash, from \`writeBlob\`.`,
    )
  }
  const bytes = (): Promise<Uint8Array> => {
    blob ??= load().catch((error: unknown) => {
      blob = undefined
      throw error
    })
    return blob
  }
  return {
    label: label ?? `blob ${hash.slice(0, 12)}`,
    size: async () => (await bytes()).length,
    read: async (start, end) => (await bytes()).subarray(start, end),
  }
}
