/** How many bytes a text takes in UTF-8. Half of a surrogate pair is written as the replacement character, three bytes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) continue
    bytes += 1
    if (code < 0x800) continue
    const isPair = code >= 0xd800 && code <= 0xdbff && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00
    // Two units of a pair are four bytes: one was added, and the low half adds nothing of its own.
    bytes += 1
    if (isPair) i++
  }
  return bytes
}
