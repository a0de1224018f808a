import { describe, expect, test } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import type { ServiceOptions } from '../../agent/index.ts'
import { manualClock } from '../../core/index.ts'
import { defineTool } from '../../tool/index.ts'
import { GRAPH_JOURNAL, headSigner, memoryJournal, readAll } from '../../journal/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import { graphRegistry } from '../registry/graph-registry.ts'
import { registerGraph } from '../runtime/register-graph.ts'
import { runGraph } from '../runtime/run-graph.ts'
import { graphReviews } from './graph-reviews.ts'
import type { GraphReview } from './graph-reviews.ts'

const refund = defineTool({ name: 'refund', risk: 'write', run: () => 'refunded' })
const wipe = defineTool({ name: 'wipe', risk: 'destructive', run: () => 'gone' })

const ana = { id: 'ana', roles: ['owner'] }
const eve = { id: 'eve', roles: ['guest'] }
const bob = { id: 'bob', roles: ['maker'] }

const GRAPH: Blueprint = {
  blueprint: 1,
  name: 'refunds',
  start: 'pay',
  nodes: [{ name: 'pay', kind: 'tool', tool: 'refund' }],
  channels: [],
  edges: [],
  joins: [],
  provenance: { origin: 'generated', label: 'assistant' },
}
const CHANGED: Blueprint = { ...GRAPH, nodes: [{ name: 'pay', kind: 'tool', tool: 'wipe' }] }

function serviceOver(options: ServiceOptions = {}): AgentService {
  return new AgentService({ journal: memoryJournal(), tools: [refund, wipe], ...options })
}

async function approved(service: AgentService, blueprint = GRAPH): Promise<GraphReview & { readonly token: string }> {
  const reviews = graphReviews(service)
  const { id, approvalId } = await reviews.request(blueprint)
  await service.as(ana).approve(approvalId!)
  return (await reviews.read(id)) as GraphReview & { readonly token: string }
}

const isRegistered = (service: AgentService): boolean => graphRegistry(service).find('graph', 'refunds') !== undefined

describe('a review', () => {
  test('waits in the inbox with the graph, what it can reach, and what changes', async () => {
    const service = serviceOver()
    const review = await graphReviews(service).request(GRAPH, { reason: 'faster refunds' })
    expect(review).toMatchObject({
      state: 'waiting',
      graph: 'refunds',
      origin: 'generated assistant',
      changes: null,
      reason: 'faster refunds',
      requestedBy: { id: 'local' },
    })
    const [waiting] = await service.approvals()
    expect(waiting).toMatchObject({
      id: review.approvalId,
      name: 'register_graph',
      risk: 'write',
      input: { graph: 'refunds', hash: review.hash, reach: { sinks: ['refund'], risk: 'write' } },
    })
    expect((await graphReviews(service).list()).map(({ id }) => id)).toEqual([review.id])
  })

  test('shows the difference to the version that is registered', async () => {
    const service = serviceOver()
    await graphReviews(service).register(GRAPH, (await approved(service)).token)
    const { changes, reach } = await graphReviews(service).request(CHANGED)
    expect(changes).toContain('wipe')
    expect(reach).toMatchObject({ sinks: ['wipe'], risk: 'destructive' })
  })

  test('that is approved gives a token, and the graph is registered with it', async () => {
    const service = serviceOver()
    const review = await approved(service)
    expect(review).toMatchObject({ state: 'approved', reviewedBy: { id: 'ana' }, token: expect.any(String) })
    expect(isRegistered(service)).toBe(false)
    expect(await graphReviews(service).register(GRAPH, review.token)).toMatchObject({ state: 'registered' })
    expect(isRegistered(service)).toBe(true)
    const notes = (await readAll(service.journal, GRAPH_JOURNAL)).map(({ data }) => JSON.stringify(data)).join('\n')
    expect(notes).toContain('"requestedBy":"local"')
    expect(notes).toContain('"reviewedBy":"ana"')
    expect(notes).not.toContain(review.token)
  })

  test('that is rejected gives none', async () => {
    const service = serviceOver()
    const { id, approvalId } = await graphReviews(service).request(GRAPH)
    await service.as(ana).reject(approvalId!, 'Not this one.')
    const review = await graphReviews(service).read(id)
    expect(review).toMatchObject({ state: 'rejected', problem: expect.stringContaining('Not this one.') })
    expect(review.token).toBeUndefined()
  })

  test('is of the graph as it was shown: an approver cannot edit it', async () => {
    const service = serviceOver()
    const { id, approvalId, hash: _, ...request } = await graphReviews(service).request(GRAPH)
    const { graph, origin, source, changes, reach, reason, tokenMs } = request
    const edit = { graph, hash: 'other', origin, source, changes, reach, reason, tokenMs }
    await service.as(ana).approve(approvalId!, { edit })
    const review = await graphReviews(service).read(id)
    expect(review.state).toBe('rejected')
    expect(review.token).toBeUndefined()
  })

  test('can be answered by a rule of the host, and denied by its mandate', async () => {
    const byRule = serviceOver({
      onApproval: ({ name, input }) =>
        name === 'register_graph' && (input as { reach: { risk: string } }).reach.risk === 'write'
          ? { answer: 'approve' }
          : undefined,
    })
    expect(await graphReviews(byRule).request(GRAPH)).toMatchObject({ state: 'approved' })
    expect(await graphReviews(byRule).request(CHANGED)).toMatchObject({ state: 'waiting' })
    const denied = serviceOver({ mandate: { deny: ['register_graph'] } })
    expect(await graphReviews(denied).request(GRAPH)).toMatchObject({ state: 'rejected' })
  })

  test('is requested, approved, registered and revoked only by those who may', async () => {
    const roles = { maker: ['run-agent', 'read-journal'], reviewer: ['approve', 'read-journal'], guest: [] } as const
    const service = serviceOver({ mandate: { roles } })
    const reviews = graphReviews(service)
    const denied = expect.objectContaining({ code: 'DENIED' })
    await expect(reviews.as(eve).request(GRAPH)).rejects.toEqual(denied)
    expect(await service.runs()).toEqual([])
    const { id, approvalId } = await reviews.as(bob).request(GRAPH)
    await expect(service.as(bob).approve(approvalId!)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    await service.as({ id: 'rita', roles: ['reviewer'] }).approve(approvalId!)
    const { token } = await reviews.as(bob).read(id)
    await expect(reviews.as(eve).read(id)).rejects.toEqual(denied)
    await expect(reviews.as(bob).register(GRAPH, token!)).rejects.toEqual(denied)
    await expect(reviews.as(bob).revoke(id, 'no')).rejects.toEqual(denied)
    expect(isRegistered(service)).toBe(false)
    expect(await reviews.as(eve).list()).toEqual([])
  })

  test('is not approved by its requester, if the mandate forbids that', async () => {
    const service = serviceOver({ mandate: { selfApproval: false } })
    const { approvalId } = await graphReviews(service).request(GRAPH)
    await expect(service.approve(approvalId!)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    await service.as(ana).approve(approvalId!)
  })

  test('of a graph that is wrong, holds a secret, or names what is not registered is refused', async () => {
    const service = serviceOver({ tools: [] })
    await expect(graphReviews(service).request(GRAPH)).rejects.toThrow('names what is not registered: tool:refund')
    const key = ['sk', 'proj', 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH'].join('-')
    const nodes = [{ name: 'pay', kind: 'interrupt', prompt: `Use ${key}.`, next: 'END' }] as const
    await expect(graphReviews(service).request({ ...GRAPH, nodes })).rejects.toThrow('holds a secret')
    await expect(graphReviews(service).request({ ...GRAPH, start: 'pya' })).rejects.toThrow('There is no node')
    await expect(graphReviews(service).request(GRAPH, { resaon: 'x' } as never)).rejects.toThrow('`reason`')
  })
})

test('a generated graph is neither registered nor run without a review', async () => {
  const service = serviceOver()
  const refused = expect.objectContaining({
    code: 'APPROVAL_REFUSED',
    message: expect.stringContaining('needs a review'),
  })
  expect(() => registerGraph(service, GRAPH)).toThrow(refused)
  expect(() => registerGraph(service, GRAPH, { override: true })).toThrow(refused)
  expect(() => runGraph(service, GRAPH)).toThrow(refused)
  await graphReviews(service).register(GRAPH, (await approved(service)).token)
  expect(await runGraph(service, 'refunds').result()).toMatchObject({ pay: 'refunded' })
})

describe('a token', () => {
  test('is for one version of the graph', async () => {
    const service = serviceOver()
    const { token } = await approved(service)
    await expect(graphReviews(service).register(CHANGED, token)).rejects.toThrow('is for another version of the graph')
    expect(isRegistered(service)).toBe(false)
    await graphReviews(service).register({ ...GRAPH, provenance: { origin: 'generated' } }, token)
    expect(isRegistered(service)).toBe(true)
  })

  test('is used once', async () => {
    const service = serviceOver()
    const { token } = await approved(service)
    await graphReviews(service).register(GRAPH, token)
    await expect(graphReviews(service).register(GRAPH, token)).rejects.toThrow('was used by "local"')
  })

  test('is used once, also by several processes at the same moment', async () => {
    const journal = memoryJournal()
    const services = Array.from({ length: 4 }, () => serviceOver({ journal }))
    const { token } = await approved(services[0]!)
    const tried = await Promise.allSettled(services.map((each) => graphReviews(each).register(GRAPH, token)))
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(services.filter(isRegistered)).toHaveLength(1)
    const notes = (await readAll(journal, GRAPH_JOURNAL)).filter(({ data }) =>
      JSON.stringify(data).includes('registered'),
    )
    expect(notes.filter(({ type }) => type === 'note')).toHaveLength(1)
  })

  test('expires', async () => {
    const clock = manualClock(1_000)
    const service = serviceOver({ clock })
    const { id, token } = await approved(service)
    clock.advance(86_400_000)
    await expect(graphReviews(service).register(GRAPH, token)).rejects.toThrow('has expired')
    expect(await graphReviews(service).read(id)).toMatchObject({ state: 'expired' })
  })

  test('that was never issued is refused', async () => {
    const service = serviceOver()
    const { id, token } = await approved(service)
    for (const forged of [`${id}.0123`, 'none.0123', 'x', `${token}0`, undefined as never])
      await expect(graphReviews(service).register(GRAPH, forged)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    expect(isRegistered(service)).toBe(false)
  })

  test('can be revoked before it is used', async () => {
    const service = serviceOver()
    const { id, token } = await approved(service)
    await graphReviews(service).revoke(id, 'changed my mind')
    await expect(graphReviews(service).register(GRAPH, token)).rejects.toThrow('was revoked by "local"')
    expect(await graphReviews(service).read(id)).toMatchObject({ state: 'revoked' })
    await expect(graphReviews(service).revoke('none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('counts only with a signature of the host, where the host signs', async () => {
    const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    const signed = { signer: headSigner({ privateKey, keyId: 'host' }), trustedKeys: { host: publicKey } }
    const journal = memoryJournal()
    const unsigned = serviceOver({ journal })
    const { id, token } = await approved(unsigned)
    const strict = serviceOver({ journal, ...signed })
    await expect(graphReviews(strict).register(GRAPH, token)).rejects.toThrow('lacks the signature')
    expect(await graphReviews(strict).read(id)).toMatchObject({ state: 'unproven' })
    await graphReviews(unsigned).register(GRAPH, token)
    const again = serviceOver({ journal, ...signed })
    expect((await graphReviews(again).restore()).problems).toEqual([expect.stringContaining('lacks the signature')])
    expect(isRegistered(again)).toBe(false)
    const own = await approved(strict)
    await graphReviews(strict).register(GRAPH, own.token)
    expect(isRegistered(strict)).toBe(true)
  })
})

describe('a registered graph', () => {
  test('is there again after a restart, in its last version', async () => {
    const journal = memoryJournal()
    const first = serviceOver({ journal })
    await graphReviews(first).register(GRAPH, (await approved(first)).token)
    await graphReviews(first).register(CHANGED, (await approved(first, CHANGED)).token)
    await first.stop()
    const second = serviceOver({ journal })
    expect(isRegistered(second)).toBe(false)
    expect(await graphReviews(second).restore()).toEqual({ registered: ['refunds'], problems: [] })
    expect(graphRegistry(second).blueprint('refunds')!.nodes[0]!.tool).toBe('wipe')
  })

  test('is taken back when its registration is revoked: the version before it counts again', async () => {
    const journal = memoryJournal()
    const service = serviceOver({ journal })
    const reviews = graphReviews(service)
    const [one, two] = [await approved(service), await approved(service, CHANGED)]
    await reviews.register(GRAPH, one.token)
    await reviews.register(CHANGED, two.token)
    await reviews.revoke(two.id)
    expect(graphRegistry(service).blueprint('refunds')!.nodes[0]!.tool).toBe('refund')
    await reviews.revoke(one.id)
    expect(isRegistered(service)).toBe(false)
    expect(await graphReviews(serviceOver({ journal })).restore()).toEqual({ registered: [], problems: [] })
  })
})
