import type { Signal } from '../../../journal/index.ts'
import { notSealed, placeOf } from '../../encryption/index.ts'
import type { RowCipher } from '../../encryption/index.ts'
import type { EntryRow } from '../protocol.ts'
import type { Row } from '../sqlite-file.ts'

/** The separator of salt and data: canonical JSON does not contain it. */
const BETWEEN = '\0'

/** Encrypts the contents of an entry, bound to its place in its run. */
export function sealEntryData(cipher: RowCipher, row: EntryRow): Uint8Array {
  return cipher.seal(placeOf('entries', row[0], row[1]), `${row[9]}${BETWEEN}${row[10]}`)
}

/** Decrypts the contents of an entry, if it was encrypted at this place; both are null once it was erased. */
export function openEntryData(cipher: RowCipher, row: Row): { salt: string | null; data: string | null } {
  const { run, seq, sealed, data, salt } = row as {
    run: string
    seq: number
    sealed: Uint8Array | null
    data: unknown
    salt: unknown
  }
  if (sealed === null) {
    if (data !== null || salt !== null) throw notSealed(`Entry ${seq} of run "${run}"`)
    return { salt: null, data: null }
  }
  const text = cipher.openText(placeOf('entries', run, seq), sealed)
  const end = text.lastIndexOf(BETWEEN)
  return { salt: text.slice(0, end), data: text.slice(end + 1) }
}

export function sealSignal(cipher: RowCipher, run: string, signal: Signal): Uint8Array {
  return cipher.seal(placeOf('signals', run, signal.id), JSON.stringify(signal))
}

export function openSignal(cipher: RowCipher, run: string, { id, sealed }: Row): string {
  const name = JSON.parse(id as string) as string
  if (sealed === null) throw notSealed(`The signal "${name}" of run "${run}"`)
  return cipher.openText(placeOf('signals', run, name), sealed as Uint8Array)
}
