/**
 * Runs in both engines in front of every program, in the subset: output is collected and values are written as text inside,
 * so that nothing is lost or changed on the way out (`undefined`, -0, NaN, dates, maps, order of keys).
 */
export const prelude = `
const __out = []
const __show = (v, d = 0) => {
  if (v === undefined) return 'undefined'
  if (v === null) return 'null'
  if (typeof v === 'number') return Object.is(v, -0) ? '-0' : String(v)
  if (typeof v === 'string') return JSON.stringify(v)
  if (typeof v === 'boolean') return String(v)
  if (typeof v === 'function') return 'function ' + v.name + '/' + v.length
  if (d > 6) return '...'
  if (Array.isArray(v)) {
    let s = '[' + Array.from(v, (x) => __show(x, d + 1)).join(', ') + ']'
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

/** The whole program around a body: its value or what it threw, then its output, as one text. */
export function wrap(body: string, isAsync: boolean): string {
  const head = isAsync ? 'async ' : ''
  const call = isAsync ? 'await __main()' : '__main()'
  return `${prelude}
const __main = ${head}(console) => {
${body}
}
let __end
try {
  __end = 'value ' + __show(${call.replace('()', "({ log: (...a) => { __out.push(a.map((x) => __show(x)).join(' ')) } })")})
} catch (__error) {
  __end = 'throws ' + __show(__error)
}
return __end + '\\n' + __out.join('\\n')
`
}
