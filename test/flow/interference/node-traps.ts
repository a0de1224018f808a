import type { Ex } from '../../../src/vm/compile/ir.ts'
import type { St } from '../../../src/vm/compile/ir-statements.ts'
import type {
  AssignmentOperator,
  BinaryOperator,
  LogicalOperator,
  UnaryOperator,
} from '../../../src/vm/compile/operators.ts'

const shown = (value: string): string => `await tools.sink({ x: ${value} })`
const X = shown('x')

/** For every kind of expression that scripts have, a script that shows untrusted data as clean where its label rule is missing. */
export const EXPRESSIONS: Readonly<Partial<Record<Ex['k'], string>>> = {
  var: `const v = u.n; ${shown('v')}`,
  temp: `const v = [u.n, 1]; const x = v[0] + (await tools.clean({})).n; ${X}`,
  member: `const o = { a: u.n, b: 1 }; ${shown('o.a')}`,
  index: `const l = [u.n, 1]; ${shown('l[0]')}`,
  binary: shown('u.n + 1'),
  unary: shown('-u.n'),
  logical: shown('u.b && 1'),
  conditional: shown('u.b ? 1 : 2'),
  list: `const l = [u.n]; ${shown('l[0]')}`,
  object: `const o = { a: u.n }; ${shown('o.a')}`,
  template: shown('`${u.n}`'),
  call: shown('String(u.n)'),
  method: shown('u.l.join()'),
  found: `const l = [1]; const o = { a: l.concat, b: l.slice }; const x = l[u.b ? 'concat' : 'slice'](await tools.clean({}), 1).length; ${X}`,
  assign: `let x = 0; x = u.n; ${X}`,
  update: `const o = { a: 0, b: 0 }; o[u.k]++; ${shown('o.a')}`,
  sequence: shown('(1, u.n)'),
  new: shown('[...new Set(u.l)]'),
  class: `class A { [u.k]() {} } ${shown("'a' in A.prototype")}`,
  super: `class A { get n() { return u.n } } class B extends A { get m() { return super.n } } ${shown('new B().m')}`,
  private: `class A { #n = 0; static of(a) { return #n in a } } const x = A.of([new A(), {}][u.i]); ${X}`,
  chain: shown('u?.n'),
  tolist: `const [x] = u.l; ${X}`,
  omit: `const { a, ...x } = u.o; ${X}`,
  decide: `let x = 0; if (u.b) x = 1; ${X}`,
  part: `const o = { a: u.n }; ${shown('o.a')}`,
  iterated: `let x = 0; for (const q of u.l) x++; ${X}`,
}

/** The same for every kind of statement. */
export const STATEMENTS: Readonly<Partial<Record<St['k'], string>>> = {
  expr: `let x = 0; try { x = 1; u.z.y } catch { x = 2 } ${X}`,
  let: `const x = u.n; ${X}`,
  if: `let x = 0; if (u.b) x = 1; ${X}`,
  loop: `let x = 0; while (x < u.n) x++; ${X}`,
  forof: `let x = 0; for (const q of u.l) x = q; ${X}`,
  switch: `let x = 0; switch (u.n) { case 1: x = 1 } ${X}`,
  try: `let x = 0; try { u.z.y; x = 1 } catch {} ${X}`,
  settemp: `const v = [u.n, 1]; const x = v[0] + (await tools.clean({})).n; ${X}`,
  awaitto: `const x = await (async () => u.n)(); ${X}`,
  callto: `const f = (p) => p; ${shown('f(u.n)')}`,
  mark: `let x = 0; for (const q of [u.n]) x = q; ${X}`,
}

const binary = (op: BinaryOperator): string => shown(`u.n ${op} 1`)
const assignment = (op: AssignmentOperator): string => `let x = 1; x ${op}= u.n + 1; ${X}`

/** The same for every operator. */
export const OPERATORS: {
  readonly binary: Readonly<Record<BinaryOperator, string>>
  readonly unary: Readonly<Partial<Record<UnaryOperator, string>>>
  readonly logical: Readonly<Record<LogicalOperator, string>>
  readonly assign: Readonly<Record<AssignmentOperator, string>>
} = {
  binary: {
    '+': binary('+'),
    '-': binary('-'),
    '*': binary('*'),
    '/': binary('/'),
    '%': shown('u.n % 2'),
    '**': shown('2 ** u.n'),
    '&': binary('&'),
    '|': shown('u.n | 2'),
    '^': binary('^'),
    '<<': binary('<<'),
    '>>': shown('u.d >> 1'),
    '>>>': shown('u.d >>> 1'),
    '<': binary('<'),
    '<=': shown('u.n <= 0'),
    '>': shown('u.n > 0'),
    '>=': binary('>='),
    '===': binary('==='),
    '!==': binary('!=='),
    '==': binary('=='),
    '!=': binary('!='),
    in: shown("'a' in u.o"),
    instanceof: shown('(u.b ? new Map() : {}) instanceof Map'),
  },
  unary: {
    '!': shown('!u.b'),
    '-': shown('-u.n'),
    '+': shown('+u.n'),
    typeof: shown("typeof (u.b ? 1 : 'a')"),
    '~': shown('~u.n'),
    delete: `const o = { a: 1, b: 1 }; delete o[u.k]; ${shown('o')}`,
  },
  logical: {
    '&&': `let x = 0; u.b && (x = 1); ${X}`,
    '||': `let x = 0; u.b || (x = 1); ${X}`,
    '??': `let x = 0; (u.b ? null : 1) ?? (x = 1); ${X}`,
  },
  assign: {
    '': `let x = 0; x = u.n; ${X}`,
    '+': assignment('+'),
    '-': assignment('-'),
    '*': assignment('*'),
    '/': assignment('/'),
    '%': `let x = 3; x %= u.n + 1; ${X}`,
    '**': `let x = 2; x **= u.n; ${X}`,
    '&': `let x = 3; x &= u.n; ${X}`,
    '|': `let x = 2; x |= u.n; ${X}`,
    '^': assignment('^'),
    '<<': assignment('<<'),
    '>>': `let x = 4; x >>= u.n; ${X}`,
    '>>>': `let x = 4; x >>>= u.n; ${X}`,
    '&&': `let x = 0, h = u.b; h &&= (x = 1); ${X}`,
    '||': `let x = 0, h = u.b; h ||= (x = 1); ${X}`,
    '??': `let x = 0, h = u.b ? null : 1; h ??= (x = 1); ${X}`,
  },
}
