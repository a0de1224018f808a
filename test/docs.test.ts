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
