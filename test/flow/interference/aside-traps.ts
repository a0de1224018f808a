/**
 * Built-ins that call back, with callbacks that may run long: those run as functions of the program, which can be put
 * aside, and labels are followed through them in another way than through the built-ins. Each takes a list and a callback.
 */
const CALLS: readonly string[] = [
  ...'map forEach filter some every find findIndex findLast findLastIndex flatMap sort toSorted'
    .split(' ')
    .map((name) => `$l.${name}($f)`),
  '$l.reduce($f, 0)',
  '$l.reduceRight($f)',
  'new Map($l.map((x) => [x, x])).forEach($f)',
  'new Set($l).forEach($f)',
  'Array.from($l, $f)',
  'Array.from(new Set($l), $f)',
  'Array.from({ length: $l.length }, $f)',
  'Object.groupBy($l, $f)',
  '[...Map.groupBy($l, $f)]',
  '$l.join("").replace("1", $f)',
  '$l.join("").replace(/1/, $f)',
  '$l.join("").replace(/\\d/g, $f)',
  '$l.join("").replaceAll("1", $f)',
  '$l.join("").replaceAll(/\\d/g, $f)',
]

const LONG = 'for (const z of [1]) {}'

/** Where what is untrusted decides something; `$(list, callback)` is the call. */
const SHAPES: readonly (readonly [string, string])[] = [
  ['what it gives', `const x = $([1, 2], () => { ${LONG} return u.b ? 1 : -1 }); await tools.sink({ x })`],
  [
    'what it goes through',
    `const x = $((u.b ? [1, 2] : [2, 1]), (x) => { ${LONG} return x }); await tools.sink({ x })`,
  ],
  [
    'how often it is called',
    `let n = 0; $([1, 1].slice(0, u.b ? 1 : 2), () => { ${LONG} n++; return 1 }); await tools.sink({ n })`,
  ],
  ['what it sets', `let n = 0; $([1, 2], () => { ${LONG} if (u.b) n = 1; return 1 }); await tools.sink({ n })`],
  [
    'which it is',
    `let n = 0, m = 0; const f = () => { ${LONG} n = 1; return 1 }, g = () => { ${LONG} m = 1; return 1 }; $([1, 2], u.b ? f : g); await tools.sink({ n, m })`,
  ],
  [
    'that it is called at all',
    `let n = 0; const f = () => { ${LONG} n = 1; return 1 }; if (u.b) { $([1, 2], f) } await tools.sink({ n })`,
  ],
  [
    'that it throws',
    `let n = 0; try { $([1, 2], () => { ${LONG} if (u.b) throw 1; return 1 }); n = 1 } catch { n = 2 } await tools.sink({ n })`,
  ],
  [
    'what it does to the list',
    `const l = [1, 1]; $(l, () => { ${LONG} if (u.b) l.length = 1; return 1 }); await tools.sink({ l })`,
  ],
  ['when it ends', `let n = 0; $([1, 1, 1], () => { ${LONG} n++; return u.b }); await tools.sink({ n })`],
  [
    'which items it changes',
    `const a = { x: 0 }, b = { x: 0 }; $((u.b ? [a, a] : [b, b]), (p) => { ${LONG} p.x = 1; return 1 }); await tools.sink({ a: a.x, b: b.x })`,
  ],
]

/** A pattern is changed where it is used, if it was chosen. */
const PATTERNS: readonly (readonly [string, string])[] = [
  [
    'which pattern is used',
    `const r = /a/g; r.lastIndex = 1; 'a'.replace(u.b ? r : 'a', () => { ${LONG} return 'b' }); await tools.sink({ x: r.lastIndex })`,
  ],
  [
    'which of two patterns is used',
    `const r = /a/g, q = /a/g; r.lastIndex = 1; 'a'.replaceAll(u.b ? r : q, () => { ${LONG} return 'b' }); await tools.sink({ x: r.lastIndex })`,
  ],
  [
    'whether what replaces is a function',
    `let n = 0; const f = () => { ${LONG} n++; return 'b' }; 'a'.replace('a', u.b ? f : 'b'); await tools.sink({ n })`,
  ],
  [
    'whether what is called is a list',
    `let n = 0; const f = () => { ${LONG} n++; return 1 }, o = { map: () => 1 }; (u.b ? [1] : o).map(f); await tools.sink({ n })`,
  ],
]

/** Every call in every shape. */
export const ASIDE_TRAPS: readonly (readonly [string, string])[] = [
  ...PATTERNS,
  ...CALLS.flatMap((call) =>
    SHAPES.map(([name, shape]): [string, string] => [
      `${name}, put aside: ${call}`,
      shape.replace(
        /\$\((\(.*?\)|\[.*?\](?:\.slice\(.*?\))?|l), (.*?)\)(; (?:await|n = 1)| \})/,
        (_, list: string, fn: string, end: string) => `${call.replace('$l', () => list).replace('$f', () => fn)}${end}`,
      ),
    ]),
  ),
]
