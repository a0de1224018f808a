/** Ways of writing a path that another reader on the way may take for another path. */
const UNCLEAR = /\/\/|\/\.{1,2}(?:\/|$)|%2e|%2f|%5c|[\\;]/i
const CONTROL = /%(?:[01][0-9a-f]|7f)/i

/** The status that refuses a path which can be read in two ways, or in none. */
export function pathRefusal(path: string): 400 | 404 | undefined {
  if (CONTROL.test(path) || !isDecodable(path)) return 400
  return UNCLEAR.test(path) ? 404 : undefined
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
