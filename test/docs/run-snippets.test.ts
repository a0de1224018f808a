import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtPackage } from '../built-package.ts'
import { root } from '../tidy/sources.ts'
import { type Snippet, snippetsInMarkdown } from './snippets.ts'

interface Ran {
  readonly file: string
  readonly printed: readonly string[]
  readonly error?: string
}

/** What a snippet says that it prints: the comments behind `console.log`, in order; one without a comment may print anything. */
function expected(code: string): (string | undefined)[] {
  return [...code.matchAll(/console\.log\(.*\)(?: \/\/ (.*))?$/gm)].map((match) => match[1])
}

test('every snippet that is marked with `ts run` runs offline and prints what its comments say', async () => {
  const snippets: Snippet[] = globSync('docs/**/*.md', { cwd: root })
    .toSorted()
    .flatMap((path) => snippetsInMarkdown(path, readFileSync(join(root, path), 'utf8')))
    .filter((snippet) => snippet.runs === true)
  expect(snippets.length).toBeGreaterThan(8)

  const folder = join(root, '.cache/docs-run')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const files = snippets.map((snippet, index) => {
    const file = join(folder, `snippet-${index}.ts`)
    writeFileSync(file, `${'\n'.repeat(snippet.line - 1)}${snippet.code}\n`)
    return file
  })
  const { flags } = await builtPackage()
  const ran = spawnSync(process.execPath, [...flags, join(root, 'test/docs/run-snippets.ts'), ...files], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HTTPS_PROXY: 'http://127.0.0.1:9', NO_COLOR: '1' },
    encoding: 'utf8',
  })
  expect(ran.status, ran.stderr).toBe(0)
  const results = ran.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Ran)
  const wrong = snippets.flatMap((snippet, index) => {
    const { printed, error } = results[index]!
    const place = `${snippet.path}:${snippet.line}`
    if (error !== undefined) return [`${place}: ${error}`]
    const lines = expected(snippet.code)
    const isLoop = lines.includes(undefined)
    if (!isLoop && printed.length !== lines.length)
      return [`${place}: printed ${printed.length} lines, not ${lines.length}`]
    return lines.flatMap((line, at) =>
      line === undefined || line === printed[at] ? [] : [`${place}: printed\n  ${printed[at]}\nnot\n  ${line}`],
    )
  })
  expect(wrong.join('\n')).toBe('')
})
