/**
 * The first duplicate member name of an object in a JSON text. Parsers differ in which of the two they use, so a record with one is ambiguous. The
 * text must be valid JSON.
 */
export function repeatedName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const mark = text.charCodeAt(at)
    if (mark === OPEN_OBJECT) open.push(new Set())
    else if (mark === OPEN_LIST) open.push(undefined)
    else if (mark === CLOSE_OBJECT || mark === CLOSE_LIST) open.pop()
    else if (mark === QUOTE) {
      const end = endOfText(text, at)
      const names = open.at(-1)
      if (names !== undefined && isName(text, end)) {
        const name = nameAt(text, at, end)
        if (names.has(name)) return name
        names.add(name)
      }
      at = end - 1
    }
  }
  return undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const COLON = 0x3a

function endOfText(text: string, start: number): number {
  let at = start + 1
  for (let mark = text.charCodeAt(at); at < text.length && mark !== QUOTE; mark = text.charCodeAt(at))
    at += mark === BACKSLASH ? 2 : 1
  return at + 1
}

/** Only a name with escapes has to be parsed. */
function nameAt(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end - 1)
  return plain.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : plain
}

function isName(text: string, end: number): boolean {
  let at = end
  while (SPACE.has(text.charCodeAt(at))) at++
  return text.charCodeAt(at) === COLON
}

const SPACE: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09])
