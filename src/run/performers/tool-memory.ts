import { allLabels, redactJson } from '../../core/index.ts'
import type { Json, Label } from '../../core/index.ts'
import { packLabels, unpackLabels } from '../../memory/index.ts'
import type { MemoryClient, MemoryReadOptions } from '../../memory/index.ts'
import type { PerformCall } from '../performer.ts'
import { appendEntry } from './data.ts'

/** What a tool keeps in the run's memory is redacted, as in the journal, keeps the labels of what it was made from, and is a write of the run like any other. */
export async function appendForTool(
  { run, effect, key }: PerformCall,
  memory: MemoryClient,
  stream: string,
  entry: Json,
): Promise<void> {
  const { memoryPolicy = {} } = run.resources
  if (run.budget.isLimited('storeWrites')) {
    // Counted at once, because the call may still make many; its end will say how many there were.
    run.budget.settle(run.budget.reserve({ storeWrites: 1 }), { storeWrites: 1 })
    run.written ??= new Map()
    run.written.set(key, (run.written.get(key) ?? 0) + 1)
  }
  const kept = packLabels(redactJson(entry, run.redactor), allLabels(effect.labels))
  if (memoryPolicy.dryRun !== true) await appendEntry(memory, { stream, entry: kept }, memoryPolicy)
}

/** What a tool reads there labels its result. */
export async function readForTool(
  memory: MemoryClient,
  added: (readonly Label[])[],
  stream: string,
  options: MemoryReadOptions,
): Promise<readonly Json[]> {
  const entries = (await memory.read(stream, options)).map(unpackLabels)
  added.push(memory.labels ?? [], ...entries.map(({ labels }) => labels))
  return entries.map(({ value }) => value)
}
