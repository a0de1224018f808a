import { matchesLabel } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import { packLabels } from '../../memory/index.ts'
import { systemMessage } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Tool, ToolContext } from '../../tool/index.ts'
import type { AgentConfig, WorkingMemory } from '../config/config-types.ts'
import type { Preparation } from '../loop/setup.ts'
import type { AgentPins } from '../output/output-types.ts'

const WORKING_MEMORY_TOOL = 'update_working_memory'

const COLLECTION = 'working_memory'
const LENGTH_MAX = 4_000

/** The tool with which an agent writes its note; `undefined` if it has none. */
export function workingMemoryTool({ workingMemory, databaseClient, memoryPolicy }: AgentConfig): readonly Tool[] {
  if (workingMemory === undefined || databaseClient === undefined) return []
  const { collection = COLLECTION, maxLength = LENGTH_MAX } = workingMemory
  return [
    defineTool({
      name: WORKING_MEMORY_TOOL,
      description:
        'Replaces your working memory, the note that you see at the beginning of every run. Keep in it what still matters.',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', maxLength, description: 'The whole note.' } },
        required: ['text'],
        additionalProperties: false,
      },
      risk: 'write',
      safeByDefault: true,
      idempotent: true,
      takesTokens: true,
      async run({ text }: { text: string }, context: ToolContext) {
        const key = keyFor(workingMemory, context)
        const input = { op: 'write', collection, key, value: { text } }
        const perform = async ({ value }: { readonly [argument: string]: Json }): Promise<void> =>
          databaseClient.write(collection, key, packLabels(value ?? null, context.labels ?? []), {
            ttlMs: memoryPolicy?.ttlMs,
          })
        if (context.write === undefined) await perform(input)
        else await context.write({ kind: 'database', input, idempotent: true, perform })
        return { updated: true }
      },
    }),
  ]
}

/** The note as a message before the others. */
export async function recallNote({ spec, context, pins }: Preparation): Promise<readonly Message[]> {
  if (spec.workingMemory === undefined) return []
  const { collection = COLLECTION, template } = spec.workingMemory
  const input = { op: 'read', collection, key: keyFor(spec.workingMemory, context) }
  const outcome = await context.perform({
    kind: 'database',
    name: 'database',
    key: 'working-memory',
    input,
    origin: 'kickoff',
  })
  if (isWithheld(outcome, pins)) return []
  const text = outcome.status === 'ok' ? ((outcome.value as { readonly text?: string } | null)?.text ?? '') : ''
  if (text !== '') return [systemMessage(`Your working memory (${WORKING_MEMORY_TOOL} replaces it):\n${text}`)]
  if (template === undefined) return []
  return [
    systemMessage(`Your working memory is empty. Fill it with ${WORKING_MEMORY_TOOL}, in this form:\n${template}`),
  ]
}

/** The key of the note's owner. */
function keyFor(
  { scope = 'session' }: WorkingMemory,
  { sessionId, identity }: { readonly sessionId: string; readonly identity: { readonly id: string } },
): string {
  return scope === 'identity' ? `identity:${identity.id}` : `session:${sessionId}`
}

/** Whether a result is withheld: an agent that gets untrusted results as handles must not read them through its memory. */
export function isWithheld(outcome: Outcome, { toolResults }: AgentPins): boolean {
  const labels = outcome.status === 'ok' ? (outcome.labels ?? []) : []
  return toolResults === 'handles' && labels.some((label) => matchesLabel('untrusted:*', label))
}
