/**
 * Runs in both engines in front of every program, in the subset: output is collected and values are written as text inside,
 * so that nothing is lost or changed on the way out (`undefined`, -0, NaN, dates, maps, order of keys).
 */
export const prelude = `
const __show = (v, d = 0) => {
  if (v === undefined) return 'undefined'
  if (v === null) return 'null'
  if (typeof v === 'number') return Object.is(v, -0) ? '-0' : String(v)
  if (typeof v === 'string') return JSON.stringify(v)
  if (typeof v === 'boolean') return String(v)
  if (typeof v === 'function') return 'function ' + v.name + '/' + v.length
  if (d > 6) return '...'
  if (Array.isArray(v)) {
    let s = '[' + Array.from(v, (x, i) => (i in v ? __show(x, d + 1) : '<empty>')).join(', ') + ']'
    if (v.index !== undefined) s += ' at ' + v.index + ' of ' + __show(v.input) + ' groups ' + __show(v.groups, d + 1)
    return s
  }
  if (v instanceof Error) {
    return v.name + (v.cause === undefined ? '' : ' because ' + __show(v.cause, d + 1)) +
      (v instanceof AggregateError ? ' of ' + __show(v.errors, d + 1) : '')
  }
  if (v instanceof Date) return 'Date ' + (Number.isNaN(v.getTime()) ? 'invalid' : v.toISOString())
  if (v instanceof Map) return 'Map ' + __show([...v], d + 1)
  if (v instanceof Set) return 'Set ' + __show([...v], d + 1)
  if (v instanceof RegExp) return 'RegExp ' + String(v) + ' ' + v.lastIndex
  if (v instanceof Promise) return 'Promise'
  return '{' + Object.keys(v).map((k) => k + ': ' + __show(v[k], d + 1)).join(', ') + '}'
}
`

/** One body to run: sync or async. */
export interface Body {
  readonly source: string
  readonly isAsync: boolean
}

/** Stands between the reports of bodies that ran together. */
export const separator = '\n=====\n'

const runner = `
const __run = async (isAsync, main) => {
  const out = []
  let end
  const console = { log: (...a) => { out.push(a.map((x) => __show(x)).join(' ')) } }
  try {
    end = 'value ' + (isAsync ? __show(await main(console)) : __show(main(console)))
  } catch (error) {
    end = 'throws ' + __show(error)
  }
  return end + '\\n' + out.join('\\n')
}
const __reports = []
`

/** A program around some bodies: of each its value or what it threw, then its output, all as one text. */
export function wrap(bodies: readonly Body[]): string {
  const calls = bodies.map(
    ({ source, isAsync }) =>
      `__reports.push(await __run(${isAsync}, ${isAsync ? 'async ' : ''}(console) => {\n${source}\n}))`,
  )
  return `${prelude}${runner}${calls.join('\n')}\nreturn __reports.join(${JSON.stringify(separator)})`
}
