/** The server limits the length of words and positions; what exceeds the limits is irrelevant for a search. */
export const WORD_BYTES_MAX = 2_000
const POSITION_MAX = 16_383
const POSITIONS_MAX = 255
const VECTOR_BYTES_MAX = 900_000

/** Words in order as the text of a `tsvector`. They are not parsed by the server, whose rules for words differ. */
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

/** A word in the server's syntax. */
export function quoted(word: string): string {
  return `'${word.replaceAll(/['\\]/gu, '$&$&')}'`
}
