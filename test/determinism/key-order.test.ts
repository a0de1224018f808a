import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import { channel, defineGraph, registerGraph, resumeGraph, runGraph } from 'mandate/graph'
import { openStore } from 'mandate/sqlite'
import { registerProgram, runProgram, script } from 'mandate/vm'

const folder = mkdtempSync(join(tmpdir(), 'mandate-key-order-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const look = defineTool({
  name: 'look',
  description: 'Gives an object whose keys are in no order.',
  risk: 'read',
  inputSchema: { type: 'object' },
  run: () => ({ zeta: 1, alpha: [{ y: 1, b: 2 }] }),
})
const tell = defineTool({
  name: 'tell',
  description: 'Takes a text.',
  risk: 'read',
  needsApproval: true,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  run: ({ text }: { text?: string }) => text ?? '',
})

const open = async (name: string): Promise<AgentService> =>
  new AgentService({ store: await openStore({ dir: join(folder, name) }), tools: [look, tell] })

it('a program that walks over keys sees the same ones in a process that goes on with it', async () => {
  const source = script(
    'const seen = await tools.look({}); return await tools.tell({ text: JSON.stringify([args, seen]) })',
  )
  const first = await open('program')
  await runProgram(first, source, { z: 1, a: { d: 1, c: 2 } }, { runId: 'r', name: 'p' })
  await first.stop()
  const second = await open('program')
  await registerProgram(second, source, { name: 'p' })
  await second.approve((await second.approvals())[0]!.id)
  expect(await second.resume('r')).toMatchObject({ status: 'completed' })
  expect(await second.replay('r')).toMatchObject({ identical: true })
  await second.stop()
})

it('so does a graph', async () => {
  const graph = defineGraph({ name: 'g', state: { seen: channel.last<object>(), said: channel.last<string>() } })
    .node('make', () => ({ seen: { z: 1, a: { d: 1, c: 2 } } }))
    .node('say', async ({ seen }, context) => ({
      said: String(await context.tool('tell', { text: JSON.stringify(seen) })),
    }))
    .start('make')
    .edge('make', 'say')
  const first = await open('graph')
  const begun = await runGraph(first, graph, {}, { runId: 'r' }).outcome
  expect(begun).toMatchObject({ state: 'suspended' })
  await first.stop()
  const second = await open('graph')
  registerGraph(second, graph)
  await second.approve((await second.approvals())[0]!.id)
  expect(await resumeGraph(second, 'r').outcome).toMatchObject({ state: 'completed' })
  await second.stop()
})
