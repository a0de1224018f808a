import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkLinks } from './docs/links.ts'
import { checkSnippets, snippetsInMarkdown, snippetsInSource } from './docs/snippets.ts'
import { root } from './tidy/sources.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const find = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules/'))
    .toSorted()

test('every snippet in the documents and every @example in the sources compiles', () => {
  const documents = find('{README.md,docs/**/*.md}').flatMap((path) => snippetsInMarkdown(path, read(path)))
  const examples = find('src/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => snippetsInSource(path, read(path)))
  const snippets = [...documents, ...examples.flatMap((example) => example.snippets)]
  expect([...examples.flatMap((example) => example.unfenced), ...checkSnippets(snippets)].join('\n')).toBe('')
})

test('every relative link in the documents leads somewhere', () => {
  const paths = find('{*.md,{docs,src,examples,bench,test}/**/*.md}')
  expect(paths).not.toEqual([])
  expect(paths.flatMap((path) => checkLinks(path, read(path), root)).join('\n')).toBe('')
})

test('every source file that the pages about internals name exists', () => {
  const sources = find('src/**/*.ts')
  const missing = find('docs/internals/*.md').flatMap((page) =>
    [...read(page).matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)]
      .map(([, name]) => name!)
      .filter((name) => !sources.some((path) => path.endsWith(`/${name}`)))
      .map((name) => `${page}: ${name}`),
  )
  expect(missing).toEqual([])
})

test('every page of a guarantee says what is promised and what is not, has a snippet that runs, and links to tests that exist', () => {
  const sections = ['What is promised', 'What is not promised', 'See it in two minutes', 'Tests that show it']
  const pages = find('docs/guarantees/*.md').filter((path) => !path.endsWith('/index.md'))
  expect(pages.length).toBeGreaterThanOrEqual(10)
  const wrong = pages.flatMap((path) => {
    const text = read(path)
    const shown = text.split('## Tests that show it')[1] ?? ''
    const tests = [...shown.matchAll(/\]\(\.\.\/\.\.\/((?:src|test)\/[^)]+)\)/g)].map(([, target]) => target!)
    return [
      ...sections.filter((section) => !text.includes(`\n## ${section}\n`)).map((section) => `has no "${section}"`),
      ...(snippetsInMarkdown(path, text).some((snippet) => snippet.runs === true) ? [] : ['has no `ts run` snippet']),
      ...(tests.length >= 3 ? [] : ['links to fewer than three tests']),
      ...tests.filter((target) => find(`${target}{,/**/*.test.ts}`).every((one) => !one.endsWith('.test.ts'))),
      ...(read('docs/guarantees/index.md').includes(`](${path.split('/').at(-1)})`) ? [] : ['is not in the index']),
    ].map((what) => `${path}: ${what}`)
  })
  expect(wrong).toEqual([])
})
