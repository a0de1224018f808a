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
function refused(): string {
  if (made !== undefined) {
    cpSync(made.folder, store(), { recursive: true })
    return made.run
  }
  const { notes } = mandate('run', REFUND, 'Refund order A-17.')
  mandate('deny', /mandate approve (\S+)/.exec(notes)![1]!, 'too expensive')
  const run = /mandate resume (\S+)/.exec(notes)![1]!
  expect(mandate('resume', run).code).toBe(0)
  made = { run, folder: mkdtempSync(join(tmpdir(), 'mandate-refused-')) }
  cpSync(store(), made.folder, { recursive: true })
  return run
}

afterAll(() => {
  if (made !== undefined) rmSync(made.folder, { recursive: true })
})

function exported(...words: readonly string[]): string {
  const { out } = mandate('export', refused(), ...words)
  writeFileSync(files.export, out)
  return out
}

describe('the audit on the command line', () => {
  it('exports with a signature, and verifies the file with the public key, without a store', () => {
    exported('--sign', files.private)
    const said = mandate('verify', files.export, '--public', files.public, '--dir', join(store(), 'nowhere'))
    expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: \d+ entries, .*signature valid/) as string })
    const report = JSON.parse(mandate('verify', files.export, '--public', files.public, '--json').out) as object
    expect(report).toMatchObject({ ok: true, signature: 'valid', problems: [] })
  })

  it('finds a file that was changed, cut, or is not signed, and says what is wrong', () => {
    const lines = exported('--sign', files.private).trim().split('\n')
    for (const [given, word] of [
      [lines.map((line) => line.replace('too expensive', 'fine')), 'damaged'],
      [lines.toSpliced(-3, 2), 'dropped'],
      [lines.slice(0, -1), 'no signed head'],
    ] as const) {
      writeFileSync(files.export, given.join('\n'))
      const said = mandate('verify', files.export, '--public', files.public)
      expect(said).toMatchObject({ code: 6, out: expect.stringContaining(word) as string })
    }
  })

  it('imports a signed export, and refuses it under another key', () => {
    exported('--sign', files.private)
    const other = join(store(), 'other')
    expect(mandate('import', files.export, '--public', files.public, '--dir', other).code).toBe(0)
    writeFileSync(files.public, generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))
    const said = mandate('import', files.export, '--public', files.public, '--dir', join(store(), 'third'))
    expect(said).toMatchObject({ code: 6, notes: expect.stringContaining('cannot be trusted') as string })
  })

  it('audits the whole store: no incidents, and what was refused with its reason', () => {
    const run = refused()
    const said = mandate('audit')
    expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: 1 run, \d+ entries/) as string })
    expect(said.out).toMatch(new RegExp(`${run} .*reject +refund .*too expensive`))
    expect(mandate('verify', '--all').out).toBe(said.out)
    expect(JSON.parse(mandate('audit', '--json').out)).toMatchObject({ ok: true, incidents: [] })
  })

  it('holds the store against heads that were kept elsewhere', () => {
    const head = exported('--sign', files.private).trim().split('\n').at(-1)!
    const heads = `${store()}-heads`
    writeFileSync(heads, `${head}\n`)
    expect(mandate('audit', '--heads', heads, '--public', files.public).code).toBe(0)
    const { run } = JSON.parse(head) as { run: string }
    expect(mandate('verify', run, '--heads', heads, '--public', files.public).out).toContain('signature valid')
    writeFileSync(heads, head.replace(run, 'run_gone'))
    const said = mandate('audit', '--heads', heads)
    expect(said).toMatchObject({
      code: 6,
      out: expect.stringContaining('run_gone: Run "run_gone" was signed') as string,
    })
  })

  it('refuses a file that is no key', () => {
    writeFileSync(files.private, readFileSync(REFUND))
    const said = mandate('export', refused(), '--sign', files.private)
    expect(said).toMatchObject({ code: 2, notes: expect.stringContaining('no key') as string })
  })
})
