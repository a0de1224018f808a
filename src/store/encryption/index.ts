export { newDataKey, rewrap } from './data-keys.ts'
export type { SealedStore, WrappedKey } from './data-keys.ts'
export { keysRequired, noKeysToChange, notSealed } from './key-errors.ts'
export {
  checkKeyId,
  checkRing,
  keyRing,
  keyRingFromEnvironment,
  keyRingFromFile,
  newKey,
  readRing,
  checkEncryption,
} from './key-ring.ts'
export type { Encryption, KeyRing } from './key-ring.ts'
export { openCipher, rekey } from './open-cipher.ts'
export type { KeyShelf, RekeyReport } from './open-cipher.ts'
export { RowCipher, placeOf } from './row-cipher.ts'
