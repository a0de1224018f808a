import { afterEach, describe, expect, it } from 'vitest'
import { AgentService } from 'mandate'
import { graphRegistry, graphReviews } from 'mandate/graph'
import { scripted } from 'mandate/model'
import { ReplSession } from 'mandate/repl'
import type { ReplOptions } from 'mandate/repl'

const services: AgentService[] = []

async function open(options: ReplOptions = {}): Promise<{ service: AgentService; session: ReplSession }> {
  const service = new AgentService()
  services.push(service)
  graphRegistry(service).registerModel('small', scripted(['Hello from the graph.']))
  return { service, session: await ReplSession.open(service, options) }
}

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

const source = 'graph hello { start say node say { model "small" prompt "Say hello." next END } }'

describe('a cell that writes a graph', () => {
  it('keeps the draft for later cells, which validate, compile, register and run it', async () => {
    const { session } = await open({ policy: { generatedGraphsRequireReview: false } })
    const defined = await session.evalCell(
      `const draft = await graph_define({ name: 'hello', source: \`${source}\` }); draft`,
    )
    expect(defined.value).toMatchObject({ name: 'hello', nodes: ['say'], compiled: false, requiresReview: false })
    expect((await session.evalCell('await graph_validate(draft)')).value).toEqual([])
    expect((await session.evalCell('await graph_compile("hello")')).value).toMatchObject({ compiled: true })
    expect((await session.evalCell('await graph_register({ graph: draft })')).value).toBe('hello')
    const ran = await session.evalCell('await graph_run({ graph: "hello" })')
    expect(JSON.stringify(ran.value)).toContain('Hello from the graph.')
    expect(ran.calls).toMatchObject([{ kind: 'graph', name: 'hello', status: 'ok' }])
  })

  it('is told what the resolver does not know, and cannot register it', async () => {
    const { session } = await open({ policy: { generatedGraphsRequireReview: false } })
    await session.evalCell(`await graph_define({ name: 'hello', source: \`${source.replace('small', 'smal')}\` })`)
    const { value } = await session.evalCell('await graph_validate("hello")')
    expect(String(value)).toMatch(/smal.*small/s)
    const refused = await session.evalCell('try { await graph_compile("hello") } catch (e) { e.message }')
    expect(refused.value).toMatch(/smal/)
    expect((await session.evalCell('await graph_register("hello")')).error?.message).toMatch(/not compiled/)
  })

  it('waits for the review where the policy asks for one, and the token is used once', async () => {
    const { service, session } = await open()
    await session.evalCell(`await graph_define({ name: 'hello', source: \`${source}\` }); await graph_compile('hello')`)
    const waiting = await session.evalCell('await graph_register({ graph: "hello", reason: "a greeting" })')
    expect(waiting.status).toBe('waiting')
    expect(waiting.pending).toMatchObject([{ name: 'register_graph', input: { graph: 'hello', reason: 'a greeting' } }])
    await service.approve(waiting.pending[0]!.approvalId!)
    expect(await session.resume()).toMatchObject({ status: 'completed', value: 'hello' })
    expect(graphRegistry(service).blueprint('hello')).toMatchObject({ name: 'hello' })
    expect((await graphReviews(service).list({ all: true }))[0]).toMatchObject({ state: 'registered' })
  })

  it('is refused when the review is rejected, and may catch that', async () => {
    const { service, session } = await open()
    await session.evalCell(`await graph_define({ name: 'hello', source: \`${source}\` }); await graph_compile('hello')`)
    const waiting = await session.evalCell('try { await graph_register("hello") } catch (e) { "no: " + e.code }')
    await service.reject(waiting.pending[0]!.approvalId!, 'not now')
    expect((await session.resume()).value).toBe('no: APPROVAL_REFUSED')
    expect(graphRegistry(service).blueprint('hello')).toBeUndefined()
  })

  it('cannot get around the functions by naming their tools', async () => {
    const { session } = await open()
    const { error } = await session.evalCell(
      'await tool_call({ tool: "graph_register", arguments: { blueprint: {} } })',
    )
    expect(error?.code).toBe('TOOL_UNKNOWN')
  })

  it('counts definitions that succeed', async () => {
    const { session } = await open({ policy: { maxGraphDefinitions: 1 } })
    await session.evalCell(`try { await graph_define({ name: 'hello', source: 'graph {' }) } catch {}`)
    const define = `await graph_define({ name: 'hello', source: \`${source}\` })`
    expect((await session.evalCell(define)).status).toBe('completed')
    expect((await session.evalCell(`try { ${define} } catch { 1 }`)).error?.code).toBe('LIMIT_EXCEEDED')
  })

  it('compares drafts with each other and with what is registered', async () => {
    const { session } = await open({ policy: { generatedGraphsRequireReview: false } })
    await session.evalCell(
      `await graph_define({ name: 'hello', source: \`${source}\` }); await graph_compile('hello'); await graph_register('hello')`,
    )
    const second = source.replace('Say hello.', 'Say goodbye.')
    const { value } = await session.evalCell(`
      await graph_define({ name: 'hello', source: \`${second}\` })
      const other = await graph_define({ name: 'bye', source: \`${second.replace('graph hello', 'graph bye')}\` })
      const { text } = await graph_diff('hello', other); text`)
    expect(value).toMatch(/name|graph/)
  })
})

describe('rlm_query', () => {
  it('is a plain call for a short context, and where no mind answers it', async () => {
    const { session } = await open({ model: scripted(['short']) })
    const { value, calls } = await session.evalCell('await rlm_query({ prompt: "q", context: "c" })')
    expect(value).toBe('short')
    expect(calls).toMatchObject([{ kind: 'model' }])
    expect((await session.evalCell('await rlm_query_batched(["a", "b"])')).value).toHaveLength(2)
  })

  it('starts the agent that the session names, with a context of its own, and is a plain call at the greatest depth', async () => {
    const { service, session } = await open({ model: scripted(['plain']), rlm: 'answerer', policy: { plainChars: 3 } })
    const depths: number[] = []
    service.register({
      id: 'answerer',
      runner: {
        run: async (context, _spec, prompt) => {
          depths.push(context.depth)
          return { text: `${prompt}: asked` }
        },
      },
    })
    const { value, calls } = await session.evalCell('await rlm_query({ prompt: "count", context: "abcdef" })')
    expect(value).toBe('count: asked')
    expect(calls).toMatchObject([{ kind: 'agent', name: 'answerer' }])
    expect(depths).toEqual([1])
    session.setPolicy({ maxDepth: 0 })
    expect((await session.evalCell('await rlm_query({ prompt: "count", context: "abcdef" })')).value).toBe('plain')
    expect((await session.evalCell('try { await graph_run({ graph: "x" }) } catch { 1 }')).error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
    })
  })
})
