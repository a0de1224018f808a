import type { OptionName } from './options.ts'

/** The sections of the overview. */
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

/** The help and completion data of one command. The code of a command is loaded when it runs. */
export interface CommandHelp {
  readonly theme: keyof typeof THEMES
  /** The arguments after the name of the command. */
  readonly usage: string
  /** Its line in the overview. */
  readonly about: string
  /** Further text in its own help. */
  readonly more?: string
  /** For a command with verbs: the arguments and the description of each. */
  readonly actions?: readonly (readonly [words: string, about: string])[]
  /** The options it takes besides the general ones. A general option listed here has a different description for this command. */
  readonly options?: OptionTexts
  /** Example command lines with descriptions. Those that begin with the command are written without `mandate`. */
  readonly examples: readonly (readonly [words: string, about: string])[]
  /** The kind of its arguments, for completion. */
  readonly words?: 'run' | 'approval' | 'file' | 'command'
}
