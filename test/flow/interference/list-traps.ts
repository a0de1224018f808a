/** Ways in which untrusted data decides what methods of lists do with their callbacks, and how often. */
export const LIST_TRAPS: readonly (readonly [string, string])[] = [
  ['a property of the name `length`', `const o = { length: u.n }; await tools.sink({ n: o.length })`],
  ['the same in a chain', `const o = { length: u.n }; await tools.sink({ n: o?.length })`],
  ['the same by a key', `const o = { length: u.n }, k = 'length'; await tools.sink({ n: o[k] })`],
  ['the same taken out', `const { length } = { length: u.n }; await tools.sink({ n: length })`],
  [
    'the same as the end of a loop',
    `const o = { length: u.n }; let n = 0; for (let i = 0; i < o.length; i++) n++; await tools.sink({ n })`,
  ],
  [
    'what `reduce` would have written into what it began with',
    `const a={x:0}; [1].slice(0, u.b?1:0).reduce((acc) => { acc.x = 1; return acc }, a); await tools.sink({x:a.x})`,
  ],
  [
    'the same further inside',
    `const a={x:{y:0}}; [1].slice(0, u.b?1:0).reduce((acc) => { acc.x.y = 1; return acc }, a); await tools.sink({x:a.x.y})`,
  ],
  [
    'a list that its own callback makes shorter',
    `const l=[1,2,3]; const r = l.map((x) => { if (u.b) l.pop(); return x }); await tools.sink({r})`,
  ],
  [
    'turns that a callback takes away',
    `const l=[1,2,3]; let n = 0; l.forEach((x) => { n++; if (u.b) l.length = 0 }); await tools.sink({n})`,
  ],
  ['turns of `some`', `let n=0; [1,2].some((x) => { n++; return u.b }); await tools.sink({n})`],
  ['turns of `every`', `let n=0; [1,2].every((x) => { n++; return u.b }); await tools.sink({n})`],
  ['turns of `find`', `let n=0; const r = [1,2].find((x) => { n++; return u.b }); await tools.sink({n, r})`],
  ['turns of `findIndex`', `let n=0; const r = [1,2].findIndex((x) => { n++; return u.b }); await tools.sink({n, r})`],
  [
    'which item was found',
    `const a={x:0}, b={x:0}; const r = [a,b].find((x) => u.b || x === b); r.x = 1; await tools.sink({a:a.x, b:b.x})`,
  ],
  [
    'items that a callback writes until it stops',
    `const a={x:0}, b={x:0}; [a,b].some((x) => { x.x = 1; return u.b }); await tools.sink({a:a.x, b:b.x})`,
  ],
  [
    'which items were kept',
    `const a={x:0}, b={x:0}; for (const x of [a,b].filter((x) => u.b)) x.x = 1; await tools.sink({a:a.x, b:b.x})`,
  ],
  [
    'what a callback gives',
    `const a={x:0}, b={x:0}; const [x] = [1].map(() => u.b ? a : b); x.x = 1; await tools.sink({a:a.x, b:b.x})`,
  ],
  [
    'turns of `map` after a throw',
    `let n=0; try { [1,2].map((x) => { n++; if (u.b) throw 1 }) } catch {} await tools.sink({n})`,
  ],
  [
    'turns of `forEach` after a throw',
    `let n=0; try { [1,2].forEach((x) => { if (u.b) throw 1; n++ }) } catch {} await tools.sink({n})`,
  ],
  [
    'turns of `reduce` after a throw',
    `let n=0; try { [1,2].reduce((a, x) => { if (u.b) throw 1; n++ }, 0) } catch {} await tools.sink({n})`,
  ],
  [
    'whether there is anything to begin with',
    `let n=0; try { [1].slice(0, u.b ? 1 : 0).reduce((a, x) => a) } catch { n = 1 } await tools.sink({n})`,
  ],
  ['what `reduce` adds up', `const r = [1,2].reduce((a, x) => a + (u.b ? x : 0), 0); await tools.sink({r})`],
  ['how many `reduce` adds up', `const r = [1,2].slice(0, u.n).reduce((a, x) => a + x, 0); await tools.sink({r})`],
  [
    'what `reduce` hands on, chosen',
    `const a={x:0}, b={x:0}; [1,2].reduce((p) => { p.x = 1; return u.b ? a : b }, {}); await tools.sink({a:a.x, b:b.x})`,
  ],
  [
    'what is added up from the end',
    `const r = [1,2].reduceRight((a, x) => a + (u.b ? x : 0), 0); await tools.sink({r})`,
  ],
  ['how far a callback came', `let n=0; [1,2].slice(0, u.n).forEach((x, i) => { n = i }); await tools.sink({n})`],
  [
    'a list that its callback writes',
    `const l=[1,2]; l.forEach((x, i, p) => { if (u.b) p[0] = 9 }); await tools.sink({l})`,
  ],
  [
    'what a callback is given, all of it',
    `let n=0; const l=[1,2]; l.slice(0, u.n).forEach((...r) => { n = r.length }); await tools.sink({n})`,
  ],
  [
    'callbacks in callbacks',
    `let n=0; [1,2].map((x) => [1,2].slice(0, u.n).map((y) => { n++; return y })); await tools.sink({n})`,
  ],
  [
    'callbacks that wait',
    `let n=0; await Promise.all([1,2].map(async (x) => { if (u.b) return; await tools.clean({}); n++ })); await tools.sink({n})`,
  ],
  [
    'how many callbacks that wait were begun',
    `let n=0; [1,2].slice(0, u.n).forEach(async (x) => { n++ }); await tools.sink({n})`,
  ],
  ['calls made for each item', `[1,2].slice(0, u.n).forEach((x) => { tools.sink({x}) }); await tools.sink({y:1})`],
  [
    'calls made until one says to stop',
    `[1,2].some((x) => { tools.sink({x: 1}); return u.b }); await tools.sink({y:1})`,
  ],
  [
    'calls made while items are kept',
    `[1,2].filter((x) => { tools.sink({x: 1}); return u.b }); await tools.sink({y:1})`,
  ],
  [
    'which list is gone through',
    `const a=[1], b=[1,2]; let n=0; (u.b ? a : b).forEach(() => { n++ }); await tools.sink({n})`,
  ],
  [
    'which list a callback writes',
    `const a=[1], b=[1]; (u.b ? a : b).forEach((x, i, l) => { l.push(1) }); await tools.sink({a:a.length,b:b.length})`,
  ],
  [
    'which callback is called for each item',
    `let n=0, m=0; [1].forEach(u.b ? () => { n++ } : () => { m++ }); await tools.sink({n, m})`,
  ],
  ['how many were kept', `const a = [1,2].filter(() => u.b); a.push(3); await tools.sink({n:a.length})`],
]
