import { afterEach, describe, expect, test } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import { scripted, textOf } from '../../model/index.ts'
import { ReplSession } from '../session/repl-session.ts'
import type { ReplOptions } from '../session/repl-session.ts'
import { mixedText, sourceOf } from './context.fixture.ts'
import { contextOf } from './context.ts'
import type { Context } from './context.ts'
import { PAGE_BYTES } from './limits.ts'

const TEXT = mixedText(PAGE_BYTES * 2, 11)
const services: AgentService[] = []

function service(journal = memoryJournal()): AgentService {
  const made = new AgentService({ store: { journal } })
  services.push(made)
  return made
}

async function open(options: ReplOptions): Promise<ReplSession> {
  return ReplSession.open(service(), options)
}

const LABELLED = (): Context => contextOf(sourceOf(TEXT), { labels: ['untrusted:file'] })

/** A session that follows labels, and those of everything that its tool `note` is given. */
async function noted(options: ReplOptions, journal = memoryJournal()) {
  const seen: (readonly string[])[] = []
  const note = {
    name: 'note',
    inputSchema: { type: 'object' },
    risk: 'read',
    run: (_input: unknown, { labels = [] }: { labels?: readonly string[] }) => void seen.push(labels),
  }
  const session = await ReplSession.open(service(journal), { ...options, labels: 'always', tools: [note] as never })
  return { session, seen, journal }
}

afterEach(async () => {
  for (const each of services.splice(0)) await each.stop()
})

describe('`context` of a session, where it is read in parts', () => {
  test.each([
    ['a source', () => sourceOf(TEXT)],
    ['a text', () => contextOf(TEXT, { label: 'source.txt' })],
  ])('has the size and the methods of %s', async (_name, given) => {
    const session = await open({ context: given() })
    const { value } = await session.evalCell(
      '[context.label, context.length, await context.slice(5, 25), (await context.lines(3, 5)), await context.count(/needle/g)]',
    )
    const lines = TEXT.split('\n').map((line) => line.replace(/\r$/, ''))
    expect(value).toEqual([
      'source.txt',
      TEXT.length,
      TEXT.slice(5, 25),
      lines.slice(3, 5),
      TEXT.split('needle').length - 1,
    ])
  })

  test.each(['context.split("x")', 'const f = () => context.indexOf("x"); f()', 'context[0]', 'context.serach(/x/)'])(
    'says what there is where %s asks for something else',
    async (source) => {
      const { error } = await (await open({ context: sourceOf(TEXT) })).evalCell(source)
      expect(error?.message).toMatch(/not loaded and has no `\w+`\. It has: label, length, .*slice\(…\)/)
    },
  )

  test('is handed to a call as the part that is all of it, also from a variable of an earlier cell', async () => {
    const model = scripted(() => 'said')
    const echo = { name: 'echo', risk: 'read', run: (input: unknown) => input }
    const session = await open({ context: contextOf('a short text'), model, tools: [echo] as never })
    expect((await session.evalCell('const whole = context; await tools.echo(context)')).value).toMatchObject({
      from: 0,
      to: 12,
    })
    await session.evalCell('await rlm_query({ prompt: "What is this?", context: whole })')
    expect(textOf(model.requests[0]!.messages[0]!)).toBe('What is this?\n\na short text')
  })

  test('is reached by functions that later cells call, and by parts in variables', async () => {
    const session = await open({ context: sourceOf(TEXT) })
    await session.evalCell(
      'const parts = await context.chunks({ size: 100000 }); const read = (i) => context.slice(parts[i])',
    )
    const { value } = await session.evalCell('(await read(1)).slice(0, 30)')
    expect(value).toBe(TEXT.slice(100_000, 100_030))
  })

  test('is as before in the next cell, whatever a cell did to it', async () => {
    const session = await open({ context: sourceOf(TEXT) })
    await session.evalCell('try { context.length = 1 } catch {} try { context = 5 } catch {}')
    expect((await session.evalCell('[context.length, await context.head(5)]')).value).toEqual([
      TEXT.length,
      TEXT.slice(0, 5),
    ])
  })

  test('gives errors that the cell can catch and correct', async () => {
    const session = await open({ context: sourceOf(TEXT) })
    const { value } = await session.evalCell(
      'const why = []; for (const call of [() => context.slice(0), () => context.search({ source: `(` }), () => context.search("a", { max: 1 })]) try { await call() } catch (e) { why.push(e.message) } why',
    )
    expect(value).toEqual([
      expect.stringContaining('at most 100000 characters'),
      expect.stringContaining('regular expression'),
      expect.stringContaining('`max` is not an option of `context.search`'),
    ])
  })

  test('can be replaced by another one, or by data', async () => {
    const session = await open({ context: contextOf('first') })
    await session.evalCell('const head = () => context.head(10)')
    session.setContext(contextOf('second'))
    expect((await session.evalCell('await head()')).value).toBe('second')
    session.setContext('third')
    expect((await session.evalCell('context.slice(0, 2)')).value).toBe('th')
  })

  test('is that of a fork too', async () => {
    const session = await open({ context: sourceOf(TEXT) })
    await session.evalCell('1')
    const fork = await session.fork()
    expect((await fork.evalCell('await context.head(4)')).value).toBe(TEXT.slice(0, 4))
  })

  test('stays after all cells are undone, also in another process, with `state` and `messages`', async () => {
    const journal = memoryJournal()
    const session = await ReplSession.open(service(journal), { context: sourceOf(TEXT), state: { of: 'host' } })
    await session.evalCell('let n = 1')
    session.setMessages(['hello'])
    await session.evalCell('n = 2')
    await session.undo(2)
    const told = '[typeof n, state.of, messages[0], await context.head(4)]'
    const kept = ['undefined', 'host', 'hello', TEXT.slice(0, 4)]
    expect((await session.evalCell(told)).value).toEqual(kept)
    await session.undo()
    const again = await ReplSession.open(service(journal), { sessionId: session.id, context: sourceOf(TEXT) })
    expect(await again.contextFacts()).toMatchObject({ label: 'source.txt', length: TEXT.length })
    expect((await again.evalCell(told)).value).toEqual(kept)
  })

  test('is counted against the policy', async () => {
    const session = await open({ context: sourceOf(TEXT), policy: { maxContextCalls: 2 } })
    const { error } = await session.evalCell('for (let i = 0; i < 3; i++) await context.head(1)')
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', info: { limit: 'maxContextCalls' } })
  })
})

describe('reads of a context', () => {
  test('are effects through the gate, which a mandate can deny', async () => {
    const session = await open({ context: sourceOf(TEXT), mandate: { deny: ['context.search'] } })
    const { value, calls } = await session.evalCell(
      'let why; try { await context.search("needle") } catch (e) { why = e.message } [why, await context.head(3)]',
    )
    expect(value).toEqual([expect.stringContaining('context.search'), TEXT.slice(0, 3)])
    expect(calls.map(({ kind, name, status }) => [kind, name, status])).toEqual([
      ['context', 'context.search', 'failed'],
      ['context', 'context.head', 'ok'],
    ])
  })

  test('put the labels of the context on what the cell gives', async () => {
    const session = await open({ context: contextOf(sourceOf(TEXT), { labels: ['untrusted:file'] }) })
    expect((await session.evalCell('await context.head(3)')).labels).toEqual(['untrusted:file'])
  })

  test('follow single values where labels are followed', async () => {
    const { session, seen } = await noted({ context: LABELLED() })
    await session.evalCell('const read = await context.head(3); const own = 3')
    await session.evalCell('await tools.note({ own }); await tools.note({ read })')
    expect(seen).toEqual([[], ['untrusted:file']])
  })

  test.each([
    'context.length',
    'context.label',
    'context.bytes',
    'context.lineCount',
    'context',
    'Object.keys(context)',
    'String(context.length)',
    '((book) => book.length)(context)',
    'context.length > 5 ? "long" : "short"',
  ])('tell nothing of a context without its labels: %s', async (source) => {
    const { session, seen } = await noted({ context: LABELLED() })
    await session.evalCell(`const held = ${source}; await tools.note({ held })`)
    await session.evalCell('await tools.note({ held })')
    expect(seen).toEqual([['untrusted:file'], ['untrusted:file']])
  })

  test('have the labels that the host gives with a context, now or when it opens the session again', async () => {
    const { session, seen, journal } = await noted({ context: sourceOf(TEXT) })
    await session.evalCell('await tools.note({ length: context.length })')
    const { session: again, seen: later } = await noted({ sessionId: session.id, context: LABELLED() }, journal)
    await again.evalCell('await tools.note({ length: context.length })')
    again.setContext(contextOf('other'), { labels: ['secret:key'] })
    await again.evalCell(
      'await tools.note({ length: context.length }); await tools.note({ read: await context.head(1) })',
    )
    expect([seen, later]).toEqual([[[]], [['untrusted:file'], ['secret:key'], ['secret:key']]])
  })

  test('are replayed from the journal, without the source', async () => {
    const source = sourceOf(TEXT)
    const host = service()
    const session = await ReplSession.open(host, { context: source })
    const { run } = await session.evalCell('[await context.count("needle"), await context.lines(1, 3)]')
    source.read = () => Promise.reject(new Error('the source is gone'))
    const { readBytes } = source
    expect(await host.as({ id: 'auditor', roles: ['owner'] }).replay(run)).toMatchObject({ identical: true })
    expect(source.readBytes).toBe(readBytes)
  })
})

describe('a session in another process', () => {
  test('goes on with the same content, and refuses another one', async () => {
    const journal = memoryJournal()
    const first = await ReplSession.open(service(journal), { context: sourceOf(TEXT) })
    await first.evalCell('const hits = await context.count("needle")')
    const sessionId = first.id
    const again = await ReplSession.open(service(journal), { sessionId, context: sourceOf(TEXT) })
    expect((await again.evalCell('hits === await context.count("needle")')).value).toBe(true)
    const changed = ReplSession.open(service(journal), { sessionId, context: sourceOf(`${TEXT}!`) })
    await expect(changed).rejects.toMatchObject({ code: 'RUN_STATE', message: expect.stringContaining('has changed') })
  })

  test('says what is missing when it is opened without its context', async () => {
    const journal = memoryJournal()
    const first = await ReplSession.open(service(journal), { context: sourceOf(TEXT) })
    await first.evalCell('1')
    const again = await ReplSession.open(service(journal), { sessionId: first.id })
    const { value, error } = await again.evalCell('await context.head(3)')
    expect(value).toBeUndefined()
    expect(error?.message).toContain('is not open in this process')
    expect((await again.evalCell('context.length')).value).toBe(TEXT.length)
  })

  test('keeps a method of the context that a variable holds', async () => {
    const journal = memoryJournal()
    const first = await ReplSession.open(service(journal), { context: sourceOf(TEXT) })
    const { warnings } = await first.evalCell(
      'const book = context; const find = context.search; const ask = model_query; const say = print; let n = 1',
    )
    const again = await ReplSession.open(service(journal), { sessionId: first.id, context: sourceOf(TEXT) })
    const { value, error } = await again.evalCell(
      '[n, (await find(/needle/, { limit: 1 })).length, book.length, typeof ask, typeof say]',
    )
    expect([value, error, warnings]).toEqual([[1, 1, TEXT.length, 'function', 'function'], undefined, []])
  })
})
