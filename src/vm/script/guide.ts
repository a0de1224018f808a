import { refusals } from './refusals.ts'

/** Supported features of scripts, in terms of the language. */
const available: readonly (readonly [topic: string, what: string])[] = [
  ['declarations', '`let`, `const`, `var`, functions and arrow functions with default and rest parameters, closures'],
  [
    'classes',
    'constructors, methods, fields, statics, static blocks, private names, getters and setters, `extends` of your own classes and of `Error` and its kin, `super`, `new.target`, `instanceof`; functions as constructors',
  ],
  [
    'objects',
    '`this` in methods and functions, `call`, `apply`, `bind`, getters and setters, `Object.create`, `Object.defineProperty` and their kin, `arguments` as a list of what was given',
  ],
  ['patterns', 'destructuring with defaults and rest, spread in arrays, objects and calls'],
  ['flow', '`if`, `switch`, `for`, `for…of`, `for…in`, `while`, `do`, labels, `try`/`catch`/`finally`, `throw`'],
  [
    'generators',
    '`function*`, `yield`, `yield*`, generator methods; asynchronous ones with `for await`; iterators with their helpers (`map`, `filter`, `take`, `toArray` and their kin), `[Symbol.iterator]` and `[Symbol.asyncIterator]` in objects and classes, `Symbol(text)` as a key',
  ],
  ['waiting', '`async` functions, `await` also at the top level, `for await` over lists of promises'],
  [
    'time',
    '`setTimeout`, `setInterval`, `await sleep(ms)` and `await waitUntil(date)`: under the kernel durable waits that suspend the run',
  ],
  ['operators', 'all of them, with `?.`, `??`, `**`, and assignment in every form'],
  [
    'texts',
    'template strings, tagged ones and `String.raw`, all string methods, regular expressions in linear time with look-ahead and look-behind (flags d g i m s u v y)',
  ],
  [
    'data',
    '`Array`, `Object`, `Map`, `Set`, `WeakMap`, `WeakSet`, `Date` (UTC only), `JSON`, `Math`, `Number`, `String`, `Boolean`',
  ],
  [
    'promises',
    '`Promise.all`, `allSettled`, `race`, `any`, `resolve`, `reject`, `new Promise`, `then`, `catch`, `finally`',
  ],
  [
    'formats',
    '`toLocaleString` and its kin, `Intl.NumberFormat`, `DateTimeFormat`, `Collator`, `PluralRules`, `ListFormat`, `RelativeTimeFormat`',
  ],
  ['addresses', '`URL` and `URLSearchParams`, as browsers have them'],
  ['bytes', '`Uint8Array` and the other typed arrays, `ArrayBuffer`, `DataView`, `TextEncoder`, `TextDecoder` (UTF-8)'],
  ['platform', '`performance.now`, `btoa`, `atob`, `queueMicrotask`, `structuredClone`, `console.log` and its kin'],
  ['other', '`Error` and its kin, `parseInt`, `encodeURIComponent` and the like, `Reflect`, `AbortController`'],
]

/** Where scripts differ from other engines without a refusal. */
const differences: readonly string[] = [
  'What leaves a script is JSON: a gap in an array, an `undefined` in it, `NaN` and infinities are `null` there, and what comes in has no gaps. A call is not made with such a number. A typed array leaves as a list of numbers, a `URL` as its text.',
  'A name that stands for nothing is refused before the first step. What is missing only for some values ends the script; no `catch` sees it.',
  '`.constructor` of data is what made it (`error.constructor.name`, `value.constructor === Object`). That of a function, and `.__proto__`, end the script unless the object holds such a key. Only objects of your own classes have a prototype. A key must be a text, a number or a symbol.',
  'A class extends your own classes and the Error types; an Array, Map or Set is kept in a field. Built-ins cannot be changed.',
  'An iterator or a generator does not leave a script: return `[...items]`. Of the well-known symbols there are `Symbol.iterator` and `Symbol.asyncIterator`.',
  'The only time zone is UTC. Texts of numbers and dates are there in en-US (without a locale), en-GB, de-DE and fr-FR, the same on every machine: another locale, or an option that is not known, ends the script.',
  'The clock and `Math.random` are recorded: a replay sees the same values. `performance.now()` counts from 1970.',
  'The value of a script is what it returns or, without `return`, its last expression. A script that is one function (`async () => { … }`, `async function main() { … }`) is called.',
]

/** The subset as a page of documentation, in Markdown. */
export function describeSubset(): string {
  const has = available.map(([topic, what]) => `- **${topic}**: ${what}`)
  const rows = Object.values(refusals).map(
    ({ title, why, instead }) => `| ${title} | ${why} | \`${escaped(instead)}\` |`,
  )
  return [
    'Scripts have:',
    '',
    ...has,
    '',
    'They differ:',
    '',
    ...differences.map((line) => `- ${line}`),
    '',
    '| refused | why | instead |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('`', "'")
}

/**
 * The subset in few words, to be put into a model's prompt.
 *
 * @example
 * ```ts
 * import { subsetPrompt } from 'mandate/vm'
 * const system = `Answer with one script. ${subsetPrompt()}`
 * ```
 */
export function subsetPrompt(): string {
  return `${subsetRules()} Return the answer with \`return\`; print with console.log.`
}

/** The subset without instructions on how a script returns its answer, for prompts that contain these themselves. */
export function subsetRules(): string {
  const missing = Object.values(refusals).map(({ title }) => title.replaceAll('`', '').replace(/^(A|An|The) /, lower))
  return [
    'Write plain JavaScript (TypeScript types are allowed and ignored). Call tools as `await tools.name({ … })`;',
    'run independent calls together with Promise.all.',
    `Not available: ${missing.join(', ')}. No network, files or modules: only the tools you are given.`,
    'Dates are UTC. A class extends your own classes or Error types, not Array, Map or Set; locales: en-US, en-GB, de-DE, fr-FR.',
  ].join(' ')
}

function lower(word: string): string {
  return word.toLowerCase()
}
