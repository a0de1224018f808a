import { generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { headOf } from '../../src/journal/index.ts'
import type { Entry, Head } from '../../src/journal/index.ts'
import { forgeEntry } from '../../src/testing/index.ts'
import { REFUND, mandate, refunds, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

/** An export that someone has written again: with another start, and with an approval of their own behind its end. */
function forged(lines: readonly string[], source?: string): string {
  let head: Head = { seq: 0, hash: '0'.repeat(64), at: 0 }
  const entries = lines.map((line) => JSON.parse(line) as Entry)
  const request = entries.find(({ type }) => type === 'approval-request')!
  const by = { id: 'mallory', roles: ['owner'] }
  const answer = {
    type: 'approval-response',
    key: request.key,
    at: 0,
    data: { request: request.seq, answer: 'approve', by },
  } as const
  return [...entries, answer]
    .map(({ type, key, data, at }) => {
      const said = type === 'run-start' && source !== undefined ? { ...data, source } : data
      const entry = forgeEntry(request.run, head, { type, key, at, data: said }, 'salt')
      head = headOf(entry)
      return JSON.stringify(entry)
    })
    .join('\n')
}

it('a forged import is listed, verified and resumed without a deed, and the file that it names is not loaded', async () => {
  const suspended = await mandate('run', REFUND, 'Refund order A-17.')
  const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
  const lines = (await mandate('export', run)).out.trim().split('\n')
  const [file, evil, trace, other] = ['forged.jsonl', 'evil.ts', 'trace', 'other'].map((name) =>
    join(store(), '..', name),
  )
  writeFileSync(
    evil!,
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(trace)}, 'x')\nexport default { agents: [] }\n`,
  )
  writeFileSync(file!, forged(lines, evil))
  const imported = await mandate('import', file!, '--dir', other!)
  expect(imported).toMatchObject({ code: 0, notes: expect.stringContaining('do not count here') })
  expect(await mandate('verify', run, '--dir', other!)).toMatchObject({
    code: 0,
    out: expect.stringContaining('nothing proves who gave the answers'),
  })
  expect((await mandate('resume', run, '--dir', other!)).notes).toContain('the file that it names is not loaded')
  expect(existsSync(trace!)).toBe(false)
  expect((await mandate('resume', run, '--dir', other!, '--file', REFUND)).code).toBe(4)
  expect(refunds()).toBe('')
})

it('an approval that was signed where it was given counts elsewhere, with the key', async () => {
  const [key, pub, file, other] = ['key.pem', 'pub.pem', 'moved.jsonl', 'elsewhere'].map((name) =>
    join(store(), '..', name),
  )
  const pair = generateKeyPairSync('ed25519')
  writeFileSync(key!, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(pub!, pair.publicKey.export({ type: 'spki', format: 'pem' }))
  const suspended = await mandate('run', REFUND, 'Refund order A-17.')
  const run = /mandate resume (\S+)/.exec(suspended.notes)![1]!
  expect((await mandate('approve', /mandate approve (\S+)/.exec(suspended.notes)![1]!, '--sign', key!)).code).toBe(0)
  expect((await mandate('resume', run)).code).toBe(0)
  expect(refunds()).toBe('A-17\n')
  const lines = (await mandate('export', run)).out.trim().split('\n')
  const upTo = lines.findIndex((line) => line.includes('"approval-response"')) + 1
  writeFileSync(file!, `${lines.slice(0, upTo).join('\n')}\n`)
  expect((await mandate('import', file!, '--dir', other!)).code).toBe(0)
  expect((await mandate('resume', run, '--dir', other!, '--file', REFUND)).code).toBe(4)
  expect(refunds()).toBe('A-17\n')
  expect((await mandate('resume', run, '--dir', other!, '--file', REFUND, '--public', pub!)).code).toBe(0)
  expect(refunds()).toBe('A-17\nA-17\n')
})
