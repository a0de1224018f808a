// The document checks, each against a planted mistake.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readPage, renderPage } from '../../scripts/docs/pages.ts'
import { sidebarOf } from '../../scripts/docs/sidebar.ts'
import { deadLinks } from '../site/site.fixture.ts'
import { root } from '../tidy/sources.ts'
import { checkLinks } from './links.ts'
import { checkSnippets, snippetsInMarkdown, snippetsInSource } from './snippets.ts'
import { playSteps, stepsIn } from './transcripts.ts'

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

describe('transcripts', () => {
  const page =
    '```console\n$ echo run_abc is up\nrun_1 is …\n$ echo again run_1\nagain run_1\n```\n\n```sh\n$ not run\n```\n'

  test('are played in order, and ids of runs are those that the commands gave', () => {
    const steps = stepsIn(page)
    expect(steps.map(({ command }) => command)).toEqual(['echo run_abc is up', 'echo again run_1'])
    expect(playSteps(steps, tmpdir(), { PATH: process.env['PATH'] })).toEqual([])
  })

  test('that show what a command does not print are told with their line', () => {
    const [wrong] = playSteps(stepsIn('```console\n$ echo yes\nno\n```\n'), tmpdir(), { PATH: process.env['PATH'] })
    expect(wrong).toMatch(/^line 2: "echo yes" does not show "no"/)
  })
})

describe('built pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-site-'))
  mkdirSync(join(folder, 'b'))
  writeFileSync(join(folder, 'b/index.html'), '<h2 id="here">Here</h2>')
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('with links that lead nowhere, and with things from other hosts, are told', () => {
    const links = ['b/', 'b/#here', 'b/#gone', 'c/', 'https://elsewhere.example/'].map(
      (link) => `<a href="${link}">x</a>`,
    )
    writeFileSync(join(folder, 'index.html'), `${links.join('')}<script src="https://cdn.example/x.js"></script>`)
    expect(deadLinks(folder, 'index.html')).toEqual([
      'index.html: loads https://cdn.example/x.js',
      'index.html: b/#gone: no element has this id',
      'index.html: c/ leads nowhere',
    ])
  })
})

describe('pages of the site', () => {
  test('have front matter, and links to pages, pictures and files of the repository', () => {
    const text = '# The *gate*\n\nIt decides. See [flow](../flow.md#sinks), [`x`](../../src/x.ts), `[no](link.md)`.\n'
    expect(renderPage(readPage('docs/guarantees/one-gate.md', text), root)).toBe(
      '---\ntitle: "The gate"\ndescription: "It decides."\n' +
        'editUrl: "https://github.com/mandate-runtime/mandate/edit/main/docs/guarantees/one-gate.md"\n---\n\n' +
        'It decides. See [flow](../../flow/#sinks), [`x`](https://github.com/mandate-runtime/mandate/blob/main/src/x.ts), `[no](link.md)`.\n',
    )
  })

  test('are in the sidebar once, those that nobody listed too', () => {
    const pages = ['docs/tutorial.md', 'docs/new.md', 'docs/guarantees/z.md'].map((path) =>
      readPage(path, '# T\n\nText.\n'),
    )
    expect(
      JSON.stringify(sidebarOf(pages))
        .match(/"slug":"[^"]+"/g)
        ?.toSorted(),
    ).toEqual(['"slug":"guarantees/z"', '"slug":"new"', '"slug":"tutorial"'])
  })
})
