import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AgentService, kernelOf } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { AgentConfig, ServiceOptions } from '../../src/agent/index.ts'
import { manualClock } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import type { Mandate } from '../../src/gate/index.ts'
import { entriesOfType, importRun, memoryJournal, readAll } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { ScriptedStep } from '../../src/model/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { registerProgram } from '../../src/vm/index.ts'
import { goldenService } from '../golden/kernel-runs.ts'

/** What really happened, in the world outside. */
interface World {
  readonly paid: Json[]
  service(options?: ServiceOptions, config?: Partial<AgentConfig>): AgentService
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-approvals-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const pays = (...inputs: readonly Json[]): ScriptedStep => ({
  toolCalls: inputs.map((input) => ({ name: 'pay', input })),
})

function world(...steps: readonly ScriptedStep[]): World {
  const paid: Json[] = []
  const inputSchema = {
    type: 'object',
    properties: { to: { type: 'string' }, euros: { type: 'number', maximum: 1_000 } },
    required: ['to', 'euros'],
  }
  const run = (input: Json): string => (paid.push(input), 'paid')
  const pay = defineTool({ name: 'pay', risk: 'write', inputSchema, run })
  return {
    paid,
    service(options = {}, config = {}) {
      const model = scripted([...steps, 'Done.'])
      const agent: AgentConfig = { id: 'main', model, tools: [pay], mandate: { profile: 'strict' }, ...config }
      return new AgentService({ agents: [agent], tools: [pay], ...options })
    },
  }
}

const ids = async (service: AgentService, run?: string): Promise<string[]> =>
  (await service.approvals(run)).map(({ id }) => id)
const ana = { to: 'ana', euros: 5 }
const bob = { to: 'bob', euros: 7 }

describe('an approval', () => {
  test('that is stale is refused: answered before, for another call, or for a run that is over', async () => {
    const { service: start, paid } = world(pays(ana), pays(bob))
    const service = start()
    const { id: run } = await service.run('main', 'Pay.')
    const [first] = await ids(service)
    await service.approve(first!)
    await service.resume(run)
    await expect(service.approve(first!)).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
    const [second] = await service.approvals(run)
    const [request] = entriesOfType(await readAll(service.journal, run), 'approval-request')
    await expect(service.approve(second!.id, { hash: request!.data.hash })).rejects.toMatchObject({
      code: 'APPROVAL_STALE',
    })
    await service.cancel(run)
    await service.resume(run)
    await expect(service.approve(second!.id)).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
    expect(paid).toEqual([ana])
  })

  test('that was declined never lets its call execute, however often the run is brought back', async () => {
    const { service: start, paid } = world(pays(ana))
    const journal = memoryJournal()
    const first = start({ journal })
    const { id: run } = await first.run('main', 'Pay.')
    await first.reject((await ids(first))[0]!, 'not today')
    await first.stop()
    for (let times = 0; times < 3; times++) {
      const service = start({ journal })
      expect(await service.resume(run)).toMatchObject({ status: 'completed' })
      await service.stop()
    }
    expect(paid).toEqual([])
    expect(JSON.stringify(await readAll(journal, run))).toContain('not today')
  })

  test.each([
    [[0, 1], 'in their order'],
    [[1, 0], 'the other way round'],
  ])('of two pending calls of one tool can be given %s', async (order) => {
    const { service: start, paid } = world(pays(ana, bob))
    const service = start()
    const { id: run } = await service.run('main', 'Pay.')
    const open = await service.approvals(run)
    expect(open.map(({ input }) => input)).toEqual([ana, bob])
    await service.approve(open[order[0]!]!.id)
    expect(await service.resume(run)).toMatchObject({ status: 'await_user' })
    expect(paid).toEqual([[ana, bob][order[0]!]])
    await service.reject(open[order[1]!]!.id)
    expect(await service.resume(run)).toMatchObject({ status: 'completed' })
    expect(paid).toHaveLength(1)
  })

  test('survives a restart: what one process asked, a second answers and a third carries out, once', async () => {
    const { service: start, paid } = world(pays(ana))
    const path = join(folder(), 'journal.db')
    const inProcess = async <T>(use: (service: AgentService) => Promise<T>): Promise<T> => {
      const journal = sqliteJournal({ path })
      const service = start({ journal })
      try {
        return await use(service)
      } finally {
        await service.stop()
        await journal.close()
      }
    }
    const run = await inProcess(async (service) => (await service.run('main', 'Pay.')).id)
    await inProcess(async (service) => kernelOf(service).respond((await ids(service))[0]!, { answer: 'approve' }))
    expect(await inProcess((service) => service.resume(run))).toMatchObject({ status: 'completed' })
    expect(await inProcess((service) => service.resume(run))).toMatchObject({ status: 'completed' })
    expect(paid).toEqual([ana])
  })

  test('survives an upgrade of the package: one that an earlier build asked for is given to this one', async () => {
    const golden = new URL('../golden/v1/', import.meta.url)
    const linesOf = (name: string): string[] =>
      readFileSync(new URL(name, golden), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    const lines = linesOf('kernel-clerk.jsonl')
    const asLeft = lines.slice(0, lines.findIndex((line) => line.includes('"type":"run-suspend"')) + 1)
    const journal: Journal = memoryJournal()
    await importRun(journal, asLeft, 0)
    await importRun(journal, linesOf('kernel-clerk.3086e5a7402e.jsonl'), 0)
    const service = goldenService(journal)
    const [request] = await service.approvals('kernel-clerk')
    expect(request).toMatchObject({ name: 'pay', input: { euros: 100 } })
    await service.approve(request!.id)
    expect(await service.resume('kernel-clerk')).toMatchObject({ status: 'completed', lastText: 'It is paid.' })
    const starts = entriesOfType(await readAll(journal, 'kernel-clerk'), 'effect-start')
    expect(starts.filter(({ data }) => data.name === 'pay')).toHaveLength(1)
    expect(await service.verify('kernel-clerk')).toMatchObject({ ok: true })
  })

  test('with edited arguments runs and journals those, after the guards have seen them', async () => {
    const { service: start, paid } = world(pays(ana), pays(bob))
    const rules = [{ id: 'no-eve', when: { 'input.to': 'eve' }, then: 'deny', reason: 'Nobody pays Eve.' }] as const
    const service = start({}, { mandate: { profile: 'strict', rules } })
    const { id: run } = await service.run('main', 'Pay.')
    await service.approve((await ids(service))[0]!, { edit: { to: 'ana', euros: 4 } })
    await service.resume(run)
    const [second] = await ids(service)
    // What the tool itself does not take is not even an answer: the approval is still open.
    const refused = { code: 'INPUT_INVALID', message: expect.stringContaining('at most 1000') as string }
    await expect(service.approve(second!, { edit: { to: 'bob', euros: 5_000 } })).rejects.toMatchObject(refused)
    await service.approve(second!, { edit: { to: 'eve', euros: 5 } })
    await service.resume(run)
    expect(paid).toEqual([{ to: 'ana', euros: 4 }])
    const starts = entriesOfType(await readAll(service.journal, run), 'effect-start')
    expect(starts.flatMap(({ data }) => (data.kind === 'tool' ? [data.input] : []))).toEqual([{ to: 'ana', euros: 4 }])
  })

  test.each([
    ['once', [ana], 'await_user'],
    ['run', [ana, ana, bob], 'await_user'],
    ['rule', [ana, ana, bob], 'completed'],
  ] as const)('of scope %s covers what it says and nothing more', async (scope, covered, next) => {
    const { service: start, paid } = world(pays(ana), pays(ana), pays(bob))
    const journal = memoryJournal()
    const service = start({ journal })
    const { id: run } = await service.run('main', 'Pay.')
    await service.approve((await ids(service))[0]!, { scope })
    await service.resume(run)
    expect(paid).toEqual(covered)
    // Another run is asked again, unless what was said in this one was said of the rule.
    const other = await start({ journal }).run('main', 'Pay again.')
    expect(other.status).toBe(next)
  })

  test('of scope run can be narrowed to what its input must be', async () => {
    const { service: start, paid } = world(pays(ana), pays(ana), pays(bob))
    const service = start({})
    const { id: run } = await service.run('main', 'Pay.')
    await service.approve((await ids(service))[0]!, { scope: 'run', standing: { input: { to: ana.to } } })
    expect(await service.resume(run)).toMatchObject({ status: 'await_user' })
    expect(paid).toEqual([ana, ana])
  })

  test('with an option that nobody knows is refused, and is not given in the name of the host', async () => {
    const { service: start, paid } = world(pays(ana))
    const service = start({})
    const { id: run } = await service.run('main', 'Pay.')
    const identity = { id: 'mallory', roles: [] }
    await expect(service.approve((await ids(service))[0]!, { identity } as never)).rejects.toThrow(
      '`identity` is not an option of an approval. Known: scope, standing, edit, reason, hash.',
    )
    expect(await service.resume(run)).toMatchObject({ status: 'await_user' })
    expect(paid).toEqual([])
  })

  test.each(['run', 'rule'] as const)(
    'of scope %s lifts no denial, nor a risk above the one it was given for',
    async (scope) => {
      const { service: start, paid } = world(pays(ana), pays({ to: 'eve', euros: 1 }))
      const mandate: Mandate = {
        profile: 'strict',
        rules: [{ id: 'eve', when: { tool: 'pay', 'input.to': 'eve' }, then: 'deny' }],
      }
      const service = start({}, { mandate })
      const { id: run } = await service.run('main', 'Pay.')
      await service.approve((await ids(service))[0]!, { scope })
      expect(await service.resume(run)).toMatchObject({ status: 'completed' })
      expect(paid).toEqual([ana])
    },
  )

  test('cannot be given by an identity without the role, nor by an agent, the one that asks included', async () => {
    const { service: start, paid } = world(pays(ana))
    const roles = {
      operator: ['run-agent'],
      lead: ['approve'],
      owner: ['create-agent', 'register-tool', 'run-agent', 'approve'],
    } as const
    const service = start({ mandate: { roles } })
    const { id: run } = await service.run('main', 'Pay.')
    const [id] = await ids(service)
    for (const by of [
      { id: 'olga', roles: ['operator'] },
      { id: 'nobody', roles: [] },
      { id: 'main', roles: ['lead'], agent: true },
    ])
      await expect(service.as(by).approve(id!)).rejects.toMatchObject({
        code: expect.stringMatching(/DENIED|REFUSED/u),
      })
    expect(await service.resume(run)).toMatchObject({ status: 'await_user' })
    expect(paid).toEqual([])
    await service.as({ id: 'lena', roles: ['lead'] }).approve(id!)
    await service.resume(run)
    expect(paid).toEqual([ana])
  })

  test('expires: the call is denied, and whoever comes too late is told so', async () => {
    const { service: start, paid } = world(pays(ana))
    const clock = manualClock(1_000)
    const journal = memoryJournal()
    const first = start({ journal, clock, limits: { approvalTtlMs: 5_000 } })
    const { id: run } = await first.run('main', 'Pay.')
    const [id] = await ids(first)
    await first.stop()
    const later = start({ journal, clock: manualClock(7_000), limits: { approvalTtlMs: 5_000 } })
    await expect(later.approve(id!)).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
    expect(await later.resume(run)).toMatchObject({ status: 'completed' })
    expect(paid).toEqual([])
  })

  test('inside a child run continues the child and its parent', async () => {
    const { service: start, paid } = world(pays(ana))
    const parent: AgentConfig = {
      id: 'parent',
      model: scripted([{ toolCalls: [{ name: 'main', input: { prompt: 'Pay.' } }] }, 'All done.'], { name: 'parent' }),
      agents: ['main'],
    }
    const service = start()
    service.register(parent)
    const { id: run, status } = await service.run('parent', 'Have it paid.')
    expect(status).toBe('await_user')
    const [request] = await service.approvals(run)
    expect(request!.run).not.toBe(run)
    await service.approve(request!.id)
    expect(await service.resume(run)).toMatchObject({ status: 'completed', lastText: 'All done.' })
    expect(paid).toEqual([ana])
  })

  test("inside a script's Promise.all repeats none of its siblings", async () => {
    const { service: start, paid } = world()
    const journal = memoryJournal()
    const source = `const call = (to, euros) => tools.pay({ to, euros })
      const done = await Promise.all([call('ana', 5), call('bob', 7), call('cy', 9)])
      return done.length`
    const host = async (): Promise<AgentService> => {
      const service = start({ journal, mandate: { profile: 'strict' } })
      await registerProgram(service, source, { name: 'p' })
      return service
    }
    const first = await host()
    expect(await kernelOf(first).run({ kind: 'program', name: 'p', input: {}, runId: 'r' })).toMatchObject({
      state: 'suspended',
    })
    await first.stop()
    for (const [index, expected] of [
      [1, 1],
      [1, 2],
      [0, 3],
    ] as const) {
      const service = await host()
      await service.approve((await ids(service, 'r'))[index]!)
      await kernelOf(service).resume('r')
      expect(paid).toHaveLength(expected)
      await service.stop()
    }
    expect(paid).toEqual([bob, { to: 'cy', euros: 9 }, ana])
    expect(await kernelOf(await host()).replay('r')).toMatchObject({ identical: true, complete: true })
  })

  test('can be given in bulk: each is checked by itself, and those that are refused are told', async () => {
    const { service: start, paid } = world(pays(ana, bob, { to: 'cy', euros: 9 }))
    const service = start()
    const { id: run } = await service.run('main', 'Pay.')
    const [first, ...others] = await ids(service)
    await service.reject(first!)
    const refusal = await service.approve([first!, ...others, 'nothing-ap1']).catch((error: unknown) => error)
    const { message, info } = refusal as { readonly message: string; readonly info: { refused: { id: string }[] } }
    expect(info.refused.map(({ id }) => id)).toEqual([first, 'nothing-ap1'])
    expect(message).toContain('2 of 4 answers were refused')
    expect(await service.resume(run)).toMatchObject({ status: 'completed' })
    expect(paid).toEqual([bob, { to: 'cy', euros: 9 }])
  })

  test('in bulk is no way around the role, and edits are given one by one', async () => {
    const { service: start, paid } = world(pays(ana, bob))
    const service = start()
    await service.run('main', 'Pay.')
    const all = await ids(service)
    await expect(service.as({ id: 'x', roles: [] }).approve(all)).rejects.toMatchObject({
      info: { refused: [{ id: all[0] }, { id: all[1] }] },
    })
    await expect(service.approve(all, { edit: ana })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    expect(await ids(service)).toEqual(all)
    expect(paid).toEqual([])
  })
})
