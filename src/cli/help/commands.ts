import type { CommandHelp } from './command-help.ts'
import { GENERAL } from './options.ts'
import type { OptionName } from './options.ts'
import { START_COMMANDS } from './table/start.ts'
import { RUNS_COMMANDS } from './table/runs.ts'
import { PEOPLE_COMMANDS } from './table/people.ts'
import { CONTROL_COMMANDS } from './table/control.ts'
import { EVAL_COMMANDS } from './table/evals.ts'
import { TRUST_COMMANDS } from './table/trust.ts'
import { SERVE_COMMANDS } from './table/serve.ts'
import { STORE_COMMANDS } from './table/store.ts'

const TABLE: Readonly<Record<string, CommandHelp>> = {
  ...START_COMMANDS,
  ...RUNS_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...CONTROL_COMMANDS,
  ...EVAL_COMMANDS,
  ...TRUST_COMMANDS,
  ...SERVE_COMMANDS,
  ...STORE_COMMANDS,
}

/** All commands, in listing order. */
export const COMMANDS: ReadonlyMap<string, CommandHelp> = new Map(Object.entries(TABLE))

/** Returns the usage of a command: its name and arguments, or those of each of its verbs. */
export function usageOf(name: string): string {
  const { usage, actions } = TABLE[name]!
  const words = actions === undefined ? [usage] : actions.map(([action]) => action)
  return words.map((text) => `${name} ${text}`.trimEnd()).join(' | ')
}

/** Returns all options that a command takes. */
export function optionsOf(name: string): readonly OptionName[] {
  return [...new Set([...(Object.keys(TABLE[name]?.options ?? {}) as OptionName[]), ...GENERAL])]
}
