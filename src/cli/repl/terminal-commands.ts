import { readFileSync, writeFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { MandateError, messageOf, nearest } from '../../core/index.ts'
import { addSpend, entriesOfType, readAll } from '../../journal/index.ts'
import type { Spend } from '../../journal/index.ts'
import type { CellResult, ReplSession } from '../../repl/index.ts'
import { contextText } from '../context-file.ts'
import { clip, count, spentText, table } from '../output.ts'

/** The session state that terminal commands read and change. */
export interface ReplScene {
  readonly service: AgentService
  session: ReplSession
  /** The model that `model_query` uses, if any. */
  model: string | undefined
  evaluate(source: string): Promise<CellResult>
  /** Resumes a cell that is waiting. */
  resume(): Promise<CellResult>
  /** Sets the model that `model_query` asks from the next cell on. */
  setModel(id: string): Promise<void>
  /** Gives the session a file as its context, and returns its description. */
  setContext(file: string): Promise<string>
}

interface TerminalCommand {
  readonly usage: string
  readonly about: string
  /** Returns the text to show, or `QUIT` to end the terminal. */
  run(scene: ReplScene, word: string): Promise<string | typeof QUIT>
}

/** The result of a command that ends the terminal. */
export const QUIT: unique symbol = Symbol('quit')

const BETWEEN_CELLS = '\n// --- cell ---\n'

const COMMANDS: { readonly [name: string]: TerminalCommand } = {
  help: { usage: ':help', about: 'this list', run: async () => helpText() },
  vars: { usage: ':vars', about: 'the variables of the session', run: showVariables },
  cells: { usage: ':cells', about: 'the cells so far', run: showCells },
  load: { usage: ':load <file>', about: 'evaluates the cells of a file', run: load },
  save: { usage: ':save <file>', about: 'writes the cells to a file', run: save },
  context: { usage: ':context [file]', about: 'a file that cells read in parts, as `context`', run: context },
  undo: { usage: ':undo [n]', about: 'restores the variables to before the last cells', run: undo },
  fork: { usage: ':fork [id]', about: 'continues in a new session with the same variables', run: fork },
  resume: { usage: ':resume', about: 'continues a waiting cell', run: resume },
  cancel: { usage: ':cancel', about: 'ends a waiting cell', run: cancel },
  cost: { usage: ':cost', about: 'shows the calls, tokens and cost of the session', run: cost },
  model: { usage: ':model [id]', about: 'the model of model_query, such as openai/gpt-5', run: model },
  quit: { usage: ':quit', about: 'leaves; the session is stored', run: async () => QUIT },
}

export const COMMAND_WORDS: readonly string[] = Object.keys(COMMANDS).map((name) => `:${name}`)

/** Runs a line that begins with a colon. */
export async function runTerminalCommand(scene: ReplScene, line: string): Promise<string | typeof QUIT> {
  const [, name = '', word = ''] = /^\s*:(\S*)\s*(.*)$/.exec(line) ?? []
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name]!.run(scene, word.trim())
  const near = nearest(name, Object.keys(COMMANDS))
  throw new MandateError(
    'INPUT_INVALID',
    `There is no command :${name}.${near === undefined ? '' : ` Did you mean :${near}?`} See :help.`,
  )
}

function helpText(): string {
  const rows = Object.values(COMMANDS).map(({ usage, about }) => [usage, about])
  return `${table(rows)}\nAnything else is a cell of JavaScript. Ctrl-C stops a running cell; variables are kept.`
}

async function showVariables({ session }: ReplScene): Promise<string> {
  const names = await session.variables.names()
  if (names.length === 0) return 'There are no variables yet.'
  const rows = await Promise.all(names.map(async (name) => [name, clip(await session.variables.get(name), 100)]))
  return table(rows)
}

async function showCells({ session }: ReplScene): Promise<string> {
  const cells = await session.cells()
  if (cells.length === 0) return 'There are no cells yet.'
  return table(cells.map(({ cell, source, isFailed }) => [String(cell), isFailed ? '✗' : ' ', clip(source, 100)]))
}

async function load(scene: ReplScene, file: string): Promise<string> {
  needFile(file, ':load')
  const cells = onFile(() => readFileSync(file, 'utf8')).split(BETWEEN_CELLS)
  let done = 0
  for (const cell of cells) {
    const { status } = await scene.evaluate(cell)
    if (status !== 'completed') break
    done += 1
  }
  return `${done} of ${count(cells.length, 'cell')} of ${file} evaluated`
}

async function save({ session }: ReplScene, file: string): Promise<string> {
  needFile(file, ':save')
  const cells = (await session.cells()).filter(({ isFailed }) => !isFailed)
  const text = cells.map(({ source }) => source).join(BETWEEN_CELLS)
  onFile(() => writeFileSync(file, text, { flag: 'wx' }))
  return `${count(cells.length, 'cell')} written to ${file}`
}

/** Converts file errors into usage errors of the command, so that the following lines are still read. */
function onFile<R>(work: () => R): R {
  try {
    return work()
  } catch (error) {
    throw new MandateError('INPUT_INVALID', `${messageOf(error)}. Name another file.`)
  }
}

function needFile(file: string, command: string): void {
  if (file === '') throw new MandateError('INPUT_INVALID', `Which file? ${command} <file>`)
}

async function context(scene: ReplScene, file: string): Promise<string> {
  if (file !== '') return scene.setContext(file)
  const facts = await scene.session.contextFacts()
  return facts === undefined ? 'No file is the context: :context <file>' : contextText(facts)
}

async function undo({ session }: ReplScene, word: string): Promise<string> {
  const cells = word === '' ? 1 : Number(word)
  await session.undo(cells)
  return `${count(cells, 'cell')} undone; their effects outside are not`
}

async function fork(scene: ReplScene, id: string): Promise<string> {
  const before = scene.session.id
  const session = await scene.session.fork(id === '' ? {} : { sessionId: id })
  scene.session = session
  return `session ${session.id}, forked from ${before}`
}

async function resume(scene: ReplScene): Promise<string> {
  const { status } = await scene.resume()
  return `the cell is ${status}`
}

async function cancel({ session }: ReplScene): Promise<string> {
  await session.cancel('cancelled at the terminal')
  return 'the cell has ended'
}

async function cost({ service, session }: ReplScene): Promise<string> {
  const { journal } = kernelOf(service)
  let spent: Spend = {}
  for (const { run } of await journal.list({ sessionId: session.id, parent: null })) {
    const end = entriesOfType(await readAll(journal, run), 'run-end').at(-1)
    spent = addSpend(spent, end?.data.spent ?? {})
  }
  const { money = 0, modelCalls = 0, toolCalls = 0, inputTokens = 0, outputTokens = 0, estimated } = spent
  return `${count(modelCalls, 'model call')}, ${count(toolCalls, 'tool call')}, ${spentText(inputTokens + outputTokens, money, estimated)}`
}

async function model(scene: ReplScene, id: string): Promise<string> {
  if (id !== '') await scene.setModel(id)
  return scene.model === undefined ? 'No model is set: :model <id>, such as openai/gpt-5' : `model ${scene.model}`
}

/** Formats a value for people. */
export function shownValue(value: unknown, colors: boolean): string {
  return inspect(value, { colors, depth: 6, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 100 })
}
