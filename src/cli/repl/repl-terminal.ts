import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { installedModels } from '../../connect/index.ts'
import { MandateError, errorInfo, messageOf, visible } from '../../core/index.ts'
import { resolveModel } from '../../model/index.ts'
import type { Model } from '../../model/index.ts'
import { ReplSession, RESERVED, errorMessage, thrownName, toolSignatures } from '../../repl/index.ts'
import type { CellError, CellResult, Context, ContextFacts, ReplOptions } from '../../repl/index.ts'
import { specOf } from '../../tool/index.ts'
import { isUnfinished, script } from '../../vm/index.ts'
import { contextText, openContextFile, recordedContextFile } from '../context-file.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import type { Loaded } from '../load-module.ts'
import { note, paint, printLine, writeData } from '../output.ts'
import { noteWaiting } from '../progress.ts'
import { dateTime } from '../terminal/layout.ts'
import { followRuns } from '../terminal/run-status.ts'
import { takeLines } from '../terminal/line-loop.ts'
import { cellAgent } from './cell-agent.ts'
import type { CellAgent } from './cell-agent.ts'
import { completerFor } from './completion.ts'
import { COMMAND_WORDS, QUIT, runTerminalCommand, shownValue } from './terminal-commands.ts'
import type { ReplScene } from './terminal-commands.ts'
import { readBudget } from '../commands/command.ts'
import { hint } from '../help/own-command.ts'

const ENDLESS = Number.MAX_SAFE_INTEGER

/** Limits of an interactive session: none, because the user can interrupt it with Ctrl-C; `--budget` limits what the session may spend. */
const FOR_PEOPLE = {
  maxIterations: ENDLESS,
  maxOperations: 0,
  timeoutMs: 0,
  maxModelCalls: ENDLESS,
  maxAgentCalls: ENDLESS,
  maxToolCalls: ENDLESS,
  maxGraphCalls: ENDLESS,
  maxGraphDefinitions: ENDLESS,
}

/** A session of cells that are typed at a terminal or read from a pipe. */
export class ReplTerminal implements ReplScene {
  readonly service: AgentService
  session!: ReplSession
  model: string | undefined
  readonly #flags: Flags
  readonly #models: Map<string, Model> = new Map()
  readonly #isTyped = process.stdin.isTTY
  readonly #agent: CellAgent | undefined
  #names: readonly string[] = []
  #exitCode: number = EXIT.ok

  constructor(flags: Flags, service: AgentService, { agents = [] }: Loaded) {
    this.service = service
    this.#flags = flags
    this.#agent = cellAgent(service, flags.agent)
    const first = agents.filter(({ id }) => id === this.#agent?.id)
    for (const { model } of [...first, ...agents]) {
      if (typeof model === 'string') this.model ??= model
      else if (model !== undefined && 'id' in model) {
        this.model ??= model.id
        if (!this.#models.has(model.id)) this.#models.set(model.id, model)
      }
    }
    service.events.on('cell-output', ({ data }) => {
      // The output of an agent's cells has already been shown by their own runs.
      if (data.cell === undefined && !flags.json && !flags.jsonl) writeData(`${visible(data.text)}\n`)
    })
  }

  async open(sessionId: string | undefined): Promise<void> {
    const { context: file } = this.#flags
    const context = file === undefined ? undefined : await openContextFile(file)
    this.session = await ReplSession.open(this.service, { ...this.#options(), sessionId })
    const before = await this.session.contextFacts()
    if (context !== undefined) await this.#openWith(context, before)
    else if (before !== undefined) await this.#findContext(before)
    await this.#refresh()
    const under = this.#agent === undefined ? '' : `, with the tools and the mandate of ${this.#agent.id}`
    note(paint('dim', `session ${this.session.id}${under}; :help lists the commands`))
  }

  async setModel(id: string): Promise<void> {
    if (!this.#models.has(id)) this.#models.set(id, await resolveModel(id, installedModels()))
    this.model = id
    this.session.setCapabilities({ model: id, models: Object.fromEntries(this.#models) })
  }

  async setContext(file: string): Promise<string> {
    const context = await openContextFile(file)
    const { facts } = await context.open()
    const before = await this.session.contextFacts()
    if (before?.ref === facts.ref) await this.#attach(context)
    else this.session.setContext(context)
    return contextText(facts)
  }

  async #openWith(context: Context, before: ContextFacts | undefined): Promise<void> {
    const { facts } = await context.open()
    if (before !== undefined && before.ref !== facts.ref)
      throw new MandateError(
        'RUN_STATE',
        `Session "${this.session.id}" has another context, ${before.label}, or that file has changed. Leave out --context; then :context ${facts.label} replaces it.`,
      )
    await this.#attach(context)
    note(paint('dim', contextText(facts)))
  }

  /** Opens the session again with the content that its cells have read, so that a waiting cell can read it too. */
  async #attach(context: Context): Promise<void> {
    this.session = await ReplSession.open(this.service, { ...this.#options(), sessionId: this.session.id, context })
  }

  /** Finds the file that the session had as its context in another process. */
  async #findContext(facts: ContextFacts): Promise<void> {
    const context = await recordedContextFile(facts)
    if (context !== undefined) {
      await this.#attach(context)
      note(paint('dim', contextText(facts)))
    } else
      note(
        `the context of this session, ${facts.label}, is not in this folder with the content it had: cells cannot read it. Restore the file, or set another one with :context <file>`,
      )
  }

  async run(): Promise<number> {
    const known = () => ({ names: this.#names, tools: this.#signatures(), commands: COMMAND_WORDS })
    await takeLines({
      flags: this.#flags,
      historyName: 'repl-history',
      isWhole,
      leaving: '(Ctrl-D or :quit leaves; the session is stored.)',
      completer: completerFor(known),
      take: async (text) => (await this.#take(text)) === QUIT,
    })
    hint(paint('dim', `continue with: mandate repl ${this.session.id}`))
    // An interactive user has seen the error and continued, so only piped input fails.
    return this.#isTyped ? EXIT.ok : this.#exitCode
  }

  evaluate(source: string): Promise<CellResult> {
    return this.#follow(() => this.session.evalCell(source))
  }

  resume(): Promise<CellResult> {
    return this.#follow(() => this.session.resume())
  }

  /** Shows the result of a cell, and lets Ctrl-C cancel it. */
  async #follow(work: () => Promise<CellResult>): Promise<CellResult> {
    const onInterrupt = (): void => void this.session.cancel('interrupted at the terminal')
    process.on('SIGINT', onInterrupt)
    const hideStatus = followRuns(this.service)
    try {
      const result = await work()
      this.#show(result)
      return result
    } finally {
      hideStatus()
      process.off('SIGINT', onInterrupt)
      await this.#refresh()
    }
  }

  async #take(text: string): Promise<typeof QUIT | undefined> {
    try {
      if (!text.trimStart().startsWith(':')) await this.evaluate(asCell(text))
      else {
        const said = await runTerminalCommand(this, text)
        if (said === QUIT) return QUIT
        await this.#refresh()
        note(said)
      }
    } catch (error) {
      if (!this.#isTyped && !MandateError.isInstance(error)) throw error
      this.#exitCode = EXIT.failed
      if (this.session.isWaiting && errorInfo(error).code === 'RUN_STATE') {
        note(`${paint('red', 'error')} A cell waits. :resume goes on with it, :cancel ends it.`)
        return undefined
      }
      note(`${paint('red', 'error')} ${messageOf(error)}`)
    }
    return undefined
  }

  #show(result: CellResult): void {
    const { value, shown, error, finalAnswer, pending, status, warnings } = result
    if (status !== 'completed') this.#exitCode = status === 'waiting' ? EXIT.suspended : EXIT.failed
    if (this.#flags.json || this.#flags.jsonl) return printLine(result)
    if (shown !== undefined) writeData(`${visible(shown)}\n`)
    else if (value !== undefined) writeData(`${shownValue(value, process.stdout.isTTY)}\n`)
    if (finalAnswer !== undefined) note(`${paint('cyan', 'answer')} ${finalAnswer}`)
    for (const warning of warnings) note(paint('yellow', `warning: ${warning}`))
    if (error !== undefined) this.#showError(error)
    for (const item of pending) showPending(item)
  }

  #showError(error: CellError): void {
    const name = thrownName(error)
    const head = name === undefined ? `error[${error.code}]` : `${name}:`
    note(`${paint('red', head)} ${errorMessage(error)}`)
  }

  #options(): ReplOptions {
    const { tools, mandate } = this.#agent ?? {}
    return {
      tools,
      mandate,
      ...(this.model === undefined ? {} : { model: this.model }),
      models: Object.fromEntries(this.#models),
      budget: readBudget(this.#flags.budget),
      policy: FOR_PEOPLE,
    }
  }

  async #refresh(): Promise<void> {
    this.#names = [...(await this.session.variables.names()), ...RESERVED, 'await', 'const', 'console', 'JSON', 'Math']
  }

  #signatures(): ReadonlyMap<string, string> {
    const own = (this.#agent?.tools ?? []).map((tool) => [tool.name, tool] as const)
    return new Map(
      [...kernelOf(this.service).registry.tools, ...own].map(([name, tool]) => [
        name,
        toolSignatures([specOf(tool)])
          .split('\n')
          .at(-1)!,
      ]),
    )
  }
}

/** Shows a request that a cell waits for, with the commands that answer it. */
function showPending({ approvalId, reason, text = '', wakeAt }: CellResult['pending'][number]): void {
  if (approvalId !== undefined) {
    if (text !== '') note(text)
    noteWaiting(approvalId, reason)
    note('then :resume')
  } else if (wakeAt === undefined) note(`waiting (${reason}): :resume goes on with it, :cancel ends it`)
  else note(`waiting until ${dateTime(wakeAt)}: then :resume goes on with it; :cancel ends it`)
}

/** Wraps a complete object literal in parentheses; a script would parse it as a block. */
function asCell(text: string): string {
  const literal = text.trim()
  if (!literal.startsWith('{') || !literal.endsWith('}')) return text
  const wrapped = `(${literal})`
  return isScript(wrapped) ? wrapped : text
}

/** Whether the input is complete: a command is one line, a cell can have several. */
function isWhole(text: string): boolean {
  if (text.trimStart().startsWith(':')) return true
  const cell = asCell(text)
  return !isUnfinished(cell) && !isBegunLiteral(cell)
}

/** Whether a text is not a script but the beginning of an object literal. */
function isBegunLiteral(text: string): boolean {
  return text.trimStart().startsWith('{') && !isScript(text) && !isScript(`(${text})`) && isUnfinished(`(${text}`)
}

function isScript(text: string): boolean {
  try {
    script(text)
    return true
  } catch {
    return false
  }
}
