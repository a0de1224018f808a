import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtStudio } from '../studio/studio.fixture.ts'
import { ROOT, environment, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

/** Starts a studio and gives what it prints first; `notes` is what it has said on stderr so far. */
async function started(
  words: readonly string[],
  env: NodeJS.ProcessEnv = environment(),
): Promise<{ child: ChildProcess; url: string; link: string; notes: () => string }> {
  builtStudio(join(ROOT, 'dist/studio'))
  // From the sources: the page is found where its build puts it.
  const rest = ['--conditions=mandate-source', 'src/cli/main.ts', 'studio', ...words, '--port', '0', '--json']
  const child = spawn(process.execPath, rest, { cwd: ROOT, env })
  let notes = ''
  child.stderr.on('data', (data: Buffer) => void (notes += data.toString()))
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString()))
    child.once('close', (code) => reject(new Error(`It ended with ${code}: ${notes}`)))
  })
  return { ...(JSON.parse(line) as { url: string; link: string }), child, notes: () => notes }
}

it('mandate studio shows runs also where the model of an agent has no key, and says so', async () => {
  const file = join(store(), '..', 'agent.mjs')
  writeFileSync(file, "export default { id: 'a', model: 'openai/gpt-5-mini' }")
  const { OPENAI_API_KEY: _key, ...env } = environment()
  const { child, url, link, notes } = await started([file, '--dir', store()], env)
  const opened = await fetch(link, { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const place = opened.headers.get('location')!
  expect(await (await fetch(`${url}${place}api/runs`, { headers: { cookie } })).json()).toEqual({ runs: [] })
  child.kill('SIGTERM')
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  expect(notes()).toMatch(/The agents of .*agent\.mjs cannot be used: .*OPENAI_API_KEY/)
})

it('mandate studio prints a link that signs in, keeps its secret to its owner, and ends with the first signal', async () => {
  const dir = join(store(), 'kept')
  const { child, url, link } = await started(['--dir', dir])
  expect((await fetch(`${url}/api/runs`)).status).toBe(401)
  const opened = await fetch(link, { redirect: 'manual' })
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const place = opened.headers.get('location')!
  expect(await (await fetch(`${url}${place}api/runs`, { headers: { cookie } })).json()).toEqual({ runs: [] })
  // The cookie alone, as another server of the host would have to send it, is worth nothing; nor is the link a second time.
  expect((await fetch(`${url}/api/runs`, { headers: { cookie } })).status).toBe(401)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(401)
  const page = await fetch(`${url}${place}`, { headers: { cookie } })
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(await page.text()).toContain('<div id="root">')
  expect(statSync(join(dir, 'studio-secret')).mode & 0o77).toBe(0)
  child.kill('SIGTERM')
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0)
})
