import { AgentService } from 'mandate'
import { channel, command, defineGraph, registerGraph, runGraph, send } from 'mandate/graph'
import { exportRun, memoryJournal } from 'mandate/journal'
import { openStore } from 'mandate/sqlite'
import type { GraphSide, GraphWork } from './graph-side.ts'
import { FAN, SEQUENCE } from './graph-side.ts'

const state = {
  steps: channel.last<number>({ initial: 0 }),
  notes: channel.topic<string>(),
}

type Stored = { readonly checkpoint?: 'sync' }

function sequence(stored: Stored) {
  let graph = defineGraph({ name: 'sequence', state }).node('n0', () => ({ notes: 'note 0' }), stored)
  for (let at = 1; at < SEQUENCE; at++)
    graph = graph
      .node(`n${at}` as 'n0', () => ({ notes: `note ${at}` }), stored)
      .edge(`n${at - 1}` as 'n0', `n${at}` as 'n0')
  return graph.start('n0')
}

function fan(stored: Stored) {
  return defineGraph({ name: 'fan', state, maxConcurrency: FAN })
    .node('split', () => command({ goto: Array.from({ length: FAN }, (_, item) => send('work', item)) }), stored)
    .node('work', (_, { item }) => ({ notes: `note ${item as number}` }), stored)
    .node('merge', () => ({ notes: 'merged' }), stored)
    .edge('work', 'merge')
    .start('split')
}

function steps(stored: Stored) {
  return defineGraph({ name: 'steps', state, input: ['steps'], maxSteps: 10_000 })
    .node('tick', ({ steps: left }) => ({ steps: left - 1, notes: `note ${left}` }), stored)
    .route('tick', [{ when: 'state.steps > 0', to: 'tick' }, { to: 'END' }])
    .start('tick')
}

/** Our graphs with a journal in memory or, if a folder is given, in SQLite, where each step is stored before the next one starts. */
export async function mandateGraph(folder?: string): Promise<GraphSide> {
  const store = folder === undefined ? undefined : await openStore({ dir: folder })
  const journal = store?.journal ?? memoryJournal()
  const service = new AgentService({ journal })
  const stored: Stored = store === undefined ? {} : { checkpoint: 'sync' }
  for (const graph of [sequence(stored), fan(stored), steps(stored)]) registerGraph(service, graph)
  const start = async (work: GraphWork, left: number): Promise<{ readonly id: string; readonly notes: number }> => {
    const run = runGraph(service, work, work === 'steps' ? { steps: left } : {})
    const { notes } = (await run.result()) as { readonly notes: readonly string[] }
    return { id: run.runId, notes: notes.length }
  }
  return {
    label: `mandate, journal in ${store === undefined ? 'memory' : 'SQLite'}`,
    run: async (work, left = 0) => (await start(work, left)).notes,
    async bytes(left) {
      let bytes = 0
      for await (const line of exportRun(journal, (await start('steps', left)).id)) bytes += line.length
      return bytes
    },
    async close() {
      await service.stop()
      await store?.journal.close()
    },
  }
}
