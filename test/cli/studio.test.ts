import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtStudio } from '../studio/studio.fixture.ts'
import { ROOT, environment, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

it('mandate studio prints a link that signs in, keeps its secret to its owner, and ends with the first signal', async () => {
  builtStudio(join(ROOT, 'dist/studio'))
  const dir = join(store(), 'kept')
  // From the sources: the page is found where its build puts it.
  const rest = ['--conditions=mandate-source', 'src/cli/main.ts', 'studio', '--port', '0', '--json', '--dir', dir]
  const child = spawn(process.execPath, rest, { cwd: ROOT, env: environment() })
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString()))
    child.once('exit', (code) => reject(new Error(`It ended with ${code}.`)))
  })
  const { url, link } = JSON.parse(line) as { url: string; link: string }
  expect((await fetch(`${url}/api/runs`)).status).toBe(401)
  const opened = await fetch(link, { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  expect(await (await fetch(`${url}/api/runs`, { headers: { cookie } })).json()).toEqual({ runs: [] })
  const page = await fetch(url, { headers: { cookie } })
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(await page.text()).toContain('<div id="root">')
  expect(statSync(join(dir, 'studio-secret')).mode & 0o77).toBe(0)
  child.kill('SIGTERM')
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0)
})
