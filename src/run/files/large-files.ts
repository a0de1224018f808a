import {
  MEDIA_BYTES_MAX,
  base64Bytes,
  fromBase64,
  isRecord,
  nextTurn,
  replaceMedia,
  toPlain,
} from '../../core/index.ts'
import type { BlobRef, Json, Media } from '../../core/index.ts'
import type { Journal } from '../../journal/index.ts'
import { childId } from '../nested/child-id.ts'
import type { Attempted } from '../effect/attempt.ts'
import type { Request } from '../effect/perform.ts'

/** A value whose large files were moved beside the journal, and their hashes. */
interface KeptFiles {
  readonly value: Json
  readonly blobs: readonly string[]
}

/** Where a run keeps large files. */
interface FilePlace {
  readonly journal: Journal
  readonly run: string
  /** `limits.fileBytes`: a larger file is named but not kept. */
  readonly maxBytes: number
  /** Other runs whose files the value may refer to; they are copied to this run. */
  readonly sources?: (() => Promise<readonly string[]>) | undefined
}

/** The files of a value that are too large for an entry. */
interface Large {
  readonly pointer: string
  readonly media: Media
}

/**
 * Moves the images and files of a value that are too large for an entry beside the journal, and replaces them with references. Files that the value
 * already refers to are copied from the runs in `sources`.
 */
export async function keepFiles(place: FilePlace, value: Json): Promise<KeptFiles> {
  const large = place.journal.writeBlob === undefined ? [] : largeFiles(value)
  if (large.length === 0) return { value, blobs: [] }
  const instead = new Map<string, Json>()
  const blobs = new Set<string>()
  for (const { pointer, media } of large) {
    const bytes = media.blob?.bytes ?? base64Bytes(media.data!)
    if (media.data !== undefined && bytes > place.maxBytes) {
      const omitted = `larger than ${place.maxBytes} bytes (\`limits.fileBytes\`)`
      instead.set(pointer, { type: 'file', mediaType: media.mediaType, bytes, omitted })
      continue
    }
    const ref = media.data === undefined ? await takeOver(place, media.blob!) : await store(place, media.data)
    if (ref === undefined) continue
    blobs.add(ref.hash)
    instead.set(pointer, { blob: ref })
  }
  return {
    value: replaceMedia(value, (media, at, given) => replaced(media, instead.get(at), given)),
    blobs: [...blobs],
  }
}

function largeFiles(value: Json): readonly Large[] {
  const large: Large[] = []
  let inline = 0
  replaceMedia(value, (media, pointer, given) => {
    const bytes = base64Bytes(media.data ?? '')
    if (media.blob !== undefined || inline + bytes > MEDIA_BYTES_MAX) large.push({ pointer, media })
    else inline += bytes
    return given
  })
  return large
}

async function store({ journal, run }: FilePlace, data: string): Promise<BlobRef> {
  const bytes = fromBase64(data)
  return { bytes: bytes.length, hash: await journal.writeBlob!(run, bytes) }
}

/** A referenced file as the run's own; `undefined` if no source has it. */
async function takeOver({ journal, run, sources }: FilePlace, ref: BlobRef): Promise<BlobRef | undefined> {
  if ((await journal.readBlob!(run, ref.hash)) !== undefined) return ref
  for (const source of (await sources?.()) ?? []) {
    const bytes = await journal.readBlob!(source, ref.hash)
    if (bytes !== undefined) return { bytes: bytes.length, hash: await journal.writeBlob!(run, bytes) }
  }
  return undefined
}

function replaced({ mediaType, filename }: Media, instead: Json | undefined, given: Json): Json {
  if (!isRecord(instead) || instead['blob'] === undefined) return instead ?? given
  if (isRecord(given) && (given['type'] === 'image' || given['type'] === 'file') && typeof given['data'] !== 'object') {
    const { data: _data, url: _url, ...rest } = given
    return { ...rest, ...instead }
  }
  const named = filename === undefined ? {} : { filename }
  return { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, ...instead, ...named }
}

type Performed = Exclude<Attempted, { readonly ending: unknown }>

/** The result of an effect with its large files kept. Replies of models are left as they are. */
export async function keepResultFiles(
  request: Request,
  attempted: Attempted,
): Promise<{ readonly attempted: Attempted; readonly blobs: readonly string[]; readonly isLarge?: true }> {
  const { run, effect, key } = request
  const isModel = effect.kind === 'model' || effect.kind === 'embed'
  if (isModel || 'ending' in attempted) return { attempted, blobs: [] }
  const { value, shown } = attempted.performed
  if (!isLarge(value) && !isLarge(shown)) return { attempted, blobs: [] }
  if (run.host.journal.writeBlob === undefined) return { attempted, blobs: [], isLarge: true }
  const sources = async (): Promise<readonly string[]> => [childId(run.id, key)]
  const place = { journal: run.host.journal, run: run.id, maxBytes: run.limits.fileBytes, sources }
  // Each pass over a large value is slow, so other work gets a turn in between.
  await nextTurn()
  const plain = toPlain(value, true).value
  await nextTurn()
  const kept = await keepFiles(place, plain)
  const keptShown = shown === undefined ? undefined : await keepFiles(place, toPlain(shown, true).value)
  const performed: Performed['performed'] = {
    ...attempted.performed,
    value: kept.value,
    ...(keptShown === undefined ? {} : { shown: keptShown.value }),
  }
  const blobs = [...new Set([...kept.blobs, ...(keptShown?.blobs ?? [])])]
  return { attempted: { ...attempted, performed }, blobs, isLarge: true }
}

/** From this many characters on, results are processed over several turns of the event loop. An entry has room for more base64 than this. */
const LARGE_CHARS = 500_000
const DEPTH_MAX = 20

/** Whether a value has enough text, or a reference to a file, to need processing: most results are small. */
function isLarge(value: unknown): boolean {
  let chars = 0
  const look = (part: unknown, depth: number): boolean => {
    if (typeof part === 'string') return (chars += part.length) > LARGE_CHARS
    if (typeof part !== 'object' || part === null || depth > DEPTH_MAX) return false
    if (typeof (part as { blob?: unknown }).blob === 'object') return true
    const members: readonly unknown[] = Array.isArray(part) ? part : Object.values(part)
    return members.some((member) => look(member, depth + 1))
  }
  try {
    return look(value, 0)
  } catch {
    return false
  }
}
