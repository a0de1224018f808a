import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames, JsonObject } from '../../core/index.ts'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'

/** Options of the tools that wait. */
interface SleepOptions {
  /** Its name for the model. */
  readonly name?: string | undefined
  /** The longest wait in seconds: 30 days by default. */
  readonly maxSeconds?: number | undefined
}

const SLEEP_OPTIONS: FieldNames<SleepOptions> = { name: 'text', maxSeconds: true }
const MAX_SECONDS = 30 * 24 * 3_600

/**
 * Creates a tool with which an agent or a program waits. The wait is durable: a long one suspends the run, which then uses no memory and is resumed by
 * any service that runs on its store.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { sleep, waitUntil } from 'mandate/tool'
 * const agent = new Agent({ id: 'patient', model: scripted(['Done.']), tools: [sleep({ maxSeconds: 3600 }), waitUntil()] })
 * ```
 */
export function sleep(options: SleepOptions = {}): Tool {
  const { name = 'sleep', max } = readOptions('sleep', options)
  return defineTool({
    name,
    description: `Waits for a number of seconds (at most ${max}) before you go on. Nothing is used up meanwhile.`,
    inputSchema: {
      type: 'object',
      properties: { seconds: { type: 'number', exclusiveMinimum: 0, maximum: max } },
      required: ['seconds'],
      additionalProperties: false,
    },
    risk: 'read',
    standsFor: (input, now) => until(now + Math.ceil((input as { seconds: number }).seconds * 1_000)),
    run: () => null,
  })
}

/** Creates a tool that waits until a date and time (ISO 8601). A past time is no wait. */
export function waitUntil(options: SleepOptions = {}): Tool {
  const { name = 'wait_until', max } = readOptions('waitUntil', options)
  return defineTool({
    name,
    description:
      'Waits until a date and time before you go on: ISO 8601 with its offset, such as 2027-01-31T09:00:00Z. Nothing is used up meanwhile.',
    inputSchema: {
      type: 'object',
      properties: { time: { type: 'string', format: 'date-time' } },
      required: ['time'],
      additionalProperties: false,
    },
    risk: 'read',
    standsFor(input, now) {
      const at = Date.parse((input as { time: string }).time)
      return at - now > max * 1_000 ? undefined : until(at)
    },
    run() {
      throw new MandateError('INPUT_INVALID', `That is more than ${max} seconds from now. Wait for less.`)
    },
  })
}

function until(at: number): { readonly kind: 'sleep'; readonly input: JsonObject } {
  return { kind: 'sleep', input: { until: at } }
}

function readOptions(
  owner: string,
  options: SleepOptions,
): { readonly name?: string | undefined; readonly max: number } {
  checkFields(options, `an option of \`${owner}\``, SLEEP_OPTIONS)
  const { name, maxSeconds: max = MAX_SECONDS } = options
  if (!(typeof max === 'number' && max > 0 && max <= MAX_SECONDS * 120))
    throw new MandateError('CONFIG_INVALID', '`maxSeconds` must be a number of seconds above 0, at most ten years.')
  return { name, max }
}
