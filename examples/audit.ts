// Who keeps the journal can rewrite it, hashes and all. A head that was signed at the time and kept elsewhere gives it away.
import { AgentService, defineTool } from 'mandate'
import { GENESIS, headOf, headSigner, isErased, memoryJournal, sealEntry } from 'mandate/journal'
import type { Head, SignedHead } from 'mandate/journal'
import { scripted } from 'mandate/model'

const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
const kept: SignedHead[] = []
const pay = defineTool({ name: 'pay', risk: 'write', run: ({ euros }: { euros: number }) => `paid ${euros} euros` })
const clerk = {
  id: 'clerk',
  model: scripted([{ toolCalls: [{ name: 'pay', input: { euros: 5000 } }] }, 'Paid.']),
  tools: [pay],
}

const service = new AgentService({
  agents: [clerk],
  signer: headSigner({ privateKey, keyId: 'audit' }),
  onSignedHead: (head) => void kept.push(head),
})
const { id } = await service.run('clerk', 'Pay the bill.')

// An attacker changes 5000 euros to 50 and recomputes every hash.
const forged = memoryJournal()
const lease = await forged.acquire({ run: id, owner: 'somebody', ttlMs: 1_000, now: 0 })
let last: Head = GENESIS
for await (const written of service.entries(id)) {
  if (isErased(written)) continue
  const changed: typeof written = JSON.parse(JSON.stringify(written).replaceAll('5000', '50'))
  const entry = sealEntry(id, last, changed, changed.salt)
  await forged.append(lease, last.seq, [entry])
  last = headOf(entry)
}
await service.stop()

const auditor = new AgentService({ journal: forged })
console.log('by itself:', (await auditor.verify(id)).ok)
const report = await auditor.verify(id, { head: kept.at(-1), publicKeys: { audit: publicKey } })
console.log('against the head that was kept:', report.ok, report.problems)
if (report.ok) throw new Error('The forgery was not found.')
await auditor.stop()
