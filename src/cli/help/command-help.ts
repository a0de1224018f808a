import type { OptionName } from './options.ts'

/** The groups that the overview shows commands in. */
export const THEMES = {
  start: 'Start',
  runs: 'Look at runs',
  people: 'Answer requests',
  control: 'Control runs',
  trust: 'Policy and audit',
  serve: 'Serve and schedule',
  store: 'Stores',
  help: 'Help',
} as const

export type OptionTexts = Readonly<Partial<Record<OptionName, string>>>

/** What the help and the completion of one command say. The code of a command is loaded when it runs. */
export interface CommandHelp {
  readonly theme: keyof typeof THEMES
  /** The words behind the name of the command. */
  readonly usage: string
  /** One line of the overview. */
  readonly about: string
  /** What else its own help says. */
  readonly more?: string
  /** Of a command with several verbs: the words of each, and what it does. */
  readonly actions?: readonly (readonly [words: string, about: string])[]
  /** The options it takes besides those of every command; with the names of those, what they mean here. */
  readonly options?: OptionTexts
  /** Command lines and what they do. Those that begin with the command are written without `mandate`. */
  readonly examples: readonly (readonly [words: string, about: string])[]
  /** What the words behind it are, for completion. */
  readonly words?: 'run' | 'approval' | 'file' | 'command'
}
