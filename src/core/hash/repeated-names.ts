/**
 * The first duplicate member name of an object in a JSON text. Parsers differ in which of the two they use, so a record with one is ambiguous. The
 * text must be valid JSON.
 */
export function repeatedName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]
    if (mark === '{') open.push(new Set())
    else if (mark === '[') open.push(undefined)
    else if (mark === '}' || mark === ']') open.pop()
    else if (mark === '"') {
      const end = endOfText(text, at)
      const names = open.at(-1)
      if (names !== undefined && isName(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string
        if (names.has(name)) return name
        names.add(name)
      }
      at = end - 1
    }
  }
  return undefined
}

function endOfText(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function isName(text: string, end: number): boolean {
  let at = end
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return text[at] === ':'
}
