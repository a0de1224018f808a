import { beforeAll, describe, expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { scripted } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import { formOf, openQuestions, takeAnswer } from './questions.ts'
import { loadProtocol } from './protocol.ts'

beforeAll(loadProtocol)

const owner = { id: 'owner', roles: ['owner'] }

interface Form {
  readonly params: {
    readonly message: string
    readonly requestedSchema: { readonly properties: { readonly decision: { readonly enum: readonly string[] } } }
  }
}

async function asked(note: string) {
  const sent: unknown[] = []
  const send = defineTool({
    name: 'send',
    risk: 'destructive',
    run: (input: { note: string }) => (sent.push(input), 'sent'),
  })
  const service = new AgentService({
    agents: [
      { id: 'main', model: scripted([{ toolCalls: [{ name: 'send', input: { note } }] }, 'Done.']), tools: [send] },
    ],
  })
  const { id } = await service.run('main', 'Go.')
  const [request] = [...(await openQuestions(service.as(owner), id)).values()]
  const { message, requestedSchema } = (formOf(request!) as unknown as Form).params
  const answer = (decision: string): Promise<boolean> =>
    takeAnswer(service.as(owner), request!, { action: 'accept', content: { decision } })
  return { service, id, sent, request: request!, message, decisions: requestedSchema.properties.decision.enum, answer }
}

describe('the form of an approval', () => {
  it('shows the whole call and can approve it', async () => {
    const { service, id, sent, message, decisions, answer } = await asked('x'.repeat(3_900))
    expect(message).toContain('x'.repeat(3_900))
    expect(decisions).toEqual(['approve', 'approve-rule', 'reject'])
    expect(await answer('approve')).toBe(true)
    expect(await service.resume(id)).toMatchObject({ status: 'completed' })
    expect(sent).toHaveLength(1)
  })

  it('says what approving the rule covers, and does it', async () => {
    const { service, id, sent, message, request, answer } = await asked('x')
    expect(message).toContain('in all runs of agent/main, every call of send up to this risk')
    expect(message).toContain('profile/local-permissive-destructive')
    expect(await answer('approve-rule')).toBe(true)
    await service.resume(id)
    expect(await service.standingApprovals()).toMatchObject([{ id: request.id, tool: 'send', by: owner }])
    expect(sent).toHaveLength(1)
  })

  it('that cannot show the whole call says so, tells where it is, and can only reject it', async () => {
    const { service, id, sent, request, message, decisions, answer } = await asked(`${'x'.repeat(4_000)} to eve`)
    expect(message).toMatch(/Cut: 4000 of \d+ characters/)
    expect(message).toContain(`mandate approve ${request.id}`)
    expect(decisions).toEqual(['reject'])
    await expect(answer('approve')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    expect((await service.approvals(id)).map((one) => one.id)).toEqual([request.id])
    expect(await answer('reject')).toBe(true)
    await service.resume(id)
    expect(sent).toEqual([])
  })
})
