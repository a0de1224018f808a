import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { REFUND, mandate, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const files = { private: '', public: '', export: '' }

beforeEach(() => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  for (const name of ['private', 'public', 'export'] as const) files[name] = `${store()}-${name}`
  writeFileSync(files.private, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(files.public, JSON.stringify(publicKey.export({ format: 'jwk' })))
})

let made: { readonly run: string; readonly folder: string } | undefined

/** A store with a refund that was refused. It takes three processes to make, so it is made once and copied. */
async function refused(): Promise<string> {
  if (made !== undefined) {
    cpSync(made.folder, store(), { recursive: true })
    return made.run
  }
  const { notes } = await mandate('run', REFUND, 'Refund order A-17.')
  await mandate('deny', /mandate approve (\S+)/.exec(notes)![1]!, 'too expensive')
  const run = /mandate resume (\S+)/.exec(notes)![1]!
  expect((await mandate('resume', run)).code).toBe(0)
  made = { run, folder: mkdtempSync(join(tmpdir(), 'mandate-refused-')) }
  cpSync(store(), made.folder, { recursive: true })
  return run
}

afterAll(() => {
  if (made !== undefined) rmSync(made.folder, { recursive: true })
})

async function exported(...words: readonly string[]): Promise<string> {
  const { out } = await mandate('export', await refused(), ...words)
  writeFileSync(files.export, out)
  return out
}

describe('the audit on the command line', () => {
  it('exports with a signature, and verifies the file with the public key, without a store', async () => {
    await exported('--sign', files.private)
    const said = await mandate('verify', files.export, '--public', files.public, '--dir', join(store(), 'nowhere'))
    expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: \d+ entries, .*signature valid/) as string })
    const report = JSON.parse((await mandate('verify', files.export, '--public', files.public, '--json')).out) as object
    expect(report).toMatchObject({ ok: true, signature: 'valid', problems: [] })
  })

  it('finds a file that was changed, cut, or is not signed, and says what is wrong', async () => {
    const lines = (await exported('--sign', files.private)).trim().split('\n')
    for (const [given, word] of [
      [lines.map((line) => line.replace('too expensive', 'fine')), 'damaged'],
      [lines.toSpliced(-3, 2), 'dropped'],
      [lines.slice(0, -1), 'no signed head'],
    ] as const) {
      writeFileSync(files.export, given.join('\n'))
      const said = await mandate('verify', files.export, '--public', files.public)
      expect(said).toMatchObject({ code: 6, out: expect.stringContaining(word) as string })
    }
  })

  it('imports a signed export, and refuses it under another key', async () => {
    await exported('--sign', files.private)
    const other = join(store(), 'other')
    expect((await mandate('import', files.export, '--public', files.public, '--dir', other)).code).toBe(0)
    writeFileSync(files.public, generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))
    const said = await mandate('import', files.export, '--public', files.public, '--dir', join(store(), 'third'))
    expect(said).toMatchObject({ code: 6, notes: expect.stringContaining('cannot be trusted') as string })
  })

  it('audits the whole store: no incidents, and what was refused with its reason', async () => {
    const run = await refused()
    const said = await mandate('audit')
    expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: 1 run, \d+ entries/) as string })
    expect(said.out).toMatch(new RegExp(`${run} .*reject +refund .*too expensive`))
    expect((await mandate('verify', '--all')).out).toBe(said.out)
    expect(JSON.parse((await mandate('audit', '--json')).out)).toMatchObject({ ok: true, incidents: [] })
  })

  it('holds the store against heads that were kept elsewhere', async () => {
    const head = (await exported('--sign', files.private)).trim().split('\n').at(-1)!
    const heads = `${store()}-heads`
    writeFileSync(heads, `${head}\n`)
    expect((await mandate('audit', '--heads', heads, '--public', files.public)).code).toBe(0)
    const { run } = JSON.parse(head) as { run: string }
    expect((await mandate('verify', run, '--heads', heads, '--public', files.public)).out).toContain('signature valid')
    writeFileSync(heads, head.replace(run, 'run_gone'))
    const said = await mandate('audit', '--heads', heads)
    expect(said).toMatchObject({
      code: 6,
      out: expect.stringContaining('run_gone: Run "run_gone" was signed') as string,
    })
  })

  it('refuses a file that is no key', async () => {
    writeFileSync(files.private, readFileSync(REFUND))
    const said = await mandate('export', await refused(), '--sign', files.private)
    expect(said).toMatchObject({ code: 2, notes: expect.stringContaining('The key in') as string })
  })
})
