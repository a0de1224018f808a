/** What throws because of untrusted data, or does not. */
const RISKS: readonly (readonly [string, string])[] = [
  ['what is read of nothing', 'u.z.y'],
  ['a part of something new', '[u.z.y].length'],
  ['something that is no list', '[...u.z].length'],
  ['a built-in that refuses', `'x'.repeat(u.n - 1)`],
  ['a function that reads of nothing', '((p) => p.y)(u.z)'],
]

/** Clean things that are done behind it, so that they are done only where it did not throw. */
const PLACES: readonly (readonly [string, (risk: string) => string])[] = [
  ['the call that it is an argument of', (r) => `try { await tools.sink({ a: ${r} }) } catch {}`],
  ['a call that is given more than it takes', (r) => `try { await tools.sink(...[{}, ${r}]) } catch {}`],
  ['a call of a function', (r) => `const f = (p) => { tools.sink({}) }; try { f(${r}) } catch {}`],
  ['a call with more arguments', (r) => `const f = (p, q) => { tools.sink({}) }; try { f(1, ${r}) } catch {}`],
  ['a call of a method', (r) => `const o = { f() { tools.sink({}) } }; try { o.f(${r}) } catch {}`],
  [
    'a method that is chosen',
    (r) => `let x = 0; const o = { g: { f() { x = 1 } } }; try { o[(${r}, 'g')].f() } catch {} await tools.sink({ x })`,
  ],
  [
    'a function that is called by a built-in',
    (r) => `let x = 0; const f = () => { x = 1 }; try { f.call(null, ${r}) } catch {} await tools.sink({ x })`,
  ],
  ['what is called to make a promise', (r) => `try { new Promise((f) => { tools.sink({}); f() }, ${r}) } catch {}`],
  ['the other side of an operator', (r) => `const f = () => { tools.sink({}) }; try { ${r} + f() } catch {}`],
  ['the next item', (r) => `const f = () => { tools.sink({}) }; try { [${r}, f()] } catch {}`],
  ['the next member', (r) => `const f = () => { tools.sink({}) }; try { ({ a: ${r}, b: f() }) } catch {}`],
  ['the value of a member', (r) => `const f = () => { tools.sink({}) }; try { ({ [${r}]: f() }) } catch {}`],
  ['the next argument', (r) => `const f = () => { tools.sink({}) }; try { String(${r}, f()) } catch {}`],
  ['the rest of a text', (r) => `const f = () => { tools.sink({}); return 1 }; try { \`\${${r}}\${f()}\` } catch {}`],
  ['an argument of a method of it', (r) => `const f = () => { tools.sink({}) }; try { (${r}).toString(f()) } catch {}`],
  ['a key of it', (r) => `const f = () => { tools.sink({}); return 'a' }; try { (${r})[f()] } catch {}`],
  ['what is put into it', (r) => `const f = () => { tools.sink({}) }; try { (${r}).q = f() } catch {}`],
  ['what is put under it', (r) => `const o = {}; const f = () => { tools.sink({}) }; try { o[${r}] = f() } catch {}`],
  ['an assignment beside it', (r) => `let x = 0; try { [${r}, (x = 1)] } catch {} await tools.sink({ x })`],
  ['what comes after a list', (r) => `let x = 0; try { [${r}]; x = 1 } catch {} await tools.sink({ x })`],
  [
    'what comes after an object',
    (r) => `let x = 0; const o = {}; try { o.a = { a: ${r} }; x = 1 } catch {} await tools.sink({ x })`,
  ],
  [
    'a sum with a new list',
    (r) => `const o = { x: 0 }; try { o.x += [${r}].length } catch {} await tools.sink({ x: o.x })`,
  ],
  [
    'what comes after a function that gives an object',
    (r) => `let x = 0; const f = () => ({ a: ${r} }); try { f(); x = 1 } catch {} await tools.sink({ x })`,
  ],
  [
    'what comes after a default',
    (r) => `let x = 0; const f = (p = [${r}]) => 1; try { x = f() } catch {} await tools.sink({ x })`,
  ],
  [
    'what comes after taking it apart',
    (r) => `let x = 0; try { const [] = [${r}].slice(1); x = 1 } catch {} await tools.sink({ x })`,
  ],
  ['a branch that is always taken', (r) => `let x = 0; try { if ([${r}]) x = 1 } catch {} await tools.sink({ x })`],
  [
    'a loop over a list of one',
    (r) => `let x = 0; try { for (const q of [[${r}]]) { x = 1; break } } catch {} await tools.sink({ x })`,
  ],
  ['a wait for something new', (r) => `try { await { a: ${r} }; await tools.sink({}) } catch {}`],
  [
    'a wait beside it',
    (r) => `try { const p = { a: await tools.clean({}), b: ${r}, c: await tools.sink({}) } } catch {}`,
  ],
  ['all that is waited for', (r) => `try { await Promise.all([tools.clean({ a: ${r} }), tools.sink({})]) } catch {}`],
  ['a function that waits', (r) => `const f = async () => { await tools.sink({ a: ${r} }) }; await f().catch(() => 1)`],
  [
    'a function whose promise is handed on',
    (r) => `const f = async () => tools.sink({ a: ${r} }); await f().catch(() => 1)`,
  ],
  ['a callback of a promise', (r) => `await Promise.resolve(1).then(() => tools.sink({ a: ${r} })).catch(() => 1)`],
  ['what makes a promise', (r) => `await new Promise((f) => { tools.sink({ a: ${r} }); f() }).catch(() => 1)`],
  ['a callback of a list', (r) => `try { [1].forEach((x) => { tools.sink({ a: ${r} }) }) } catch {}`],
  ['what sorts', (r) => `try { [2, 1].sort(() => { tools.sink({ a: ${r} }); return 1 }) } catch {}`],
  [
    'what replaces',
    (r) => `let x = 0; try { 'p'.replace('p', () => { [${r}]; x = 1 }) } catch {} await tools.sink({ x })`,
  ],
  [
    'a try within',
    (r) => `try { try { await tools.sink({ a: ${r} }) } finally { await tools.sink({ b: 1 }) } } catch {}`,
  ],
  [
    'what is done at last',
    (r) => `try { try { await tools.clean({}) } finally { await tools.sink({ a: ${r} }) } } catch {}`,
  ],
  ['what catches', (r) => `try { try { throw 1 } catch { await tools.sink({ a: ${r} }) } } catch {}`],
  [
    'what is given at last all the same',
    (r) => `let x = 0; const f = () => { try { [${r}]; x = 1 } finally { return 2 } }; f(); await tools.sink({ x })`,
  ],
  [
    'what is said of another throw',
    (r) => `let x = 0; try { String(${r}, ({}).q.r) } catch (e) { x = e.message } await tools.sink({ x })`,
  ],
]

/** Every place with every risk. */
export const THROW_TRAPS: readonly (readonly [string, string])[] = PLACES.flatMap(([place, write]) =>
  RISKS.map(([risk, source]): readonly [string, string] => [`${place}, behind ${risk},`, write(source)]),
)
