import { expect, test } from 'vitest'
import { forgeEntry, sampleRun } from '../../testing/index.ts'
import { exportRun, headOf, headSigner, importRun, isSignedHead, memoryJournal, readExport } from '../index.ts'
import { verifyEntries, verifyHead, withSignature } from '../index.ts'
import type { Entry, Head, SignedHead } from '../index.ts'

const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
const other = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
const pem = async (format: 'pkcs8' | 'spki', key: CryptoKey): Promise<string> => {
  const body = Buffer.from(await crypto.subtle.exportKey(format, key)).toString('base64')
  const word = format === 'spki' ? 'PUBLIC' : 'PRIVATE'
  return `-----BEGIN ${word} KEY-----\n${body}\n-----END ${word} KEY-----\n`
}
const signer = headSigner({ privateKey: pair.privateKey, keyId: 'k1' })
const run = sampleRun('run', { notes: 3, end: 'completed' })
const head = headOf(run[4]!)
const signed = await signer.sign('run', head)

/** The run as an attacker would leave it who can compute hashes, but not sign. */
function rewritten(change: (entry: Entry) => Entry['data']): Entry[] {
  let last: Head = { seq: 0, hash: '0'.repeat(64), at: 0 }
  return run.map((entry) => {
    const { type, key, at } = entry
    const copy = forgeEntry('run', last, { type, key, at, data: change(entry) }, entry.salt)
    last = headOf(copy)
    return copy
  })
}

test('every form of a key signs and verifies the same', async () => {
  const jwk = await crypto.subtle.exportKey('jwk', pair.privateKey)
  const publicJwk = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const privateKeys = [pair.privateKey, jwk, await pem('pkcs8', pair.privateKey)]
  const publicKeys = [pair.publicKey, publicJwk, jwk, await pem('spki', pair.publicKey)]
  for (const privateKey of privateKeys)
    expect(await headSigner({ privateKey, keyId: 'k1' }).sign('run', head)).toEqual(signed)
  for (const key of publicKeys) {
    expect(await verifyHead(signed, key)).toEqual({ valid: true })
    expect(await verifyHead(signed, { k1: key })).toEqual({ valid: true })
  }
})

test('an invalid key is refused with the fix', async () => {
  const spki = await pem('spki', pair.publicKey)
  await expect(headSigner({ privateKey: spki, keyId: 'k' }).sign('run', head)).rejects.toThrow(/BEGIN PRIVATE KEY/)
  await expect(verifyHead(signed, 'nonsense')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await expect(verifyHead(signed, { k1: { kty: 'oct', k: 'x' } })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})

test.each<[string, Partial<SignedHead>]>([
  ['another run', { run: 'other' }],
  ['another number', { seq: 4 }],
  ['another hash', { hash: run[3]!.hash }],
  ['another time', { at: 1 }],
  ['another version', { v: 2 }],
  ['another key id', { keyId: 'k2' }],
  ['another signature', { signature: signed.signature.replace(/^../, 'AA') }],
  ['no signature at all', { signature: '%' }],
])('a signature does not hold for %s', async (_, change) => {
  const keys = { k1: pair.publicKey, k2: pair.publicKey }
  expect(await verifyHead({ ...signed, ...change }, keys)).toMatchObject({ valid: false })
})

test('a signature of a key that is not known, or of another key under its name, does not hold', async () => {
  expect(await verifyHead(signed, { k9: pair.publicKey })).toMatchObject({ problem: expect.stringContaining('"k1"') })
  expect(await verifyHead(signed, { k1: other.publicKey })).toMatchObject({ valid: false })
  expect(await verifyHead(signed, other.publicKey)).toMatchObject({ valid: false })
})

test('a run that was rewritten, hashes and all, is found by its signed head alone', async () => {
  const forged = rewritten((entry) => (entry.type === 'note' ? { name: 'sample', value: 'forged' } : entry.data))
  expect(verifyEntries('run', forged).ok).toBe(true)
  const report = await withSignature(verifyEntries('run', forged, signed), { head: signed, publicKeys: pair.publicKey })
  expect(report).toMatchObject({ ok: false, signature: 'valid', problems: [expect.stringContaining('rewritten')] })
})

test('so is one that was cut', () => {
  expect(verifyEntries('run', run.slice(0, 3), signed).problems).toEqual([expect.stringContaining('2 entries')])
})

test('a report says what the signature is worth', async () => {
  const report = verifyEntries('run', run, signed)
  expect(await withSignature(report, { head: signed })).toEqual(report)
  expect(await withSignature(report, { head: signed, publicKeys: pair.publicKey })).toMatchObject({
    ok: true,
    signature: 'valid',
  })
  expect(await withSignature(report, { head: signed, publicKeys: other.publicKey })).toMatchObject({
    ok: false,
    signature: 'invalid',
  })
  expect(await withSignature(report, { publicKeys: pair.publicKey })).toMatchObject({ ok: false })
  expect(await withSignature(report, { head, publicKeys: pair.publicKey })).toMatchObject({ ok: false })
  expect(await withSignature(report, { head: { ...signed, run: 'other' } })).toMatchObject({ ok: false })
})

async function journalOf(entries: readonly Entry[]): Promise<ReturnType<typeof memoryJournal>> {
  const journal = memoryJournal()
  const lease = await journal.acquire({ run: 'run', owner: 'test', ttlMs: 1, now: 0 })
  await journal.append(lease, 0, entries)
  await journal.release(lease)
  return journal
}

async function linesOf(...given: Parameters<typeof exportRun>): Promise<string[]> {
  const all: string[] = []
  for await (const line of exportRun(...given)) all.push(line)
  return all
}

const lines = await linesOf(await journalOf(run), 'run', signer)

test('an export ends with its signed head, and is the same as without it otherwise', async () => {
  const plain = await linesOf(await journalOf(run), 'run')
  expect(lines.slice(0, -1)).toEqual(plain)
  expect(await readExport(lines)).toMatchObject({ run: 'run', signed })
  expect(await readExport(plain)).not.toHaveProperty('signed')
  expect(isSignedHead(JSON.parse(lines.at(-1)!))).toBe(true)
  expect(isSignedHead(JSON.parse(lines[0]!))).toBe(false)
})

test('an import takes a signed export, and checks what it can', async () => {
  expect(await importRun(memoryJournal(), lines, 0)).toEqual({ run: 'run', entries: 5 })
  expect(await importRun(memoryJournal(), lines, 0, pair.publicKey)).toEqual({ run: 'run', entries: 5 })
})

test.each<[string, readonly string[], CryptoKey | undefined, string]>([
  ['one that was cut before its signature', lines.toSpliced(3, 2), undefined, 'JOURNAL_DAMAGED'],
  ['one without a signature where there is a key', lines.slice(0, -1), pair.publicKey, 'JOURNAL_DAMAGED'],
  ['one that someone else signed', lines, other.publicKey, 'JOURNAL_DAMAGED'],
  ['one that goes on after its signature', [...lines, lines[0]!], undefined, 'INPUT_INVALID'],
])('an import refuses %s, and writes nothing', async (_, given, key, code) => {
  const journal = memoryJournal()
  await expect(importRun(journal, given, 0, key)).rejects.toMatchObject({ code })
  expect(await journal.list()).toEqual([])
})
