import { burn, charge, chargeText, live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import { toText } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import { GuestPromise } from '../value/guest-promise.ts'
import { GuestNative } from '../value/native/guest-native.ts'
import { jsonLength } from '../value/text/json-text.ts'
import { concat, touch, touchKey } from '../value/text/text.ts'
import { type Row, functions, namespace } from './constructors.ts'
import { isoText } from './text/date-text.ts'

const DEPTH_MAX = 6
const ITEMS_MAX = 200

/**
 * A value as a line of output shows it: texts as they are, data as JSON with `undefined`, dates, maps and sets spelt out.
 * It never runs code of the program.
 */
function inspect(value: Guest, depth = 0): string {
  burn(20)
  if (typeof value === 'string') {
    if (depth > 0) return quoted(value)
    touch(value)
    chargeText(value.length)
    return value
  }
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof GuestError) return inspectError(value)
  if (value instanceof GuestDate) return Number.isNaN(value.time) ? 'Invalid Date' : isoText(value.time)
  if (value instanceof GuestRegExp) return `/${value.source}/${value.flags}`
  if (value instanceof GuestFunction) return `[Function: ${value.code.name || '(anonymous)'}]`
  if (value instanceof BuiltinFunction)
    return value.builtin === undefined ? `[${value.path}]` : `[Function: ${value.path}]`
  if (value instanceof GuestPromise) return 'Promise'
  if (value instanceof GuestNative) return value.text()
  if (depth >= DEPTH_MAX) return value instanceof GuestArray ? '[…]' : '{…}'
  return inspectContents(value, depth + 1)
}

function inspectError(error: GuestError): string {
  chargeText(error.name.length + error.message.length)
  return error.message === '' ? error.name : `${error.name}: ${error.message}`
}

function inspectContents(value: Guest, depth: number): string {
  if (value instanceof GuestArray)
    return `[${listText(value.items, value.items.length, (item) => inspect(item, depth))}]`
  if (value instanceof GuestSet) {
    const { values } = value
    return `Set(${values.size}) {${listText(values, values.size, (item) => inspect(item, depth))}}`
  }
  if (value instanceof GuestMap) {
    const { entries } = value
    const pairs = listText(entries, entries.size, ([key, item]) => `${inspect(key, depth)} => ${inspect(item, depth)}`)
    return `Map(${entries.size}) {${pairs}}`
  }
  if (!(value instanceof GuestObject)) return '{}'
  burn(value.size)
  const member = (key: string): string => `${quoted(key)}:${inspect(value.get(key), depth)}`
  return `{${listText(value.listKeys(), value.size, member)}}`
}

/** The first items, and the number of the others. */
function listText<T>(items: Iterable<T>, count: number, show: (item: T) => string): string {
  const shown: string[] = []
  for (const item of items) {
    if (shown.length >= ITEMS_MAX) break
    shown.push(show(item))
  }
  if (count > ITEMS_MAX) shown.push(`… ${count - ITEMS_MAX} more`)
  return joined(shown, ',')
}

function quoted(text: string): string {
  chargeText(jsonLength(text))
  return JSON.stringify(text)
}

function joined(parts: readonly string[], separator: string): string {
  let length = parts.length
  for (const part of parts) length += part.length
  chargeText(length)
  return parts.join(separator)
}

function printer(level: string): Row {
  return [
    0,
    (_, args) => {
      const text = joined(
        args.map((value) => inspect(value)),
        ' ',
      )
      live.machine.print(level, text)
      return undefined
    },
  ]
}

/** What is printed only if a condition is false. */
function assertion(): Row {
  const [, print] = printer('error')
  return [0, (receiver, [isTrue, ...rest]) => (isTrue ? undefined : print(receiver, ['Assertion failed', ...rest]))]
}

/** A timer of `console.time`, by its label. */
function timerName(label: Guest): string {
  const text = label === undefined ? 'default' : toText(label)
  touchKey(text)
  return `console.time ${text}`
}

function startTimer(_: Guest, [label]: Guest[]): Guest {
  const name = timerName(label)
  charge(name.length + 64)
  live.machine.scratch.set(name, live.machine.now())
  return undefined
}

function stopTimer(isEnd: boolean): Row {
  const [, print] = printer('log')
  return [
    0,
    (receiver, [label, ...rest]) => {
      const name = timerName(label)
      const start = live.machine.scratch.get(name)
      if (typeof start !== 'number') return undefined
      if (isEnd) live.machine.scratch.delete(name)
      return print(receiver, [concat(name.slice(13), `: ${live.machine.now() - start}ms`), ...rest])
    },
  ]
}

const NOTHING: Row = [0, () => undefined]

/** `console`: every call is a line of the run's output. Groups are not indented. */
export const consoleGlobal: BuiltinFunction = namespace(
  'console',
  functions('console', {
    assert: assertion(),
    clear: NOTHING,
    debug: printer('debug'),
    dir: printer('log'),
    error: printer('error'),
    group: printer('log'),
    groupCollapsed: printer('log'),
    groupEnd: NOTHING,
    info: printer('info'),
    log: printer('log'),
    table: printer('log'),
    time: [0, startTimer],
    timeEnd: stopTimer(true),
    timeLog: stopTimer(false),
    trace: printer('debug'),
    warn: printer('warn'),
  }),
)
