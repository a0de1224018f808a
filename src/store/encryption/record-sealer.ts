import { systemClock } from '../../core/index.ts'
import type { RecordSealer } from '../../memory/index.ts'
import { openCipher } from './open-cipher.ts'
import type { OpenCipherOptions } from './open-cipher.ts'
import { placeOf } from './row-cipher.ts'
import type { RowCipher } from './row-cipher.ts'

/** Seals the records of a memory, a database or prompts, as text. The cipher is opened by the first record; a failure to open it is that record's, and is tried again. */
export function recordSealer(options: Omit<OpenCipherOptions, 'now'>): RecordSealer {
  let opening: Promise<RowCipher> | undefined
  const cipher = (): Promise<RowCipher> => {
    opening ??= openCipher({ ...options, now: systemClock.now() }).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const at = (place: readonly string[]): string => placeOf('records', ...place)
  return {
    async seal(plain, place) {
      return Buffer.from((await cipher()).seal(at(place), plain)).toString('base64')
    },
    async open(sealed, place) {
      const opened = await cipher()
      const bytes = Buffer.from(sealed, 'base64')
      // Another process may have begun a new data key meanwhile.
      if (!opened.knows(bytes)) opened.learn(await options.shelf.read())
      return opened.openText(at(place), bytes)
    },
  }
}
