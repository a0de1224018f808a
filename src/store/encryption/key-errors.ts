import { MandateError } from '../../core/index.ts'

/** The error for data under a host key that was not given. */
export function keyMissing(hostKey: string, where: string): MandateError {
  return new MandateError(
    'KEY_MISSING',
    `${where} is sealed under the key "${hostKey}", which was not given. Add it to the key ring (\`${hostKey}:<the key>\`); it need not be the current one.`,
    { info: { key: hostKey } },
  )
}

/** The error for a host key with the right id and the wrong bytes. */
export function keyWrong(hostKey: string, where: string): MandateError {
  return new MandateError(
    'KEY_WRONG',
    `The key given as "${hostKey}" does not open ${where}. Give the key that had this id when it was sealed; nothing was changed.`,
    { info: { key: hostKey } },
  )
}

/** The error for an encrypted store that was opened without keys. */
export function keysRequired(where: string, hostKeys: readonly string[]): MandateError {
  const named = hostKeys.map((id) => `"${id}"`).join(', ')
  return new MandateError(
    'KEY_MISSING',
    `${where} is encrypted under ${hostKeys.length === 1 ? 'the key' : 'the keys'} ${named}, and no key was given. Give \`encryption\`, or set MANDATE_KEYS or MANDATE_KEY_FILE for the command.`,
    { info: { keys: hostKeys } },
  )
}

/** The error for changing the keys of a store that was opened without any. */
export function noKeysToChange(where: string): MandateError {
  return new MandateError(
    'CONFIG_INVALID',
    `${where} is not encrypted, so it has no keys to change. A new store is encrypted with \`encryption\`, or with MANDATE_KEYS or MANDATE_KEY_FILE for the command.`,
  )
}

/** The error for an encrypted row whose data key the store does not have. */
export function dataKeyUnknown(dataKey: string, place: string): MandateError {
  return new MandateError(
    'KEY_MISSING',
    `${placeText(place)} is sealed with the data key ${dataKey}, which this store does not have. Restore the table of data keys with the backup the row came from.`,
    { info: { dataKey, place: placeText(place) } },
  )
}

/** The error for a row that was changed or moved after it was encrypted. */
export function sealBroken(place: string): MandateError {
  return new MandateError(
    'SEAL_BROKEN',
    `${placeText(place)} was changed after it was sealed, or moved there from another place. Restore it from a backup.`,
    { info: { place: placeText(place) } },
  )
}

/** The error for plain data in an encrypted store: an attacker without the key may have written it. */
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
