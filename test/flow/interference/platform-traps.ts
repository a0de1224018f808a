/** Ways in which untrusted data goes through objects of the platform. */
export const PLATFORM_TRAPS: readonly (readonly [string, string])[] = [
  [
    'a format whose options it decided',
    `const f = new Intl.NumberFormat('en-US', { minimumFractionDigits: u.n }); await tools.sink({ x: f.format(1) })`,
  ],
  [
    'a method read from such a format',
    `const { format } = new Intl.NumberFormat('en-US', { minimumFractionDigits: u.n }); await tools.sink({ x: format(1) })`,
  ],
  [
    'a method of such a format as a callback',
    `const f = new Intl.NumberFormat('en-US', { minimumFractionDigits: u.n }); await tools.sink({ x: [1].map(f.format) })`,
  ],
  [
    'which of two formats is used',
    `const a = new Intl.NumberFormat('en-US'), b = new Intl.NumberFormat('de-DE'); await tools.sink({ x: (u.b ? a : b).format(1.5) })`,
  ],
  [
    'a number that is formatted',
    `await tools.sink({ x: new Intl.NumberFormat('en-US').format(u.n), y: u.n.toLocaleString('de-DE') })`,
  ],
  [
    'an order by a collator with options it decided',
    `const c = new Intl.Collator('en', { numeric: u.b }); await tools.sink({ x: ['b10', 'b9'].sort(c.compare) })`,
  ],
  ['a list that is joined in words', `await tools.sink({ x: new Intl.ListFormat('en').format(['a', String(u.n)]) })`],
  [
    'a query that changes the URL it belongs to',
    `const url = new URL('https://a/'); const p = url.searchParams; p.set('q', u.s); await tools.sink({ x: url.href })`,
  ],
  [
    'a part of a URL that changes its parameters',
    `const url = new URL('https://a/'); const p = url.searchParams; url.search = u.s; await tools.sink({ x: String(p), y: p.size })`,
  ],
  [
    'a part of a URL that shows in another part',
    `const url = new URL('https://a/'); url.search = u.s; await tools.sink({ x: url.href, y: url.pathname })`,
  ],
  [
    'parameters of a URL in a variable that the test may set',
    `const a = new URL('https://a/'), b = new URL('https://b/'); let url = a; if (u.b) { if (b.port === '1') url = b; url.searchParams.append('q', '1') } await tools.sink({ x: a.href })`,
  ],
  [
    'a part of a URL that is set under a test',
    `const url = new URL('https://a/'); if (u.b) url.hash = 'x'; await tools.sink({ x: url.href })`,
  ],
  [
    'parameters of a URL that are set under a test',
    `const url = new URL('https://a/'); if (u.b) url.searchParams.append('q', '1'); await tools.sink({ x: url.href })`,
  ],
  [
    'parameters that a function sets, which is called under a test',
    `const url = new URL('https://a/'); const add = (one) => { one.searchParams.set('q', '1') }; if (u.b) add(url); await tools.sink({ x: url.search })`,
  ],
  [
    'which of two URLs is changed',
    `const a = new URL('https://a/'), b = new URL('https://b/'); const t = u.b ? a : b; t.port = 8080; await tools.sink({ a: a.href, b: b.href })`,
  ],
  [
    'what a loop over parameters does',
    `let n = 0; for (const [k, v] of new URLSearchParams('a=' + u.s)) n = v; await tools.sink({ n })`,
  ],
  [
    'whether a text is a URL',
    `let x = 0; try { new URL(u.b ? 'https://a' : 'no') } catch { x = 1 } await tools.sink({ x })`,
  ],
  [
    'a number that another view of the same bytes reads',
    `const b = new ArrayBuffer(8); const t = new Uint8Array(b), v = new DataView(b); t[0] = u.n; await tools.sink({ x: v.getUint8(0), y: [...t.subarray(0, 1)] })`,
  ],
  [
    'which item of a typed array is set',
    `const t = new Uint8Array(4); t[u.n] = 1; await tools.sink({ x: t[0], y: t.length })`,
  ],
  ['an item that is set under a test', `const t = new Uint8Array(4); if (u.b) t[1] = 1; await tools.sink({ x: t[1] })`],
  [
    'an item that a function sets, which is called under a test',
    `const t = new Uint8Array(4); const f = () => { t.set([1], 1) }; if (u.b) f(); await tools.sink({ x: new Uint8Array(t.buffer)[1] })`,
  ],
  [
    'bytes that are set under a test through their buffer',
    `const t = new Uint8Array(4); if (u.b) new DataView(t.buffer).setInt8(0, 1); await tools.sink({ x: t[0] })`,
  ],
  [
    'a typed array that was chosen',
    `const a = new Uint8Array(1), b = new Uint8Array(1); (u.b ? a : b).fill(1); await tools.sink({ a: a[0], b: b[0] })`,
  ],
  [
    'a typed array as an object, a list and a text',
    `const t = new Uint8Array([u.n]); await tools.sink({ a: { ...t }, b: [...t], c: String(t), d: JSON.stringify(t), e: Object.values(t), f: t })`,
  ],
  [
    'what a loop over bytes does',
    `let x = 0; for (const one of new Uint8Array([u.n])) x = one; let y = ''; for (const k in new Uint8Array(u.n)) y += k; await tools.sink({ x, y })`,
  ],
  [
    'what a value was made with',
    `const a = u.b ? [1] : { a: 1 }; let e; try { u.b ? u.z.y : 'x'.repeat(-1) } catch (error) { e = error } await tools.sink({ x: a.constructor.name, y: e.constructor.name, z: a.constructor === Array })`,
  ],
  [
    'a property that is set by a function under a test',
    `const o = { a: 0 }; if (u.b) Reflect.set(o, 'a', 1); await tools.sink({ x: o.a })`,
  ],
  [
    'which of two objects loses a property',
    `const a = { p: 1 }, b = { p: 1 }; Reflect.deleteProperty(u.b ? a : b, 'p'); await tools.sink({ a: 'p' in a, b: 'p' in b })`,
  ],
  [
    'an object that was found by a function',
    `const a = { n: 0 }, b = { n: 0 }; Reflect.get({ a, b }, u.s).n = 1; await tools.sink({ a: a.n, b: b.n })`,
  ],
  [
    'a signal that is set under a test',
    `const c = new AbortController(); const { signal } = c; if (u.b) c.abort(); await tools.sink({ x: signal.aborted })`,
  ],
  [
    'what a getter writes that a function reads under a test',
    `let x = 0; const o = { get p() { x = 1; return 1 } }; if (u.b) Reflect.get(o, 'p'); await tools.sink({ x })`,
  ],
  [
    'what a setter writes that a function calls',
    `let x = 0; const o = { set p(v) { x = v } }; Reflect.set(o, 'p', u.n); if (u.b) Reflect.set(o, 'p', 7); await tools.sink({ x })`,
  ],
  [
    'which kind of typed array is made',
    `const T = u.b ? Uint8Array : Float64Array; await tools.sink({ x: new T(2).byteLength })`,
  ],
  [
    'what is written while an item becomes a number',
    `let x = 0; if (u.b) new Uint8Array([{ valueOf() { x = 2; return 1 } }]); await tools.sink({ x })`,
  ],
  ['a text in base64', `await tools.sink({ x: btoa(u.s), y: atob(btoa(u.s)) })`],
  [
    'what is put into a weak map under a test',
    `const k = {}; const m = new WeakMap(); if (u.b) m.set(k, 1); await tools.sink({ x: m.has(k), y: m.get(k) ?? 0 })`,
  ],
  [
    'which key of a weak set is added',
    `const a = {}, b = {}; const s = new WeakSet(); s.add(u.b ? a : b); await tools.sink({ a: s.has(a), b: s.has(b) })`,
  ],
]
