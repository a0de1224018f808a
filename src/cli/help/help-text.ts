import { wrapped } from '../terminal/layout.ts'
import { THEMES } from './command-help.ts'
import type { CommandHelp } from './command-help.ts'
import { COMMANDS } from './commands.ts'
import { GENERAL, optionOf } from './options.ts'
import type { OptionName } from './options.ts'

/** Maximum width of help texts; longer lines are hard to read even on a wide terminal. */
const WIDTH_MAX = 100
const WIDTH_MIN = 40

/** Returns the width of help texts: the width of the terminal within limits, or 80 columns in a pipe. */
export function textWidth(columns: number | undefined = process.stdout.columns): number {
  return Math.max(WIDTH_MIN, Math.min(columns ?? 80, WIDTH_MAX))
}

/** Formats the overview: one line per command, by theme, and the general options. */
export function overview(version: string, width: number): string {
  const names = [...COMMANDS.keys()]
  const column = Math.max(...names.map((name) => name.length))
  const groups = Object.entries(THEMES).map(([theme, title]) => {
    const rows = [...COMMANDS].filter(([, help]) => help.theme === theme)
    return [title, ...rows.flatMap(([name, { about }]) => row(name, about, column, width))].join('\n')
  })
  return [
    `mandate ${version} runs agents under a policy, with a journal that can be resumed, replayed and audited.`,
    'Usage: mandate <command> [options]\n       mandate help <command>',
    ...groups,
    `Options of every command\n${optionRows(GENERAL, {}, width).join('\n')}`,
    'Exit codes: 0 ok, 1 failed, 2 usage, 3 denied, 4 suspended, 5 limit, 6 store or configuration, 7 replay diverged, 130 interrupted (129, 143: by SIGHUP, SIGTERM)',
  ]
    .map((part) => (part.includes('\n') ? part : wrapped(part, width).join('\n')))
    .join('\n\n')
}

/** Returns the help of one command as data. */
export function helpData(name: string): object {
  const { usage, about, more, actions, options = {}, examples } = COMMANDS.get(name)!
  return {
    name,
    usage: `mandate ${name} ${usage}`.trimEnd(),
    about,
    ...(more === undefined ? {} : { more }),
    ...(actions === undefined ? {} : { actions: actions.map(([words, does]) => ({ words, about: does })) }),
    options: [...new Set([...(Object.keys(options) as OptionName[]), ...GENERAL])].map((option) => ({
      name: `--${option}`,
      ...valueOf(option),
      about: options[option] ?? optionOf(option).about ?? '',
    })),
    examples: examples.map(([words, does]) => ({ words: commandOf(words), about: does })),
  }
}

function valueOf(option: OptionName): { readonly value?: string } {
  const { value } = optionOf(option)
  return value === undefined ? {} : { value }
}

/** Returns an example as it is typed. An example that does not begin with a command, such as a pipe, already contains `mandate`. */
function commandOf(words: string): string {
  return COMMANDS.has(words.split(' ')[0]!) ? `mandate ${words}` : words
}

/** Formats the help of one command: its usage, options and examples. */
export function commandHelp(name: string, width: number): string {
  const { usage, about, more, actions = [], options = {}, examples }: CommandHelp = COMMANDS.get(name)!
  const own = Object.keys(options) as OptionName[]
  const general = GENERAL.filter((option) => !own.includes(option))
  const parts = [`Usage: mandate ${name} ${usage}`.trimEnd(), `${about}.${more === undefined ? '' : ` ${more}`}`]
  const blocks = [
    ...(actions.length === 0 ? [] : [`Commands\n${pairs(actions, width, `${name} `)}`]),
    ...(own.length === 0 ? [] : [`Options\n${optionRows(own, options, width).join('\n')}`]),
    `Examples\n${pairs(
      examples.map(([words, does]) => [commandOf(words), does]),
      width,
    )}`,
  ]
  const rest = `Options of every command, described by \`mandate help\`: ${general.map((option) => `--${option}`).join(', ')}`
  return [...parts.map((part) => wrapped(part, width).join('\n')), ...blocks, wrapped(rest, width).join('\n')].join(
    '\n\n',
  )
}

function optionRows(
  names: readonly OptionName[],
  texts: Readonly<Partial<Record<OptionName, string>>>,
  width: number,
): string[] {
  const shown = names.map((name) => {
    const { short, value, about = '' } = optionOf(name)
    const words = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
    return [words, texts[name] ?? about] as const
  })
  const column = Math.max(...shown.map(([words]) => words.length))
  return shown.flatMap(([words, about]) => row(words, about, column, width))
}

/** Formats arguments with their descriptions: side by side if they fit, otherwise below each other. */
function pairs(rows: readonly (readonly [string, string])[], width: number, before = ''): string {
  const column = Math.max(...rows.map(([words]) => before.length + words.length))
  if (column + 4 + 24 <= width)
    return rows.flatMap(([words, about]) => row(`${before}${words}`, about, column, width)).join('\n')
  return rows
    .flatMap(([words, about]) => [
      ...wrapped(`${before}${words}`, width - 6).map((line, index) => (index === 0 ? `  ${line}` : `      ${line}`)),
      ...wrapped(about, width - 6).map((line) => `      ${line}`),
    ])
    .join('\n')
}

/** Formats one row of two columns; the second column is wrapped within its width. */
function row(first: string, second: string, column: number, width: number): string[] {
  const [head = '', ...rest] = wrapped(second, Math.max(width - column - 4, 20))
  return [`  ${first.padEnd(column)}  ${head}`.trimEnd(), ...rest.map((line) => `${' '.repeat(column + 4)}${line}`)]
}
