import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { builtPackage } from '../built-package.ts'
import { isSweep } from '../rotation.ts'

const { flags, main } = await builtPackage()
const MEGABYTES = isSweep ? 10 : 1
/** Seven of the model that drives the cells, one of each part. */
const MODEL_CALLS = 11

const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-scenario-'))
  folders.push(folder)
  return folder
}

interface Ended {
  readonly signal: string | null
  readonly out: string
}

function node(words: readonly string[], env: Readonly<Record<string, string>>): Ended {
  const { signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...flags, ...words],
    { encoding: 'utf8', env: { ...process.env, ...env } },
  )
  return { signal, out: stdout === '' ? stderr : stdout }
}

/** One process of the scenario; nothing of it is left but the store. */
function inProcess(act: 'start' | 'resume', folder: string, characters: number, modelCalls: number): Ended {
  const file = new URL('scenario-process.ts', import.meta.url).pathname
  return node([file, act, folder, String(characters)], { SCENARIO_FOLDER: folder, SCENARIO_CALLS: String(modelCalls) })
}

function logOf(folder: string): string[] {
  return readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
}

it(`a model that drives cells reads ${MEGABYTES} MB in parts, writes a graph, has it reviewed, is killed, goes on and answers; nothing is done twice`, () => {
  const folder = newFolder()
  const characters = MEGABYTES * 1e6
  expect(inProcess('start', folder, characters, MODEL_CALLS).signal).toBe('SIGKILL')
  const ended = JSON.parse(inProcess('resume', folder, characters, MODEL_CALLS).out) as Record<string, unknown>
  expect(ended).toMatchObject({
    status: 'completed',
    result: `There are 3 needles in ${characters + 20} characters.`,
    identical: true,
    ok: true,
  })
  // The input never reached a model.
  expect((ended['usage'] as { inputTokens: number }).inputTokens).toBeLessThan(30_000)
  const log = logOf(folder)
  expect(log.filter((line) => line.startsWith('model main'))).toEqual(
    Array.from({ length: 7 }, (_, turn) => `model main ${turn}`),
  )
  expect(log.filter((line) => line === 'model part')).toHaveLength(4)
  // The first draft names a tool that is not there; the model is told so and repairs it.
  expect(log.filter((line) => !line.startsWith('model'))).toEqual([
    'refused publsh',
    'approve register_graph',
    'approve publish',
    'publish 3',
  ])
  if (!isSweep) return
  const place = ['--dir', join(folder, 'store'), '--json']
  const env = { SCENARIO_FOLDER: folder, SCENARIO_CALLS: String(MODEL_CALLS) }
  const { out } = node([main, 'verify', 'scenario', ...place], env)
  expect(JSON.parse(out)).toMatchObject({ ok: true, chain: 'intact' })
  const service = new URL('../cli/fixtures/scenario-service.ts', import.meta.url).pathname
  const replayed = node([main, 'replay', 'scenario', '--file', service, ...place], env)
  expect(JSON.parse(replayed.out)).toMatchObject({ identical: true })
})

it.runIf(isSweep)(
  'the budget is one for the whole tree: with one call of a model less the last answer is not asked for',
  () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'died'), '')
    const { out } = inProcess('start', folder, 20_000, MODEL_CALLS - 1)
    expect(JSON.parse(out)).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringMatching(/modelCalls|model calls/i) },
    })
    const asked = logOf(folder).filter((line) => line.startsWith('model'))
    expect(asked).toHaveLength(MODEL_CALLS - 1)
    expect(asked).not.toContain('model main 6')
  },
)
