import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { load } from '../peers/load.ts'
import type { GraphSide, GraphWork } from './graph-side.ts'
import { FAN, SEQUENCE } from './graph-side.ts'
import { checkpointDatabase } from './langgraph-sqlite.ts'

interface State {
  readonly steps: number
  readonly item: number
  readonly notes: readonly string[]
}
type Node = (state: State) => Promise<Partial<State>>

interface Compiled {
  invoke(input: object, options: object): Promise<State>
}
interface Builder {
  addNode(name: string, run: Node): Builder
  addEdge(from: string, to: string): Builder
  addConditionalEdges(from: string, route: (state: State) => unknown, targets: readonly string[]): Builder
  compile(options: object): Compiled
}
interface Builders {
  readonly build: (work: GraphWork) => Builder
  readonly memory: () => object
}

interface LangGraph {
  readonly StateGraph: new (state: object) => Builder
  readonly Annotation: { (options?: object): unknown; Root(fields: object): object }
  readonly Send: new (node: string, input: object) => object
  readonly MemorySaver: new () => object
  readonly START: string
  readonly END: string
}

async function builders(): Promise<Builders> {
  const { StateGraph, Annotation, Send, MemorySaver, START, END } = await load<LangGraph>('@langchain/langgraph')
  const last = { reducer: (_: number, next: number) => next, default: () => 0 }
  const append = { reducer: (list: string[], more: string[]) => [...list, ...more], default: () => [] }
  const State = Annotation.Root({ steps: Annotation(last), item: Annotation(last), notes: Annotation(append) })
  const sequence = (): Builder => {
    const graph = new StateGraph(State)
    for (let at = 0; at < SEQUENCE; at++) graph.addNode(`n${at}`, async () => ({ notes: [`note ${at}`] }))
    graph.addEdge(START, 'n0')
    for (let at = 1; at < SEQUENCE; at++) graph.addEdge(`n${at - 1}`, `n${at}`)
    return graph.addEdge(`n${SEQUENCE - 1}`, END)
  }
  const fan = (): Builder =>
    new StateGraph(State)
      .addNode('split', async () => ({}))
      .addNode('work', async ({ item }) => ({ notes: [`note ${item}`] }))
      .addNode('merge', async () => ({ notes: ['merged'] }))
      .addEdge(START, 'split')
      .addConditionalEdges('split', () => Array.from({ length: FAN }, (_, item) => new Send('work', { item })), [
        'work',
      ])
      .addEdge('work', 'merge')
      .addEdge('merge', END)
  const steps = (): Builder =>
    new StateGraph(State)
      .addNode('tick', async ({ steps: left }) => ({ steps: left - 1, notes: [`note ${left}`] }))
      .addEdge(START, 'tick')
      .addConditionalEdges('tick', ({ steps: left }) => (left > 0 ? 'tick' : END), ['tick', END])
  return { build: (work) => ({ sequence, fan, steps })[work](), memory: () => new MemorySaver() }
}

/** LangGraph with its checkpointer in memory or, if a folder is given, in a file, where each step is stored before the next one starts. */
export async function langGraph(folder?: string): Promise<GraphSide> {
  const { build, memory } = await builders()
  const file = folder === undefined ? undefined : join(folder, 'langgraph.db')
  const checkpointer = file === undefined ? memory() : await saverFor(file)
  const graphs = new Map<GraphWork, Compiled>()
  let thread = 0
  const run = async (work: GraphWork, steps = 0): Promise<number> => {
    const graph = graphs.get(work) ?? build(work).compile({ checkpointer })
    graphs.set(work, graph)
    const options = { recursionLimit: steps + 50, durability: 'sync', configurable: { thread_id: `t${thread++}` } }
    return (await graph.invoke({ steps }, options)).notes.length
  }
  return {
    label: `langgraph 1.4, ${file === undefined ? 'MemorySaver' : 'SqliteSaver'}`,
    run,
    async bytes(steps) {
      await run('steps', steps)
      return storedBytes(file!, `t${thread - 1}`)
    },
    close: async () => {},
  }
}

async function saverFor(file: string): Promise<object> {
  const name = '@langchain/langgraph-checkpoint-sqlite'
  const { SqliteSaver } = await load<{ SqliteSaver: new (db: object) => object }>(name)
  return new SqliteSaver(checkpointDatabase(file))
}

/** Returns the bytes of one thread in the tables of checkpoints and writes. */
function storedBytes(file: string, thread: string): number {
  const db = new DatabaseSync(file)
  const sum = (sql: string): number => (db.prepare(sql).get(thread) as { readonly sum: number }).sum
  const checkpoints = sum(
    'SELECT sum(length(checkpoint) + length(metadata)) AS sum FROM checkpoints WHERE thread_id = ?',
  )
  const writes = sum('SELECT coalesce(sum(length(value)), 0) AS sum FROM writes WHERE thread_id = ?')
  db.close()
  return checkpoints + writes
}
