import { fromBase64 } from '../../core/index.ts'
import type { MediaPart } from '../../model/index.ts'
import type { AiSdkFileContent } from './part-shapes.ts'

/** A file created by a model. One with only a URL is left out, because these parts contain bytes. */
export function fileContent({ data, mediaType, providerMetadata }: MediaPart): AiSdkFileContent | undefined {
  if (data === undefined) return undefined
  const file = {
    base64: data,
    mediaType,
    get uint8Array() {
      return fromBase64(data)
    },
  }
  return { type: 'file', file, ...(providerMetadata === undefined ? {} : { providerMetadata }) }
}
