import { expect, test } from 'vitest'
import type { Diagnostic } from '../blueprint/diagnostic.ts'
import { compileRag } from './compile.ts'
import { renderDiagnostics } from './render.ts'

const show = (source: string): string => renderDiagnostics(source, compileRag(source).diagnostics)
const lines = (text: string): string[] => text.split('\n')
/** The part of a shown line that stands over the carets. */
function marked(shown: string): string {
  const all = lines(shown)
  const at = all.findIndex((line) => /\| *\^+$/.test(line))
  return all[at - 1]!.slice(all[at]!.indexOf('^'), all[at]!.length)
}

test('a finding shows its line, carets and what to do', () => {
  expect(show('graph g {\n  start bb\n  node aa { next END }\n}')).toBe(
    `error[E-rag-unknown-node]: There is no node \`bb\`.
 --> graph.rag:2:9
  |
2 |   start bb
  |         ^^
  = help: Known: aa.`,
  )
})

test('the carets stand under what is meant behind tabs', () => {
  expect(marked(show('graph g {\n\tstart\t\tbb\n\tnode aa { next END }\n}'))).toBe('bb')
})

test('the carets leave room for wide characters, and none for marks that add to others', () => {
  const wide = show('graph g { start a node a { prompt "日本語" nxt END } }')
  const [line, carets] = lines(wide).slice(3, 5)
  // Three wide characters: the carets stand three columns further than the characters before them.
  expect(carets!.indexOf('^')).toBe(line!.indexOf('nxt') + 3)
  const marks = lines(show('graph g { start a node a { prompt "e\u0301" nxt END } }')).slice(3, 5)
  expect(marks[1]!.indexOf('^')).toBe(marks[0]!.indexOf('nxt') - 1)
})

test('of a long line the part around the finding is shown', () => {
  const shown = show(`graph g { start a node a { prompt "${'x'.repeat(5000)}" nxt END prompt "${'y'.repeat(5000)}" } }`)
  const line = lines(shown)[3]!
  expect(line).toMatch(/^1 \| …x+" nxt END .*y…$/)
  expect(line.length).toBeLessThan(120)
  expect(marked(shown)).toBe('nxt')
})

test('a finding over several lines marks each of them, up to four', () => {
  const source = 'one\ntwo\nthree\nfour\nfive\nsix'
  const span = { start: 1, end: 9, line: 1, column: 2 }
  const finding: Diagnostic = { severity: 'error', code: 'E-rag-syntax', message: 'm', span }
  expect(renderDiagnostics(source, [finding])).toBe(
    'error[E-rag-syntax]: m\n --> graph.rag:1:2\n  |\n1 | one\n  |  ^^\n2 | two\n  | ^^^\n3 | three\n  | ^',
  )
  const long = renderDiagnostics(source, [{ ...finding, span: { ...span, end: source.length } }])
  expect(lines(long).slice(-2)).toEqual(['  | ^^^^', '  | …'])
})

test('what would act on a terminal is shown, not sent', () => {
  const shown = show('graph g { start a node a { prompt "\u001B[2J" nxt END } }')
  expect(shown).not.toContain('\u001B')
  expect(shown).toContain(String.raw`\u001b[2J`)
  expect(marked(shown)).toBe('nxt')
})

test('there are colours only if they are requested', () => {
  const source = 'graph g { }'
  const { diagnostics } = compileRag(source)
  expect(renderDiagnostics(source, diagnostics)).not.toContain('\u001B')
  expect(renderDiagnostics(source, diagnostics, { color: true })).toContain(
    '\u001B[31merror[E-rag-missing-start]\u001B[0m',
  )
  expect(() => renderDiagnostics(source, diagnostics, { colour: true } as never)).toThrow('`color`')
})

test('a finding about a blueprint shows where it is in there', () => {
  const finding: Diagnostic = { severity: 'warning', code: 'W-rag-dead-end', message: 'm', path: '/nodes/0', help: 'h' }
  expect(renderDiagnostics('', [finding, finding])).toBe(
    'warning[W-rag-dead-end]: m\n --> /nodes/0\n  = help: h\n\nwarning[W-rag-dead-end]: m\n --> /nodes/0\n  = help: h',
  )
})
