import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { builtStudio } from './studio.fixture.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Server {
  readonly url: string
  readonly token: string
  readonly studio: string
  readonly process: ChildProcess
}

/** The command in a process of its own, on a port that stays the same. */
async function serve(dir: string, port: number): Promise<Server> {
  const words = [
    'src/cli/main.ts',
    'serve',
    join(import.meta.dirname, 'fixtures/patient-agent.ts'),
    '--dir',
    join(dir, 'runs'),
    '--port',
    String(port),
    '--json',
  ]
  const process = spawn(globalThis.process.execPath, ['--conditions=mandate-source', ...words], {
    cwd: ROOT,
    env: { ...globalThis.process.env, STUDIO_TEST_DIR: dir },
  })
  onTestFinished(() => void process.kill('SIGKILL'))
  let said = ''
  const line = await new Promise<string>((resolve, reject) => {
    process.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    process.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    process.once('exit', () => reject(new Error(said)))
  })
  return { ...(JSON.parse(line) as Omit<Server, 'process'>), process }
}

it.skipIf(CHROMIUM === undefined)(
  'a page goes on by itself when the server was killed and started again: no entry is lost or there twice',
  { timeout: 120_000 },
  async () => {
    builtStudio(join(ROOT, 'dist/studio'))
    const dir = mkdtempSync(join(tmpdir(), 'mandate-killed-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const first = await serve(dir, 0)
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(first.studio)
    const started = await fetch(`${first.url}/api/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.token}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ agent: 'patient', prompt: 'Wait.' }),
    })
    const { id } = (await started.json()) as { id: string }
    await page.goto(`${new URL(page.url()).href}runs/${id}?tab=journal`)
    await page.getByText('turn:1/tool:1').first().waitFor()
    writeFileSync(join(dir, 'one'), '')
    await page.getByText('turn:2/tool:1').first().waitFor()
    first.process.kill('SIGKILL')
    await page.getByText('reconnecting, last entry').waitFor()
    writeFileSync(join(dir, 'two'), '')
    const second = await serve(dir, Number(new URL(first.url).port))
    await page.getByText('turn:3/tool:1').first().waitFor({ timeout: 60_000 })
    await expect.poll(() => page.getByText('reconnecting').count(), { timeout: 30_000 }).toBe(0)
    writeFileSync(join(dir, 'three'), '')
    await page.getByText('run-end').first().waitFor({ timeout: 60_000 })
    const answer = await fetch(`${second.url}/api/runs/${id}/entries?limit=1000`, {
      headers: { authorization: `Bearer ${second.token}` },
    })
    const { entries } = (await answer.json()) as { entries: readonly { seq: number; type: string; key?: string }[] }
    const shown = await page
      .locator('[role=option]')
      .evaluateAll((rows: { textContent: string | null }[]) => rows.map((row) => row.textContent ?? ''))
    expect(shown).toHaveLength(entries.length)
    for (const [index, { seq, type, key = '' }] of entries.entries())
      expect(shown[index]!.replaceAll(/\s/g, '')).toMatch(new RegExp(`^${seq}.*${type}${key.replaceAll(/[/:]/g, '.')}`))
    expect(entries.filter(({ type }) => type === 'run-resume')).toHaveLength(1)
  },
)

it.skipIf(CHROMIUM === undefined)(
  'a page that was left, or first visited, while the server was down comes back by itself',
  { timeout: 120_000 },
  async () => {
    builtStudio(join(ROOT, 'dist/studio'))
    const dir = mkdtempSync(join(tmpdir(), 'mandate-left-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const first = await serve(dir, 0)
    const port = Number(new URL(first.url).port)
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(first.studio)
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    const started = await fetch(`${first.url}/api/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'patient', prompt: 'Wait.' }),
    })
    const { id } = (await started.json()) as { id: string }
    await page.getByRole('link', { name: new RegExp(id) }).click()
    await page.getByRole('tab', { name: 'Journal' }).click()
    await page.getByText('turn:1/tool:1').first().waitFor()
    first.process.kill('SIGKILL')
    await page.getByText('reconnecting, last entry').waitFor()
    const links = page.getByRole('navigation', { name: 'Pages' })
    await links.getByRole('link', { name: 'Costs' }).click()
    await page.getByText('This page is not loaded yet').waitFor()
    await page.goBack()
    await page.getByText('reconnecting, last entry').waitFor()
    const second = await serve(dir, port)
    // An entry with its content, and the run as it goes on.
    writeFileSync(join(dir, 'one'), '')
    await page.getByText('turn:2/tool:1').first().waitFor({ timeout: 30_000 })
    await expect.poll(() => page.getByText(/reconnecting/i).count(), { timeout: 10_000 }).toBe(0)
    await links.getByRole('link', { name: 'Costs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor({ timeout: 10_000 })
    second.process.kill('SIGKILL')
    await page.getByText('Reconnecting to the server…').waitFor()
    await links.getByRole('link', { name: 'Evals' }).click()
    await page.getByText('This page is not loaded yet').waitFor()
    await serve(dir, port)
    await page.getByRole('heading', { level: 1, name: 'Evals' }).waitFor({ timeout: 45_000 })
    await expect.poll(() => page.getByText(/reconnecting/i).count(), { timeout: 10_000 }).toBe(0)
  },
)
