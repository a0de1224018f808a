import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtStudio } from './studio.fixture.ts'

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly isDynamicEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

const MOST = 170_000

test('the first load, and what each page adds to it, stay below 170 kB compressed', () => {
  const folder = builtStudio()
  const chunks = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
  const filesOf = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
    const { file, css = [], imports = [] } = chunks[name]!
    if (seen.has(file)) return seen
    for (const each of [file, ...css]) seen.add(each)
    for (const each of imports) filesOf(each, seen)
    return seen
  }
  const sizeOf = (files: Iterable<string>): number =>
    [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0)
  const entries = Object.keys(chunks)
  const first = filesOf(entries.find((name) => chunks[name]!.isEntry === true)!)
  const pages = entries.filter((name) => chunks[name]!.isDynamicEntry === true)
  const sizes = Object.fromEntries([
    ['first load', sizeOf(first)],
    ...pages.map((name) => [name, sizeOf([...filesOf(name)].filter((file) => !first.has(file)))] as const),
  ])
  expect(pages.length).toBeGreaterThan(7)
  expect(Object.entries(sizes).filter(([, size]) => size > MOST)).toEqual([])
  expect(sizes['first load']).toBeGreaterThan(50_000)
})
