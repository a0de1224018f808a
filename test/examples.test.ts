import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtPackage } from './built-package.ts'
import { announceSkip, shareOf } from './rotation.ts'
import { root } from './tidy/sources.ts'

/** An example is a file in `examples/` or the `main.ts` of a folder there; the other files of a folder are its parts. */
const examples = globSync('examples/{*.ts,*/main.ts}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts'))
  .toSorted()

const optOut = /^\/\/ not run by the test: (\S.*)/

/** Requests that leave the machine end at a closed port, so that an example which needs the network fails here too. */
const offline = {
  NODE_USE_ENV_PROXY: '1',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost,::1',
}

const { flags } = await builtPackage()

/** With the key of a provider, an example would speak to the provider. */
const withoutKeys = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.endsWith('_API_KEY')))

async function run(path: string, folder: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [...flags, join(root, path)], {
    cwd: folder,
    env: { ...withoutKeys, ...offline, NODE_ENV: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 50_000,
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

describe.skipIf(examples.length === 0)('every example runs offline and ends well', () => {
  // At once: some of them wait for a network that is not there.
  test.concurrent.each(shareOf(examples, 4).map((path) => ({ path })))('$path', async ({ path }) => {
    const reason = optOut.exec(readFileSync(join(root, path), 'utf8'))?.[1]
    if (reason !== undefined) return announceSkip(`${path} (${reason})`, `node --conditions=mandate-source ${path}`)
    const folder = mkdtempSync(join(tmpdir(), 'mandate-example-'))
    try {
      const { code, output } = await run(path, folder)
      expect(code, output).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
