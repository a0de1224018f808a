import { ITERATOR } from '../../../src/vm/value/symbols.ts'

/** What shows that a rule of a built-in of the library (URLs, bytes, reflection) is missing. */
export const LIBRARY_TRAPS: Readonly<Record<string, string>> = {
  URL: "await tools.sink({ x: new URL('https://a.example/?q=' + u.s).href })",
  'URL.canParse': "await tools.sink({ x: URL.canParse(u.b ? 'https://a' : 'no') })",
  'URL.parse': "await tools.sink({ x: URL.parse('https://a/' + u.s)?.pathname })",
  'url.toJSON': "await tools.sink({ x: new URL('https://a/' + u.s).toJSON() })",
  'url.toString': "await tools.sink({ x: new URL('https://a/' + u.s).toString() })",
  URLSearchParams: 'await tools.sink({ x: String(new URLSearchParams({ q: u.s })) })',
  [`urlsearchparams.${ITERATOR}`]:
    'await tools.sink({ x: [...(u.b ? new URLSearchParams({ q: 1 }) : new URLSearchParams())[Symbol.iterator]()] })',
  'urlsearchparams.append': "const p = new URLSearchParams(); p.append('a', u.s); await tools.sink({ x: String(p) })",
  'urlsearchparams.delete':
    "const p = new URLSearchParams('a=1&b=2'); p.delete(u.k); await tools.sink({ x: String(p) })",
  'urlsearchparams.entries':
    'await tools.sink({ x: [...(u.b ? new URLSearchParams({ q: 1 }) : new URLSearchParams()).entries()] })',
  'urlsearchparams.forEach':
    'let x = 0; new URLSearchParams({ q: u.s }).forEach((v) => { x = v }); await tools.sink({ x })',
  'urlsearchparams.get': "await tools.sink({ x: new URLSearchParams({ q: u.s }).get('q') })",
  'urlsearchparams.getAll': "await tools.sink({ x: new URLSearchParams({ q: u.s }).getAll('q') })",
  'urlsearchparams.has': 'await tools.sink({ x: new URLSearchParams({ a: 1 }).has(u.k) })',
  'urlsearchparams.keys':
    'await tools.sink({ x: [...(u.b ? new URLSearchParams({ q: 1 }) : new URLSearchParams()).keys()] })',
  'urlsearchparams.set': "const p = new URLSearchParams(); p.set('a', u.s); await tools.sink({ x: String(p) })",
  'urlsearchparams.sort':
    "const p = new URLSearchParams('b=1&a=2'), q = new URLSearchParams(); (u.b ? p : q).sort(); await tools.sink({ x: String(p) })",
  'urlsearchparams.toString': 'await tools.sink({ x: new URLSearchParams({ q: u.s }).toString() })',
  'urlsearchparams.values':
    'await tools.sink({ x: [...(u.b ? new URLSearchParams({ q: 1 }) : new URLSearchParams()).values()] })',
  [`typedarray.${ITERATOR}`]:
    'await tools.sink({ x: [...(u.b ? new Uint8Array([1]) : new Uint8Array(2))[Symbol.iterator]()] })',
  Int8Array: 'await tools.sink({ x: [...new Int8Array([u.n])] })',
  'Int8Array.from': 'await tools.sink({ x: [...Int8Array.from([u.n])] })',
  'Int8Array.of': 'await tools.sink({ x: [...Int8Array.of(u.n)] })',
  Uint8Array: 'await tools.sink({ x: [...new Uint8Array([u.n])] })',
  'Uint8Array.from': 'await tools.sink({ x: [...Uint8Array.from([u.n])] })',
  'Uint8Array.of': 'await tools.sink({ x: [...Uint8Array.of(u.n)] })',
  Uint8ClampedArray: 'await tools.sink({ x: [...new Uint8ClampedArray([u.n])] })',
  'Uint8ClampedArray.from': 'await tools.sink({ x: [...Uint8ClampedArray.from([u.n])] })',
  'Uint8ClampedArray.of': 'await tools.sink({ x: [...Uint8ClampedArray.of(u.n)] })',
  Int16Array: 'await tools.sink({ x: [...new Int16Array([u.n])] })',
  'Int16Array.from': 'await tools.sink({ x: [...Int16Array.from([u.n])] })',
  'Int16Array.of': 'await tools.sink({ x: [...Int16Array.of(u.n)] })',
  Uint16Array: 'await tools.sink({ x: [...new Uint16Array([u.n])] })',
  'Uint16Array.from': 'await tools.sink({ x: [...Uint16Array.from([u.n])] })',
  'Uint16Array.of': 'await tools.sink({ x: [...Uint16Array.of(u.n)] })',
  Int32Array: 'await tools.sink({ x: [...new Int32Array([u.n])] })',
  'Int32Array.from': 'await tools.sink({ x: [...Int32Array.from([u.n])] })',
  'Int32Array.of': 'await tools.sink({ x: [...Int32Array.of(u.n)] })',
  Uint32Array: 'await tools.sink({ x: [...new Uint32Array([u.n])] })',
  'Uint32Array.from': 'await tools.sink({ x: [...Uint32Array.from([u.n])] })',
  'Uint32Array.of': 'await tools.sink({ x: [...Uint32Array.of(u.n)] })',
  Float32Array: 'await tools.sink({ x: [...new Float32Array([u.n])] })',
  'Float32Array.from': 'await tools.sink({ x: [...Float32Array.from([u.n])] })',
  'Float32Array.of': 'await tools.sink({ x: [...Float32Array.of(u.n)] })',
  Float64Array: 'await tools.sink({ x: [...new Float64Array([u.n])] })',
  'Float64Array.from': 'await tools.sink({ x: [...Float64Array.from([u.n])] })',
  'Float64Array.of': 'await tools.sink({ x: [...Float64Array.of(u.n)] })',
  ArrayBuffer: 'await tools.sink({ x: new ArrayBuffer(u.n).byteLength })',
  'ArrayBuffer.isView': 'await tools.sink({ x: ArrayBuffer.isView(u.b ? new Uint8Array(1) : 1) })',
  DataView: 'const b = new ArrayBuffer(8); await tools.sink({ x: new DataView(b, u.n).byteLength })',
  TextDecoder: "await tools.sink({ x: new TextDecoder('utf-8', { fatal: u.b }).fatal })",
  'arraybuffer.slice': 'await tools.sink({ x: new ArrayBuffer(8).slice(u.n).byteLength })',
  'textdecoder.decode': 'await tools.sink({ x: new TextDecoder().decode(new Uint8Array([65 + u.n])) })',
  'textencoder.encode': 'await tools.sink({ x: [...new TextEncoder().encode(u.s)] })',
  'dataview.getInt8':
    'await tools.sink({ x: new DataView(new Uint8Array([u.n, u.n, u.n, u.n, u.n, u.n, u.n, u.n]).buffer).getInt8(0) })',
  'dataview.setInt8':
    'const v = new DataView(new ArrayBuffer(8)); v.setInt8(0, u.n); await tools.sink({ x: [...new Uint8Array(v.buffer)] })',
  'dataview.getUint8':
    'await tools.sink({ x: new DataView(new Uint8Array([u.n, u.n, u.n, u.n, u.n, u.n, u.n, u.n]).buffer).getUint8(0) })',
  'dataview.setUint8':
    'const v = new DataView(new ArrayBuffer(8)); v.setUint8(0, u.n); await tools.sink({ x: [...new Uint8Array(v.buffer)] })',
  'dataview.getInt16':
    'await tools.sink({ x: new DataView(new Uint8Array([u.n, u.n, u.n, u.n, u.n, u.n, u.n, u.n]).buffer).getInt16(0) })',
  'dataview.setInt16':
    'const v = new DataView(new ArrayBuffer(8)); v.setInt16(0, u.n); await tools.sink({ x: [...new Uint8Array(v.buffer)] })',
  'dataview.getUint16':
    'await tools.sink({ x: new DataView(new Uint8Array([u.n, u.n, u.n, u.n, u.n, u.n, u.n, u.n]).buffer).getUint16(0) })',
  'dataview.setUint16':
    'const v = new DataView(new ArrayBuffer(8)); v.setUint16(0, u.n); await tools.sink({ x: [...new Uint8Array(v.buffer)] })',
  'dataview.getInt32':
    'await tools.sink({ x: new DataView(new Uint8Array([u.n, u.n, u.n, u.n, u.n, u.n, u.n, u.n]).buffer).getInt32(0) })',
  'dataview.setInt32':
    'const v = new DataView(new ArrayBuffer(8)); v.setInt32(0, u.n); await tools.sink({ x: [...new Uint8Array(v.buffer)] })',
  'dataview.getUint32':
    'await tools.sink({ x: new DataView(new Uint8Array([u.n, u.n, u.n, u.n, u.n, u.n, u.n, u.n]).buffer).getUint32(0) })',
  'dataview.setUint32':
    'const v = new DataView(new ArrayBuffer(8)); v.setUint32(0, u.n); await tools.sink({ x: [...new Uint8Array(v.buffer)] })',
  'dataview.getFloat32':
    'await tools.sink({ x: new DataView(new Uint8Array([u.n, u.n, u.n, u.n, u.n, u.n, u.n, u.n]).buffer).getFloat32(0) })',
  'dataview.setFloat32':
    'const v = new DataView(new ArrayBuffer(8)); v.setFloat32(0, u.n); await tools.sink({ x: [...new Uint8Array(v.buffer)] })',
  'dataview.getFloat64':
    'await tools.sink({ x: new DataView(new Uint8Array([u.n, u.n, u.n, u.n, u.n, u.n, u.n, u.n]).buffer).getFloat64(0) })',
  'dataview.setFloat64':
    'const v = new DataView(new ArrayBuffer(8)); v.setFloat64(0, u.n); await tools.sink({ x: [...new Uint8Array(v.buffer)] })',
  'typedarray.at': 'await tools.sink({ x: new Float64Array([u.n, u.m]).at(0) })',
  'typedarray.entries': 'await tools.sink({ x: [...(u.b ? new Uint8Array([1]) : new Uint8Array(2)).entries()] })',
  'typedarray.every': 'await tools.sink({ x: new Float64Array([u.n, u.m]).every((x) => x > 0) })',
  'typedarray.filter': 'await tools.sink({ x: new Float64Array([u.n, u.m]).filter((x) => x > 0).length })',
  'typedarray.find': 'await tools.sink({ x: new Float64Array([u.n, u.m]).find((x) => x > 0) ?? 0 })',
  'typedarray.findIndex': 'await tools.sink({ x: new Float64Array([u.n, u.m]).findIndex((x) => x > 0) })',
  'typedarray.findLast': 'await tools.sink({ x: new Float64Array([u.n, u.m]).findLast((x) => x > 0) ?? 0 })',
  'typedarray.findLastIndex': 'await tools.sink({ x: new Float64Array([u.n, u.m]).findLastIndex((x) => x < 0) })',
  'typedarray.includes': 'await tools.sink({ x: new Float64Array([u.n, u.m]).includes(1) })',
  'typedarray.indexOf': 'await tools.sink({ x: new Float64Array([u.n, u.m]).indexOf(1) })',
  'typedarray.join': "await tools.sink({ x: new Float64Array([u.n, u.m]).join('-') })",
  'typedarray.lastIndexOf': 'await tools.sink({ x: new Float64Array([u.n, u.m]).lastIndexOf(1) })',
  'typedarray.map': 'await tools.sink({ x: new Float64Array([u.n, u.m]).map((x) => x + 1).at(0) })',
  'typedarray.reduce': 'await tools.sink({ x: new Float64Array([u.n, u.m]).reduce((a, b) => a + b) })',
  'typedarray.reduceRight': 'await tools.sink({ x: new Float64Array([u.n, u.m]).reduceRight((a, b) => a - b) })',
  'typedarray.slice': 'await tools.sink({ x: new Uint8Array(5).slice(u.n).length })',
  'typedarray.some': 'await tools.sink({ x: new Float64Array([u.n, u.m]).some((x) => x < 0) })',
  'typedarray.subarray': 'await tools.sink({ x: new Uint8Array(5).subarray(u.n).length })',
  'typedarray.toReversed': 'await tools.sink({ x: new Float64Array([u.n, u.m]).toReversed() })',
  'typedarray.toSorted': 'await tools.sink({ x: new Float64Array([u.n, u.m]).toSorted() })',
  'typedarray.toString': 'await tools.sink({ x: new Float64Array([u.n, u.m]).toString() })',
  'typedarray.values': 'await tools.sink({ x: [...(u.b ? new Uint8Array([1]) : new Uint8Array(2)).values()] })',
  'typedarray.with': 'await tools.sink({ x: new Float64Array([u.n, u.m]).with(0, 5) })',
  'typedarray.keys': 'await tools.sink({ x: [...(u.b ? new Uint8Array([1]) : new Uint8Array(2)).keys()] })',
  'typedarray.copyWithin': 'const t = new Uint8Array([1, 2, 3]); t.copyWithin(u.n, 2); await tools.sink({ x: [...t] })',
  'typedarray.fill': 'const t = new Uint8Array(2); t.fill(u.n); await tools.sink({ x: [...t] })',
  'typedarray.forEach': 'let x = 0; new Float64Array([u.n]).forEach((q) => { x = q }); await tools.sink({ x })',
  'typedarray.reverse':
    'const t = new Uint8Array([1, 2]); (u.b ? t : new Uint8Array(1)).reverse(); await tools.sink({ x: [...t] })',
  'typedarray.set': 'const t = new Uint8Array(2); t.set([u.n]); await tools.sink({ x: [...t] })',
  'typedarray.sort':
    'const t = new Uint8Array([2, 1]); (u.b ? t : new Uint8Array(1)).sort(); await tools.sink({ x: [...t] })',
  'AbortSignal.abort': 'await tools.sink({ x: AbortSignal.abort(u.s).reason })',
  'abortcontroller.abort': 'const c = new AbortController(); c.abort(u.s); await tools.sink({ x: c.signal.reason })',
  'abortsignal.throwIfAborted':
    'const c = new AbortController(); if (u.b) c.abort(1); let x = 0; try { c.signal.throwIfAborted() } catch { x = 1 } await tools.sink({ x })',
  'Array.fromAsync': 'await tools.sink({ x: await Array.fromAsync(u.l) })',
  'Error.isError': "await tools.sink({ x: Error.isError(u.b ? new Error('a') : 1) })",
  'Reflect.deleteProperty':
    'const o = { a: 1, b: 2 }; Reflect.deleteProperty(o, u.k); await tools.sink({ x: Object.keys(o) })',
  'Reflect.get': 'await tools.sink({ x: Reflect.get({ a: 1, b: 2 }, u.k) })',
  'Reflect.has': 'await tools.sink({ x: Reflect.has({ a: 1 }, u.k) })',
  'Reflect.ownKeys': 'await tools.sink({ x: Reflect.ownKeys(u.o) })',
  'Reflect.set': "const o = { a: 1 }; Reflect.set(o, 'a', u.n); await tools.sink({ x: o.a })",
  'RegExp.escape': 'await tools.sink({ x: RegExp.escape(u.s) })',
  'string.trimLeft': 'await tools.sink({ x: u.t.trimLeft() })',
  'string.trimRight': 'await tools.sink({ x: u.t.trimRight() })',
  escape: 'await tools.sink({ x: escape(u.s) })',
  unescape: 'await tools.sink({ x: unescape(u.e) })',
}
