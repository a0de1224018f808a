import { isErased, memoryJournal, readAll } from '../../src/journal/index.ts'
import type { Entry, Journal } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { ScriptedModel, ScriptedStep } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { Tool } from '../../src/tool/index.ts'
import type { Json } from '../../src/core/index.ts'

/** What the gate said of one effect. */
export interface Said {
  readonly verdict: string
  readonly rule: string
  readonly kind: string
  readonly name: string
}

/** The tool that all paths try to reach, and how often they did. */
export interface Target {
  readonly tool: Tool
  readonly reached: Json[]
}

export function target(): Target {
  const reached: Json[] = []
  const tool = defineTool({
    name: 'wipe',
    description: 'Wipes a disk.',
    inputSchema: { type: 'object', properties: { disk: { type: 'string' } }, required: ['disk'] },
    risk: 'destructive',
    run: (input: Json) => void reached.push(input),
  })
  return { tool, reached }
}

/** A tool that always fails, so that a fallback is looked for. */
export const broken: Tool = defineTool({
  name: 'broken',
  risk: 'read',
  run: () => Promise.reject(new Error('out of order')),
})

export function model(name: string, ...steps: readonly ScriptedStep[]): ScriptedModel {
  return scripted(steps, { name, by: 'call' })
}

/** Everything the gate said in the runs of a store, parents and children alike. */
export async function saidIn(journal: Journal): Promise<readonly Said[]> {
  const runs = await journal.list({ limit: Number.MAX_SAFE_INTEGER })
  const entries = (await Promise.all(runs.map(({ run }) => readAll(journal, run)))).flat()
  return entries.flatMap(saidBy)
}

function saidBy(entry: Entry): readonly Said[] {
  if (isErased(entry)) return []
  const { type, data } = entry
  if (type === 'approval-request') return [{ verdict: 'ask', rule: data.rule, kind: data.kind, name: data.name }]
  if (type !== 'effect-decide' && type !== 'effect-start') return []
  const { kind, name, decision } = data
  return [{ verdict: decision.verdict, rule: decision.rule, kind, name }]
}

export { memoryJournal }
