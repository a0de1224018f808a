import { expect, it } from 'vitest'
import { MandateError } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import { calls, host, model, replacing, tool } from '../agent.fixture.ts'

const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`

it('carries the call of an approval as it is recorded: whole, and without its secrets', async () => {
  const note = 'x'.repeat(20_000)
  const service = host({
    model: model([calls({ name: 'send', input: { token: SECRET, note } }), 'Done.']),
    tools: [tool('send', () => 'sent', { risk: 'destructive', takesTokens: true })],
  })
  const waiting = await service.run('main', 'Go.')
  const [request] = await service.approvals(waiting.id)
  expect(waiting).toMatchObject({ status: 'await_user', suspendReason: 'approval' })
  expect(waiting.error).toBeUndefined()
  const { id, run, key, hash, risk, text, input, expiresAt } = request!
  expect(waiting.pending).toEqual([
    {
      approvalId: id,
      run,
      key,
      reason: 'approval',
      kind: 'tool',
      name: 'send',
      input,
      hash,
      risk,
      text,
      wakeAt: expiresAt,
    },
  ])
  expect(text).not.toBe('')
  expect((input as { note: string }).note).toBe(note)
  expect(JSON.stringify(waiting)).not.toContain(SECRET)
  expect((await service.result(waiting.id)).pending).toEqual(waiting.pending)
})

it('of another run in the tree carries the call only for those who may answer or read it', async () => {
  const reader = { id: 'rita', roles: ['reader'] }
  const roles = {
    reader: ['read-journal'],
    owner: ['create-agent', 'register-tool', 'run-agent', 'approve', 'read-journal'],
  } as const
  const service = host(
    {
      model: model([calls({ name: 'writer', input: { prompt: 'Send it.' } }), 'Done.']),
      agents: ['writer'],
    },
    {
      mandate: { roles },
      others: [
        {
          id: 'writer',
          model: model([calls('send'), 'Sent.'], { name: 'writer' }),
          tools: [tool('send', () => 'sent', { risk: 'destructive', takesTokens: true })],
          mandate: { roles: { owner: ['run-agent', 'approve', 'read-journal'] } },
        },
      ],
    },
  )
  const { id, pending } = await service.run('main', 'Go.')
  expect(pending).toMatchObject([{ kind: 'tool', name: 'send' }])
  const [item] = (await service.as(reader).result(id)).pending
  expect(item).toMatchObject({ approvalId: pending[0]!.approvalId, reason: 'approval' })
  expect(item).not.toHaveProperty('input')
  expect(item).not.toHaveProperty('name')
})

it('of a run whose store failed carries what failed', async () => {
  const journal = memoryJournal()
  let isFull = false
  const full = replacing(journal, {
    append: async (lease, seq, entries) => {
      if (isFull) throw new MandateError('DISK_FULL', 'No space is left.')
      return journal.append(lease, seq, entries)
    },
  })
  const fill = tool('fill', () => ((isFull = true), 'filled'))
  const result = await host({ model: model([calls('fill'), 'Done.']), tools: [fill] }, { journal: full }).run(
    'main',
    'Go.',
  )
  expect(result).toMatchObject({ status: 'await_user', suspendReason: 'disk' })
  expect(result.error).toBeUndefined()
  expect(result.pending).toEqual([{ reason: 'disk', run: result.id, text: 'DISK_FULL: No space is left.' }])
})
