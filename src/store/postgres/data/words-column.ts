/** The server takes words up to here, and positions; what goes beyond says nothing more about a text. */
export const WORD_BYTES_MAX = 2_000
const POSITION_MAX = 16_383
const POSITIONS_MAX = 255
const VECTOR_BYTES_MAX = 900_000

/** Words in their order as the text of a `tsvector`. They are taken as they are: the server's own idea of words would be another. */
export function wordsColumn(words: string): string {
  const places = new Map<string, number[]>()
  for (const [index, word] of words === '' ? [] : words.split(' ').entries()) {
    const known = places.get(word) ?? []
    if (known.length < POSITIONS_MAX) known.push(Math.min(index + 1, POSITION_MAX))
    places.set(word, known)
  }
  let text = ''
  for (const [word, numbers] of places) {
    if (Buffer.byteLength(word) > WORD_BYTES_MAX) continue
    text += `${quoted(word)}:${[...new Set(numbers)].join(',')} `
    if (text.length > VECTOR_BYTES_MAX) break
  }
  return text
}

/** A word as the server's syntax for words has it. */
export function quoted(word: string): string {
  return `'${word.replaceAll(/['\\]/gu, '$&$&')}'`
}
