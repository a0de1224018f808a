import { MandateError } from '../../core/index.ts'
import { COMMANDS } from './commands.ts'

/** Arguments that are texts. Typed without quotes, they are several words. */
const TEXTS = new Set(['prompt', 'reason', 'message', 'value', 'input'])

/** Refuses more words than the usage of a command names: they would be ignored. */
export function checkWords(name: string, words: readonly string[]): void {
  const { usage, actions } = COMMANDS.get(name)!
  const usages = actions === undefined ? [usage] : actions.map(([action]) => action)
  const meant = usages.filter((each) => isMeant(argumentsOf(each), words))
  // Of `eval <file>` and `eval show <id>`, the second is meant by `eval show x`.
  const [form] = meant.toSorted((a, b) => literals(b) - literals(a))
  // A verb that is not known is refused by the command, with those that are.
  if (form === undefined || words.length <= mostWords(argumentsOf(form))) return
  const extra = words[mostWords(argumentsOf(form))]
  throw new MandateError('INPUT_INVALID', `"${extra}" is one word too many. Use: mandate ${name} ${form}`.trimEnd())
}

function literals(usage: string): number {
  return argumentsOf(usage).filter((argument) => !isPlaceholder(argument)).length
}

/** The arguments that a usage names, without its options. */
function argumentsOf(usage: string): readonly string[] {
  return usage
    .replaceAll(/(?<=^| )\[?--?[a-z-]+(?: <[^>]+>)?\]?/gu, '')
    .split(' ')
    .filter((argument) => argument !== '')
}

/** Whether the words begin as a form of the command does. */
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
