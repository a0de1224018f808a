import { DEFAULT_RUN_LIMITS, MandateError, budgetLimits, nearest } from '../../core/index.ts'
import type { BudgetLimits, RunLimits } from '../../core/index.ts'
import { PROFILES } from '../../gate/index.ts'
import type { Profile } from '../../gate/index.ts'
import type { Durability } from '../../journal/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'

/** Settings from environment variables, typed and validated in one place. */
export interface Settings {
  /** The directory of runs. */
  readonly dir: string
  /** The default model, for example of the command's ready-made packs; templates use it too. */
  readonly model: string | undefined
  readonly profile: Profile | undefined
  readonly durability: Durability
  /** Sinks get inputs and outputs in full instead of their sizes. */
  readonly includePayloads: boolean
  /** The command keeps `events.jsonl` and checkpoints per session beside the runs. */
  readonly sessionFiles: boolean
  /** The highest risk of any call, regardless of what the code allows. */
  readonly riskMax: Risk | undefined
  /** Denied targets, regardless of what the code allows: names as in `mandate.deny`. */
  readonly deny: readonly string[]
  /** The budget of each run, regardless of what the code allows. */
  readonly budget: BudgetLimits | undefined
  readonly limits: Partial<RunLimits>
}

/** The variables of limits: `toolTimeoutMs` is set by `MANDATE_TOOL_TIMEOUT_MS`. */
const LIMITS: ReadonlyMap<string, keyof RunLimits> = new Map(
  (Object.keys(DEFAULT_RUN_LIMITS) as (keyof RunLimits)[]).map((limit) => [
    `MANDATE_${limit.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    limit,
  ]),
)

/** All variables that are settings. */
const SETTING_VARIABLES: readonly string[] = [
  'MANDATE_DIR',
  'MANDATE_MODEL',
  'MANDATE_KEYS',
  'MANDATE_KEY_FILE',
  'MANDATE_PRICES',
  'MANDATE_PROFILE',
  'MANDATE_DURABILITY',
  'MANDATE_INCLUDE_PAYLOADS',
  'MANDATE_SESSION_FILES',
  'MANDATE_RISK_MAX',
  'MANDATE_DENY',
  'MANDATE_BUDGET',
  ...LIMITS.keys(),
]

/** Reads settings from an environment. Throws on an invalid value and on a misspelt variable. */
export function settingsFrom(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = new Map(
    Object.entries(environment).filter(
      ([name, value]) => name.startsWith('MANDATE_') && value !== undefined && value !== '',
    ),
  )
  for (const name of given.keys()) if (!SETTING_VARIABLES.includes(name)) refuseSlip(name)
  const choice = <T extends string>(name: string, known: readonly T[]): T | undefined =>
    oneOf(name, given.get(name), known)
  const isOn = (name: string): boolean => ['1', 'true'].includes(choice(name, ['0', '1', 'false', 'true']) ?? '')
  const limits = [...LIMITS].map(([name, limit]) => [limit, readNumber(name, given.get(name))] as const)
  const budget = given.get('MANDATE_BUDGET')
  return {
    dir: given.get('MANDATE_DIR') ?? '.mandate',
    model: given.get('MANDATE_MODEL'),
    profile: choice('MANDATE_PROFILE', PROFILES),
    durability: choice('MANDATE_DURABILITY', ['sync', 'batch', 'exit'] as const) ?? 'sync',
    includePayloads: isOn('MANDATE_INCLUDE_PAYLOADS'),
    sessionFiles: isOn('MANDATE_SESSION_FILES'),
    riskMax: choice('MANDATE_RISK_MAX', RISKS),
    deny: wordsOf(given.get('MANDATE_DENY') ?? ''),
    budget: budget === undefined ? undefined : budgetFrom(budget, 'MANDATE_BUDGET'),
    limits: Object.fromEntries(limits.filter(([, value]) => value !== undefined)),
  }
}

/** Parses limits such as `money=5,timeMs=60000`. `what` names their source. */
export function budgetFrom(text: string, what: string): BudgetLimits {
  const limits = wordsOf(text).map((part): [string, number | undefined] => {
    const [unit = '', amount = ' '] = part.split('=')
    return [unit.trim(), readNumber(`${what} ${unit.trim()}`, amount)]
  })
  return budgetLimits(Object.fromEntries(limits))
}

function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** Throws on a misspelt variable, which would silently leave the default in place; a variable that resembles no setting belongs to another program. */
function refuseSlip(name: string): void {
  const bare = (variable: string): string => variable.slice('MANDATE_'.length)
  const meant = nearest(bare(name), SETTING_VARIABLES.map(bare))
  if (meant === undefined) return
  throw new MandateError(
    'CONFIG_INVALID',
    `${name} is not a setting. Did you mean MANDATE_${meant}? Known: ${SETTING_VARIABLES.join(', ')}.`,
  )
}

function oneOf<T extends string>(name: string, value: string | undefined, known: readonly T[]): T | undefined {
  if (value === undefined || known.includes(value as T)) return value as T | undefined
  throw new MandateError('CONFIG_INVALID', `${name} is "${value}". Use one of: ${known.join(', ')}.`)
}

function readNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (!Number.isFinite(number) || number < 0)
    throw new MandateError('CONFIG_INVALID', `${name} is "${value}". Give a number from 0 up.`)
  return number
}
