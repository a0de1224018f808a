import { createInterface } from 'node:readline/promises'
import type { Json } from '../core/index.ts'
import { answerProblem, answerSchema } from '../gate/index.ts'
import type { ApprovalHandler, ApprovalRequest, ApprovalResponse } from '../run/index.ts'

type Reply = Omit<ApprovalResponse, 'by'> | undefined

let last: Promise<unknown> = Promise.resolve()

/** Asks on the terminal what waits for a person: one thing at a time, because there is one keyboard. */
export const askTerminal: ApprovalHandler = (request) => {
  const asked = last.then(() => (request.reason === 'in-doubt' ? undefined : ask(request)))
  last = asked.catch(() => {})
  return asked
}

async function ask(request: ApprovalRequest): Promise<Reply> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // A terminal that is being read takes Ctrl-C for itself: it is handed on, so that it suspends the run as anywhere else.
  terminal.on('SIGINT', () => {
    terminal.close()
    process.emit('SIGINT')
  })
  try {
    const shown = request.reason === 'question' ? questionText(request) : callText(request)
    process.stderr.write(`${shown}\n`)
    for (;;) {
      const said = (await terminal.question(request.reason === 'question' ? '    > ' : APPROVE)).trim()
      const reply = request.reason === 'question' ? answerFrom(request, said) : decisionFrom(request, said)
      if (typeof reply !== 'string') return reply
      process.stderr.write(`    ${reply}\n`)
    }
  } finally {
    terminal.close()
  }
}

const APPROVE = '    Approve? [y]es, [n]o, [l]ater: '

/** The whole call: what is approved is what was shown. */
function callText({ kind, name, input, risk, text }: ApprovalRequest): string {
  const call = JSON.stringify(input, null, 2).replaceAll('\n', '\n    ')
  return `    ${kind} ${name}${risk === undefined ? '' : `  (risk: ${risk})`}\n    ${call}\n    ${text}`
}

/** What to do, or what to say before asking again: nothing but a clear word decides. */
function decisionFrom({ hash }: ApprovalRequest, said: string): Reply | string {
  const word = said.toLowerCase()
  if (word === 'y' || word === 'yes') return { answer: 'approve', hash }
  if (word === 'n' || word === 'no') return { answer: 'reject', text: 'rejected at the terminal' }
  if (word === 'l' || word === 'later') return undefined
  return `"${said}" is none of the answers. Type y, n or l; with l the run waits, and \`mandate approve\` or \`mandate deny\` answers it.`
}

function questionText({ text, input }: ApprovalRequest): string {
  const choices = choicesOf(input).map((choice, index) => `\n      ${index + 1}. ${choice}`)
  const type = answerSchema(input)?.['type']
  const form = choices.length === 0 && type !== undefined && type !== 'string' ? ' (answer with JSON)' : ''
  return `    ${text}${form}${choices.join('')}\n    (later: leave it open; the run waits for \`mandate answer\`)`
}

/** The texts that a question can be answered with, whether it lists them itself or its schema does. */
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
  const type = answerSchema(input)?.['type']
  if (type === undefined || type === 'string') return { answer: 'answer', value: said }
  let value: Json
  try {
    value = JSON.parse(said) as Json
  } catch {
    return 'That is not JSON. Type the answer as JSON, or: later'
  }
  return answerProblem(input, value) ?? { answer: 'answer', value }
}
