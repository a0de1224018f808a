/** The length of a text in UTF-8 bytes. An unpaired surrogate is encoded as the replacement character, three bytes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) continue
    bytes += 1
    if (code < 0x800) continue
    const isPair = code >= 0xd800 && code <= 0xdbff && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00
    // A surrogate pair takes four bytes: three were counted for the high half, and one is added for the low half.
    bytes += 1
    if (isPair) i++
  }
  return bytes
}
