import { allLabels, redactJson } from '../../core/index.ts'
import type { Json, Label } from '../../core/index.ts'
import { packLabels, unpackLabels } from '../../memory/index.ts'
import type { MemoryClient, MemoryReadOptions } from '../../memory/index.ts'
import type { PerformCall } from '../performer.ts'

/** What a tool keeps in the run's memory is redacted, as in the journal, and keeps the labels of what it was made from. */
export function appendForTool(
  { run, effect }: PerformCall,
  memory: MemoryClient,
  stream: string,
  entry: Json,
): Promise<void> {
  return memory.append(stream, packLabels(redactJson(entry, run.redactor), allLabels(effect.labels)))
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
