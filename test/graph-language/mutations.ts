import type { Random } from '../../src/core/index.ts'

/** Pieces of the language and of others, which land anywhere. */
const PIECES = [
  ...Array.from('{}[],:?"#;=()<>-\\\n\t \'`'),
  '->',
  '//',
  '"""',
  'graph g {',
  'node n {',
  'routes {',
  'sends [',
  'send x each "state.a"',
  'update { a: expr "state.b" }',
  'when "state.x" -> END',
  'otherwise -> END',
  'next END',
  'start a',
  'metadata { a { b [ 1, { c "d" } ] } }',
  'join [a, b] -> c',
  'channel x topic',
  '5s',
  '-1e9',
  '\u0000',
  '\u202E',
  '\uD800',
  '日本',
  '🚀',
  '\r\n',
  '\\u{41}',
  '__proto__',
  'END',
]

const SPACES = ['\n', '  ', '\t', '\n\n\n', ' // a comment\n', '\n// own line\n', '\r\n']

/** A text with a few changes: pieces left out, doubled, moved, put in or cut off. */
export function mutate(source: string, others: readonly string[], random: Random): string {
  let text = source
  // Half of the changes only move things about, so that enough texts still compile.
  if (random.next() < 0.5)
    text = text.replaceAll(/[ \n]+(?=(?:[^"\n]*"[^"\n]*")*[^"\n]*$)/gm, (space) =>
      random.next() < 0.3 ? SPACES[Math.floor(random.next() * SPACES.length)]! : space,
    )
  if (random.next() < 0.4) return text
  const pick = (below: number): number => Math.floor(random.next() * below)
  for (let changes = 1 + pick(1 + pick(4)); changes > 0; changes--) {
    const from = pick(text.length + 1)
    const to = Math.min(text.length, from + pick(12))
    const piece = PIECES[pick(PIECES.length)]!
    const other = others[pick(others.length)]!
    const start = pick(other.length)
    const borrowed = other.slice(start, start + pick(40))
    const changed = [
      () => text.slice(0, from) + text.slice(to),
      () => text.slice(0, from) + piece + text.slice(from),
      () => text.slice(0, from) + piece + text.slice(to),
      () => text.slice(0, to) + text.slice(from, to) + text.slice(to),
      () => text.slice(0, from) + borrowed + text.slice(to),
      () => text.slice(0, from),
      () => text.slice(from),
      () => text.slice(0, from) + piece.repeat(1 + pick(60)) + text.slice(from),
    ]
    text = changed[pick(changed.length)]!()
  }
  return text
}
