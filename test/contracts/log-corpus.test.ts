import type { RunEventBus } from '../../src/journal/index.ts'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'
import { EventBus, jsonLine } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import { entriesOfType, exportRun, importRun, memoryJournal, readAll, readExport } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { openStore, sessionFiles } from '../../src/store/sqlite/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { mandate, useOwnFolder } from '../cli/mandate.fixture.ts'

useOwnFolder()

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-log-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

interface Logged {
  readonly dir: string
  /** The lines of the file of events, of the export, and of what the command prints: all there is to read. */
  readonly lines: readonly (readonly string[])[]
  /** What a tool gave, as the journal has it. */
  readonly value: Json
  readonly issues: readonly string[]
}

/** Lines as the strictest reader tells them apart: at every character that any reader takes for the end of one. */
const split = (text: string): string[] => text.split(/\r\n|[\p{Cc}\u2028\u2029]/u)

/** A run whose tool gives this, stored, exported, filed and printed. */
async function logged(given: unknown, dir = folder()): Promise<Logged> {
  const store = await openStore({ dir })
  const events: RunEventBus = new EventBus()
  events.addSink(sessionFiles({ dir, journal: store.journal, includePayloads: true }))
  const kernel = new Kernel({ journal: store.journal, events })
  const facts = { risk: 'read' as const, inputSchema: { type: 'object' } }
  kernel.registry.registerTool(defineTool({ name: 'give', ...facts, run: () => given }))
  kernel.registry.registerMind({
    kind: 'program',
    name: 'p',
    start: async (_, context) => {
      const outcome = await context.perform({ kind: 'tool', name: 'give', input: {} })
      return outcome.status === 'ok' ? outcome.value : outcome.status
    },
  })
  await kernel.run({ kind: 'program', name: 'p', input: null, runId: 'r', sessionId: 's' })
  await kernel.stop()
  const entries = await readAll(store.journal, 'r')
  const told: string[] = []
  for await (const line of exportRun(store.journal, 'r')) told.push(line)
  await store.journal.close()
  const filed = readFileSync(join(dir, 'sessions', 's', 'events.jsonl'), 'utf8')
  const end = entriesOfType(entries, 'effect-end')[0]!.data
  return {
    dir,
    lines: [split(filed.trimEnd()), told.flatMap(split), split((await printed(dir, '--jsonl')).trimEnd())],
    value: end.outcome.status === 'ok' ? end.outcome.value : null,
    issues: (end.meta as { readonly issues?: readonly string[] } | undefined)?.issues ?? [],
  }
}

async function printed(dir: string, ...flags: readonly string[]): Promise<string> {
  return (await mandate('logs', 'r', '--dir', dir, ...flags)).out
}

const ENTRIES = ['run-start', 'effect-start', 'effect-end', 'run-end']

/** Each place has one line for each entry, and each line is a record by itself. */
async function expectOneLineEach(value: Json): Promise<void> {
  const { lines, value: kept } = await logged({ value })
  for (const each of lines) expect(each.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(ENTRIES)
  expect(kept).toEqual({ value })
}

async function exported(): Promise<string[]> {
  const journal = memoryJournal()
  const kernel = new Kernel({ journal })
  kernel.registry.registerMind({ kind: 'program', name: 'p', start: async () => 'done' })
  await kernel.run({ kind: 'program', name: 'p', input: { asked: true }, runId: 'r' })
  const lines: string[] = []
  for await (const line of exportRun(journal, 'r')) lines.push(line)
  return lines
}

interface Case {
  readonly id: string
  readonly category: string
  readonly input: { readonly value?: Json; readonly key?: string; readonly format?: string }
  readonly expect: string
  readonly reason: string
}

const keyed = async ({ key }: Case['input']): Promise<void> => {
  const given = JSON.parse(`{${JSON.stringify(key)}:{"polluted":true}}`) as Json
  const { value, lines } = await logged(given)
  expect(Object.hasOwn(value as object, key!)).toBe(true)
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  for (const each of lines) expect(each.join('\n')).toContain(`${JSON.stringify(key)}:{"polluted":true}`)
}

/** How each case of the corpus ends here. */
const CASES: { readonly [id: string]: (input: Case['input']) => Promise<void> } = {
  'tool-log-01': ({ value }) => expectOneLineEach(value!),
  'tool-log-04': ({ value }) => expectOneLineEach(value!),
  'tool-log-05': ({ value }) => expectOneLineEach(value!),
  'tool-log-06': async ({ value }) => {
    const { dir } = await logged(`${String(value)}\u009B2J\u202Eturned\u0007`)
    const shown = await printed(dir)
    expect(shown).toContain(String.raw`\u001b[31mred`)
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\u202A-\u202E]/u)
  },
  'tool-log-07': ({ value }) => expectOneLineEach(value!),
  'tool-log-08': async ({ value }) => {
    expect((await logged(value)).value).toEqual({ toJSON: 'fn' })
    // What a program gives is data, whatever its members are called: nothing of it is ever called.
    expect(JSON.parse(jsonLine({ toJSON: 'fn' }))).toEqual({ toJSON: 'fn' })
  },
  'tool-log-11': keyed,
  'tool-log-12': keyed,
  'tool-log-13': async () => {
    const { value, issues } = await logged({ a: Number.NaN, b: [Number.POSITIVE_INFINITY] })
    expect(value).toEqual({ a: null, b: [null] })
    expect(issues).toEqual(['$.a: the number NaN is not JSON', '$.b.0: the number Infinity is not JSON'])
  },
  'tool-log-16': async () => {
    let deep: unknown = 'bottom'
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    const { value, issues, lines } = await logged(deep)
    expect(JSON.stringify(value)).toContain('[too deep]')
    expect(issues[0]).toContain('deeper than')
    for (const each of lines) expect(each).toHaveLength(ENTRIES.length)
  },
  'tool-log-17': async () => {
    const { dir } = await logged('first')
    const path = join(dir, 'sessions', 's', 'events.jsonl')
    appendFileSync(path, '{"seq":5,"type":"run-e')
    await again(dir)
    expect(linesIn(path)).toEqual([...ENTRIES, ...ENTRIES])
  },
  'tool-log-18': async () => {
    const { dir } = await logged('first')
    const path = join(dir, 'sessions', 's', 'events.jsonl')
    // The last record is whole, and only its end is missing: it was not known to be whole, so it is written again from the journal or not at all.
    writeFileSync(path, readFileSync(path, 'utf8').trimEnd())
    await again(dir)
    expect(linesIn(path)).toEqual([...ENTRIES.slice(0, 3), ...ENTRIES])
  },
  'tool-log-20': async () => {
    const [first, ...rest] = await exported()
    await expect(readExport([`\uFEFF${first!}`, ...rest])).rejects.toMatchObject({ code: 'JSON_INVALID' })
  },
  'tool-log-21': async () => {
    const [first, ...rest] = await exported()
    const forged = [
      first!.replace('{"asked":true}', '{"asked":false,"asked":true}'),
      first!.replace('{"asked":true}', String.raw`{"\u0061sked":false,"asked" :true}`),
      first!.replace('"seq":1', '"seq":7,"seq":1'),
    ]
    for (const line of forged) {
      expect(line).not.toBe(first)
      await expect(readExport([line, ...rest])).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' })
    }
    // The same name in two objects, in a list and in a text is no repetition.
    const fine = first!.replace(
      '{"asked":true}',
      String.raw`{"asked":[{"a":1},{"a":1}],"b":"{\"a\":1,\"a\":2}","c":{"a":1}}`,
    )
    await expect(readExport([fine, ...rest])).resolves.toMatchObject({ run: 'r' })
  },
  'tool-log-22': async () => {
    const [first, ...rest] = await exported()
    const changed = [first!.replace('"asked":true', '"asked":false'), ...rest]
    await expect(importRun(memoryJournal(), changed, 0)).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' })
  },
  'tool-log-23': async () => {
    const dir = folder()
    const opened = async (): ReturnType<typeof openStore> => openStore({ dir })
    const resumeTwice = async (): Promise<Kernel> => {
      const { journal } = await opened()
      const kernel = new Kernel({ journal })
      kernel.registry.registerMind({
        kind: 'program',
        name: 'p',
        start: async (_, context) => {
          await context.perform({ kind: 'question', name: 'q', input: 'now?' })
          return 'done'
        },
      })
      return kernel
    }
    const first = await resumeTwice()
    await first.run({ kind: 'program', name: 'p', input: null, runId: 'r' })
    await first.stop()
    await first.journal.close()
    cpSync(join(dir), join(dir, '..', 'older'), { recursive: true })
    onTestFinished(() => rmSync(join(dir, '..', 'older'), { recursive: true, force: true }))
    const second = await resumeTwice()
    const head = await second.journal.summary('r')
    await second.respond((await second.approvals('r'))[0]!.id, { answer: 'answer', value: 'yes' })
    await second.resume('r')
    const newest = (await second.journal.summary('r'))!.head
    expect(newest.seq).toBeGreaterThan(head!.head.seq)
    await second.stop()
    await second.journal.close()
    rmSync(dir, { recursive: true })
    cpSync(join(dir, '..', 'older'), dir, { recursive: true })
    const third = await resumeTwice()
    // Nothing in an older copy tells that it is one; a head that was kept elsewhere does.
    expect(await third.verify('r', { head: newest })).toMatchObject({ ok: false })
    await third.stop()
    await third.journal.close()
  },
  'tool-log-24': async () => {
    const dir = folder()
    const buses = Array.from({ length: 8 }, () => {
      const bus: RunEventBus = new EventBus()
      bus.addSink(sessionFiles({ dir, includePayloads: true }))
      return bus
    })
    for (let seq = 1; seq <= 10_000; seq++)
      for (const [writer, bus] of buses.entries()) {
        const about = { v: 1 as const, at: 1, runId: `r${writer}`, sessionId: 's', agentId: 'a', seq }
        bus.emit({ ...about, type: 'note', data: { name: 'n', value: 'x'.repeat((seq * 7) % 200) } })
        if (seq % 500 === 0) await Promise.resolve()
      }
    await Promise.all(buses.map((bus) => bus.close()))
    const next = new Map<string, number>()
    for (const line of readFileSync(join(dir, 'sessions', 's', 'events.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')) {
      const { runId, seq } = JSON.parse(line) as { runId: string; seq: number }
      expect(seq).toBe((next.get(runId) ?? 0) + 1)
      next.set(runId, seq)
    }
    expect([...next.values()]).toEqual(Array.from({ length: 8 }, () => 10_000))
  },
  'tool-log-27': async ({ format }) => {
    const { dir, value } = await logged(format)
    expect(value).toBe(format)
    expect(await printed(dir)).toContain(format)
  },
}

/** The same run again, from another store, into the same files. */
async function again(dir: string): Promise<void> {
  const events: RunEventBus = new EventBus()
  events.addSink(sessionFiles({ dir }))
  for (const [index, type] of ENTRIES.entries())
    events.emit({ v: 1, at: 2, type, runId: 'q', sessionId: 's', agentId: 'p', seq: index + 1, data: {} })
  await events.close()
}

function linesIn(path: string): string[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type)
}

const corpus = readCorpus<Case>('tools').filter(({ category }) => category === 'log')

test.each(corpus.map((one) => [one.id, one.reason, one] as const))('%s: %s', async (id, _, { input }) => {
  expect(Object.keys(CASES)).toContain(id)
  await CASES[id]!(input)
})

test('values of our own stay on the line of their entry, come back as they were, and steer no terminal', async () => {
  const own = readOwn<Case>('tools').filter(({ category }) => category === 'log')
  const values = own.map(({ input }) => input.value!)
  expect(values.length).toBeGreaterThan(20)
  const { lines, value, dir } = await logged(values)
  for (const each of lines) expect(each.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(ENTRIES)
  expect(value).toEqual(values)
  expect(await printed(dir)).not.toMatch(/(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u)
})
