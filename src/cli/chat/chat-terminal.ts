import type { AgentService } from '../../agent/index.ts'
import { Conversations, databaseConversations } from '../../chat/index.ts'
import type { AtlasStream, StoredConversation } from '../../chat/index.ts'
import { MandateError, messageOf } from '../../core/index.ts'
import type { DatabaseClient } from '../../memory/index.ts'
import { readBudget } from '../commands/command.ts'
import { EXIT, exitCodeOfCode } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { clip, count, endStream, note, paint, printLine, spentText, streamText } from '../output.ts'
import { followRuns } from '../terminal/run-status.ts'
import { takeLines } from '../terminal/line-loop.ts'
import { COMMAND_WORDS, QUIT, runChatCommand } from './chat-commands.ts'
import type { ChatScene } from './chat-commands.ts'
import { hint, ownCommand } from '../help/own-command.ts'

/** Maximum characters shown of the last question and of its answer when a conversation is reopened. */
const LAST_CHARS = 200

/** A conversation at a terminal or through a pipe. */
export class ChatTerminal implements ChatScene {
  readonly service: AgentService
  readonly conversations: Conversations
  conversation!: StoredConversation
  agentId = ''
  readonly #flags: Flags
  /** Whether the last output did not end with a line break. */
  #isLineOpen = false
  #exitCode: number = EXIT.ok

  constructor(flags: Flags, service: AgentService, database: DatabaseClient) {
    this.#flags = flags
    this.service = service
    this.conversations = new Conversations(service, { store: databaseConversations(database) })
    // Starts prompts for the user on a new line.
    service.events.on('approval-request', () => this.#endLine())
  }

  /** Starts a conversation, or continues the one with this id. */
  async open(id: string | undefined, agent: string | undefined): Promise<void> {
    const known = id === undefined ? undefined : await this.#find(id)
    const [first] = (await this.service.health()).agents
    this.agentId = agent ?? known?.agentId ?? first ?? ''
    if (this.agentId === '') throw new MandateError('CONFIG_INVALID', 'There is no agent to talk to. Export one.')
    this.service.agent(this.agentId)
    this.conversation = known ?? (await this.conversations.create({ id, agentId: this.agentId }))
    await this.conversations.setAgent(this.conversation.id, this.agentId)
    this.#showHead('; /help lists the commands')
  }

  async goTo(id: string): Promise<void> {
    this.conversation = await this.conversations.get(id)
    this.agentId = this.conversation.agentId ?? this.agentId
    this.#showHead('')
  }

  /** Shows the id of the conversation and its last messages, as a reminder for a returning user. */
  #showHead(more: string): void {
    const { id, messages, runs, status, pending } = this.conversation
    const turns = runs.length === 0 ? '' : `, ${count(runs.length, 'turn')}`
    note(paint('dim', `conversation ${id} with ${this.agentId}${turns}${more}`))
    const asked = messages.findLastIndex(({ role }) => role === 'user')
    for (const { role, content } of asked === -1 ? [] : messages.slice(asked)) {
      const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
      if (role !== 'tool' && text !== '')
        note(paint('dim', `  ${role === 'user' ? '> ' : ''}${clip(text, LAST_CHARS)}`))
    }
    if (status === 'running') note('another process is writing an answer; your message waits until it has ended')
    if (status !== 'suspended') return
    if (pending.length === 0) note('the last turn has not ended; /continue continues it, /cancel ends it')
    this.#showPending(pending)
  }

  async move(id: string): Promise<void> {
    this.conversation = await this.conversations.get(id)
  }

  async goOn(): Promise<void> {
    await this.#follow(await this.conversations.continue(this.conversation.id))
  }

  async run(): Promise<number> {
    await takeLines({
      flags: this.#flags,
      historyName: 'chat-history',
      isWhole,
      leaving: '(Ctrl-D or /quit leaves; the conversation is stored.)',
      completer: completeCommand,
      take: async (text) => (await this.#take(text)) === QUIT,
    })
    hint(paint('dim', `continue with: mandate chat --session ${this.conversation.id}`))
    // An interactive user has seen the error and continued, so only piped input fails.
    return process.stdin.isTTY ? EXIT.ok : this.#exitCode
  }

  async #find(id: string): Promise<StoredConversation | undefined> {
    try {
      return await this.conversations.get(id)
    } catch (error) {
      if (!MandateError.isInstance(error) || error.code !== 'NOT_FOUND') throw error
    }
    // A new conversation would have the id of what the user wants to continue, and nothing of it.
    const [run] = await this.service.runs({ sessionId: id, parent: null, limit: 1 })
    if (run === undefined) return undefined
    throw new MandateError(
      'RUN_STATE',
      `"${id}" is a session of runs (${run.name}), not a conversation. Continue it in code with \`run("${run.name}", prompt, { sessionId: "${id}" })\` of the service or with POST /api/runs, or give a conversation another id; \`/list\` in \`mandate chat\` shows yours.`,
    )
  }

  async #take(text: string): Promise<typeof QUIT | undefined> {
    try {
      if (/^\s*\/(?!\/)/.test(text)) {
        const said = await runChatCommand(this, text)
        if (said === QUIT) return QUIT
        if (said !== '') note(said)
      } else await this.#send(text.replaceAll('\\\n', '\n').replace(/^(\s*)\/\//, '$1/'))
    } catch (error) {
      if (!MandateError.isInstance(error)) throw error
      this.#exitCode = exitCodeOfCode(error.code)
      this.#endLine()
      note(`${paint('red', `error[${error.code}]`)} ${messageOf(error)}`)
    }
    return undefined
  }

  async #send(text: string): Promise<void> {
    const options = { agentId: this.agentId, budget: readBudget(this.#flags.budget) }
    await this.#follow(this.conversations.send(this.conversation.id, text, options))
  }

  /** Writes an answer as it is streamed. Ctrl-C cancels it; the text written so far stays in the conversation. */
  async #follow(stream: AtlasStream): Promise<void> {
    const onInterrupt = (): void => void stream.cancel('interrupted at the terminal')
    process.on('SIGINT', onInterrupt)
    const hideStatus = followRuns(this.service)
    try {
      for await (const text of stream) this.#write(text)
    } finally {
      hideStatus()
      process.off('SIGINT', onInterrupt)
      this.#endLine()
      await this.#showCost(stream)
    }
    if (stream.status === 'cancelled') note(paint('yellow', 'cancelled; the text so far is kept'))
    if (stream.status !== 'suspended') return
    this.#exitCode = EXIT.suspended
    this.#showPending(stream.pending)
  }

  #write(text: string): void {
    if (this.#flags.json || this.#flags.jsonl || text === '') return
    if (process.stdout.isTTY) return streamText(text)
    process.stdout.write(text)
    this.#isLineOpen = !text.endsWith('\n')
  }

  #endLine(): void {
    endStream()
    if (this.#isLineOpen) process.stdout.write('\n')
    this.#isLineOpen = false
  }

  /** Writes one line about the cost of a turn. With `--json` the turn is one line of JSON instead. */
  async #showCost({ streamId, status }: AtlasStream): Promise<void> {
    if ((await this.service.journal.summary(streamId)) === undefined) return
    const { usage, cost, text, result, error, pending } = await this.service.result(streamId)
    const conversation = this.conversation.id
    if (this.#flags.json)
      printLine({ conversation, run: streamId, agent: this.agentId, status, text, result, usage, cost, error, pending })
    const spent = spentText(usage.totalTokens, cost, usage.estimated)
    note(paint('dim', `${this.agentId}: ${spent}, run ${streamId}`))
  }

  #showPending(pending: StoredConversation['pending']): void {
    for (const { approvalId, reason, text } of pending) {
      const how = reason === 'approval' ? `approve ${approvalId ?? ''}` : `answer ${approvalId ?? ''} <value>`
      note(
        `waiting (${reason}): ${text} ${approvalId === undefined ? '' : `Answer it with: ${ownCommand()} ${how}, then /continue`}`,
      )
    }
  }
}

/** Whether a message is complete: a trailing backslash continues it on the next line. */
function isWhole(text: string): boolean {
  return !text.endsWith('\\')
}

async function completeCommand(line: string): Promise<[string[], string]> {
  return line.startsWith('/') ? [COMMAND_WORDS.filter((word) => word.startsWith(line)), line] : [[], line]
}
