import { createInterface } from 'node:readline/promises'
import { systemClock, visible } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { answerProblem, answerSchema } from '../../gate/index.ts'
import type { ApprovalHandler, ApprovalRequest, ApprovalResponse } from '../../run/index.ts'
import { block } from './layout.ts'
import { alert, clip, holdNotes, note, releaseNotes } from '../output.ts'
import { isTextAnswer, typedAnswer } from './typed-answer.ts'
import { ownCommand } from '../help/own-command.ts'

type Reply = Omit<ApprovalResponse, 'by'> | undefined
type NameOf = (run: string) => Promise<string | undefined>

/** Answers requests by asking on the terminal, one at a time, because there is one keyboard. `nameOf` returns the agent or program of a run. */
export function askTerminal(nameOf: NameOf): ApprovalHandler {
  let last: Promise<unknown> = Promise.resolve()
  return (request) => {
    const asked = last.then(() => (request.reason === 'in-doubt' ? undefined : ask(request, nameOf)))
    last = asked.catch(() => {})
    return asked
  }
}

async function ask(request: ApprovalRequest, nameOf: NameOf): Promise<Reply> {
  const asker = request.run.includes('.') ? await nameOf(request.run) : undefined
  if (await dropTypedAhead()) return undefined
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-D or a closed terminal: nothing was decided.
  const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  // Readline consumes Ctrl-C: it is re-emitted, so that it suspends the run as it does elsewhere.
  terminal.on('SIGINT', () => {
    terminal.close()
    process.emit('SIGINT')
  })
  const isQuestion = request.reason === 'question'
  const from = asker === undefined ? '' : `    ${asker} asks:\n`
  alert(`${from}${isQuestion ? questionText(request) : callText(request)}`)
  holdNotes()
  try {
    for (;;) {
      const said = await Promise.race([terminal.question(isQuestion ? '    > ' : APPROVE), closed])
      if (said === undefined) {
        process.stderr.write('\n')
        return undefined
      }
      const reply = isQuestion ? answerFrom(request, said.trim()) : decisionFrom(request, said.trim())
      if (typeof reply !== 'string') return reply
      process.stderr.write(`    ${visible(reply)}\n`)
    }
  } finally {
    terminal.close()
    releaseNotes()
  }
}

/** How long input is discarded before a question: text typed while a model works is no answer to its question. */
const TYPED_AHEAD_MS = 50
const CTRL_C = '\u0003'

const CTRL_D = '\u0004'

/** Reads and discards input typed before the question. Returns whether it contained Ctrl-C or Ctrl-D, so that nothing is asked. */
async function dropTypedAhead(): Promise<boolean> {
  const { stdin } = process
  let typed = ''
  const onData = (data: Buffer): void => void (typed += data.toString())
  // In raw mode, input without a line end arrives too.
  stdin.setRawMode?.(true)
  stdin.on('data', onData)
  await new Promise<void>((resolve) => void systemClock.timer(TYPED_AHEAD_MS, resolve))
  stdin.off('data', onData)
  stdin.pause()
  stdin.setRawMode?.(false)
  if (typed.includes(CTRL_C)) process.emit('SIGINT')
  else if (typed !== '') note('    (What was typed before the question is ignored.)')
  return typed.includes(CTRL_C) || typed.includes(CTRL_D)
}

const APPROVE = '    Approve? [y]es, [n]o, [l]ater: '

/**
 * Returns the width of prompts, which go to stderr. Text is wrapped here: a line wrapped by the terminal would continue left of the margin, where it could look
 * like a prompt.
 */
function screenOfPrompts(): number {
  return process.stderr.columns || 80
}

/** Formats the complete call, so that a person approves exactly what was shown. */
function callText({ kind, name, input, risk, text }: ApprovalRequest): string {
  const head = `${kind} ${name}${risk === undefined ? '' : `  (risk: ${risk})`}`
  return block([head, JSON.stringify(input, null, 2), text].join('\n'), '    ', screenOfPrompts()).join('\n')
}

/** Returns the decision, or a message to show before asking again: only an unambiguous word decides. */
function decisionFrom({ hash }: ApprovalRequest, said: string): Reply | string {
  const word = said.toLowerCase()
  if (word === 'y' || word === 'yes') return { answer: 'approve', hash }
  if (word === 'n' || word === 'no') return { answer: 'reject', text: 'rejected at the terminal' }
  if (word === 'l' || word === 'later') return undefined
  return `"${said}" is not one of the answers. Type y, n or l. With l the run waits; answer it with \`${ownCommand()} approve\` or \`${ownCommand()} deny\`.`
}

/** Formats the question of a model behind a bar, so that its text cannot be mistaken for a prompt of this command. */
function questionText({ text, input }: ApprovalRequest): string {
  const choices = choicesOf(input).map((choice, index) => `\n${index + 1}. ${choice}`)
  const words = block(`${text}${choices.join('')}`, '    | ', screenOfPrompts()).join('\n')
  const later = `later: leave it open; the run waits for \`${ownCommand()} answer\``
  if (choices.length > 0 || isTextAnswer(input)) return `${words}\n    (${later})`
  const schema = answerSchema(input)
  const form = schema === undefined ? '' : `: ${clip(schema, 500)}`
  return `${words}\n    (answer with JSON${form})\n    (${later})`
}

/** Returns the choices of a question, from its list or from its schema. */
function choicesOf(input: Json): readonly string[] {
  const { type, enum: choices } = answerSchema(input) ?? {}
  return type === 'string' && Array.isArray(choices) ? (choices as readonly Json[]).map(String) : []
}

function answerFrom({ input }: ApprovalRequest, said: string): Reply | string {
  if (said.toLowerCase() === 'later') return undefined
  if (said === '') return 'Type an answer, or: later'
  const choices = choicesOf(input)
  if (choices.length > 0) {
    const value = choices.includes(said) ? said : choices[Number(said) - 1]
    return value === undefined
      ? `Type one of the answers, or its number from 1 to ${choices.length}.`
      : { answer: 'answer', value }
  }
  try {
    const value = typedAnswer(input, said)
    return answerProblem(input, value) ?? { answer: 'answer', value }
  } catch {
    return 'That is not JSON. Type the answer as JSON, or: later'
  }
}
