import { MandateError } from '../../core/index.ts'

/** The refusal of data under a host key that was not given. */
export function keyMissing(hostKey: string, where: string): MandateError {
  return new MandateError(
    'KEY_MISSING',
    `${where} is sealed under the key "${hostKey}", which was not given. Add it to the key ring (\`${hostKey}:<the key>\`); it need not be the current one.`,
    { info: { key: hostKey } },
  )
}

/** The refusal of a host key that has the right id and the wrong bytes. */
export function keyWrong(hostKey: string, where: string): MandateError {
  return new MandateError(
    'KEY_WRONG',
    `The key given as "${hostKey}" does not open ${where}. Give the key that had this id when it was sealed; nothing was changed.`,
    { info: { key: hostKey } },
  )
}

/** The refusal of a sealed store that was opened without any keys. */
export function keysRequired(where: string, hostKeys: readonly string[]): MandateError {
  const named = hostKeys.map((id) => `"${id}"`).join(', ')
  return new MandateError(
    'KEY_MISSING',
    `${where} is encrypted under ${hostKeys.length === 1 ? 'the key' : 'the keys'} ${named}, and no key was given. Give \`encryption\`, or set MANDATE_KEYS or MANDATE_KEY_FILE for the command.`,
    { info: { keys: hostKeys } },
  )
}

/** The refusal of a sealed row whose data key the store does not have. */
export function dataKeyUnknown(dataKey: string, place: string): MandateError {
  return new MandateError(
    'KEY_MISSING',
    `${placeText(place)} is sealed with the data key ${dataKey}, which this store does not have. Restore the table of data keys with the backup the row came from.`,
    { info: { dataKey, place: placeText(place) } },
  )
}

/** The refusal of a row that is not what was sealed at its place. */
export function sealBroken(place: string): MandateError {
  return new MandateError(
    'SEAL_BROKEN',
    `${placeText(place)} was changed after it was sealed, or moved there from another place. Restore it from a backup.`,
    { info: { place: placeText(place) } },
  )
}

/** The refusal of plain data in a store that is encrypted: it may have been written by an attacker without the key. */
export function notSealed(where: string): MandateError {
  return new MandateError(
    'SEAL_BROKEN',
    `${where} is not encrypted, though keys were given. Plain data is not read from an encrypted store: export it without keys and import it into a new store with them.`,
    { info: { place: where } },
  )
}

function placeText(place: string): string {
  return `The row ${place.replaceAll('\0', '/')}`
}
