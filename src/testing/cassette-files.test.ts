import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { scripted, userMessage } from '../model/index.ts'
import type { Model } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
import { testAgent } from './agent-harness.ts'
import { fileCassette } from './cassette-files.ts'
import type { FileCassetteOptions } from './cassette-files.ts'

// The one line of vitest. The recording lies beside this file; the "real" model here is one that must not be called.
const tape = fileCassette(new URL('./fixtures/greeting.cassette.json', import.meta.url), {
  after: afterAll,
  mode: 'replay',
})

const ask = async (model: Model, text: string): Promise<string> => {
  const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' }
  let said = ''
  for await (const part of model.stream({ messages: [userMessage(text)] }, call))
    if (part.type === 'text-delta') said += part.text
  return said
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mandate-cassette-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a committed recording answers in vitest', async () => {
  const model = tape.model({ id: 'scripted/model', open: () => expect.fail('the real model was called') })
  expect(await ask(model, 'Greet me.')).toBe('Hello from the recording.')
})

test.each([
  [{}, false, 'record'],
  [{}, true, 'replay'],
  [{ CI: 'true' }, false, 'replay'],
  [{ CI: '1' }, true, 'replay'],
  [{ CI: 'false' }, false, 'record'],
  [{ MANDATE_CASSETTE: 'record' }, true, 'record'],
  [{ MANDATE_CASSETTE: 'live' }, true, 'live'],
  [{ MANDATE_CASSETTE: 'replay' }, false, 'replay'],
  [{ MANDATE_CASSETTE: '' }, true, 'replay'],
] as const)('with %j and a file (%s) the mode is %s', (env, exists, mode) => {
  const path = join(folder(), 'a.json')
  if (exists) writeFileSync(path, '')
  expect(fileCassette(path, { env, note: () => {} }).mode).toBe(mode)
})

test('a mode that does not exist is refused, and nothing is recorded unannounced', () => {
  const path = join(folder(), 'a.json')
  expect(() => fileCassette(path, { env: { MANDATE_CASSETTE: 'rec' } })).toThrow(
    'MANDATE_CASSETTE is "rec". Set it to record',
  )
  const notes: string[] = []
  fileCassette(path, { env: {}, note: (text) => notes.push(text) })
  expect(notes).toEqual([expect.stringContaining('recording real calls to')])
})

test('record, replay, miss and leftovers, as a developer meets them', async () => {
  const path = join(folder(), 'deep/er/a.cassette.json')
  const notes: string[] = []
  const open = (env: FileCassetteOptions['env'], more: FileCassetteOptions = {}): ReturnType<typeof fileCassette> =>
    fileCassette(path, { env, note: (text) => notes.push(text), ...more })
  const real = scripted(({ messages }) => `You said: ${JSON.stringify(messages.at(-1)?.content)}`)

  const recording = open({})
  const said = await ask(recording.model(real), 'one')
  await ask(recording.model(real), 'two')
  expect(await recording.finish()).toMatchObject({ mode: 'record', recorded: 2 })
  expect(notes.at(-1)).toContain('2 call(s) recorded to')
  expect(readdirSync(join(path, '..'))).toEqual(['a.cassette.json'])
  const written = readFileSync(path, 'utf8')

  const replaying = open({ CI: 'true' }, { unused: 'fail' })
  expect(await ask(replaying.model(real), 'one')).toBe(said)
  await expect(replaying.finish()).rejects.toThrow(/holds 1 recording\(s\) that nothing asked for/)
  expect(real.requests).toHaveLength(2)

  const missing = open({ CI: 'true' })
  await ask(missing.model(real), 'three').catch(() => 'a test that swallows the error')
  await expect(missing.finish()).rejects.toThrow(/1 call\(s\) were not recorded[\s\S]*MANDATE_CASSETTE=record/)
  expect(readFileSync(path, 'utf8')).toBe(written)
})

test('a cassette on which nothing was recorded leaves no file', async () => {
  const path = join(folder(), 'a.json')
  await fileCassette(path, { mode: 'record', note: () => {} }).finish()
  expect(existsSync(path)).toBe(false)
})

test('a whole run with model and tools is replayed without either, and writes the same journal', async () => {
  const path = join(folder(), 'run.json')
  let performed = 0
  const run = async (mode: 'record' | 'replay'): Promise<unknown> => {
    await using own = fileCassette(path, { mode, note: () => {}, unused: 'fail' })
    const lookup = defineTool({
      name: 'lookup',
      risk: 'read',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      run: ({ city }: { city: string }) => ({ city, sky: 'grey', performed: ++performed }),
    })
    const real = scripted([
      { text: 'I look.', toolCalls: [{ name: 'lookup', input: { city: 'Oslo' } }] },
      'It is grey.',
    ])
    const harness = testAgent({ model: own.model(real), tools: [own.tool(lookup)] })
    const result = await harness.run('How is Oslo?')
    expect(result.text).toContain('It is grey.')
    expect(real.requests).toHaveLength(mode === 'record' ? 2 : 0)
    return await harness.entries()
  }
  const recorded = await run('record')
  expect(await run('replay')).toEqual(recorded)
  expect(performed).toBe(1)
})

test('the same line works in node:test', () => {
  const path = fileURLToPath(new URL('./fixtures/node-test-greeting.ts', import.meta.url))
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const ran = spawnSync(process.execPath, ['--conditions=mandate-source', '--test', path], {
    encoding: 'utf8',
    env: { ...env, CI: 'true', NODE_OPTIONS: '' },
  })
  expect(ran.status, ran.stdout + ran.stderr).toBe(0)
  expect(ran.stdout).toMatch(/pass 1\b/)
})
