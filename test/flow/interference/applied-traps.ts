/** Built-ins that are called through `call` and `apply`, or called back by others: they change what they are given all the same. */
export const APPLIED_TRAPS: readonly (readonly [string, string])[] = [
  [
    'an iterator or a date: toArray',
    `const it=[1,2].values(); if (u.b) it.toArray(); await tools.sink({ x: it.next() })`,
  ],
  ['an iterator or a date: next', `const it=[1,2].values(); if (u.b) it.next(); await tools.sink({ x: it.next() })`],
  ['an iterator or a date: spread', `const it=[1,2].values(); if (u.b) [...it]; await tools.sink({ x: it.next() })`],
  [
    'an iterator or a date: spread in &&',
    `const it=[1,2].values(); u.b && [...it]; await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: for of',
    `const it=[1,2].values(); if (u.b) for (const q of it) {} await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: for of break',
    `const it=[1,2].values(); for (const q of it) { if (u.b) break } await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: from',
    `const it=[1,2].values(); if (u.b) Array.from(it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: new Set',
    `const it=[1,2].values(); if (u.b) new Set(it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: new Set chosen',
    `const it=[1,2].values(); new Set(u.b ? it : []); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: from chosen',
    `const it=[1,2].values(); Array.from(u.b ? it : []); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: spread chosen',
    `const it=[1,2].values(); [...(u.b ? it : [])]; await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: for chosen',
    `const it=[1,2].values(); for (const q of (u.b ? it : [])) {} await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: destructure',
    `const it=[1,2].values(); if (u.b) { const [a] = it } await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: args',
    `const it=[1,2].values(); if (u.b) Math.max(...it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: fromEntries',
    `const it=new Map([[1,2]]).entries(); if (u.b) Object.fromEntries(it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: new Map',
    `const it=new Map([[1,2]]).entries(); if (u.b) new Map(it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: Promise.all',
    `const it=[1,2].values(); if (u.b) await Promise.all(it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: groupBy',
    `const it=[1,2].values(); if (u.b) Object.groupBy(it, () => 1); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: matchAll',
    `const it='aa'.matchAll(/a/g); if (u.b) [...it]; await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: toArray chosen',
    `const it=[1,2].values(); (u.b ? it : [].values()).toArray(); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: concat',
    `const it=[1,2].values(); if (u.b) [].concat(it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: date',
    `const it = new Date(0); if (u.b) it.setDate(5); await tools.sink({x: it.getTime()})`,
  ],
  ['an iterator or a date: date2', `const it = new Date(0); it.setDate(u.n + 3); await tools.sink({x: it.getTime()})`],
  [
    'an iterator or a date: date chosen',
    `const it = new Date(0); (u.b ? it : new Date(1)).setDate(5); await tools.sink({x: it.getTime()})`,
  ],
  [
    'an iterator or a date: set in fn',
    `const it = new Date(0); const f = (d) => d.setDate(5); if (u.b) f(it); await tools.sink({x: it.getTime()})`,
  ],
  [
    'an iterator or a date: bound next',
    `const it=[1,2].values(); const n = it.next; if (u.b) n.call(it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: in function',
    `const it=[1,2].values(); const f = () => [...it]; if (u.b) f(); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: given function',
    `const it=[1,2].values(); const f = (p) => [...p]; if (u.b) f(it); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: in object',
    `const o={it: [1,2].values()}; if (u.b) [...o.it]; await tools.sink({x: o.it.next()})`,
  ],
  [
    'an iterator or a date: as callback',
    `const it=[1,2].values(); if (u.b) [it].map((p) => [...p]); await tools.sink({ x: it.next() })`,
  ],
  [
    'an iterator or a date: frozen',
    `const o = {x:0}; if (u.b) Object.freeze(o); try { o.x = 1 } catch {} await tools.sink({x:o.x})`,
  ],
  [
    'a method that is applied: call',
    `const l=[]; const n = l.push; if (u.b) n.call(l, 1); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: direct call',
    `const l=[]; if (u.b) l.push.call(l, 1); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: other receiver',
    `const l=[]; if (u.b) [].push.call(l, 1); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: apply',
    `const l=[]; if (u.b) l.push.apply(l, [1]); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: call in fn',
    `const l=[]; const f = () => [].push.call(l, 1); if (u.b) f(); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: call chosen',
    `const l=[]; [].push.call(u.b ? l : [], 1); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: call chosen fn',
    `const l=[]; (u.b ? l.push : l.concat).call(l, 1); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: assign call',
    `const l={}; if (u.b) Object.assign.call(null, l, {a:1}); await tools.sink({x: l})`,
  ],
  [
    'a method that is applied: assign apply',
    `const l={}; if (u.b) Object.assign.apply(null, [l, {a:1}]); await tools.sink({x: l})`,
  ],
  [
    'a method that is applied: fn call',
    `const l=[]; const f = (p) => { p.push(1) }; if (u.b) f.call(null, l); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: fn apply',
    `const l=[]; const f = (p) => { p.push(1) }; if (u.b) f.apply(null, [l]); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: map set',
    `const l=new Map(); const s = l.set; if (u.b) s.call(l, 1, 1); await tools.sink({x: l.size})`,
  ],
  [
    'a method that is applied: call var',
    `const l=[]; const c = l.push.call; if (u.b) c.call(l.push, l, 1); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: label via call',
    `const l=[]; [].push.call(l, u.n); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: param method',
    `const l=[]; const run = (f) => { if (u.b) f.call(l, 1) }; run(l.push); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: obj method',
    `const l=[]; const o = {m: l.push}; if (u.b) o.m.call(l, 1); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a method that is applied: array item',
    `const l=[]; const o = [l.push]; if (u.b) o[0].call(l, 1); await tools.sink({ x: l.length, l })`,
  ],
  [
    'a built-in by another way: reduce assign',
    `const o={}; u.l.map((q) => ({a: q})).reduce(Object.assign, o); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: reduce assign clean len',
    `const o={}; [{a: u.n}].reduce(Object.assign, o); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: reduce assign filtered',
    `const o={}; [{a: 1}].filter(() => u.b).reduce(Object.assign, o); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: reduce assign under if',
    `const o={}; if (u.b) [{a: 1}].reduce(Object.assign, o); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: reduce assign alias',
    `const o={}; const f = Object.assign; if (u.b) [{a: 1}].reduce(f, o); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: map assign',
    `const o={}; [o].filter(() => u.b).map(Object.assign); await tools.sink({x: Object.keys(o).length})`,
  ],
  [
    'a built-in by another way: map freeze',
    `const o={}; [o].filter(() => u.b).map(Object.freeze); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: map freeze if',
    `const o={}; if (u.b) [o].map(Object.freeze); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: forEach freeze',
    `const o={}; if (u.b) [o].forEach(Object.freeze); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: from freeze',
    `const o={}; if (u.b) Array.from([o], Object.freeze); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: then freeze',
    `const o={}; if (u.b) await Promise.resolve(o).then(Object.freeze); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: then freeze 2',
    `const o={}; await (u.b ? Promise.resolve(o) : Promise.reject(1)).then(Object.freeze).catch(() => 0); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: groupBy freeze',
    `const o={}; if (u.b) Map.groupBy([o], Object.freeze); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: set forEach',
    `const o={}; if (u.b) new Set([o]).forEach(Object.freeze); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: JSON.parse reviver',
    `const o={}; const r = u.b ? Object.freeze : String; [o].map(r); try { o.a = 1 } catch {} await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: alias direct',
    `const o={}; const f = Object.assign; f(o, {a: u.n}); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: alias if',
    `const o={}; const f = Object.assign; if (u.b) f(o, {a: 1}); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: alias in fn',
    `const o={}; const g = (f, p) => f(p, {a: 1}); if (u.b) g(Object.assign, o); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: param',
    `const o={}; const g = (f) => { if (u.b) f(o, {a: 1}) }; g(Object.assign); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: reduce in fn',
    `const o={}; const g = (p) => [{a: 1}].reduce(Object.assign, p); if (u.b) g(o); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: stored',
    `const o={}; const h = {f: Object.assign}; if (u.b) h.f(o, {a: 1}); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: list',
    `const o={}; const h = [Object.assign]; if (u.b) h[0](o, {a: 1}); await tools.sink({ x: o })`,
  ],
  ['a built-in by another way: call spread', `const o=[]; if (u.b) o.push.call(...[o, 1]); await tools.sink({ x: o })`],
  [
    'a built-in by another way: call spread chosen',
    `const o=[]; o.push.call(...(u.b ? [o, 1] : [[], 1])); await tools.sink({ x: o })`,
  ],
  ['a built-in by another way: apply label', `const o=[]; o.push.apply(o, u.l); await tools.sink({ x: o })`],
  [
    'a built-in by another way: replace call',
    `let o=0; ''.replace.call('a', 'a', u.b ? () => { o = 1; return '' } : ''); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: replace apply',
    `let o=0; ''.replace.apply('a', ['a', u.b ? () => { o = 1; return '' } : '']); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: map call',
    `let o=0; [].map.call([1], u.b ? () => { o = 1 } : String); await tools.sink({ x: o })`,
  ],
  ['a built-in by another way: map call 2', `let o=0; [].map.call(u.l, () => { o++ }); await tools.sink({ x: o })`],
  [
    'a built-in by another way: exec call',
    `const r = /a/g; r.test.call(r, u.s); const o = r.lastIndex; await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: hasOwn call',
    `const o = Object.hasOwn.call(null, u.o, 'a'); await tools.sink({ x: o })`,
  ],
  [
    'a built-in by another way: hasOwnProperty call',
    `const o = ({}).hasOwnProperty.call(u.o, 'a'); await tools.sink({ x: o })`,
  ],
  ['a built-in by another way: toString call', `const o = [].join.call(u.l, '-'); await tools.sink({ x: o })`],
  ['a built-in by another way: max apply', `const o = Math.max.apply(null, u.l); await tools.sink({ x: o })`],
  [
    'a built-in by another way: call thrown',
    `let o = 0; try { [].push.call(u.z, 1); o = 1 } catch {} await tools.sink({ x: o })`,
  ],
]
