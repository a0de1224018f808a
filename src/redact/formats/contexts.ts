import { ALNUM, LOWER, TOKEN, UPPER, WORD, beginsWord, kindAt, runEnd, runStart } from './characters.ts'
import { type Memo, type SecretFormat, type Sight, memoEnd } from './format.ts'
import { isDrawn, isNameOrAddress, isPasswordLike, isPlaceholder } from './strength.ts'

/** Names whose value is a password, in whatever form, and names whose value is a secret if it looks random. */
const PASSWORD_WORDS = [
  ...['password', 'passwd', 'passphrase', 'passcode', 'pwd', '_pass'],
  ...['passwort', 'kennwort', 'contraseña', 'contrasena', 'mot de passe', 'пароль'],
]
const SECRET_WORDS = [
  'secret',
  'token',
  'credential',
  ...[
    'api',
    'access',
    'account',
    'private',
    'secret',
    'signing',
    'encryption',
    'master',
    'auth',
    'shared',
    'subscription',
    'license',
    'service',
    'function',
    ...['admin', 'app', 'application', 'ingestion', 'write', 'webhook', 'session', 'root'],
    ...['aes', 'hmac', 'cipher', 'decryption', 'jwt', 'preshared', 'recovery', 'fastly'],
  ].flatMap((word) => [`${word}key`, `${word}_key`, `${word}-key`, `${word} key`]),
  'client-key-data',
  ...['secret seed', 'secret_seed', '_pat', '_auth', '"auth', "'auth"],
  // OAuth codes are as good as tokens until they are exchanged.
  ...[
    '?code',
    '&code',
    'authorization_code',
    'authorizationcode',
    'auth_code',
    'authcode',
    'code_verifier',
    'device_code',
  ],
]
/** Tokens that are list positions or pieces of text, and must not be changed. */
const NOT_SECRET =
  /(?:page|next|continuation|sync|cursor|cancel|resume|change|eos|bos|pad|stop|unk|mask|max|min|num|count|total|prompt|input|output|completion)[-_ ]?$/i

/** The kind of value that a name indicates; `undefined` for neither. */
type NamedKind = 'password' | 'secret' | undefined

/** Classifies the name of a member, a variable or a header. */
export function kindByName(name: string): NamedKind {
  if (name.length > 64 || name.startsWith('$')) return undefined
  const lower = name.toLowerCase()
  if (
    lower === 'authorization' ||
    lower === 'proxy-authorization' ||
    lower === 'cookie' ||
    lower === 'set-cookie' ||
    lower === 'auth'
  )
    return 'secret'
  for (const [words, kind] of KINDS) {
    for (const word of words) {
      const at = lower.lastIndexOf(word)
      if (at >= 0 && endsName(name, at + word.length) && !NOT_SECRET.test(name.slice(0, at))) return kind
    }
  }
  return undefined
}

const KINDS = [
  [PASSWORD_WORDS, 'password'],
  [SECRET_WORDS, 'secret'],
] as const

/** Whether the word ends here, or continues with another word: `secretAccessKey`, `API_KEY_2`, not `tokens` or `secretary`. */
function endsName(text: string, at: number): boolean {
  const next = kindAt(text, at)
  if ((next & LOWER) !== 0) return false
  return (next & UPPER) === 0 || (kindAt(text, at - 1) & LOWER) !== 0
}

/** Whether a value has the form of the kind that its name indicates. */
export function looksLikeKind(value: string, kind: 'password' | 'secret', isQuoted: boolean): boolean {
  if (kind === 'password') return isPasswordLike(value, isQuoted)
  return value.length >= 12 && !isPlaceholder(value) && isDrawn(value) && !isNameOrAddress(value)
}

const GAP_MAX = 4
const VALUE_MAX = 4096
const QUOTED_MAX = 1024
const COOKIES_MAX = 1024
const QUOTES = '"\'`'
/** A key of the memo for parts that are not runs of character classes. */
const PLAIN = -1
const LINE = -2
const STOPS = ' \t\r\n"\'`,;&<>()[]{}|\\'

interface Value {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
  readonly open: boolean
}

/** Finds the value after a name that ends at `from`: `name = value`, `"name": "value"`, `--name value`, `name: Bearer value`. */
function valueAfter(text: string, from: number, mayBeSpaced: boolean, memo: Memo): Value | undefined {
  let at = runEnd(text, from, TOKEN, 24)
  at = skipOne(text, skipEscapes(text, at), QUOTES)
  const gap = at
  at = skipSpaces(text, at)
  const sign = text.charAt(at)
  // `<apiKey>value</apiKey>` and `define('API_KEY', 'value')`.
  if (at === gap && ((sign === '>' && isTag(text, from)) || (sign === ',' && isArgument(text, from))))
    at = skipSpaces(text, at + 1)
  else if (sign === '=' || sign === ':') at = skipSpaces(text, skipOne(text, skipOne(text, at + 1, '='), '>'))
  else if (at === text.length || !mayBeSpaced || at === gap) return at === text.length ? none(at) : undefined
  for (let i = 0; i < 2; i++) {
    const scheme = /(?:Bearer|Basic|Token|Api-?Key|AccessKey|Digest|SSWS|Splunk)[ \t]{1,4}|token=|key=/iy
    scheme.lastIndex = at
    at += scheme.exec(text)?.[0].length ?? 0
  }
  const before = at
  at = skipEscapes(text, at)
  if (at === text.length) return none(before)
  const quote = QUOTES.includes(text.charAt(at)) ? text.charAt(at) : undefined
  if (quote === undefined) return plainValue(text, before, memo)
  return quotedValue(text, at + 1, quote)
}

/** Whether the name that ends here is that of an opening tag. */
function isTag(text: string, nameEnd: number): boolean {
  return text.charAt(runStart(text, nameEnd, TOKEN, 64) - 1) === '<'
}

/** Whether the name that ends here is quoted, and the first argument of a call that assigns a value. */
function isArgument(text: string, nameEnd: number): boolean {
  const start = runStart(text, nameEnd, TOKEN, 64)
  return SETTER.test(text.slice(Math.max(0, start - 40), start))
}

const SETTER = /(?:define|setenv|putenv|\bset|setItem|append|header)\(\s?\\{0,7}["']$/i

function none(at: number): Value {
  return { start: at, end: at, isQuoted: false, open: true }
}

function plainValue(text: string, start: number, memo: Memo): Value {
  let end = memoEnd(memo, PLAIN, start, () => endBefore(text, start, STOPS, VALUE_MAX))
  const open = end === text.length
  while (end > start && '.:'.includes(text.charAt(end - 1))) end--
  return { start, end, isQuoted: false, open }
}

function quotedValue(text: string, start: number, quote: string): Value {
  const limit = Math.min(text.length, start + QUOTED_MAX)
  let end = start
  while (end < limit) {
    const char = text.charAt(end)
    if (char === quote || char === '\n') break
    end++
  }
  const open = end === text.length
  // The quotes of JSON inside a JSON text are preceded by backslashes.
  while (end > start && text.charAt(end - 1) === '\\') end--
  return { start, end, isQuoted: true, open }
}

function endBefore(text: string, start: number, stops: string, max: number): number {
  const limit = Math.min(text.length, start + max)
  let end = start
  while (end < limit && !stops.includes(text.charAt(end))) end++
  return end
}

function skipOne(text: string, at: number, chars: string): number {
  return at < text.length && chars.includes(text.charAt(at)) ? at + 1 : at
}

/** A quote inside quoted text is preceded by backslashes, more with every level. */
function skipEscapes(text: string, from: number): number {
  let at = from
  while (at - from < 7 && text.charAt(at) === '\\') at++
  return at
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (at - from < GAP_MAX && (text.charAt(at) === ' ' || text.charAt(at) === '\t')) at++
  return at
}

function named(name: string, anchors: readonly string[], kind: 'password' | 'secret'): SecretFormat {
  return {
    name,
    anchors,
    held: false,
    guessable: true,
    look(text, at, end, memo): Sight | undefined {
      if (!endsName(text, end) || NOT_SECRET.test(text.slice(Math.max(0, at - 16), at))) return undefined
      // `$secret` is the name of a handle without a value, unless it is a variable that is assigned one; `[secret:` begins a redaction token.
      if (at > 0 && text.charAt(at - 1) === '[') return undefined
      if (at > 0 && text.charAt(at - 1) === '$' && !GIVEN.test(text.slice(end, end + 40))) return undefined
      const mayBeSpaced = isFlag(text, at) || isLogin(text, at) || isDirective(text, at) || isSql(text, at, end)
      const value = valueAfter(text, end, mayBeSpaced, memo)
      if (value === undefined) return undefined
      return { ...value, found: looksLikeKind(text.slice(value.start, value.end), kind, value.isQuoted) }
    },
  }
}

/** What follows the name in `$password = "…"`, possibly cut off by the end of the text. */
const GIVEN = /^\w*\s{0,4}(?:=\s{0,4}\\{0,7}(?:["']|$)|$)/

/** `ENV NAME value` of an image, `setenv NAME value` of a shell, `add-authtoken value`. */
function isDirective(text: string, at: number): boolean {
  const start = runStart(text, at, TOKEN, 40)
  return text.startsWith('add-', start) || /(?:ENV|setenv) $/.test(text.slice(Math.max(0, start - 8), start))
}

/** `CREATE USER … PASSWORD '…'` and `IDENTIFIED BY '…'`: a quoted text follows the word. */
function isSql(text: string, at: number, end: number): boolean {
  if (!QUOTED_NEXT.test(text.slice(end, end + 8))) return false
  const word = text.slice(at, end)
  return word === 'PASSWORD' || /^identified by$/i.test(word) || OF_ROLES.test(text.slice(Math.max(0, at - 160), at))
}

/** The quote after the word, possibly cut off by the end of the text. */
const QUOTED_NEXT = /^\s{1,4}(?:\\{0,7}['"]|$)/
const OF_ROLES = /(?:^|[^a-z]|\\[nrt])(?:create|alter)\s+(?:user|role|login)\b[^;]*$/i

function isFlag(text: string, at: number): boolean {
  return text.startsWith('--', runStart(text, at, TOKEN, 24))
}

/** `machine … login … password …`, as in a .netrc file. */
function isLogin(text: string, at: number): boolean {
  return text.slice(Math.max(0, at - 80), at).includes('login ')
}

/** `Bearer` and `Basic` with their credentials, in a header or not. */
const BEARER: SecretFormat = {
  name: 'bearer-token',
  anchors: ['bearer ', 'basic '],
  held: false,
  guessable: true,
  look(text, at, anchorEnd) {
    if (!beginsWord(text, at)) return undefined
    const end = runEnd(text, anchorEnd, WORD | 16 | 32 | 64 | 128 | 256 | 2048, VALUE_MAX)
    const value = text.slice(anchorEnd, end)
    return { start: anchorEnd, end, open: end === text.length, found: value.length >= 12 && isDrawn(value) }
  },
}

/** `Authorization: <scheme> <credentials>`; the scheme stays. */
const AUTHORIZATION: SecretFormat = {
  name: 'authorization',
  anchors: ['authorization'],
  held: false,
  guessable: true,
  look(text, _at, anchorEnd, memo) {
    const value = valueAfter(text, anchorEnd, false, memo)
    if (value === undefined) return undefined
    return { ...value, found: looksLikeKind(text.slice(value.start, value.end), 'secret', value.isQuoted) }
  },
}

/** `Cookie: a=…; b=…`: everything after the name of the first cookie, to the end of the line. */
const COOKIE: SecretFormat = {
  name: 'cookie',
  anchors: ['cookie:', 'cookie: '],
  held: false,
  guessable: true,
  look(text, at, anchorEnd, memo) {
    if (!beginsWord(text, at) && text.charAt(at - 1) !== '-') return undefined
    const spaced = skipSpaces(text, anchorEnd)
    const equals = runEnd(text, spaced, TOKEN | 32, 64)
    if (text.charAt(equals) !== '=') return equals === text.length ? { ...none(equals), found: false } : undefined
    const start = equals + 1
    const end = memoEnd(memo, LINE, start, () => endBefore(text, start, '\r\n"\'\\', COOKIES_MAX))
    return {
      start,
      end,
      open: end === text.length,
      found: end - start >= 12 && text.charAt(start) !== '[' && isDrawn(text.slice(start, end)),
    }
  },
}

/** `scheme://user:password@host`: the password alone. */
const URL_PASSWORD: SecretFormat = {
  name: 'url-password',
  anchors: ['://'],
  held: false,
  guessable: true,
  look(text, _at, anchorEnd) {
    const user = runEnd(text, anchorEnd, ALNUM | 8 | 16 | 32 | 128 | 256 | 512 | 2048 | 4096, 128)
    if (text.charAt(user) !== ':') return user === text.length ? { ...none(user), found: false } : undefined
    const start = user + 1
    const end = endBefore(text, start, ' \t\r\n"\'`/@<>\\', 256)
    const password = text.slice(start, end)
    const found = text.charAt(end) === '@' && password.length > 2 && !isPlaceholder(password)
    return { start, end, open: end === text.length, found }
  },
}

/** `https://key@host/project` of Sentry: the key alone identifies who may write. */
const DSN: SecretFormat = {
  name: 'sentry-dsn',
  anchors: ['://'],
  held: false,
  guessable: false,
  look(text, _at, anchorEnd) {
    const end = runEnd(text, anchorEnd, ALNUM, DSN_KEY + 1)
    if (end - anchorEnd > DSN_KEY) return undefined
    if (end === text.length) return { ...none(end), found: false }
    const found = end - anchorEnd === DSN_KEY && text.charAt(end) === '@' && HEX.test(text.slice(anchorEnd, end))
    return { start: anchorEnd, end, open: false, found }
  },
}

const DSN_KEY = 32
const HEX = /^[0-9a-f]+$/

/** `code=…` at the start of a form or a fragment, as OAuth sends it back; behind `?` and `&` it is found by its name. */
const CODE: SecretFormat = {
  name: 'oauth-code',
  anchors: ['code='],
  held: false,
  guessable: false,
  look(text, at, anchorEnd, memo) {
    if (!beginsWord(text, at)) return undefined
    const { start, end, open } = plainValue(text, anchorEnd, memo)
    const value = text.slice(start, end)
    return { start, end, open, found: value.length >= CODE_MIN && isDrawn(value) && !isNameOrAddress(value) }
  },
}

const CODE_MIN = 20

const CLIENTS =
  /(?:^|\W|\\[nrt])(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|sshpass|mongo|mongosh|redis-cli|sqlcmd|curl|wget|(?:docker|podman|skopeo|oras|helm registry|az) login)\b[^\n|;]*$/

/** `mysql -pPASSWORD`, `sshpass -p PASSWORD`, `curl -u name:PASSWORD`. */
const FLAG: SecretFormat = {
  name: 'password',
  anchors: [' -p', ' -u', ' -a ', ' --user'],
  held: false,
  guessable: true,
  look(text, at, anchorEnd, memo) {
    if (!CLIENTS.test(text.slice(Math.max(0, at - 90), at))) return undefined
    const spaced = skipSpaces(text, skipOne(text, anchorEnd, '='))
    const { start, end, open } = plainValue(text, skipOne(text, spaced, QUOTES), memo)
    if (!text.slice(at, anchorEnd).includes('-u')) {
      return {
        start,
        end,
        open,
        found: looksLikeKind(text.slice(start, end), 'password', true) && !/^\d+$/.test(text.slice(start, end)),
      }
    }
    const colon = text.indexOf(':', start)
    if (colon < 0 || colon >= end) return { start: end, end, open, found: false }
    return { start: colon + 1, end, open, found: end - colon > 3 && !isPlaceholder(text.slice(colon + 1, end)) }
  },
}

const WORDS_MIN = 12
const WORDS_MAX = 24

/** A mnemonic phrase of twelve to twenty-four words that encodes a key. */
const MNEMONIC: SecretFormat = {
  name: 'mnemonic',
  anchors: [
    ...['mnemonic', 'seed phrase', 'recovery phrase', 'seed_phrase', 'recovery_phrase', 'seedphrase'],
    ...['recoveryphrase', 'secret phrase', 'backup phrase', 'seed words', 'recovery words'],
  ],
  held: false,
  guessable: false,
  look(text, _at, anchorEnd) {
    const intro = /\\{0,7}["']?\s{0,2}(?:[:=]|is)?\s{0,2}\\{0,7}["']?/y
    intro.lastIndex = anchorEnd
    const start = anchorEnd + (intro.exec(text)?.[0].length ?? 0)
    // `abandon ability`, `1. abandon 2. ability`, one per line, with commas.
    const word = /(?:\d{1,2}[.):]?\s{1,2})?(?:[a-z]{3,8}|[A-Z]{3,8})(?![A-Za-z])((?:,\s?|\s{1,2}|\\{1,7}n)?)/y
    word.lastIndex = start
    let end = start
    let count = 0
    while (count < WORDS_MAX) {
      const from = word.lastIndex
      const found = word.exec(text)
      if (found === null) return { start, end, open: text.length - from < 16, found: count >= WORDS_MIN }
      count++
      end = word.lastIndex - found[1]!.length
      if (found[1] === '') break
    }
    return { start, end, open: word.lastIndex === text.length && count < WORDS_MAX, found: count >= WORDS_MIN }
  },
}

export const CONTEXTS: readonly SecretFormat[] = [
  named('password', [...PASSWORD_WORDS, 'identified by'], 'password'),
  named('secret', SECRET_WORDS, 'secret'),
  BEARER,
  AUTHORIZATION,
  COOKIE,
  URL_PASSWORD,
  DSN,
  CODE,
  FLAG,
  MNEMONIC,
]
