import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_VM_LIMITS } from '../../src/vm/meter/limits.ts'
import { expect, test } from 'vitest'
import { cases } from '../differential/cases/index.ts'
import { root } from '../tidy/sources.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const page = read('docs/vm-safety.md')

test('docs/vm-safety.md lists every limit with its default', () => {
  const [, table = ''] = /<!-- limits -->\n([^]*?)<!-- end -->/.exec(page) ?? []
  const written = [...table.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)].map(([, name, value]) => [
    name,
    Number(value!.replaceAll(',', '')),
  ])
  expect(Object.fromEntries(written)).toEqual(DEFAULT_VM_LIMITS)
})

test('docs/vm-safety.md counts what there is', () => {
  const attempts = read('test/corpora/escapes.jsonl').trim().split('\n').length
  const [, passed, chosen] = /pass: (\d+) of (\d+)/.exec(read('test/test262/RESULT.md')) ?? []
  const text = (count: number): string => count.toLocaleString('en-US')
  expect(page).toContain(`| ${text(attempts)} | [corpora/escapes.jsonl]`)
  expect(page).toContain(`| ${text(cases.length)} | [differential/cases]`)
  expect(page).toContain(`| ${text(Number(passed))} of ${text(Number(chosen))} | [test262/RESULT.md]`)
})
