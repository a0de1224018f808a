/** Folders of the suite that concern the subset. Everything else is about what it leaves out. */
export const folders: readonly string[] = [
  'test/language/asi',
  'test/language/block-scope',
  'test/language/comments',
  'test/language/computed-property-names',
  'test/language/destructuring',
  'test/language/expressions',
  'test/language/function-code',
  'test/language/identifiers',
  'test/language/identifier-resolution',
  'test/language/keywords',
  'test/language/line-terminators',
  'test/language/literals',
  'test/language/punctuators',
  'test/language/rest-parameters',
  'test/language/statementList',
  'test/language/statements',
  'test/language/types',
  'test/language/white-space',
  'test/built-ins/AggregateError',
  'test/built-ins/Array',
  'test/built-ins/Boolean',
  'test/built-ins/Date',
  'test/built-ins/Error',
  'test/built-ins/Infinity',
  'test/built-ins/JSON',
  'test/built-ins/Map',
  'test/built-ins/Math',
  'test/built-ins/NaN',
  'test/built-ins/NativeErrors',
  'test/built-ins/Number',
  'test/built-ins/Object',
  'test/built-ins/Promise',
  'test/built-ins/RegExp',
  'test/built-ins/Set',
  'test/built-ins/String',
  'test/built-ins/decodeURI',
  'test/built-ins/decodeURIComponent',
  'test/built-ins/encodeURI',
  'test/built-ins/encodeURIComponent',
  'test/built-ins/isFinite',
  'test/built-ins/isNaN',
  'test/built-ins/parseFloat',
  'test/built-ins/parseInt',
  'test/built-ins/undefined',
]

/** Features (as the suite's front matter names them) that scripts do without. */
export const refusedFeatures: ReadonlySet<string> = new Set(
  (
    'ArrayBuffer AsyncIterator Atomics Atomics.waitAsync BigInt DataView FinalizationRegistry Float16Array Iterator ' +
    'Proxy Reflect Reflect.construct Reflect.set Reflect.setPrototypeOf SharedArrayBuffer ShadowRealm Symbol ' +
    'Symbol.asyncIterator Symbol.hasInstance Symbol.isConcatSpreadable Symbol.iterator Symbol.match Symbol.matchAll ' +
    'Symbol.prototype.description Symbol.replace Symbol.search Symbol.species Symbol.split Symbol.toPrimitive ' +
    'Symbol.toStringTag Symbol.unscopables Temporal TypedArray Uint8Array WeakMap WeakRef WeakSet ' +
    'async-iteration class class-fields-private class-fields-private-in class-fields-public class-methods-private ' +
    'class-static-block class-static-fields-private class-static-fields-public class-static-methods-private ' +
    'cross-realm decorators dynamic-import explicit-resource-management generators globalThis hashbang ' +
    'import-attributes import-bytes import-defer import-text import.meta iterator-helpers json-modules ' +
    'json-parse-with-source new.target ' +
    'regexp-modifiers resizable-arraybuffer source-phase-imports ' +
    'source-phase-imports-module-source super symbols-as-weakmap-keys tail-call-optimization top-level-await ' +
    'upsert u180e uint8array-base64 host-gc-required __proto__ __getter__ __setter__ caller legacy-regexp Error.isError ' +
    'error-cause-x Intl.DateTimeFormat-datetimestyle IsHTMLDDA Array.fromAsync Math.sumPrecise RegExp.escape ' +
    'promise-try await-dictionary immutable-arraybuffer joint-iteration error-stack-accessor proxy-missing-checks ' +
    'exponentiation-bigint canonical-tz json-superset-x Error.captureStackTrace nonextensible-applies-to-private'
  ).split(' '),
)

/** What a test mentions when it is about something the subset leaves out, whether or not its front matter says so. */
export const outside: readonly (readonly [RegExp, string])[] = [
  [/\bprototype\b|\bconstructor\b|__proto__|[gs]etPrototypeOf|isPrototypeOf/, 'prototypes and constructors'],
  [/\bSymbol\b|\bReflect\b|\bProxy\b|\bBigInt\b|\bWeak(Map|Set|Ref)\b|\bIntl\b/, 'globals that scripts do not have'],
  [/\bFunction\b|\beval\b|\bglobalThis\b|\$262|\bfnGlobalObject\b/, 'code from text, the global object'],
  [
    /defineProperty|defineProperties|PropertyDescriptor|__define[GS]etter__|__lookup[GS]etter__/,
    'property descriptors',
  ],
  [
    /preventExtensions|isExtensible|\bseal\b|isSealed|getOwnPropertySymbols/,
    'levels of freezing between open and frozen',
  ],
  [/new (Boolean|Number|String|Object)\b/, 'wrapper objects'],
  [/\bthis\b/, '`this`'],
  [/\.(call|apply|bind)\(/, 'calling with another `this`'],
  [/Object\.create\(/, 'prototypes'],
]

/** Messages of errors by which scripts refuse while they run: they say what to write instead, and are no wrong values. */
export const refusalMessages: readonly RegExp[] = [
  /Only objects take new properties/,
  /Functions have no text here/,
  /A key must be a text or a number/,
  /Only objects and lists lose properties/,
  /Objects with a `then` function are not awaited/,
  /is not a built-in type/,
  /Use Object\.freeze|Only plain objects and arrays can be frozen/,
  /Object\(value\) of a text|needs an object to copy into/,
  /Objects have no prototype/,
  /is not available in \//,
  /limit `(arrayLength|expressionDepth|stringLength|memoryBytes|fuel|callDepth|regexSteps)`/,
  /Items have whole numbers from 0 up/,
  /`lastIndex` takes a number/,
  /Functions list no properties/,
  /The flag m counts only/,
  /String\.raw is not a function/,
  /(Symbol|ArrayBuffer|Iterator|WeakMap|WeakSet|Uint8Array) is not defined/,
]
