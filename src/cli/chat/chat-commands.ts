import type { AgentService } from '../../agent/index.ts'
import { chatText } from '../../chat/index.ts'
import type { Conversations, StoredConversation } from '../../chat/index.ts'
import { MandateError, nearest, systemClock } from '../../core/index.ts'
import { clip, count, spentText, table } from '../output.ts'
import { moment } from '../terminal/layout.ts'

/** The chat state that slash commands read and change. */
export interface ChatScene {
  readonly service: AgentService
  readonly conversations: Conversations
  readonly conversation: StoredConversation
  /** The agent that answers the next message. */
  agentId: string
  /** Switches to a copy of the conversation. */
  move(id: string): Promise<void>
  /** Switches to another conversation and shows its last messages. */
  goTo(id: string): Promise<void>
  /** Resumes a turn that is waiting. */
  goOn(): Promise<void>
}

interface ChatCommand {
  readonly usage: string
  readonly about: string
  /** Returns the text to show, or `QUIT` to end the chat. */
  run(scene: ChatScene, word: string): Promise<string | typeof QUIT>
}

/** The result of a command that ends the chat. */
export const QUIT: unique symbol = Symbol('quit')

const COMMANDS: { readonly [name: string]: ChatCommand } = {
  help: { usage: '/help', about: 'this list', run: async () => helpText() },
  agent: {
    usage: '/agent [id]',
    about: 'lists the agents; with an id, that agent answers from now on',
    run: agent,
  },
  undo: { usage: '/undo [n]', about: 'returns to before the last turns, in a new conversation', run: undo },
  cost: { usage: '/cost', about: 'shows the tokens and the cost of the conversation', run: cost },
  fork: { usage: '/fork [id]', about: 'continues in a copy; this conversation stays as it is', run: fork },
  list: { usage: '/list', about: 'lists your last conversations, each with its first message', run: list },
  open: { usage: '/open <id>', about: 'continues another conversation', run: open },
  continue: { usage: '/continue', about: 'continues a turn that waited for an answer', run: goOn },
  cancel: { usage: '/cancel', about: 'ends a waiting turn', run: cancel },
  quit: { usage: '/quit', about: 'leaves (/exit does the same); the conversation is stored', run: async () => QUIT },
}

/** Aliases of commands that other chat programs use. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([['exit', 'quit']])

export const COMMAND_WORDS: readonly string[] = Object.keys(COMMANDS).map((name) => `/${name}`)

/** Runs a line that begins with a slash. */
export async function runChatCommand(scene: ChatScene, line: string): Promise<string | typeof QUIT> {
  const [, given = '', word = ''] = /^\s*\/(\S*)\s*(.*)$/.exec(line) ?? []
  const name = OTHER_NAMES.get(given) ?? given
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name]!.run(scene, word.trim())
  const near = nearest(name, Object.keys(COMMANDS))
  throw new MandateError(
    'INPUT_INVALID',
    `There is no command /${name}.${near === undefined ? '' : ` Did you mean /${near}?`} See /help. To send a message that begins with a slash, begin it with two.`,
  )
}

function helpText(): string {
  const rows = Object.values(COMMANDS).map(({ usage, about }) => [usage, about])
  return `${table(rows)}\nAnything else is a message; end a line with \\ to continue it on the next.\nCtrl-C stops the answer that is being written, and keeps the text so far.`
}

async function agent(scene: ChatScene, id: string): Promise<string> {
  const { agents } = await scene.service.health()
  if (id === '') return agents.map((one) => (one === scene.agentId ? `* ${one}` : `  ${one}`)).join('\n')
  if (!agents.includes(id)) {
    const near = nearest(id, agents)
    const hint = near === undefined ? `There are: ${agents.join(', ')}.` : `Did you mean ${near}?`
    throw new MandateError('NOT_FOUND', `There is no agent "${id}". ${hint}`)
  }
  await scene.conversations.setAgent(scene.conversation.id, id)
  scene.agentId = id
  return `${id} answers from now on`
}

async function undo(scene: ChatScene, word: string): Promise<string> {
  const turns = word === '' ? 1 : Number(word)
  if (!Number.isSafeInteger(turns) || turns < 1)
    throw new MandateError('INPUT_INVALID', `How many turns? /undo takes a whole number from 1 up, not "${word}".`)
  const before = await scene.conversations.get(scene.conversation.id)
  if (turns > before.runs.length)
    throw new MandateError(
      'INPUT_INVALID',
      `There are not that many turns to undo: the conversation has ${count(before.runs.length, 'turn')}.`,
    )
  const { id } = await scene.conversations.fork(before.id, { turns: -turns })
  await scene.move(id)
  return `${count(turns, 'turn')} undone; their effects outside are not. This is ${id}; ${before.id} still has them${leftOpen(before)}.`
}

async function fork(scene: ChatScene, word: string): Promise<string> {
  const before = await scene.conversations.get(scene.conversation.id)
  const { id } = await scene.conversations.fork(before.id, word === '' ? {} : { id: word })
  await scene.move(id)
  return `conversation ${id}, forked from ${before.id}${leftOpen(before)}`
}

/** Number of conversations that fit on a screen together with their first question. */
const LISTED = 10

async function list({ conversations, conversation }: ChatScene): Promise<string> {
  const rows = []
  for (const { id, updatedAt } of await conversations.list({ limit: LISTED })) {
    const [first] = (await conversations.get(id)).messages
    const began = first === undefined ? '' : clip(chatText(first), 50)
    rows.push([`${id === conversation.id ? '*' : ' '} ${id}`, moment(updatedAt, systemClock.now()), began])
  }
  return table(rows)
}

async function open(scene: ChatScene, id: string): Promise<string> {
  if (id === '') throw new MandateError('INPUT_INVALID', 'Which conversation? /open takes an id; /list shows them.')
  await scene.goTo(id)
  return ''
}

/** Describes the unfinished turn, which is not part of a copy of the conversation. */
function leftOpen({ id, status, streamId }: StoredConversation): string {
  return status === 'idle'
    ? ''
    : `; the turn that has not ended (${streamId}) stays in ${id}: end it there with /cancel`
}

async function goOn(scene: ChatScene): Promise<string> {
  await scene.goOn()
  return ''
}

async function cancel({ conversations, conversation }: ChatScene): Promise<string> {
  if ((await conversations.get(conversation.id)).status === 'idle')
    throw new MandateError('RUN_STATE', `No turn of the conversation "${conversation.id}" waits. Send a message.`)
  await conversations.cancel(conversation.id, 'cancelled at the terminal')
  return 'the turn has ended; its messages are kept'
}

/**
 * Returns the cost of a conversation. Each turn is a run in the session with the id of the conversation. Turns with another session id were copied and cost
 * nothing here.
 */
async function cost({ service, conversations, conversation }: ChatScene): Promise<string> {
  const { runs } = await conversations.get(conversation.id)
  let copied = 0
  let tokens = 0
  let money = 0
  let isKnown = true
  let isEstimated = false
  for (const run of runs) {
    const summary = await service.journal.summary(run)
    if (summary === undefined || summary.erased) {
      isKnown = false
      continue
    }
    if (summary.sessionId !== conversation.id) {
      copied += 1
      continue
    }
    const result = await service.result(run)
    tokens += result.usage.totalTokens
    money += result.cost ?? 0
    isEstimated ||= result.usage.estimated === true
    isKnown &&= result.cost !== undefined
  }
  const turns = count(runs.length, 'turn') + (copied === 0 ? '' : ` (${copied} of them copied)`)
  return `${turns}, ${spentText(tokens, isKnown ? money : undefined, isEstimated)}`
}
