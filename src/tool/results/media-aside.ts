import {
  type Json,
  type JsonObject,
  MEDIA_BYTES_MAX,
  base64Bytes,
  pointerName,
  replaceMedia,
} from '../../core/index.ts'

/** A value without its images and files, and a function that restores them. */
interface MediaAside {
  readonly rest: Json
  /** Some are too large to be kept: they are only named. */
  readonly isOmitting: boolean
  putBack(rest: Json): Json
}

/** Takes images and files out of a value, as far as they may be kept; `undefined` if there are none. */
export function setMediaAside(value: Json): MediaAside | undefined {
  const aside = new Map<object, Json>()
  let total = 0
  let isOmitting = false
  const rest = replaceMedia(value, ({ mediaType, data, url }, pointer) => {
    const bytes = base64Bytes(data ?? '')
    if (data !== undefined && total + bytes > MEDIA_BYTES_MAX) {
      isOmitting = true
      return { type: 'file', mediaType, bytes, omitted: `larger than ${MEDIA_BYTES_MAX} bytes` }
    }
    total += bytes
    const mark: JsonObject = data === undefined ? { mediaType, url: url ?? '' } : { mediaType }
    aside.set(mark, at(value, pointer))
    return mark
  })
  return rest === value ? undefined : { rest, isOmitting, putBack: (kept) => back(kept, aside) }
}

function at(value: Json, pointer: string): Json {
  let found: Json = value
  for (const step of pointer.split('/').slice(1)) found = (found as JsonObject)[pointerName(step)]!
  return found
}

function back(value: Json, aside: ReadonlyMap<object, Json>): Json {
  if (typeof value !== 'object' || value === null) return value
  const media = aside.get(value)
  if (media !== undefined) return media
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => back(item, aside))
  return Object.fromEntries(Object.entries(value as JsonObject).map(([name, member]) => [name, back(member, aside)]))
}
