import { charge, live } from '../meter/live.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import { toText } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { inspect, joined } from '../value/text/inspect.ts'
import { concat, touchKey } from '../value/text/text.ts'
import { type Row, functions, namespace } from './constructors.ts'

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

/** How often it was called with a label. */
function counter(): Row {
  const [, print] = printer('log')
  return [
    0,
    (receiver, [label]) => {
      const name = `count ${timerName(label)}`
      const count = Number(live.machine.scratch.get(name) ?? 0) + 1
      if (count === 1) charge(name.length + 64)
      live.machine.scratch.set(name, count)
      return print(receiver, [concat(name.slice(19), `: ${count}`)])
    },
  ]
}

function resetCounter(_: Guest, [label]: Guest[]): Guest {
  live.machine.scratch.delete(`count ${timerName(label)}`)
  return undefined
}

const NOTHING: Row = [0, () => undefined]

/** `console`: every call is a line of the run's output. Groups are not indented. */
export const consoleGlobal: BuiltinFunction = namespace(
  'console',
  functions('console', {
    assert: assertion(),
    clear: NOTHING,
    count: counter(),
    countReset: [0, resetCounter],
    debug: printer('debug'),
    dir: printer('log'),
    dirxml: printer('log'),
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
