// The document checks, each against a planted mistake.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { root } from '../tidy/sources.ts'
import { checkLinks } from './links.ts'
import { checkSnippets, snippetsInMarkdown, snippetsInSource } from './snippets.ts'

describe('snippets', () => {
  test('are found with their line, in lists and beside other languages', () => {
    const text =
      '# a\n```ts\nlet a = 1\n```\n```sh\nls\n```\n- b\n  ```ts\n  let b = 2\n  ```\n````md\n```ts\nno\n```\n````\n'
    expect(snippetsInMarkdown('a.md', text)).toEqual([
      { path: 'a.md', line: 3, code: 'let a = 1' },
      { path: 'a.md', line: 10, code: 'let b = 2' },
    ])
  })

  test('are found in doc comments, and an example without a fence is told', () => {
    const text = '/** A.\n * @example\n * ```ts\n * f(1)\n * ``` */\nf()\n/** B.\n * @example f(2)\n */\n'
    expect(snippetsInSource('a.ts', text)).toEqual({
      snippets: [{ path: 'a.ts', line: 4, code: 'f(1)' }],
      unfenced: ['a.ts:8: this @example has no ```ts fence'],
    })
  })

  test('that do not compile are told at their place in the document, and the others are not', () => {
    const bad =
      '\n\n```ts\nconst fine = 1\nconst wrong: string = 1\n```\n\n```ts\nconst fine: string = "x"\nawait fine\n```\n'
    const found = checkSnippets(snippetsInMarkdown('docs/a.md', bad), join(root, '.cache/docs-planted'))
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^docs\/a\.md:5: error TS2322/)
  })
})

describe('links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-links-'))
  writeFileSync(join(folder, 'b.md'), '# The `Gate`, first\n')
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('that lead somewhere pass', () => {
    const text = '# Here\n[b](b.md) [c](./b.md#the-gate-first) [d](#here) [e](https://x.y/z) `[f](nowhere.md)`\n'
    expect(checkLinks('a.md', text, folder)).toEqual([])
  })

  test('that lead nowhere are told with their line', () => {
    expect(checkLinks('a.md', '\n[b](c.md)\n[d](b.md#missing)\n![e](e.png)\n', folder)).toEqual([
      'a.md:2: c.md leads nowhere',
      'a.md:3: b.md#missing: no heading has this anchor',
      'a.md:4: e.png leads nowhere',
    ])
  })
})
