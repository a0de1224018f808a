import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { GENESIS, entriesOfType, headOf, headSigner, memoryJournal, readExport } from '../../src/journal/index.ts'
import { importRun, verifyExport } from '../../src/journal/index.ts'
import type { Entry, EntryType, Head } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { ScriptedStep } from '../../src/model/index.ts'
import { forgeEntry } from '../../src/testing/index.ts'
import { root } from '../tidy/sources.ts'

const dir = mkdtempSync(join(tmpdir(), 'mandate-audit-'))
afterAll(() => rmSync(dir, { recursive: true }))

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string
const signer = headSigner({ privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, keyId: 'audit' })
const keyFile = join(dir, 'public.pem')
writeFileSync(keyFile, publicPem)

/** A run with everything an auditor looks for: an allowed call, an approved one, an edited one, a rejected one, a denied one. */
async function realRun(): Promise<readonly string[]> {
  const pay = (risk: 'read' | 'destructive', name: string): object =>
    defineTool({ name, risk, inputSchema: { type: 'object' }, run: (input) => ({ done: input }) })
  const call = (name: string, amount: number): ScriptedStep => ({
    toolCalls: [{ name, input: { amount, ü: '\u2028"' } }],
  })
  const script = [call('look', 1), call('pay', 2), call('pay', 3), call('pay', 4), call('forbidden', 5), 'Done.']
  const tools = [pay('read', 'look'), pay('destructive', 'pay'), pay('read', 'forbidden')]
  const service = new AgentService({
    agents: [{ id: 'main', model: scripted(script), tools, mandate: { deny: ['forbidden'] } }],
    signer,
  })
  const { id } = await service.run('main', 'Go.')
  const next = async (): Promise<string> => (await service.approvals(id))[0]!.id
  await service.approve(await next())
  await service.resume(id)
  await service.approve(await next(), { edit: { amount: 1 } })
  await service.resume(id)
  await service.reject(await next(), 'too much')
  expect(await service.resume(id)).toMatchObject({ status: 'completed' })
  const lines: string[] = []
  for await (const line of service.export(id)) lines.push(line)
  await service.stop()
  return lines
}

const lines = await realRun()
const entries = (await readExport(lines)).entries

/** The chain as someone makes it who can compute every hash, but has no key. */
function rechained(
  change: (entry: Entry) => { readonly type?: EntryType; readonly data?: unknown } | undefined,
): string[] {
  let head: Head = GENESIS
  const forged = entries.flatMap((entry) => {
    const forgery = change(entry)
    if (forgery === undefined) return []
    const { type, key, at, data } = { ...entry, ...forgery }
    const copy = forgeEntry(entry.run, head, { type, key, at, data }, entry.salt!)
    head = headOf(copy)
    return [JSON.stringify(copy)]
  })
  return [...forged, lines.at(-1)!]
}

/** The run with one more entry than it had when it was signed. */
function appended(): string[] {
  const { run } = entries[0]!
  const note = { type: 'note' as const, at: entries.at(-1)!.at, data: { name: 'late', value: 1 } }
  return [...lines.slice(0, -1), JSON.stringify(forgeEntry(run, headOf(entries.at(-1)!), note, 'ab')), lines.at(-1)!]
}

const startOf = (name: string, amount: number): Entry =>
  entriesOfType(entries, 'effect-start').find(
    ({ data: { name: called, input } }) => called === name && (input as { readonly amount?: number }).amount === amount,
  )!

function changed(seq: number, member: string, value: unknown): (entry: Entry) => Partial<Entry> {
  return (entry) => (entry.seq === seq ? { data: { ...(entry.data as object), [member]: value } as never } : {})
}

/** What the script says, and what we say, of the same lines. */
async function judge(
  given: readonly string[],
  withKey = true,
): Promise<{ theirs: boolean; ours: boolean; said: string }> {
  const file = join(dir, 'export.jsonl')
  writeFileSync(file, `${given.join('\n')}\n`)
  const args = [join(root, 'docs/audit/check-journal.mjs'), file, ...(withKey ? [keyFile] : [])]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const report = await verifyExport(await readExport(given), { publicKeys: withKey ? publicPem : undefined })
  return { theirs: status === 0, ours: report.ok, said: `${stdout}${stderr}${report.problems.join('\n')}` }
}

describe('an auditor without our code comes to the same verdict', () => {
  const unsigned = lines.slice(0, -1)
  const approved = startOf('pay', 2)
  const rejection = entriesOfType(entries, 'approval-response').find(({ data }) => data.answer === 'reject')!
  const tampered = unsigned.with(3, unsigned[3]!.replace(/"at":(\d+)/, '"at":1'))
  const dataTampered = unsigned.map((line) => line.replace('too much', 'too little'))
  it.each<[string, readonly string[], boolean, boolean]>([
    ['a good export', lines, true, true],
    ['a good export, without the key', lines, false, true],
    ['a good export without a signature, without the key', unsigned, false, true],
    ['an export without its signature', unsigned, true, false],
    ['a changed entry', [...tampered, lines.at(-1)!], true, false],
    ['a changed entry, without the key', tampered, false, false],
    ['changed data, without the key', dataTampered, false, false],
    ['a dropped entry', lines.toSpliced(4, 1), true, false],
    ['a cut tail', lines.toSpliced(-4, 3), true, false],
    ['something added after what was signed', appended(), true, false],
    ['a cut tail, hidden by nothing', unsigned.slice(0, -3), false, true],
    [
      'one that was computed anew from the start',
      rechained((entry) => (entry.type === 'note' ? undefined : changed(2, 'name', 'x')(entry))),
      true,
      false,
    ],
    [
      'one whose rejection became an approval, computed anew',
      rechained(changed(rejection.seq, 'answer', 'approve')),
      true,
      false,
    ],
    [
      'one whose denied call ran, computed anew',
      rechained((entry) => (entry.type === 'effect-decide' ? { type: 'effect-start' } : {})),
      true,
      false,
    ],
    [
      'the same, without a signature to give it away',
      rechained((entry) => (entry.type === 'effect-decide' ? { type: 'effect-start' } : {})).slice(0, -1),
      false,
      false,
    ],
    [
      'one that ran another input than the approved one',
      rechained(changed(approved.seq, 'hash', 'x')).slice(0, -1),
      false,
      false,
    ],
    [
      'one whose approval is missing',
      rechained((entry) => (entry.type.startsWith('approval') && entry.seq < approved.seq ? undefined : {})).slice(
        0,
        -1,
      ),
      false,
      false,
    ],
    [
      'one whose approval expired instead',
      rechained((entry) =>
        entry.type === 'approval-response' && entry.seq < approved.seq
          ? changed(entry.seq, 'answer', 'expire')(entry)
          : {},
      ).slice(0, -1),
      false,
      false,
    ],
  ])('%s', async (_, given, withKey, isGood) => {
    const { theirs, ours, said } = await judge(given, withKey)
    expect({ theirs, ours }, said).toEqual({ theirs: isGood, ours: isGood })
  })

  it('also of a run that was erased, whose data is gone and whose chain holds', async () => {
    const journal = memoryJournal()
    await importRun(journal, lines, 0)
    await journal.erase(entries[0]!.run)
    const erased: string[] = []
    for await (const entry of journal.read(entries[0]!.run)) erased.push(JSON.stringify(entry))
    expect(await judge([...erased, lines.at(-1)!])).toMatchObject({ theirs: true, ours: true })
  })

  it('in at most sixty lines that import nothing of ours', () => {
    const script = readFileSync(join(root, 'docs/audit/check-journal.mjs'), 'utf8')
    expect(script.trim().split('\n').length).toBeLessThanOrEqual(60)
    expect([...script.matchAll(/from '([^']+)'/g)].map(([, from]) => from)).toEqual(['node:crypto', 'node:fs'])
  })
})
