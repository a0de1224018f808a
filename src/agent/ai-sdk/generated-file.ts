import { fromBase64 } from '../../core/index.ts'
import type { MediaPart } from '../../model/index.ts'
import type { AiSdkFileContent } from './part-shapes.ts'

/** A file that a model made. One that is only an address cannot be shown: these parts carry bytes. */
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
