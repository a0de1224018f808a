import type { WaitingItem } from '../api/types.ts'
import type { Answer } from '../pages/inbox/decide.ts'

/** A word of a command: quoted where a shell would take it apart. */
export function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

type Options = Readonly<Record<string, string | undefined>>

/** A command as it is typed. What begins with a dash is never taken for an option. */
export function command(name: string, words: readonly string[] = [], options: Options = {}): string {
  const given = Object.entries(options).flatMap(([option, value]) => {
    if (value === undefined) return []
    return value.startsWith('-') ? [`--${option}=${word(value)}`] : [`--${option}`, word(value)]
  })
  const isDashed = words.some((each) => each.startsWith('-'))
  const rest = words.map(word)
  return ['mandate', name, ...(isDashed ? [...given, '--', ...rest] : [...rest, ...given])].join(' ')
}

/** One after the other, each only where the one before came out. */
function inTurn(commands: readonly string[]): string {
  return commands.join(' && ')
}

/** The run that a person goes on with: calls of it that are runs themselves go on with it. */
function topOf(run: string): string {
  return run.split('.')[0]!
}

function answerCommand({ id }: Pick<WaitingItem, 'id'>, answer: Answer): string {
  switch (answer.kind) {
    case 'approve':
      return command('approve', [id], {
        scope: answer.scope === 'once' ? undefined : answer.scope,
        edit: answer.edit === undefined ? undefined : JSON.stringify(answer.edit),
        reason: answer.reason,
      })
    case 'reject':
      return command('deny', [id, ...(answer.reason === undefined ? [] : [answer.reason])])
    case 'answer':
      return command('answer', [id, typeof answer.value === 'string' ? answer.value : JSON.stringify(answer.value)])
    case 'settle':
      return command('answer', [id, answer.outcome])
  }
}

type Asked = Pick<WaitingItem, 'id' | 'run'>

/** Answers one request, and lets its run go on. */
export function decideCommand(request: Asked, answer: Answer): string {
  return inTurn([answerCommand(request, answer), command('resume', [topOf(request.run)])])
}

/** The same answer to several calls, and all their runs go on. */
export function decideAllCommand(requests: readonly Asked[], kind: 'approve' | 'reject', reason?: string): string {
  const ids = requests.map(({ id }) => id)
  const answers =
    kind === 'approve'
      ? [command('approve', ids, { reason })]
      : requests.map((request) => answerCommand(request, { kind, ...(reason === undefined ? {} : { reason }) }))
  const runs = new Set(requests.map(({ run }) => topOf(run)))
  return inTurn([...answers, ...[...runs].map((run) => command('resume', [run]))])
}

/** What the gate would say, by the file that the agents come from. */
export function policyCommand({
  file,
  tool,
  input,
  labels,
}: {
  readonly file: string
  readonly tool: string
  readonly input: string
  readonly labels: string
}): string {
  return command('policy', ['test', file, tool], {
    input,
    labels: labels.trim() === '' ? undefined : labels.replaceAll(/\s*,\s*/g, ',').trim(),
  })
}
