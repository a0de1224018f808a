import type { Journal } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import { guarantee } from './case.ts'
import type { JournalCase } from './case.ts'

/** Makes a process over the journal, with a program that makes one call for which a rule requires an approval. */
function processOver(journal: Journal): Kernel {
  const rules = [{ id: 'look', when: { tool: 'pay' }, then: 'ask' }] as const
  const kernel = new Kernel({ journal, mandate: { rules } })
  kernel.registry.registerTool(defineTool({ name: 'pay', risk: 'write', run: () => 'paid' }))
  kernel.registry.registerMind({
    kind: 'program',
    name: 'main',
    start: async (input, context) => (await context.perform({ kind: 'tool', name: 'pay', input })).status,
  })
  return kernel
}

const pay = (runId: string) => ({ kind: 'program', name: 'main', input: { to: 'x' }, runId }) as const

export const standingCases: readonly JournalCase[] = [
  guarantee(
    'an approval of a rule holds for other runs and processes over it, until it is revoked by any of them',
    async ({ journal }, expect) => {
      const [first, second] = [processOver(journal), processOver(journal)]
      expect((await first.run(pay('a'))).state).toBe('suspended')
      const [request] = await first.approvals('a')
      await first.respond(request!.id, { answer: 'approve', scope: 'rule' })
      expect((await first.resume('a')).state).toBe('completed')
      expect((await second.run(pay('b'))).state).toBe('completed')
      expect((await second.verify('b')).ok).toBe(true)
      await first.revoke(request!.id)
      expect((await second.run(pay('c'))).state).toBe('suspended')
      expect((await second.standingApprovals({ all: true })).map(({ id, state }) => [id, state])).toEqual([
        [request!.id, 'revoked'],
      ])
      await Promise.all([first.stop(), second.stop()])
    },
  ),

  guarantee(
    'approvals of rules that two processes record at the same time are both kept',
    async ({ journal }, expect) => {
      const processes = [processOver(journal), processOver(journal)]
      const given = await Promise.all(
        processes.map(async (kernel, index) => {
          const run = `run${index}`
          await kernel.run(pay(run))
          const [request] = await kernel.approvals(run)
          return { kernel, run, id: request!.id }
        }),
      )
      for (const { kernel, id } of given) await kernel.respond(id, { answer: 'approve', scope: 'rule' })
      await Promise.all(given.map(({ kernel, run }) => kernel.resume(run)))
      const listed = (await processOver(journal).standingApprovals()).map(({ id }) => id)
      expect(listed.toSorted()).toEqual(given.map(({ id }) => id))
      await Promise.all(processes.map((kernel) => kernel.stop()))
    },
  ),
]
