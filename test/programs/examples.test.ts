import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtPackage } from '../built-package.ts'
import { root } from '../tidy/sources.ts'

/** What each example must show; a file without a line here fails. */
const SHOWN: Readonly<Record<string, readonly RegExp[]>> = {
  'permission.ts': [/the page at https:\/\/example\.com/, /Not authorized/],
  'streaming.ts': [/chunk: about tea\nchunk: about coffee/, /all: \[ 'about tea', 'about coffee' \]/],
  'shared-fuel.ts': [
    /shared \{"done":\[10,20,"out of fuel","out of fuel"\]\} left in the tank: 0\.00/,
    /fixed \{"done":\[10,"out of fuel","out of fuel",5\]\}/,
  ],
  'tiers.ts': [/gold 200 .*answers/, /tin 422 .*fuel/, /nobody 401/],
  'script.ts': [
    /suspended approval/,
    /waiting: send .*sent so far: \[\]/,
    /completed/,
    /sent: \[ 'tea one, tea two, coffee one, coffee two' \]/,
  ],
}

const { flags } = await builtPackage()
const files = globSync('examples/programs/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'))

describe('every example of programs runs offline and shows what it says', () => {
  test('there are some', () => expect(files).toHaveLength(Object.keys(SHOWN).length))

  test.each(files)('%s', (path) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, join(root, path)], {
      encoding: 'utf8',
      timeout: 50_000,
      env: {
        ...process.env,
        NODE_USE_ENV_PROXY: '1',
        HTTP_PROXY: 'http://127.0.0.1:9',
        HTTPS_PROXY: 'http://127.0.0.1:9',
        NO_PROXY: '127.0.0.1',
        NO_COLOR: '1',
      },
    })
    expect(status, stderr).toBe(0)
    for (const shown of SHOWN[path.split('/').at(-1)!]!) expect(stdout).toMatch(shown)
  })
})
