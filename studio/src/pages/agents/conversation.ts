import { useQuery } from '@tanstack/react-query'
import { get, post } from '../../api/client.ts'
import type { Message } from '../run/chat-tab.tsx'

type Content = {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly name?: string
  readonly arguments?: unknown
  readonly result?: unknown
  readonly status?: string
}

interface ChatMessage {
  readonly id: string
  readonly role: string
  readonly content: readonly Content[]
  readonly metadata?: { readonly status?: string }
}

interface Summary {
  readonly id: string
  readonly agentId: string | null
  readonly updatedAt: number
  readonly status: 'idle' | 'running' | 'suspended'
  readonly metadata?: { readonly title?: string }
}

/** A conversation as the server stores it: its messages, and the runs of its turns. */
export interface StoredConversation extends Summary {
  readonly messages: readonly ChatMessage[]
  readonly runs: readonly string[]
}

const PATH = '/api/conversations'

function pathOf(id: string, rest = ''): string {
  return `${PATH}/${encodeURIComponent(id)}${rest}`
}

export function useConversation(id: string | undefined) {
  return useQuery({
    queryKey: ['conversation', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => get<StoredConversation>(pathOf(id!), {}, signal),
  })
}

const LISTED = 50

/** Loads the last conversations with an agent. */
export function useConversations(agentId: string) {
  return useQuery({
    queryKey: ['conversation', 'of', agentId],
    queryFn: async ({ signal }) => {
      const { conversations } = await get<{ conversations: readonly Summary[] }>(PATH, { limit: LISTED }, signal)
      return conversations.filter((each) => each.agentId === agentId)
    },
  })
}

const TITLE_MAX = 80

/** Begins a conversation, with its first message as the title, and returns its id. */
export async function beginConversation(agentId: string, text: string): Promise<string> {
  const title = text.trim().replaceAll(/\s+/g, ' ').slice(0, TITLE_MAX)
  const { id } = await post<{ readonly id: string }>(PATH, { agentId, metadata: { title } })
  return id
}

/** Sends a message. Resolves when its turn has begun; the answer comes with the run. */
export async function sendMessage(id: string, agentId: string, message: unknown): Promise<void> {
  await post(pathOf(id, '/messages'), { agentId, message })
}

/** Ends the turn that is under way or waits. What was said stays. */
export async function stopTurn(id: string, reason: string): Promise<void> {
  await post(pathOf(id, '/cancel'), { reason })
}

/** A message of an earlier turn, as it is shown, with the run that it came from. */
export interface Shown {
  readonly id: string
  readonly message: Message
  readonly run: string | undefined
}

/** The messages of a conversation before its last turn, that turn's run, and messages that were added after it. */
interface Parts {
  readonly before: readonly Shown[]
  readonly last: string | undefined
  readonly after: readonly Shown[]
}

/** Splits a conversation at its last turn, because the run of that turn shows more: what is being written, and the answers of people. */
export function partsOf({ messages, runs, status }: StoredConversation): Parts {
  const last = runs.at(-1)
  const names = new Map<string, string>()
  const shown = messages.map((message) => shownAs(message, runs, names))
  const begun = shown.findIndex(({ run }) => run === last)
  // The turn that is under way may have nothing but its prompt yet.
  if (last === undefined || (begun < 0 && status === 'idle')) return { before: shown, last: undefined, after: [] }
  const end = shown.findLastIndex(({ run }) => run === last) + 1
  const prompt = messages.slice(0, begun < 0 ? undefined : begun).findLastIndex(({ role }) => role === 'user')
  return { before: shown.slice(0, Math.max(0, prompt)), last, after: begun < 0 ? [] : shown.slice(end) }
}

/** Converts a message to the form in which runs have theirs. */
function shownAs(
  { id, role, content, metadata }: ChatMessage,
  runs: readonly string[],
  names: Map<string, string>,
): Shown {
  const parts = content.map((part) => {
    const { type, toolCallId = '', name = '', status } = part
    if (type === 'tool_call') {
      names.set(toolCallId, name)
      return { type: 'tool-call', toolCallId, toolName: name, input: part.arguments }
    }
    if (type !== 'tool_result') return part
    const told = { toolCallId, toolName: names.get(toolCallId) ?? '', output: part.result }
    return { type: 'tool-result', ...told, status: metadata?.status ?? status ?? 'ok' }
  })
  return { id, message: { role, content: parts }, run: runs.find((run) => id.startsWith(`${run}.`)) }
}
