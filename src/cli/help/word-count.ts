import { MandateError } from '../../core/index.ts'
import { COMMANDS } from './commands.ts'

/** Arguments that are free text. Typed without quotes, they are several words. */
const TEXTS = new Set(['prompt', 'reason', 'message', 'value', 'input'])

/** Rejects more words than the usage of a command has, because they would be ignored. */
export function checkWords(name: string, words: readonly string[]): void {
  const { usage, actions } = COMMANDS.get(name)!
  const usages = actions === undefined ? [usage] : actions.map(([action]) => action)
  const meant = usages.filter((each) => isMeant(argumentsOf(each), words))
  // Prefers the form with more literal words: `eval show x` matches both `eval <file>` and `eval show <id>`.
  const [form] = meant.toSorted((a, b) => literals(b) - literals(a))
  // An unknown verb is rejected by the command itself, which lists the known ones.
  if (form === undefined || words.length <= mostWords(argumentsOf(form))) return
  const extra = words[mostWords(argumentsOf(form))]
  // npm keeps the options before `--` for itself and passes their values on as words.
  const created =
    name === 'init' ? '. With npm, options come after `--`: npm create mandate my-agent -- --template chat' : ''
  const used = `Use: mandate ${name} ${form}`.trimEnd()
  throw new MandateError('INPUT_INVALID', `"${extra}" is one word too many. ${used}${created}`)
}

function literals(usage: string): number {
  return argumentsOf(usage).filter((argument) => !isPlaceholder(argument)).length
}

/** Returns the arguments of a usage without its options. */
function argumentsOf(usage: string): readonly string[] {
  return usage
    .replaceAll(/(?<=^| )\[?--?[a-z-]+(?: <[^>]+>)?\]?/gu, '')
    .split(' ')
    .filter((argument) => argument !== '')
}

/** Whether the words match the beginning of a form of the command. */
function isMeant(form: readonly string[], words: readonly string[]): boolean {
  return form.every((argument, index) => isPlaceholder(argument) || argument.split('|').includes(words[index] ?? ''))
}

function isPlaceholder(argument: string): boolean {
  return /^[<[]/u.test(argument)
}

function mostWords(form: readonly string[]): number {
  const last = form.at(-1) ?? ''
  const isOpen = last.endsWith('...') || TEXTS.has(last.replaceAll(/[<>[\]]/gu, ''))
  return isOpen ? Infinity : form.length
}
