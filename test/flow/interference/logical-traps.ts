/** What an assignment computes only if it must: its operator, and a value that `u.b` makes it compute or not. */
const OPERATORS: readonly (readonly [string, string])[] = [
  ['&&=', 'u.b'],
  ['||=', 'u.b'],
  ['??=', 'u.b ? null : 1'],
]

/** Where the value of the test stands: how it is declared, and the target that reads it. */
const TARGETS: readonly (readonly [string, (test: string) => string, string])[] = [
  ['a variable', (test) => `let h = ${test}`, 'h'],
  ['a captured variable', (test) => `let h = ${test}; const seen = () => h`, 'h'],
  ['a member', (test) => `const o = { h: ${test} }`, 'o.h'],
  ['an item', (test) => `const o = [${test}]`, 'o[0]'],
  ['a member by a key made at run time', (test) => `const o = { h: ${test} }; const k = 'h'`, 'o[k]'],
  ['a member of what was chosen', (test) => `const o = { h: ${test} }, p = { h: ${test} }`, '(u.n ? o : p).h'],
]

/** What the value does on the way, and what shows it. */
const DEEDS: readonly (readonly [string, string, string, string])[] = [
  ['sets a variable', 'let x = 0', '(x = 1, 5)', '{ x }'],
  ['adds to a list', 'const l = []', 'l.push(1)', '{ n: l.length, l }'],
  ['sets a member', 'const m = {}', '(m.a = 1)', '{ m }'],
  ['deletes a member', 'const m = { a: 1 }', '(delete m.a, 5)', '{ m }'],
  ['calls a function', 'let x = 0; const f = () => { x = 1; return 5 }', 'f()', '{ x }'],
  ['waits', 'let x = 0', '(await tools.clean({}), x = 1)', '{ x }'],
  ['sets another in the same way', 'let x = 0', '((x ||= 1), 5)', '{ x }'],
]

/** Places in an expression or a statement where such an assignment may stand. */
const PLACES: readonly (readonly [string, (assignment: string) => string])[] = [
  ['an argument', (a) => `String(${a})`],
  ['an argument of a method', (a) => `[1].includes(${a})`],
  ['an argument of a function', (a) => `((p) => p)(${a})`],
  ['an argument of a constructor', (a) => `new Set([${a}])`],
  ['a template', (a) => `\`\${${a}}\``],
  ['what is spread', (a) => `[...[${a}]]`],
  ['what is spread into arguments', (a) => `Math.max(...[${a}])`],
  ['a property', (a) => `({ a: ${a} })`],
  ['a key that is made', (a) => `({ [${a}]: 1 })`],
  ['an index', (a) => `[1][${a}]`],
  ['the key of a target', (a) => `const t = {}; t[${a}] = 1`],
  ['the object of a member', (a) => `Object(${a}).z`],
  ['what is called', (a) => `((${a}), String)(1)`],
  ['the test of a choice', (a) => `(${a}) ? 1 : 2`],
  ['a side of a choice', (a) => `true ? (${a}) : 2`],
  ['the left of a logical operator', (a) => `(${a}) || 1`],
  ['the right of a logical operator', (a) => `1 && (${a})`],
  ['a test', (a) => `if (${a}) {}`],
  ['the head of `while`', (a) => `let i = 0; while (i++ < 1 && (${a})) {}`],
  ['the head of `do`', (a) => `let i = 0; do {} while (i++ < 1 && (${a}))`],
  ['the beginning of `for`', (a) => `for (${a}; false; ) {}`],
  ['the step of `for`', (a) => `for (let i = 0; i < 1; i++, ${a}) {}`],
  ['what `for` goes through', (a) => `for (const q of [${a}]) {}`],
  ['what `for in` goes through', (a) => `for (const q in { a: ${a} }) {}`],
  ['a `switch`', (a) => `switch (${a}) { default: }`],
  ['a `case`', (a) => `switch (1) { case (${a}): default: }`],
  ['what is returned', (a) => `(() => { return ${a} })()`],
  ['what is thrown', (a) => `try { throw (${a}) } catch {}`],
  ['a default of a parameter', (a) => `((p = (${a})) => p)()`],
  ['a default of a name that is taken apart', (a) => `const { q = (${a}) } = {}`],
  ['a default of a target', (a) => `let q; [q = (${a})] = []`],
  ['an operand', (a) => `1 + (${a})`],
  ['the operand of a prefix', (a) => `typeof (${a})`],
  ['what is assigned', (a) => `let q; q = (${a})`],
  ['what is added', (a) => `let q = 1; q += (${a})`],
  ['an optional chain', (a) => `({})?.[${a}]`],
  ['an argument of an optional call', (a) => `String?.(${a})`],
  ['what is deleted', (a) => `delete ({})[${a}]`],
  ['a function of its own', (a) => `(() => { ${a} })()`],
  ['a function of its own that can wait', (a) => `await (async () => { ${a} })()`],
  ['a callback', (a) => `[1].forEach(() => { ${a} })`],
  ['a callback that replaces', (a) => `'a'.replace('a', () => String(${a}))`],
  ['a callback that sorts', (a) => `[2, 1].sort(() => { ${a}; return 0 })`],
  ['`try`', (a) => `try { ${a} } catch {}`],
  ['`catch`', (a) => `try { throw 1 } catch { ${a} }`],
  ['`finally`', (a) => `try {} finally { ${a} }`],
]

const traps: (readonly [string, string])[] = []
for (const [op, test] of OPERATORS)
  for (const [where, declare, target] of TARGETS)
    for (const [deed, start, value, shown] of DEEDS)
      traps.push([
        `what ${op} to ${where} does: it ${deed}`,
        `${declare(test)}; ${start}; ${target} ${op} ${value}; await tools.sink(${shown})`,
      ])
for (const [at, [place, write]] of PLACES.entries()) {
  const [op, test] = OPERATORS[at % OPERATORS.length]!
  traps.push([
    `what ${op} does in ${place}`,
    `let x = 0; let h = ${test}; ${write(`h ${op} (x = 1)`)}; await tools.sink({ x })`,
  ])
}

/** Assignments that untrusted data decides about: also what their values do, in every place where one can stand. */
export const LOGICAL_TRAPS: readonly (readonly [string, string])[] = [
  ...traps,
  [
    'an address that is put together letter by letter',
    `let to = ''; for (const c of ['a', 'b']) { let hit = u.s === c; hit &&= (to += c, true) } await tools.sink({ to })`,
  ],
  ['that a call was asked for by such an assignment', `let h = u.b; h &&= tools.sink({ x: 1 }); await h`],
  ['what such an assignment gave', `let h = u.b; const y = (h &&= 5); await tools.sink({ h, y })`],
  [
    'which of two things it gave',
    `const a = { x: 0 }; let h = u.b ? a : null; (h ??= {}).x = 1; await tools.sink({ x: a.x })`,
  ],
  [
    'whether it failed',
    `let x = 0; let h = u.b; try { h &&= (() => { throw 1 })(); x = 1 } catch {} await tools.sink({ x })`,
  ],
]
