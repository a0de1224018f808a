import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { installedModels } from '../../connect/index.ts'
import { MandateError, messageOf, visible } from '../../core/index.ts'
import { resolveModel } from '../../model/index.ts'
import type { Model } from '../../model/index.ts'
import { ReplSession, RESERVED, toolSignatures } from '../../repl/index.ts'
import type { CellResult } from '../../repl/index.ts'
import { specOf } from '../../tool/index.ts'
import { isUnfinished } from '../../vm/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import type { Loaded } from '../load-module.ts'
import { note, paint, printLine } from '../output.ts'
import { takeLines } from '../terminal/line-loop.ts'
import { completerFor } from './completion.ts'
import { COMMAND_WORDS, QUIT, runTerminalCommand, shownValue } from './terminal-commands.ts'
import type { ReplScene } from './terminal-commands.ts'
import { readBudget } from '../commands/command.ts'

const ENDLESS = Number.MAX_SAFE_INTEGER

/** A person sees what happens and ends it with Ctrl-C; `--budget` limits what the session may spend. */
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

/** Cells typed at a terminal, or read from a pipe. */
export class ReplTerminal implements ReplScene {
  readonly service: AgentService
  session!: ReplSession
  model: string | undefined
  readonly #flags: Flags
  readonly #models: Map<string, Model> = new Map()
  readonly #isTyped = process.stdin.isTTY
  #names: readonly string[] = []
  #exitCode: number = EXIT.ok

  constructor(flags: Flags, service: AgentService, { agents = [] }: Loaded) {
    this.service = service
    this.#flags = flags
    for (const { model } of agents) {
      if (typeof model === 'string') this.model ??= model
      else if (model !== undefined && 'id' in model) {
        this.model ??= model.id
        this.#models.set(model.id, model)
      }
    }
    service.events.on<{ text: string }>('cell-output', ({ data }) => {
      if (!flags.json && !flags.jsonl) process.stdout.write(`${visible(data.text)}\n`)
    })
  }

  async open(sessionId: string | undefined): Promise<void> {
    this.session = await ReplSession.open(this.service, { ...this.#options(), sessionId })
    await this.#refresh()
    note(paint('dim', `session ${this.session.id}; :help shows the commands`))
  }

  async reopen({ session, model }: { readonly session?: ReplSession; readonly model?: string }): Promise<void> {
    if (model !== undefined) {
      if (!this.#models.has(model)) this.#models.set(model, await resolveModel(model, installedModels()))
      this.model = model
    }
    const { id } = session ?? this.session
    this.session = await ReplSession.open(this.service, { ...this.#options(), sessionId: id })
    await this.#refresh()
  }

  async run(): Promise<number> {
    const known = () => ({ names: this.#names, tools: this.#signatures(), commands: COMMAND_WORDS })
    await takeLines({
      flags: this.#flags,
      historyName: 'repl-history',
      isWhole,
      leaving: '(Ctrl-D or :quit leaves; the session stays.)',
      completer: completerFor(known),
      take: async (text) => (await this.#take(text)) === QUIT,
    })
    note(paint('dim', `go on with: mandate repl ${this.session.id}`))
    return this.#exitCode
  }

  /** Evaluates a cell, shows what it came to, and lets Ctrl-C end it. */
  async evaluate(source: string): Promise<CellResult> {
    const onInterrupt = (): void => void this.session.cancel('interrupted at the terminal')
    process.on('SIGINT', onInterrupt)
    try {
      const result = await this.session.evalCell(source)
      this.#show(result)
      return result
    } finally {
      process.off('SIGINT', onInterrupt)
      await this.#refresh()
    }
  }

  async #take(text: string): Promise<typeof QUIT | undefined> {
    try {
      if (!text.trimStart().startsWith(':')) await this.evaluate(text)
      else {
        const said = await runTerminalCommand(this, text)
        if (said === QUIT) return QUIT
        note(said)
      }
    } catch (error) {
      if (!this.#isTyped && !MandateError.isInstance(error)) throw error
      this.#exitCode = EXIT.failed
      note(`${paint('red', 'error')} ${messageOf(error)}`)
    }
    return undefined
  }

  #show(result: CellResult): void {
    const { value, error, finalAnswer, pending, status, warnings } = result
    if (status !== 'completed') this.#exitCode = status === 'waiting' ? EXIT.suspended : EXIT.failed
    if (this.#flags.json || this.#flags.jsonl) return printLine(result)
    if (value !== undefined) process.stdout.write(`${shownValue(value, process.stdout.isTTY)}\n`)
    if (finalAnswer !== undefined) note(`${paint('cyan', 'answer')} ${finalAnswer}`)
    for (const warning of warnings) note(paint('yellow', `warning: ${warning}`))
    if (error !== undefined) note(`${paint('red', `error[${error.code}]`)} ${error.message}`)
    for (const { approvalId, reason, text = '' } of pending)
      note(`waiting (${reason}): ${text} mandate approve ${approvalId ?? ''}, then :resume`)
  }

  #options(): Pick<Parameters<typeof ReplSession.open>[1] & object, 'model' | 'models' | 'budget' | 'policy'> {
    return {
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
    const { tools } = kernelOf(this.service).registry
    return new Map(
      [...tools].map(([name, tool]) => [
        name,
        toolSignatures([specOf(tool)])
          .split('\n')
          .at(-1)!,
      ]),
    )
  }
}
/** A command is one line; a cell may need more of them. */
function isWhole(text: string): boolean {
  return text.trimStart().startsWith(':') || !isUnfinished(text)
}
