/**
 * Values of a size that are hard on the platform, by the name under which the calls of `calls.ts` use them. Each is a
 * statement that declares it.
 */
export const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  // Texts
  periodic: (n) => `const periodic = "a".repeat(${n})`,
  nearly: (n) => `const nearly = "a".repeat(${n >> 3}) + "b" + "a".repeat(${n >> 3})`,
  rope: (n) => `let rope = "r"; while (rope.length < ${n}) rope += rope.length % 7 === 0 ? rope : "0123456789abcdef"`,
  prose: (n) =>
    `const prose = "It was a dark and stormy night; the rain fell in torrents. ".repeat(${Math.ceil(n / 60)})`,
  marks: (n) => `const marks = "e\\u0301\\u0323".repeat(${Math.ceil(n / 3)})`,
  stack: () => `const stack = "e" + "\\u0301\\u0323".repeat(200)`,
  wide: (n) => `const wide = "ß界🙂".repeat(${n >> 2})`,
  blanks: (n) => `const blanks = " ".repeat(${n >> 1}) + "x" + " ".repeat(${n >> 1})`,
  escapes: (n) => `const escapes = "\\u0001\\"".repeat(${n >> 1})`,
  coded: (n) => `const coded = "%E7%95%8C".repeat(${Math.ceil(n / 9)})`,
  digits: (n) => `const digits = "9".repeat(${n})`,
  dollars: (n) => `const dollars = "$&$<".repeat(${Math.min(n, 64) >> 2})`,
  // Lists
  numbers: (n) => `const numbers = Array.from({ length: ${n} }, (_, i) => (i * 7919) % ${n})`,
  sorted: (n) => `const sorted = Array.from({ length: ${n} }, (_, i) => i)`,
  reversed: (n) => `const reversed = Array.from({ length: ${n} }, (_, i) => ${n} - i)`,
  prefixed: (n) =>
    `const head = "p".repeat(200); const prefixed = Array.from({ length: ${n >> 4} }, (_, i) => head + i)`,
  gaps: (n) => `const gaps = []; gaps.length = ${n}; gaps[${n >> 1}] = 1`,
  lists: (n) => `const lists = Array.from({ length: ${n >> 2} }, (_, i) => [i, [i]])`,
  tall: () => `let tall = 1; for (let i = 0; i < 150; i++) tall = [tall]`,
  texts: (n) => `const texts = Array.from({ length: ${n} }, (_, i) => "text " + i)`,
  // Tables
  record: (n) => `const record = {}; for (let i = 0; i < ${n >> 1}; i++) record["k" + i] = i`,
  indexed: (n) => `const indexed = {}; for (let i = ${n >> 1}; i > 0; i--) indexed[i] = i`,
  table: (n) => `const table = new Map(); for (let i = 0; i < ${n >> 1}; i++) table.set("k" + i, i)`,
  bag: (n) => `const bag = new Set(); for (let i = 0; i < ${n >> 1}; i++) bag.add(i)`,
  other: (n) => `const other = new Set(); for (let i = 0; i < ${n >> 1}; i++) other.add(i + ${n >> 2})`,
  long: () => `const start = "l".repeat(20000); const long = Array.from({ length: 20 }, (_, i) => start + (100 + i))`,
  json: (n) => `const json = JSON.stringify(Array.from({ length: ${n >> 4} }, (_, i) => ({ a: i, b: "x\\n" })))`,
  value: (n) => `const value = Array.from({ length: ${n >> 4} }, (_, i) => ({ a: i, b: "x\\n" }))`,
  when: () => `const when = new Date(86400000)`,
  broken: () => `const broken = new Error("x".repeat(5000))`,
  add: () => `const add = (a, b) => a + b`,
  chain: (n) => `let chain = {}; for (let i = 0; i < ${n >> 5}; i++) chain = Object.create(chain)`,
  counting: (n) => `function* counting() { for (let i = 0; i < ${n}; i++) yield i }`,
  later: (n) => `async function* later() { for (let i = 0; i < ${n}; i++) yield i }`,
  done: () => `const done = Promise.resolve(1)`,
}

/** What a call needs declared, in the order of the table. */
export function setupFor(call: string, size: number): string {
  return Object.entries(SHAPES)
    .filter(([name]) => new RegExp(`\\b${name}\\b`).test(call))
    .map(([, make]) => make(size))
    .join('; ')
}
