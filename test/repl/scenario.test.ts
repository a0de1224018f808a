import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { builtPackage } from '../built-package.ts'
import { isSweep } from '../rotation.ts'

const { flags } = await builtPackage()
const MEGABYTES = isSweep ? 10 : 1

const folder = mkdtempSync(join(tmpdir(), 'mandate-scenario-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** One process of the scenario; nothing of it is left but the store. */
function inProcess(command: 'start' | 'resume'): { readonly signal: string | null; readonly out: string } {
  const file = new URL('scenario-process.ts', import.meta.url).pathname
  const { signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...flags, file, command, folder, String(MEGABYTES * 1e6)],
    { encoding: 'utf8' },
  )
  return { signal, out: stdout === '' ? stderr : stdout }
}

it(`a model that drives cells reads ${MEGABYTES} MB in parts, writes a graph, has it reviewed, is killed, goes on and answers; nothing is done twice`, () => {
  expect(inProcess('start').signal).toBe('SIGKILL')
  const ended = JSON.parse(inProcess('resume').out) as Record<string, unknown>
  expect(ended).toMatchObject({
    status: 'completed',
    result: `There are 3 needles in ${MEGABYTES * 1e6 + 20} characters.`,
    identical: true,
    ok: true,
  })
  // The input never reached a model.
  expect((ended['usage'] as { inputTokens: number }).inputTokens).toBeLessThan(30_000)
  const log = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  expect(log.filter((line) => line.startsWith('model main'))).toEqual(
    Array.from({ length: 8 }, (_, turn) => `model main ${turn}`),
  )
  expect(log.filter((line) => line === 'model part')).toHaveLength(4)
  expect(log.filter((line) => !line.startsWith('model'))).toEqual([
    'approve register_graph',
    'approve publish',
    'publish 3',
  ])
})
