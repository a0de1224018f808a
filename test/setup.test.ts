import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findMismatch, findNodeFault } from '../scripts/setup.mjs'

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mandate-setup-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function lock(path: string, versions: Record<string, object>): void {
  const packages = Object.fromEntries(Object.entries(versions).map(([name, entry]) => [`node_modules/${name}`, entry]))
  writeFileSync(join(folder, path), JSON.stringify({ packages: { '': {}, ...packages } }))
}

function put(...names: string[]): void {
  for (const name of names) mkdirSync(join(folder, 'node_modules', name), { recursive: true })
}

describe('dependencies', () => {
  test('a clone without node_modules is noticed', () => {
    lock('package-lock.json', {})
    expect(findMismatch(folder)).toBe('node_modules is missing')
  })

  test('an installation that matches the lock file is left alone, packages of other platforms aside', () => {
    put('a', '@b/c')
    const wanted = { a: { version: '1.0.0' }, '@b/c': { version: '2.0.0' } }
    lock('package-lock.json', { ...wanted, windows: { version: '3.0.0', optional: true } })
    lock('node_modules/.package-lock.json', wanted)
    expect(findMismatch(folder)).toBeUndefined()
  })

  test('another version, a missing package and a deleted folder are noticed', () => {
    put('a')
    lock('package-lock.json', { a: { version: '1.0.1' } })
    lock('node_modules/.package-lock.json', { a: { version: '1.0.0' } })
    expect(findMismatch(folder)).toBe('a is 1.0.0, not 1.0.1')
    lock('package-lock.json', { a: { version: '1.0.0' }, '@b/c': { version: '2.0.0' } })
    expect(findMismatch(folder)).toBe('@b/c is not installed')
    lock('package-lock.json', { a: { version: '1.0.0' } })
    rmSync(join(folder, 'node_modules/a'), { recursive: true })
    expect(findMismatch(folder)).toBe('a is not installed')
  })
})

describe.skipIf(process.platform === 'win32')('the Node of the scripts', () => {
  const node = (): string => join(folder, 'node_modules/.bin/node')
  beforeEach(() => put('.bin'))

  test('one that runs is fine', () => {
    symlinkSync(process.execPath, node())
    expect(findNodeFault(folder, '20.0.0')).toBeUndefined()
  })

  test('a missing one is a fault that names the fix, unless the Node of the machine is recent', () => {
    expect(findNodeFault(folder, '20.19.0')).toContain('npm rebuild node')
    expect(findNodeFault(folder, '22.17.9')).toContain('npm rebuild node')
    expect(findNodeFault(folder, '22.18.0')).toBeUndefined()
    expect(findNodeFault(folder, '24.0.0')).toBeUndefined()
  })

  test('a broken one is a fault even beside a recent Node, because scripts would find it first', () => {
    writeFileSync(node(), '#!/bin/sh\necho "wrong libc" >&2\nexit 127\n')
    chmodSync(node(), 0o755)
    expect(findNodeFault(folder, '24.0.0')).toContain('wrong libc')
    expect(findNodeFault(folder, '24.0.0')).toContain('delete node_modules/.bin/node')
  })
})
