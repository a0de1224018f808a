import { MandateError, nearest } from '../../core/index.ts'
import type { RunLimits } from '../../core/index.ts'
import { PROFILES } from '../../gate/index.ts'
import type { Profile } from '../../gate/index.ts'
import type { Durability } from '../../journal/index.ts'

/** What can be set from outside the code: by flags in a file or by the environment. One place, typed, checked. */
export interface Settings {
  /** Where runs are kept. */
  readonly dir: string
  readonly profile: Profile | undefined
  readonly durability: Durability
  /** Sinks get inputs and outputs in full instead of their sizes. */
  readonly includePayloads: boolean
  readonly limits: Partial<RunLimits>
}

const VARIABLES: readonly string[] = [
  'MANDATE_DIR',
  'MANDATE_KEYS',
  'MANDATE_KEY_FILE',
  'MANDATE_PRICES',
  'MANDATE_PROFILE',
  'MANDATE_DURABILITY',
  'MANDATE_INCLUDE_PAYLOADS',
  'MANDATE_PARALLEL',
  'MANDATE_TOOL_TIMEOUT_MS',
  'MANDATE_MODEL_TIMEOUT_MS',
]

/** Reads settings from an environment, which the host hands in. A value that cannot be meant is an error; a misspelt variable is one too. */
export function settingsFrom(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = new Map(
    Object.entries(environment).filter(
      ([name, value]) => name.startsWith('MANDATE_') && value !== undefined && value !== '',
    ),
  )
  for (const name of given.keys()) if (!VARIABLES.includes(name)) refuseSlip(name)
  const number = (name: string): number | undefined => readNumber(name, given.get(name))
  const choice = <T extends string>(name: string, known: readonly T[]): T | undefined =>
    oneOf(name, given.get(name), known)
  const parallel = number('MANDATE_PARALLEL')
  const toolTimeoutMs = number('MANDATE_TOOL_TIMEOUT_MS')
  const modelTimeoutMs = number('MANDATE_MODEL_TIMEOUT_MS')
  const includePayloads = choice('MANDATE_INCLUDE_PAYLOADS', ['0', '1', 'false', 'true'])
  return {
    dir: given.get('MANDATE_DIR') ?? '.mandate',
    profile: choice('MANDATE_PROFILE', PROFILES),
    durability: choice('MANDATE_DURABILITY', ['sync', 'batch', 'exit'] as const) ?? 'sync',
    includePayloads: includePayloads === '1' || includePayloads === 'true',
    limits: {
      ...(parallel === undefined ? {} : { parallel }),
      ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
      ...(modelTimeoutMs === undefined ? {} : { modelTimeoutMs }),
    },
  }
}

/** A slip of the pen would silently leave the default in place; a variable that resembles no setting belongs to another program. */
function refuseSlip(name: string): void {
  const bare = (variable: string): string => variable.slice('MANDATE_'.length)
  const meant = nearest(bare(name), VARIABLES.map(bare))
  if (meant === undefined) return
  throw new MandateError(
    'CONFIG_INVALID',
    `${name} is not a setting. Did you mean MANDATE_${meant}? Known: ${VARIABLES.join(', ')}.`,
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
