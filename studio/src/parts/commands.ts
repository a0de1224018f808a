import type { WaitingItem } from '../api/types.ts'
import type { Answer } from '../pages/inbox/decide.ts'

/** Quotes a word of a command if a shell would split or expand it. */
export function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

type Options = Readonly<Record<string, string | undefined>>

/** Formats a command line. Values that begin with a dash are written so that they are not parsed as options. */
export function command(name: string, words: readonly string[] = [], options: Options = {}): string {
  const given = Object.entries(options).flatMap(([option, value]) => {
    if (value === undefined) return []
    return value.startsWith('-') ? [`--${option}=${word(value)}`] : [`--${option}`, word(value)]
  })
  const isDashed = words.some((each) => each.startsWith('-'))
  const rest = words.map(word)
  return ['mandate', name, ...(isDashed ? [...given, '--', ...rest] : [...rest, ...given])].join(' ')
}

/** Joins commands so that each runs only if the previous one succeeded. */
function inTurn(commands: readonly string[]): string {
  return commands.join(' && ')
}

/** Returns the top-level run to resume, which also resumes its child runs. */
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

/** Returns the commands that answer one request and resume its run. */
export function decideCommand(request: Asked, answer: Answer): string {
  return inTurn([answerCommand(request, answer), command('resume', [topOf(request.run)])])
}

/** Returns the commands that give the same answer to several calls and resume their runs. */
export function decideAllCommand(requests: readonly Asked[], kind: 'approve' | 'reject', reason?: string): string {
  const ids = requests.map(({ id }) => id)
  const answers =
    kind === 'approve'
      ? [command('approve', ids, { reason })]
      : requests.map((request) => answerCommand(request, { kind, ...(reason === undefined ? {} : { reason }) }))
  const runs = new Set(requests.map(({ run }) => topOf(run)))
  return inTurn([...answers, ...[...runs].map((run) => command('resume', [run]))])
}

/** Returns the command that tests the policy, for the file that the agents come from. */
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
