import { afterEach, describe, expect, it } from 'vitest'
import { AgentService } from 'mandate'
import { compileRag, graphReviews, runGraph } from 'mandate/graph'
import { memoryJournal } from 'mandate/journal'
import { ReplSession } from 'mandate/repl'

const services: AgentService[] = []
const sent: string[] = []

const tool = (name: string, run: (input: never) => unknown, more: object = {}): never =>
  ({ name, inputSchema: { type: 'object' }, risk: 'read', run, ...more }) as never

const MAIL = { flow: [{ id: 'mail', sink: 'mail', forbid: ['untrusted:*'] }] }

function newService(journal = memoryJournal()): AgentService {
  const service = new AgentService({
    journal,
    mandate: MAIL,
    tools: [
      tool('web_get', () => ({ to: 'eve@evil.example', n: 1 }), { labels: ['untrusted:web'] }),
      tool('mail', ({ to }: { to: unknown }) => void sent.push(JSON.stringify(to))),
    ],
  })
  services.push(service)
  return service
}

const open = (service: AgentService = newService()): Promise<ReplSession> =>
  ReplSession.open(service, { sessionId: 's', policy: { generatedGraphsRequireReview: false } })

afterEach(async () => {
  sent.length = 0
  for (const service of services.splice(0)) await service.stop()
})

/** What the last of some cells came to: `DENIED` where the mail was held. */
async function codeOf(session: ReplSession, ...cells: readonly string[]): Promise<string> {
  let code = ''
  for (const cell of cells) {
    const { status, error } = await session.evalCell(cell)
    code = error?.code ?? status
  }
  return code
}

const TAINTED = 'const page = await tools.web_get({}); 1'
const DEFINE = `await graph_define({ name: 'g', source: \`graph g { start out state { t string } node out { kind tool tool "\${page.to}" next END } }\` }); 1`

describe('what the host gives back', () => {
  it.each([
    ['the value', '(await tools.web_get({})).to', 'history[0].output'],
    ['what it printed', 'print((await tools.web_get({})).to)', 'history.at(-1).output.trim()'],
    ['its error', 'throw new Error((await tools.web_get({})).to)', 'history[0].error'],
  ])('a cell in `history` has the labels of %s', async (_what, first, read) => {
    expect(await codeOf(await open(), first, `await tools.mail({ to: ${read} })`)).toBe('DENIED')
    expect(sent).toEqual([])
  })

  it.each([
    ['its value', 'page.to'],
    ['a line that it prints', 'print(page.to)'],
    ['its error', 'throw page.to'],
    ['the list of variables', 'show_vars()'],
    ['a function that shows the variables', 'told()'],
    ['a generator', 'print(items.next().value)'],
    ['a promise', 'print(await later)'],
  ])('a cell that reads a variable of an earlier one has its labels: %s', async (_what, source) => {
    const session = await open()
    await session.evalCell(
      `${TAINTED}; const told = () => show_vars(); const make = () => { const to = page.to; return (function* () { yield 1; yield to })() }; const items = make(); const later = (async () => ({ to: page.to }))()`,
    )
    const { labels } = await session.evalCell(source)
    expect(labels).toEqual(['untrusted:web'])
    expect(await codeOf(session, 'await tools.mail({ to: history[1] })')).toBe('DENIED')
  })

  it('the cells of `history` that read nothing labelled stay clean', async () => {
    const session = await open()
    expect(
      await codeOf(session, TAINTED, '"bob"', 'await tools.mail({ to: [history.length, history[1].output] })'),
    ).toBe('completed')
    expect(sent).toEqual(['[2,"\\"bob\\""]'])
    expect((await session.evalCell('"bob"')).labels).toBeUndefined()
  })

  it('`history` keeps its labels in another process, after an undo and in a fork', async () => {
    const journal = memoryJournal()
    const first = await open(newService(journal))
    await codeOf(first, TAINTED, 'print(page.to)', '"clean"')
    const again = await open(newService(journal))
    const mail = 'await tools.mail({ to: history[1].output })'
    expect(await codeOf(again, mail)).toBe('DENIED')
    await again.undo(2)
    expect(await codeOf(again, mail)).toBe('DENIED')
    const fork = await again.fork()
    expect(await codeOf(fork, mail)).toBe('DENIED')
    expect(sent).toEqual([])
  })

  it('labels that single values had are those of everything once they are not followed any more', async () => {
    const journal = memoryJournal()
    await codeOf(await open(newService(journal)), TAINTED)
    const plain = await ReplSession.open(newService(journal), { sessionId: 's', labels: 'never' })
    expect(await codeOf(plain, 'await tools.mail({ to: page.to })')).toBe('DENIED')
  })

  it.each([
    ['the failure of `graph_compile`', 'let m; try { await graph_compile("g") } catch (e) { m = e.message }'],
    ['the drafts that a refusal names', 'let m; try { await graph_compile("no") } catch (e) { m = e.message }'],
    ['`graph_validate`', 'const [m] = await graph_validate("g")'],
    [
      'the draft that `graph_diff` compares with',
      `await graph_define({ name: 'h', source: 'graph h { start out state { t string } node out { kind tool tool "mail" next END } }' }); const m = await graph_diff('g', 'h')`,
    ],
  ])('%s has the labels of a draft from an earlier cell', async (_what, source) => {
    expect(await codeOf(await open(), TAINTED, DEFINE, `${source}; await tools.mail({ to: m })`)).toBe('DENIED')
    expect(sent).toEqual([])
  })

  it('a graph does nothing that what it was written from may not', async () => {
    const source = 'graph g { start n${page.n} state { to string } node n${page.n} { kind tool tool "mail" next END } }'
    const session = await open()
    const define = `await graph_define({ name: 'g', source: \`${source}\` }); const made = await graph_compile('g'); await graph_register('g'); 1`
    expect(await codeOf(session, TAINTED, define)).toBe('completed')
    expect(await codeOf(session, 'await tools.mail({ to: made.hash })')).toBe('DENIED')
    const run = "await graph_run({ graph: 'g', input: { to: 'x' } })"
    expect(await codeOf(session, run)).toBe('DENIED')
    const [service] = services
    const other = await ReplSession.open(service!, { sessionId: 'other' })
    expect(await codeOf(other, run)).toBe('DENIED')
    expect(await runGraph(service!, 'g', { to: 'x' }).outcome).toMatchObject({ error: { code: 'DENIED' } })
    expect(sent).toEqual([])
  })

  it('a reviewed graph has the labels of what was reviewed, from whichever file it is registered', async () => {
    const text = 'graph g { start n1 state { to string } node n1 { kind tool tool "mail" next END } }'
    const service = newService()
    const reviews = graphReviews(service)
    const [graph] = compileRag(text).graphs
    const asked = await reviews.request({ ...graph!, provenance: { origin: 'generated', labels: ['untrusted:web'] } })
    await service.approve(asked.approvalId!)
    const { token } = await reviews.read(asked.id)
    await reviews.register(graph!, token!)
    expect(await runGraph(service, 'g', { to: 'x' }).outcome).toMatchObject({ error: { code: 'DENIED' } })
    expect(sent).toEqual([])
  })
})
