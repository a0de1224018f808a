/** What shows that a rule of a built-in of the library (URLs, bytes, reflection) is missing. */
export const LIBRARY_TRAPS: Readonly<Record<string, string>> = {
  URL: "await tools.sink({ x: new URL('https://a.example/?q=' + u.s).href })",
  'URL.canParse': "await tools.sink({ x: URL.canParse(u.b ? 'https://a' : 'no') })",
  'URL.parse': "await tools.sink({ x: URL.parse('https://a/' + u.s)?.pathname })",
  'url.toJSON': "await tools.sink({ x: new URL('https://a/' + u.s).toJSON() })",
  'url.toString': "await tools.sink({ x: new URL('https://a/' + u.s).toString() })",
  URLSearchParams: 'await tools.sink({ x: String(new URLSearchParams({ q: u.s })) })',
  'urlsearchparams.append': "const p = new URLSearchParams(); p.append('a', u.s); await tools.sink({ x: String(p) })",
  'urlsearchparams.delete':
    "const p = new URLSearchParams('a=1&b=2'); p.delete(u.k); await tools.sink({ x: String(p) })",
  'urlsearchparams.entries': 'await tools.sink({ x: new URLSearchParams({ q: u.s }).entries() })',
  'urlsearchparams.forEach':
    'let x = 0; new URLSearchParams({ q: u.s }).forEach((v) => { x = v }); await tools.sink({ x })',
  'urlsearchparams.get': "await tools.sink({ x: new URLSearchParams({ q: u.s }).get('q') })",
  'urlsearchparams.getAll': "await tools.sink({ x: new URLSearchParams({ q: u.s }).getAll('q') })",
  'urlsearchparams.has': 'await tools.sink({ x: new URLSearchParams({ a: 1 }).has(u.k) })',
  'urlsearchparams.keys': 'await tools.sink({ x: new URLSearchParams({ [u.s]: 1 }).keys() })',
  'urlsearchparams.set': "const p = new URLSearchParams(); p.set('a', u.s); await tools.sink({ x: String(p) })",
  'urlsearchparams.sort':
    "const p = new URLSearchParams('b=1&a=2'), q = new URLSearchParams(); (u.b ? p : q).sort(); await tools.sink({ x: String(p) })",
  'urlsearchparams.toString': 'await tools.sink({ x: new URLSearchParams({ q: u.s }).toString() })',
  'urlsearchparams.values': 'await tools.sink({ x: new URLSearchParams({ q: u.s }).values() })',
}
