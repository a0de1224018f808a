import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProgram, locate } from './requirements.ts'
import { root } from './tidy/sources.ts'

test('a program on the PATH is found without installing anything', () => {
  expect(locate({ program: 'node', neededFor: 'everything' })).toMatch(/node$/)
})

test('a missing program is announced and not thrown', () => {
  const written: string[] = []
  const write = process.stdout.write
  process.stdout.write = (text: string | Uint8Array) => written.push(String(text)) > 0
  try {
    const env = { ...process.env }
    delete process.env['CI']
    delete process.env['MANDATE_INSTALL']
    expect(findProgram({ program: 'no-such-program-here', neededFor: 'the impossible' })).toBeUndefined()
    process.env = env
  } finally {
    process.stdout.write = write
  }
  expect(written.join('')).toContain('SKIPPED: the impossible (no-such-program-here is not here)')
})

describe('the repository', () => {
  const tracked = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const packageFile = JSON.parse(read('package.json')) as { engines: { node: string } }

  test('one oldest Node is named everywhere, that of `engines`', () => {
    const [, floor = ''] = /^>=(\d+\.\d+) <23 \|\| >=24$/.exec(packageFile.engines.node) ?? []
    expect(floor).not.toBe('')
    // What a single connector needs is more than what the package needs.
    const named = tracked
      .filter((path) => /(\.(md|ts|mjs|yml)|^\.ci\/run)$/.test(path) && path !== 'test/requirements.test.ts')
      .flatMap((path) =>
        [...read(path).matchAll(/\bNode (?:\()?(\d+(?:\.\d+)?) or later/g)].map((found) => [path, found[1]]),
      )
      .filter(([, version]) => version !== '24.10')
    expect(named.map(([path]) => path)).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', '.ci/run']))
    expect(named.filter(([, version]) => version !== floor)).toEqual([])
    expect(read('tsdown.config.ts')).toContain(`target: 'node${floor}'`)
    expect(read('scripts/setup.mjs')).toContain(`const oldestNode = [${floor.replace('.', ', ')}]`)
    expect(read('.github/workflows/ci.yml')).toContain(`'${floor}'`)
  })

  test('no profile or log of V8 is tracked, and the lock file names no registry', () => {
    expect(tracked.filter((path) => /\.(log|cpuprofile|heapprofile|heapsnapshot)$/.test(path))).toEqual([])
    expect(read('package-lock.json')).not.toContain('"resolved"')
  })

  test('CI on a hosting platform runs the script that runs everywhere', () => {
    expect(read('.github/workflows/ci.yml')).toContain('run: .ci/run')
  })
})
