import { ASYNC_ITERATOR, ITERATOR } from '../../../src/vm/value/symbols.ts'

const shown = (value: string): string => `await tools.sink({ x: ${value} })`
const TWO = '[1, 2]'

/** Iterators of each kind, over a list. */
const MADE: Readonly<Record<'iterator' | 'iteratorhelper' | 'generator', (list: string) => string>> = {
  iterator: (list) => `(${list}).values()`,
  iteratorhelper: (list) => `(${list}).values().map((q) => q)`,
  generator: (list) => `(function* () { yield* ${list} })()`,
}

/** What every iterator has: scripts that show untrusted data as clean where the label rule of a method is missing. */
function ofIterators(owner: keyof typeof MADE): Readonly<Record<string, string>> {
  const of = MADE[owner]
  const given = owner === 'generator' ? '(function* () { yield u.n; yield u.m })()' : of('u.l')
  return {
    [`${owner}.take`]: shown(`[...${of(TWO)}.take(u.n)]`),
    [`${owner}.every`]: shown(`${given}.every((q) => q > 0.5 && q < 3)`),
    [`${owner}.some`]: shown(`${given}.some((q) => q > 0.5 && q < 2.9)`),
    [`${owner}.find`]: shown(`${given}.find((q) => q)`),
    [`${owner}.reduce`]: shown(`${given}.reduce((p, q) => p * 10 + q)`),
    [`${owner}.forEach`]: `let x = 0; ${of('[1]')}.forEach(u.b ? () => { x = 1 } : () => {}); ${shown('x')}`,
    [`${owner}.toArray`]: shown(`${given}.toArray()`),
    [`${owner}.next`]: shown(`${given}.next().value`),
    [`${owner}.valueOf`]: `const a = ${of('[1]')}, b = ${of('[2]')}; ${shown('[...(u.b ? a : b).valueOf()]')}`,
    [`${owner}.${ITERATOR}`]: `const a = ${of('[1]')}, b = ${of('[2]')}; ${shown('[...(u.b ? a : b)[Symbol.iterator]()]')}`,
  }
}

/** The same for each built-in about iterators and symbols. */
export const ITERATOR_TRAPS: Readonly<Record<string, string>> = {
  ...ofIterators('iterator'),
  ...ofIterators('iteratorhelper'),
  ...ofIterators('generator'),
  'iteratorhelper.return': `const a = [1, 2].values().map((q) => q), b = [1].values().map((q) => q); (u.b ? a : b).return(); ${shown('[...a]')}`,
  'generator.return': shown('(function* () { yield 1 })().return(u.n).value'),
  'generator.throw': `const g = (function* () { try { yield 1 } catch (e) { yield e } })(); g.next(); ${shown('g.throw(u.n).value')}`,
  [`asyncgenerator.${ASYNC_ITERATOR}`]: `const a = (async function* () { yield 1 })(), b = (async function* () { yield 2 })(); ${shown('(await (u.b ? a : b)[Symbol.asyncIterator]().next()).value')}`,
  'asyncgenerator.valueOf': `const a = (async function* () { yield 1 })(), b = (async function* () { yield 2 })(); ${shown('(await (u.b ? a : b).valueOf().next()).value')}`,
  [`array.${ITERATOR}`]: shown('[...(u.b ? [1] : [2])[Symbol.iterator]()]'),
  [`map.${ITERATOR}`]: shown('[...(u.b ? new Map([[1, 1]]) : new Map())[Symbol.iterator]()]'),
  [`set.${ITERATOR}`]: shown('[...(u.b ? new Set([1]) : new Set())[Symbol.iterator]()]'),
  [`string.${ITERATOR}`]: shown('[...u.s[Symbol.iterator]()]'),
  'Iterator.from': shown('[...Iterator.from(u.b ? [1] : [2])]'),
  'symbol.toString': shown('Symbol(u.s).toString()'),
  'symbol.valueOf': shown('Symbol(u.s).valueOf().description'),
  'Symbol.for': shown('Symbol.for(u.s).description'),
  Symbol: shown('Symbol(u.s).description'),
}

const SAME = 'it is the same text for all of this type'
const FALSE = 'it is always false for this type'
const MADE_WITH = 'what it gives has the label of what it was made with'
const ANSWERS = 'the generator itself labels what it answers, and what is sent into it'

/** Built-ins about iterators whose result tells nothing of what they are given, and why. */
export const ITERATORS_WITHOUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['iterator', 'iteratorhelper', 'generator', 'asyncgenerator'].flatMap((owner) => [
      [`${owner}.hasOwnProperty`, FALSE],
      [`${owner}.propertyIsEnumerable`, FALSE],
      [`${owner}.toLocaleString`, SAME],
      [`${owner}.toString`, SAME],
    ]),
  ),
  ...Object.fromEntries(
    ['iterator', 'iteratorhelper', 'generator'].flatMap((owner) =>
      ['drop', 'map', 'flatMap', 'filter'].map((name) => [`${owner}.${name}`, MADE_WITH]),
    ),
  ),
  'asyncgenerator.next': ANSWERS,
  'asyncgenerator.return': ANSWERS,
  'asyncgenerator.throw': ANSWERS,
}
